"""`lrc` with a small pair in the catalogue: run as `python -m tests.support.small_pair CATALOGUE ARGUMENTS…`."""

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lrc.models import catalogue
from lrc.models.catalogue import Entry, HubFile, IndexParts

ROOT = Path(__file__).parents[2]


@dataclass
class SmallLrc:
    """Runs the real command line, in a process, against a catalogue of small files."""

    catalogue: Path
    data_dir: Path
    environment: dict[str, str] = field(default_factory=dict)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start it in a process group of its own, as a terminal does."""
        return subprocess.Popen(
            (sys.executable, "-m", "tests.support.small_pair", str(self.catalogue), *arguments),
            cwd=ROOT,
            env={**os.environ, "LRC_DATA_DIR": str(self.data_dir), **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run it to its end."""
        with self.start(*arguments) as process:
            out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def write_catalogue(path: Path, entries: list[Entry]) -> Path:
    """Write the entries for `main` to read."""
    path.write_text(json.dumps([asdict(entry) for entry in entries]), "utf-8")
    return path


def main(arguments: list[str]) -> int:
    """Put the small pair into the catalogue, then be `lrc`."""
    raw = json.loads(Path(arguments[0]).read_text("utf-8"))
    entries = [Entry(**{**item, "parts": IndexParts(**item["parts"]), "hub": HubFile(**item["hub"])}) for item in raw]
    catalogue.TARGET, catalogue.DRAFT = entries
    catalogue.DEFAULT_PAIR = (entries[0], entries[1])
    from lrc.cli.app import run_app
    from lrc.cli.boundary import guarded

    return int(guarded(lambda: run_app(arguments[1:])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
