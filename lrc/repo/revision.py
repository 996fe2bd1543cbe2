"""Revisions as users type them, turned into object names; what git could take for an option never reaches it as one."""

import re
from dataclasses import dataclass

from lrc.errors import EnvironmentFault, WrongUsage
from lrc.repo.process import Git, reason_of

EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""The tree without entries, which git knows in every repository."""

_OBJECT = re.compile(r"[0-9a-f]{40,64}")
_HINT = "name a commit (HEAD~1, a branch, a tag, an object name) or a range A..B or A...B"


@dataclass(frozen=True, slots=True)
class Span:
    """Two commits to compare."""

    base: str
    """Object name of the old side."""
    new: str
    """Object name of the new side."""


def commit_of(git: Git, revision: str) -> str:
    """The commit that a revision names.

    Raises `WrongUsage` when it names none, more than one, or could be taken for something else than a revision.
    """
    check_spelling(revision)
    # `^{commit}` is asked of the object, not of the text: in `:/words` it would be part of the words.
    named = git.ask("rev-parse", "--verify", "--end-of-options", revision)
    complaint = named.stderr.decode("utf-8", "replace")
    name = named.stdout.decode("ascii", "replace").strip()
    if named.returncode or not _OBJECT.fullmatch(name):
        raise _unknown(revision, complaint)
    if "is ambiguous" in complaint and revision != "HEAD":
        raise WrongUsage(
            f"revision {revision!r} is ambiguous: several references have that name",
            f"write refs/heads/{revision} or refs/tags/{revision}",
        )
    commit = git.ask("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if commit.returncode:
        raise _no_commit(git, revision, name)
    return commit.stdout.decode("ascii").strip()


def check_spelling(revision: str) -> None:
    """Raises `WrongUsage` for a revision that no reference or object can have."""
    if not revision.strip():
        raise WrongUsage("the revision is empty", _HINT)
    if revision.startswith("-"):
        raise WrongUsage(f"revision {revision!r} begins with a dash: that is an option, not a revision", _HINT)
    if not revision.isprintable():
        raise WrongUsage(f"revision {revision!r} holds a character that no revision can have", _HINT)


def _no_commit(git: Git, revision: str, name: str) -> WrongUsage | EnvironmentFault:
    """Why an object that a revision names cannot be had as a commit."""
    kind = git.ask("cat-file", "-t", name)
    if kind.returncode:
        return EnvironmentFault(
            f"revision {revision!r} names object {name[:12]}, which is not in this clone",
            "fetch it, or choose a revision that is here",
        )
    what = kind.stdout.decode("ascii", "replace").strip()
    return WrongUsage(f"revision {revision!r} names a {what}, not a commit", _HINT)


def _unknown(revision: str, complaint: str) -> WrongUsage:
    """Why a revision names no object."""
    if "ambiguous" in complaint and "short object" in complaint:
        return WrongUsage(f"revision {revision!r} is ambiguous: several objects begin so", "write more of its digits")
    if revision == "HEAD":
        return WrongUsage("HEAD names no commit yet: this branch has none", "review the staged change instead")
    reason = reason_of(complaint.encode())
    if reason and "single revision" not in reason and "unknown revision" not in reason:
        return WrongUsage(f"unknown revision {revision!r}: {reason}", _HINT)
    return WrongUsage(f"unknown revision {revision!r}", _HINT)


def span_of(git: Git, text: str) -> Span | None:
    """The two sides of `A..B` (the trees of both) or `A...B` (from their merge base); None when it is no range.

    A missing side means HEAD, as in git. Raises `WrongUsage` when a side is unknown.
    """
    for dots in ("...", ".."):
        left, found, right = text.partition(dots)
        if not found:
            continue
        check_spelling(text)
        if any(mark in left for mark in "/{:") and _is_commit(git, text):
            return None  # dots inside `HEAD^{/text}` or `:/text`
        base, new = commit_of(git, left or "HEAD"), commit_of(git, right or "HEAD")
        return Span(_merge_base(git, base, new, text) if dots == "..." else base, new)
    return None


def _is_commit(git: Git, revision: str) -> bool:
    """True when the whole text resolves to one commit."""
    try:
        commit_of(git, revision)
    except WrongUsage:
        return False
    return True


def _merge_base(git: Git, left: str, right: str, text: str) -> str:
    """The best common ancestor of two commits."""
    done = git.ask("merge-base", left, right)
    name = done.stdout.decode("ascii", "replace").strip()
    if done.returncode or not name:
        raise WrongUsage(
            f"{text!r} has no merge base: the two sides share no history here",
            "in a shallow clone run `git fetch --unshallow`; otherwise write A..B",
        )
    return name


def parents_of(git: Git, commit: str) -> tuple[str, ...]:
    """The parents that the commit object itself records, first one first.

    Read from the object, not from history walking: a shallow clone hides parents that the commit still has. Raises
    `EnvironmentFault` when one of them is not here.
    """
    header = git.read("cat-file", "commit", commit).partition(b"\n\n")[0]
    parents = tuple(
        line[len(b"parent ") :].decode("ascii") for line in header.split(b"\n") if line.startswith(b"parent ")
    )
    for parent in parents:
        if git.ask("cat-file", "-e", parent).returncode:
            raise EnvironmentFault(
                f"commit {commit[:12]} cannot be reviewed: its parent {parent[:12]} is not in this clone",
                "a shallow clone ends here: `git fetch --deepen=1` brings the parent",
            )
    return parents
