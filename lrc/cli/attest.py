"""Says in the commit itself that it was reviewed: as a trailer of its message, or as a note beside it.

The review leaves the words in the git directory of the work tree; the hook that git runs with the message, or after
the commit, takes them from there when what is committed is what was reviewed.
"""

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from lrc.cli import boundary

TYPE_CHECKING = False  # as in lrc.cli.hook: a hook that has nothing to do pays for every import
if TYPE_CHECKING:
    from lrc.review import Report

Git = Callable[..., "subprocess.CompletedProcess[bytes]"]
TOKEN = "Lrc-Review"  # noqa: S105 - the name of a trailer
NOTES = "refs/notes/lrc"
_FILES = {"trailer": "lrc-trailer", "note": "lrc-note"}
"""What the words wait in; `hooks/hook.sh` looks for the first before it starts us."""
_TEMPLATE = "lrc-template"
"""A copy of the message that a template made, left by the hook prepare-commit-msg."""
_AMENDED = "lrc-amended"
"""Left by the same hook when the message is that of HEAD: `--amend`."""
_COVERAGE = re.compile(r"; coverage=\d+%")
_SCISSORS = re.compile(rb"^.{1,8} -{24} >8 -{24}\r?$", re.MULTILINE)
_SIGN_OFF = re.compile(rb"^Signed-off-by:.*$", re.MULTILINE)


def words(report: "Report", verdict: str, model: str) -> str:
    """`pass; model=NAME; coverage=100%`: one line of ASCII."""
    parts = [verdict, f"model={model}" if model else "detectors only"]
    if report.stats.coverage is not None:
        parts.append(f"coverage={int(report.stats.coverage * 100)}%")
    return "; ".join(re.sub(r"[^\x21-\x7e ]|;", "_", part) for part in parts)


def prepare(git_dir: Path, record: str, text: str, *, head: str, tree: str, began: float) -> None:
    """Leaves the words for the commit of `tree` on `head`, or takes back what was left; raises OSError.

    `began` is when the review did, in seconds since 1970.
    """
    for name in (*_FILES.values(), _TEMPLATE, _AMENDED):
        (git_dir / name).unlink(missing_ok=True)
    if text and record in _FILES:
        path = git_dir / _FILES[record]
        aside = path.with_name(f".{path.name}.{os.getpid()}")
        aside.write_text(json.dumps({"head": head, "tree": tree, "text": text, "began": int(began)}), encoding="ascii")
        aside.replace(path)


def write_trailer(arguments: Sequence[str], git: Git) -> None:
    """Adds the trailer to the message in the file that git names, in the place of one that is there.

    A message that git would refuse stays as it is: an empty one, or a template that nobody filled in.
    """
    if not arguments:
        return
    message = Path(arguments[0])
    directory = message.absolute().parent
    text = _taken(directory / _FILES["trailer"])
    amended = (directory / _AMENDED).exists() or (bool(text) and _keeps_author_date(text["began"], git))
    (directory / _AMENDED).unlink(missing_ok=True)
    if not text or not _is_staged(text, git) or _untouched(message, git):
        return
    if (
        amended
        and not git(
            "-c", "log.showSignature=false", "log", "-1", f"--format=%(trailers:key={TOKEN})", "HEAD", "--"
        ).stdout.strip()
    ):
        return  # the review saw what was amended, and nothing says that the rest was reviewed
    said = _COVERAGE.sub("", text["text"]) if amended else text["text"]
    options = ("--where", "end", "--if-exists", "replace", "--if-missing", "add", "--no-divider")
    trailer = ("--trailer", f"{TOKEN}: {said}")
    done = git("-c", "trailer.separators=:", "interpret-trailers", "--in-place", *options, *trailer, str(message))
    if done.returncode != 0:
        boundary.say("the trailer could not be added to the message; it stays as it is")


def _keeps_author_date(began: str, git: Git) -> bool:
    """Whether the commit being made has the author date of HEAD, from before the review: `--amend` with a new message.

    Git tells its hooks the date. Two seconds are left for commits that a script makes one right after another.
    """
    own = re.match(r"@?(\d+) ", os.environ.get("GIT_AUTHOR_DATE", ""))
    if own is None or int(own[1]) > int(began) - 2:
        return False
    return (
        git("-c", "log.showSignature=false", "log", "-1", "--format=%at", "HEAD", "--")
        .stdout.decode("ascii", "replace")
        .strip()
        == own[1]
    )


def write_note(git_dir: Path, commit: str, tree: str, heads: tuple[str, str], git: Git) -> None:
    """Adds the note to the commit just made, when it is what was reviewed on its parent, or on what it amends.

    `heads` are what was HEAD before and the parent. An amended commit has a note only when it had one before.
    """
    text = _taken(git_dir / _FILES["note"])
    if not text or text["tree"] != tree or text["head"] not in heads:
        return
    before, parent = heads
    amended = before not in ("", parent) and text["head"] == before
    if amended and git("notes", f"--ref={NOTES}", "list", before).returncode != 0:
        return
    said = _COVERAGE.sub("", text["text"]) if amended else text["text"]
    done = git("notes", f"--ref={NOTES}", "add", "--force", "-m", f"{TOKEN}: {said}", commit)
    if done.returncode != 0:
        boundary.say(f"the note could not be added to {commit[:9]}: git refused")


def _taken(path: Path) -> dict[str, str]:
    """The words that wait in a file, which is gone then; nothing when there are none."""
    try:
        found = json.loads(path.read_text(encoding="ascii"))
        path.unlink()
        return {name: str(found[name]) for name in ("head", "tree", "text", "began")}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _is_staged(text: dict[str, str], git: Git) -> bool:
    """Whether the index is what was reviewed, on the same HEAD. By now git has written its tree."""
    head = git("rev-parse", "--verify", "--quiet", "HEAD").stdout.decode("ascii", "replace").strip()
    if head != text["head"]:
        return False
    return git("diff-index", "--cached", "--quiet", "--ignore-submodules=dirty", text["tree"], "--").returncode == 0


def _untouched(message: Path, git: Git) -> bool:
    """Whether nobody wrote anything into the message: then git ends the commit, and must go on doing so."""
    written = _stripped(message.read_bytes(), git)
    copy = message.absolute().parent / _TEMPLATE
    template = b""
    with contextlib.suppress(OSError):
        template = _stripped(copy.read_bytes(), git)
        copy.unlink()
    return written in (b"", template)


def _stripped(content: bytes, git: Git) -> bytes:
    """What is left of a message without comments, sign-offs and what `--verbose` shows below it."""
    cut = _SCISSORS.search(content)
    text = _SIGN_OFF.sub(b"", content[: cut.start()] if cut else content)
    mark = os.fsdecode(git("config", "--get", "core.commentChar").stdout).strip() or "#"
    mark = "#" if mark == "auto" else mark
    kept = [line.rstrip() for line in text.split(b"\n") if not line.startswith(os.fsencode(mark))]
    return b"\n".join(line for line in kept if line)
