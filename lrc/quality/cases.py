"""Changes to try a reviewer on: real ones, taken for clean, and the same code with one defect planted.

Four ways in which a defect comes: in lines that a real commit added, in a function that is new as a whole, as the only
change of a line that was right (*modified*), and by taking lines away (*removed*).
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from lrc.context import unit_for
from lrc.diff import FileDiff
from lrc.errors import LrcError
from lrc.ignore import Reach, Rules, choose
from lrc.language import language_of
from lrc.outline import outline
from lrc.quality.defects import REMOVALS, Defect, defects_in, sound
from lrc.quality.scratch import Scratch
from lrc.repo.history import commits
from lrc.repo.repository import Repository
from lrc.review import Unit
from lrc.reviewer.measure import MEASURED
from lrc.reviewer.passage import counterparts
from lrc.syntax import is_example_path, is_test_path

MOST_LINES = 60
"""Added and removed lines of a commit above which it is left out: an ordinary commit is meant."""
LEAST_LINES = 2
MOST_FIXED = 8
"""Added and removed lines of a fix above which it is not one slip."""
_FIX = re.compile(r"(?i)\b(?:fix(?:e[sd])?|bug|regression|wrong|incorrect|off[- ]by[- ]one)\b")
_NO_FIX = re.compile(
    r"(?i)\b(?:typos?|docs?|docstrings?|comments?|lint\w*|mypy|types?|typing|warnings?|ci|build|tests?)\b"
)
_TEXT_LIMIT = 300_000


class Way(str, Enum):
    """How a case came about."""

    CLEAN = "clean"
    ADDED = "added"
    """In new lines, of a real commit or of a whole new function."""
    MODIFIED = "modified"
    """In a line whose old version is at hand."""
    REMOVED = "removed"
    REVERSED = "reversed"
    """A real fix taken back: the defect is one that somebody made."""


@dataclass(frozen=True, slots=True)
class Case:
    """One change and what is known about it."""

    way: Way
    units: tuple[Unit, ...]
    """The hunks; of a planted case the one that holds the defect."""
    origin: str
    """Commit and path it was made from."""
    language: str
    files: tuple[tuple[FileDiff, str], ...] = ()
    """The changed files with their new text, for detectors."""
    kind: str = ""
    """The defect's kind; empty for a clean one."""
    line: int = 0
    """New-side line where the defect is; for a removal the one that now stands in the place."""
    lines: frozenset[int] = frozenset()
    """All lines of which one is the right one to speak about."""


def clean_commits(repository: Repository, limit: int, revision: str = "HEAD") -> Iterator[Case]:
    """Ordinary commits of the history, newest first, at most `limit`, as a review would see them."""
    found = 0
    for commit in commits(repository, revision):
        if found == limit:
            return
        if len(commit.parents) != 1:
            continue
        files = tuple(repository.change(commit.name).files())
        changed = sum(len(hunk.added) + len(hunk.removed) for file in files for hunk in file.hunks)
        if not LEAST_LINES <= changed <= MOST_LINES:
            continue
        units = tuple(_units(repository, files))
        if units:
            found += 1
            texts = tuple((file, text) for file in files if (text := _text(repository, file.new_blob)) is not None)
            yield Case(Way.CLEAN, units, commit.name[:12], units[0].language, texts)


def reversed_fixes(repository: Repository, scratch: Scratch, limit: int, revision: str = "HEAD") -> Iterator[Case]:
    """Small fixes of one file of product code, by their subject, newest first and taken back: at most `limit`."""
    found = 0
    for commit in commits(repository, revision):
        if found == limit:
            return
        if len(commit.parents) != 1 or not _FIX.search(commit.subject) or _NO_FIX.search(commit.subject):
            continue
        files = [file for file in repository.change(commit.name).files() if is_product(file.path)]
        if len(files) != 1 or not files[0].old_blob or not files[0].new_blob:
            continue
        changed = sum(len(hunk.added) + len(hunk.removed) for hunk in files[0].hunks)
        before, after = (_text(repository, blob) for blob in (files[0].old_blob, files[0].new_blob))
        if not 1 <= changed <= MOST_FIXED or before is None or after is None:
            continue
        case = _taken_back(scratch, files[0].path, before, after, commit.name[:12])
        if case is not None:
            found += 1
            yield case


def _taken_back(scratch: Scratch, path: str, before: str, after: str, origin: str) -> Case | None:
    file = scratch.change(path, after, before)
    units = tuple(unit_for(file, hunk, before) for hunk in file.hunks)
    lines = frozenset(line.new for hunk in file.hunks for line in hunk.added if line.new is not None)
    gone = {hunk.new_start + offset for hunk in file.hunks if not hunk.added for offset in range(hunk.new_count + 1)}
    if not units or units[0].language not in MEASURED:
        return None
    return Case(
        Way.REVERSED, units, origin, units[0].language, ((file, before),), "real fix", min(lines | gone), lines | gone
    )


