"""The commits that a log is about, read by git itself: any object format, any clone."""

from collections.abc import Sequence
from dataclasses import dataclass

from lrc.errors import EnvironmentFault, LrcError
from lrc.ledger.action import action_of
from lrc.ledger.keys import Hasher
from lrc.repo import Repository

_FORM = "%H%x00%P%x00%T%x00%ct%x00%s"


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of the history."""

    name: str
    """Full object name."""
    parents: tuple[str, ...]
    tree: str
    """Object name of its tree."""
    at: int
    """When it was committed, in seconds since 1970."""
    subject: str


@dataclass(frozen=True, slots=True)
class Lines:
    """What a commit changes, as far as a log needs it."""

    keys: tuple[str, ...]
    """A key for each added and removed line."""
    files: int
    """How many files it changes; of a merge those that it has otherwise than every parent."""


def commits(repo: Repository, revisions: Sequence[str], limit: int | None = None) -> list[Commit]:
    """The commits that git lists for `revisions` (`A..B`, `HEAD`, `--not`, …), newest first, at most `limit`.

    The caller vouches for the spelling of the revisions. Raises EnvironmentFault when git cannot list them.
    """
    most = [f"--max-count={limit}"] if limit is not None else []
    pins = ("log.showSignature=false", "log.follow=false", "log.showRoot=true", "i18n.logOutputEncoding=UTF-8")
    listed = repo.place.git.read("log", f"--format={_FORM}", "-z", *most, *revisions, "--", pins=pins)
    fields = listed.decode("utf-8", "replace").removesuffix("\0").split("\0") if listed else []
    return [
        Commit(name, tuple(parents.split()), tree, int(at), subject)
        for name, parents, tree, at, subject in zip(*(fields[n::5] for n in range(5)), strict=True)
    ]


def actions(repo: Repository) -> dict[str, str]:
    """What git's reflog says that made each commit HEAD: `commit`, `rebase (pick)`, `am`, …; newest of several."""
    done = repo.place.git.ask("log", "-g", "--format=%H%x00%gs", "-z", "HEAD", "--", pins=("log.showSignature=false",))
    fields = done.stdout.decode("utf-8", "replace").split("\0")
    found: dict[str, str] = {}
    for name, subject in zip(fields[0::2], fields[1::2], strict=False):
        action = action_of(subject)
        if not action.startswith(("checkout", "reset", "clone", "branch")) and not subject.endswith("Fast-forward"):
            found.setdefault(name, action)
    return found


def lines_of(repo: Repository, commit: Commit, hasher: Hasher) -> Lines | None:
    """The lines that a commit changes; None when this clone does not hold what it takes to know them."""
    found: list[str] = []
    files = 0
    try:
        for file in repo.change(commit.name).files():
            files += 1
            for hunk in file.hunks:
                found += hasher.changed(file, hunk)
    except (EnvironmentFault, LrcError):
        return None
    return Lines(tuple(found), files)
