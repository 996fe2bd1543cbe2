"""What the hooks that review nothing write down: commits made, commits replaced, reviews passed by.

They run at every commit, so nothing heavy is imported; and they are heard only when something is wrong, for git has
made the commit already.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lrc.cli import boundary

TYPE_CHECKING = False  # as in lrc.cli.hook: a hook with nothing to review pays for every import
if TYPE_CHECKING:
    from lrc.ledger.book import Book

Git = Callable[..., "subprocess.CompletedProcess[bytes]"]
"""Runs git with these arguments and gives what came back."""

FROM_FRAMEWORK = "record"
"""The name under which the pre-commit framework calls us at any of its stages after the review."""
RECORDERS = ("commit-msg", "post-commit", "post-merge", "post-rewrite", FROM_FRAMEWORK)
"""The hooks of git that write to the ledger, or from it into a commit's message."""
_PENDING = 4_000_000
"""Bytes of git's list of replaced commits that are read: forty thousand of them."""


def record(name: str, arguments: Sequence[str], git: Git) -> None:
    """Does what the hook `name` has to do; a ledger that cannot be written is said in one line and fails nothing."""
    try:
        if name == FROM_FRAMEWORK:
            name = _stage(arguments, os.environ)
        if name == "commit-msg":
            from lrc.cli.attest import write_trailer

            write_trailer(arguments, git)
        elif name == "post-rewrite":
            _rewritten(arguments, git)
        else:
            _committed(name, git)
    except OSError as error:
        boundary.say(f"the ledger could not be written: {error.strerror or error}")
    except Exception as error:
        # The commit is made, or about to be: a fault of ours must not look like one of git's.
        log = boundary.write_log(error)
        boundary.say(f"{name}: unexpected {type(error).__name__}", f"this is a fault of lrc; details in {log}")


def _stage(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """The hook that the framework runs us for: it tells by an argument or a variable, of post-commit by nothing."""
    if "PRE_COMMIT_REWRITE_COMMAND" in environment:
        return "post-rewrite"
    if "PRE_COMMIT_IS_SQUASH_MERGE" in environment:
        return "post-merge"
    return "commit-msg" if arguments else "post-commit"


def passed_by(how: str, git: Git) -> None:
    """Records that the user skipped the review of what is committed now, by the means `how`."""
    _attempt("bypass", git, how=how)


def failed(fault: str, code: int, git: Git) -> None:
    """Records that there could be no review at all, and why."""
    _attempt("failed", git, fault=fault[:200], exit=code)


def _attempt(event: str, git: Git, **values: object) -> None:
    found = _place(git)
    if found is None:
        return
    book, worktree, _ = found
    head = _lines(git("rev-parse", "--verify", "--quiet", "HEAD"))
    try:
        book.append(event, worktree=worktree, head=head[0] if head else "", **values)
    except OSError as error:
        boundary.say(f"the ledger could not be written: {error.strerror or error}")


def _committed(name: str, git: Git) -> None:
    """Records the commit that HEAD is now.

    After a merge it is one only while MERGE_HEAD is there: a fast-forward makes no commit, a squash not yet.
    """
    found = _place(git)
    if found is None:
        return
    from lrc.ledger.action import action_of

    book, worktree, git_dir = found
    if name == "post-merge" and git("rev-parse", "--verify", "--quiet", "MERGE_HEAD").returncode != 0:
        return
    form = "--format=%H%x00%P%x00%T%x00%gs"
    now, *earlier = _lines(git("-c", "log.showSignature=false", "log", "-g", "-2", form, "HEAD", "--")) or [""]
    fields = now.split("\0")
    if len(fields) != 4:  # the repository keeps no reflog
        fields = (_lines(git("-c", "log.showSignature=false", "log", "-1", form, "HEAD", "--")) or [""])[0].split("\0")
    if len(fields) != 4:
        return
    commit, parents, tree, subject = fields
    # Without a reflog git may still have named the action to its children.
    action = action_of(subject or os.environ.get("GIT_REFLOG_ACTION", ""))
    before = earlier[0].partition("\0")[0] if earlier else ""
    book.append(
        "commit",
        id=commit,
        parents=parents,
        tree=tree,
        before=before,
        action=action or ("commit" if name == "post-commit" else "merge"),
        worktree=worktree,
    )
    from lrc.cli.attest import write_note

    write_note(git_dir, commit, tree, (before, parents.partition(" ")[0]), git)


def _rewritten(arguments: Sequence[str], git: Git) -> None:
    """Records which commits were replaced by which; git says so on standard input, a pair a line."""
    found = _place(git)
    lines = os.fsdecode(sys.stdin.buffer.read(_PENDING)).splitlines()
    pairs = [line.split(" ")[:2] for line in lines if line.count(" ") >= 1]
    if found is not None and pairs:
        book, worktree, _ = found
        book.append("rewrite", how=arguments[0][:20] if arguments else "", pairs=pairs, worktree=worktree)


def _place(git: Git) -> "tuple[Book, str, Path] | None":
    """The ledger of this repository, the name and git directory of this work tree; None outside a repository."""
    from lrc.ledger.book import Book

    answer = _lines(git("rev-parse", "--absolute-git-dir", "--git-common-dir"))
    if len(answer) != 2:
        return None  # no repository, or one with a line break in its name
    common = Path(answer[1]).resolve()
    return Book(common), worktree_of(common, Path(answer[0])), Path(answer[0])


def worktree_of(common: Path, git_dir: Path) -> str:
    """The name that the ledger knows a work tree by: empty for the main one, else the one git gave it."""
    own = git_dir.resolve()
    return "" if own == common.resolve() else own.name


def _lines(answer: "subprocess.CompletedProcess[bytes]") -> list[str]:
    return os.fsdecode(answer.stdout).splitlines() if answer.returncode == 0 else []
