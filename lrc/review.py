"""The values that pass between the stages of a review, and the seams where a stage can be replaced."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from lrc.diff import FileDiff, Hunk
from lrc.errors import ExitCode
from lrc.findings import Finding
from lrc.prose import Span


@dataclass(frozen=True, slots=True)
class Enclosing:
    """The function, method or class around a hunk, in the new version of the file."""

    name: str
    """Dotted, outermost first: `Store.save`."""
    header: str
    """Its first source line, stripped."""
    start: int
    """First line, 1-based."""
    end: int
    """Last line, inclusive."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What a reviewer judges at once: one hunk and what surrounds it."""

    file: FileDiff
    hunk: Hunk
    enclosing: Enclosing | None
    before: tuple[str, ...]
    """Lines of the new version just above the hunk, oldest first."""
    after: tuple[str, ...]
    """Lines of the new version just below the hunk."""
    language: str = ""
    """Lower-case language name (`python`, `typescript`), empty when unknown."""
    prose: tuple[Span, ...] = ()
    """Comments and the insides of strings in the hunk's new lines."""


@dataclass(frozen=True, slots=True)
class NotReviewed:
    """A file, or a part of one, that no reviewer looked at, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reviewer says about one unit."""

    unit: Unit
    findings: tuple[Finding, ...] = ()
    dropped: int = 0
    """Comments thrown away: unparsable, about a line that is not in the hunk, or not grounded in the diff."""
    not_reviewed: str = ""
    """Why the unit could not be judged; empty when it was."""
    cached: bool = False


class Seen(str, Enum):
    """Who looked at a hunk; the values are those of the ledger."""

    MODEL = "model"
    DETECTORS = "detectors"
    """Detectors alone, because nothing in it needs the model, or because no model was wanted."""
    ASIDE = "aside"
    """Nobody, because the repository or its user wants it so: ignored, vendored, generated."""
    LEFT = "left"
    """Detectors alone although the model should have: out of time, too long, or it could not be had."""


@dataclass(frozen=True, slots=True)
class Look:
    """One hunk of the change and who looked at it."""

    file: FileDiff
    hunk: Hunk
    seen: Seen


class Reviewer(Protocol):
    """Judges units with a model; answers come in any order, as they are known."""

    def review(self, units: Sequence[Unit]) -> Iterator[Answer]:
        """One answer a unit."""

    def described(self) -> dict[str, object]:
        """What the engine has to say of itself so far, as plain data: models, tokens, rates, acceptance."""


class Listener(Protocol):
    """Is told what goes on; every method may be a no-op and none may raise."""

    def stage(self, name: str, total: int) -> None:
        """A stage of `total` steps begins (0: unknown)."""

    def advance(self, steps: int = 1) -> None:
        """That many steps of the stage are done."""

    def tokens(self, count: int, seconds: float) -> None:
        """So many tokens were written since the last call, in so many seconds."""

    def finding(self, finding: Finding) -> None:
        """A finding is known."""


class Silent:
    """The listener that does nothing; the default everywhere."""

    def stage(self, name: str, total: int) -> None:
        """Ignored."""

    def advance(self, steps: int = 1) -> None:
        """Ignored."""

    def tokens(self, count: int, seconds: float) -> None:
        """Ignored."""

    def finding(self, finding: Finding) -> None:
        """Ignored."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts and seconds of one review."""

    files: int = 0
    hunks: int = 0
    hunks_reviewed: int = 0
    """Hunks that the model judged, in this run or (`hunks_cached`) an earlier one."""
    hunks_cached: int = 0
    hunks_left: int = 0
    """Hunks that the model should have judged and did not: out of time, too long, or it could not be had."""
    added: int = 0
    removed: int = 0
    dropped: int = 0
    """Comments of the model that were thrown away as unparsable or not grounded."""
    suppressed: int = 0
    seconds: float = 0.0
    coverage: float | None = None
    """Share of the changed lines that a review has seen as they stand now, this one included; None when not known."""
    iteration: int = 0
    """The how manieth review of a staged change this is since the last commit; 0 when not known."""
    model: dict[str, object] = field(default_factory=dict)
    """What the engine reports: model names, tokens, tokens a second, acceptance by drafter. Empty without a model."""


@dataclass(frozen=True, slots=True)
class Report:
    """A finished review: what was found, what was not looked at, and how it went."""

    subject: str
    """What was reviewed, in words: `staged change`, `HEAD~1`, `main..topic`."""
    findings: tuple[Finding, ...]
    not_reviewed: tuple[NotReviewed, ...]
    stats: Stats
    files: tuple[FileDiff, ...] = ()
    """The change itself, for excerpts."""
    looks: tuple[Look, ...] = ()
    """Every hunk of the change with who looked at it."""
    fault: str = ""
    """Why the model's part could not be done; empty when it was, or was not asked for."""
    fault_hint: str = ""
    """The way out of `fault`."""
    fault_code: ExitCode = ExitCode.ENVIRONMENT
    """What `fault` makes of the exit code: `ENVIRONMENT` or `UNEXPECTED`."""