def is_product(path: str) -> bool:
    """True for code that is measured and reaches users."""
    return language_of(path) in MEASURED and not is_test_path(path) and not is_example_path(path)


def _units(repository: Repository, files: Sequence[FileDiff]) -> Iterator[Unit]:
    for choice in choose(files, Rules(), lambda file: _text(repository, file.new_blob)):
        if choice.for_model is None or choice.reach < Reach.MODEL:
            continue
        text = _text(repository, choice.file.new_blob) or ""
        for hunk in choice.for_model.hunks:
            unit = unit_for(choice.file, hunk, text)
            if unit.language in MEASURED:
                yield unit


def _text(repository: Repository, blob: str) -> str | None:
    if not blob:
        return None
    try:
        return repository.blob(blob).decode("utf-8", "replace")
    except LrcError:
        return None  # a submodule, or not in this clone


class Planter:
    """Plants defects in a repository's own code, kinds in turn; the same seed gives the same cases."""

    def __init__(self, repository: Repository | None, scratch: Scratch, seed: int = 1) -> None:
        """Without a repository there are no commits to plant in."""
        self._repository = repository
        self._scratch = scratch
        self._random = random.Random(seed)  # noqa: S311 - a repeatable choice, no secret
        self._planted: Counter[tuple[Way, str]] = Counter()

    def in_commit(self, commit: str) -> Case | None:
        """A defect in the lines that an ordinary commit added; None when none of them can be broken."""
        if self._repository is None:
            return None
        change = self._repository.change(commit)
        files = [file for file in change.files() if self._suits(file)]
        self._random.shuffle(files)
        for file in files:
            old, new = (_text(self._repository, blob) or "" for blob in (file.old_blob, file.new_blob))
            added = frozenset(line.new for hunk in file.hunks for line in hunk.added if line.new is not None)
            case = self._case(file.path, old, new, added, f"{commit[:12]} {file.path}")
            if case is not None:
                return case
        return None

    def in_function(self, path: str, text: str, way: Way) -> Case | None:
        """A defect in one function of a file: new as a whole, modified in one line, or with lines taken away."""
        language = language_of(path, text)
        functions = [each for each in outline(language, text) if 4 <= each.end - each.start <= 40]
        self._random.shuffle(functions)
        lines = text.split("\n")
        for function in functions[:8]:
            inside = frozenset(range(function.start + 1, function.end + 1))
            old = text
            if way is Way.ADDED:
                old = "\n".join(lines[: function.start - 1] + lines[function.end :])
            case = self._case(path, old, text, inside, f"{path} {function.name}", way)
            if case is not None:
                return case
        return None

    def _suits(self, file: FileDiff) -> bool:
        return bool(file.hunks) and language_of(file.path) in MEASURED and not is_test_path(file.path)

    def _case(
        self, path: str, old: str, text: str, lines: frozenset[int], origin: str, way: Way | None = None
    ) -> Case | None:
        """A defect in some lines; without a `way` the change itself tells whether they are added or modified."""
        language = language_of(path, text)
        if not lines or len(text) > _TEXT_LIMIT:
            return None
        defect = self._chosen(language, text, lines, way is Way.REMOVED)
        if defect is None:
            return None
        broken = defect.applied(text)
        file = self._scratch.change(path, old, broken)
        for hunk in file.hunks:
            if hunk.new_start <= defect.line <= hunk.new_start + hunk.new_count:
                unit = unit_for(file, hunk, broken)
                way = way or (Way.MODIFIED if defect.line in counterparts(unit) else Way.ADDED)
                self._planted[way, defect.kind] += 1
                return Case(
                    way,
                    (unit,),
                    origin,
                    language,
                    ((file, broken),),
                    defect.kind,
                    defect.line,
                    frozenset({defect.line}),
                )
        return None

    def _chosen(self, language: str, text: str, lines: frozenset[int], removals: bool) -> Defect | None:
        """One of the possible defects: of the kind planted least so far, and at a place by chance."""
        possible = [each for each in defects_in(language, text, lines) if (each.kind in REMOVALS) is removals]
        self._random.shuffle(possible)
        used: Counter[str] = Counter()
        for (_, kind), count in self._planted.items():
            used[kind] += count
        possible.sort(key=lambda item: used[item.kind])
        return next((each for each in possible[:12] if sound(language, text, each)), None)
