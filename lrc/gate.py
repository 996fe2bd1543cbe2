"""From a report to a verdict: what is set aside, what is shown, whether the commit goes on. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from lrc.errors import ExitCode
from lrc.findings import Finding, Severity
from lrc.suppress import Dismissal, Dismissed, split_dismissed

if TYPE_CHECKING:  # The pipeline stands above the gate; only the shape of its result is needed here.
    from lrc.review import Report


class Outcome(str, Enum):
    """What the gate says; the values are those of the JSON output."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    BLOCK = "block"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules that a report is held against."""

    fail_on: Severity = Severity.HIGH
    """The lowest severity that blocks."""
    max_findings: int = 0
    """How many findings are shown at most; 0 for all. Never changes the outcome."""
    dismissals: Mapping[str, Dismissal] = field(default_factory=dict)
    """Known and accepted findings by fingerprint, from the dismissed file."""
    fresh_dismissals: frozenset[str] = frozenset()
    """Fingerprints of those that the old side of the change does not have yet."""
    fail_on_by_path: Mapping[str, Severity] = field(default_factory=dict)
    """Thresholds of paths for which a nearer settings file says otherwise."""

    def blocks(self, finding: Finding) -> bool:
        """Whether a commit with this finding is stopped."""
        return finding.severity >= self.fail_on_by_path.get(finding.path, self.fail_on)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate decided, and on what."""

    verdict: Outcome
    findings: tuple[Finding, ...]
    """What is shown: worst first, then by path and line; at most `Policy.max_findings`."""
    blocking: tuple[Finding, ...]
    """Everything at or above the threshold, shown or not."""
    hidden: tuple[Finding, ...]
    """What the cap left out, in the same order."""
    dismissed: tuple[Dismissed, ...]
    fail_on: Severity
    fault_code: ExitCode = ExitCode.PASS
    """The code of the fault that kept the model from its part; PASS when there was none."""
    waved_through: tuple[Dismissed, ...] = ()
    """Those of `dismissed` that would block, had the change itself not set them aside."""

    @property
    def exit_code(self) -> ExitCode:
        """BLOCKED when a finding blocks, else the fault's code, else PASS."""
        return ExitCode.BLOCKED if self.blocking else self.fault_code

    @property
    def counts(self) -> dict[str, int]:
        """How many findings stand, by severity label, worst first; severities without one are left out."""
        return _counts((*self.findings, *self.hidden))

    @property
    def hidden_counts(self) -> dict[str, int]:
        """The same for what the cap left out."""
        return _counts(self.hidden)


def decide(report: "Report", policy: Policy) -> Verdict:
    """The verdict on `report`. A finding that blocks wins over a fault: it is known to be there."""
    kept, dismissed = split_dismissed(report.findings, report.files, policy.dismissals, policy.fresh_dismissals)
    ordered = sorted(_distinct(kept), key=_rank)
    blocking = tuple(finding for finding in ordered if policy.blocks(finding))
    cap = policy.max_findings if policy.max_findings > 0 else len(ordered)
    outcome = Outcome.BLOCK if blocking else Outcome.ERROR if report.fault else Outcome.PASS
    return Verdict(
        verdict=outcome,
        findings=tuple(ordered[:cap]),
        blocking=blocking,
        hidden=tuple(ordered[cap:]),
        dismissed=tuple(dismissed),
        fail_on=policy.fail_on,
        fault_code=report.fault_code if report.fault else ExitCode.PASS,
        waved_through=tuple(gone for gone in dismissed if gone.added_here and policy.blocks(gone.finding)),
    )


def _rank(finding: Finding) -> tuple[int, str, int, str]:
    return (-finding.severity, finding.path, finding.line, finding.source)


def _by_detector(finding: Finding) -> bool:
    return finding.source.startswith("detector:")


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    """Each trouble once.

    Of a detector's and a model's finding of one category on the same line the worse stays, and the detector's when
    they are equal: it is certain. Two detectors never hide one another.
    """
    ranked = sorted(findings, key=lambda finding: (-finding.severity, not _by_detector(finding), -finding.confidence))
    kept: list[Finding] = []
    taken: dict[tuple[str, str, str], list[Finding]] = {}
    fingerprints: set[str] = set()
    for finding in ranked:
        rivals = taken.setdefault((finding.path, finding.side.value, finding.category.value), [])
        if finding.fingerprint in fingerprints or any(_same_place(finding, rival) for rival in rivals):
            continue
        fingerprints.add(finding.fingerprint)
        rivals.append(finding)
        kept.append(finding)
    return kept


def _same_place(one: Finding, other: Finding) -> bool:
    overlap = one.line <= other.end_line and other.line <= one.end_line
    return overlap and _by_detector(one) != _by_detector(other)


def _counts(findings: Iterable[Finding]) -> dict[str, int]:
    counted = Counter(finding.severity for finding in findings)
    return {severity.label: counted[severity] for severity in sorted(counted, reverse=True)}
