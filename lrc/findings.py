"""What a review says about a change: one frozen value a finding."""

import hashlib
from dataclasses import dataclass, field
from enum import Enum, IntEnum

from lrc.diff import Side


class Severity(IntEnum):
    """How bad it is, ordered; the names are what users type."""

    INFO = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4

    @property
    def label(self) -> str:
        """The lower-case name used in options, JSON and on screen."""
        return self.name.lower()

    @classmethod
    def parse(cls, text: str) -> "Severity":
        """The severity named by `text` in any case; ValueError when there is none."""
        try:
            return cls[text.strip().upper()]
        except KeyError:
            raise ValueError(f"no severity named {text!r}; choose from {', '.join(s.label for s in cls)}") from None


class Category(str, Enum):
    """What kind of trouble it is; a closed list, so that filters and statistics hold."""

    SECURITY = "security"
    SECRETS = "secrets"
    CORRECTNESS = "correctness"
    RELIABILITY = "reliability"
    DATA_LOSS = "data-loss"
    CONCURRENCY = "concurrency"
    PERFORMANCE = "performance"
    REMOVED_CHECK = "removed-check"
    COMPLIANCE = "compliance"
    MAINTAINABILITY = "maintainability"
    COST = "cost"


@dataclass(frozen=True, slots=True)
class Finding:
    """One comment on one place of the change.

    `message` and `quote` never hold a secret: detectors mask before they build a finding.
    """

    path: str
    line: int
    """First line, 1-based, in the version named by `side`."""
    end_line: int
    """Last line, equal to `line` for a single one."""
    side: Side
    severity: Severity
    category: Category
    confidence: float
    """Calibrated probability, 0 to 1, that the finding is right."""
    message: str
    source: str
    """Who says so: `detector:NAME` or `model:NAME`."""
    quote: str = ""
    """The text of the line it is about, masked where it holds a secret."""
    replacement: str | None = None
    """Text that would take the place of lines `line` to `end_line`, or None."""
    evidence: str = ""
    """What the source saw: for a measured suspicion the text that the model expected."""
    occurrence: int = 0
    """0 for the first finding of this kind on this text in this file, 1 for the second, and so on."""
    fingerprint: str = field(init=False, default="")
    """16 hex digits that stay the same when the line moves; see `fingerprint_of`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "fingerprint", fingerprint_of(self))


def fingerprint_of(finding: Finding) -> str:
    """The identity of a finding: its content, not its line number.

    Line numbers are left out on purpose: an edit above must not reopen a dismissed finding (the fault of
    `file:rule:line` fingerprints). White space is folded so that re-indenting does not either.
    """
    kind = finding.source if finding.source.startswith("detector:") else "model"
    parts = (
        finding.path,
        kind,
        finding.category.value,
        finding.side.value,
        " ".join(finding.quote.split()),
        str(finding.occurrence),
    )
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]
