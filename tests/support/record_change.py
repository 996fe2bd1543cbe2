"""What a hook of a test runs: writes down the staged change as `lrc` reads it.

Called with the file to append to and the hook's name; one JSON object a line.
"""

import json
import sys
from pathlib import Path

from lrc.repo import Repository


def main() -> None:
    """Appends the staged change of the repository that git runs this in."""
    target, hook = Path(sys.argv[1]), sys.argv[2]
    with Repository.discover() as repository:
        change = repository.staged()
        files = [
            {
                "path": file.path,
                "old_path": file.old_path,
                "status": file.status.value,
                "modes": [file.old_mode, file.new_mode],
                "blobs": [file.old_blob, file.new_blob],
                "added": [line.text for hunk in file.hunks for line in hunk.added],
                "removed": [line.text for hunk in file.hunks for line in hunk.removed],
            }
            for file in change.files()
        ]
        seen = {"hook": hook, "base": change.base, "tree": change.new, "others": change.others, "files": files}
    with target.open("a") as out:
        out.write(json.dumps(seen) + "\n")


main()
