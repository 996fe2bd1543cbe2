"""Whole-hunk comments of a capable target, kept only where measuring and the other direction of the diff agree.

A model that is asked "what is wrong here?" names something, right or wrong, and the same thing for the code before and
after a fix. So the question is put for both directions: what is said about the way back as well is about the code in
general, not about the change. And a line is only spoken about where measuring finds it doubtful, too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from lrc.diff import Hunk, Kind, Line
from lrc.findings import Finding, Severity
from lrc.review import Answer, Reviewer, Unit
from lrc.reviewer.confidence import Calibration
from lrc.reviewer.repairs import Suspicion
from lrc.speculative.errors import DecodeAborted, PromptTooLong

DOUBTFUL = 0.1
"""Probability of a suspicion from which measuring agrees that a line is doubtful."""


class Suspecting(Protocol):
    """What agreement needs of measuring."""

    def measure(self, unit: Unit) -> list[Suspicion]:
        """All suspicions of a unit."""


class Agreement:
    """Asks about whole hunks and keeps what is agreed upon; `asking` puts the question."""

    def __init__(self, asking: Reviewer, measurer: Suspecting, calibration: Calibration) -> None:
        self._asking = asking
        self._measurer = measurer
        self._calibration = calibration

    def review(self, units: Sequence[Unit]) -> Iterator[Answer]:
        """One answer a unit, its findings those that hold, their confidence what was measured of such findings."""
        answers = list(self._asking.review(units))
        spoken = [answer.unit for answer in answers if answer.findings]
        back = [backwards(unit) for unit in spoken]
        blamed = {id(answer.unit) for answer in self._asking.review(back) if answer.findings or answer.not_reviewed}
        general = {id(unit) for unit, other in zip(spoken, back, strict=True) if id(other) in blamed}
        for answer in answers:
            kept = () if id(answer.unit) in general else tuple(self._agreed(answer))
            yield replace(answer, findings=kept, dropped=answer.dropped + len(answer.findings) - len(kept))

    def described(self) -> dict[str, object]:
        """What the engine has to say of itself."""
        return self._asking.described()

    def _agreed(self, answer: Answer) -> Iterator[Finding]:
        if not answer.findings:
            return
        try:
            suspicions = self._measurer.measure(answer.unit)
        except (PromptTooLong, DecodeAborted):
            return
        doubtful = {one.line for one in suspicions if self._calibration.probability(one) >= DOUBTFUL}
        confidence = self._calibration.whole
        highest = Severity.HIGH if confidence >= self._calibration.block else Severity.MEDIUM
        for finding in answer.findings:
            if finding.line in doubtful:
                yield replace(finding, confidence=round(confidence, 3), severity=min(finding.severity, highest))


class Both:
    """Measuring first, then the whole hunks; a line is spoken about once, by measuring where both do."""

    def __init__(self, measuring: Reviewer, agreement: Agreement) -> None:
        self._measuring = measuring
        self._agreement = agreement

    def review(self, units: Sequence[Unit]) -> Iterator[Answer]:
        """One answer a unit."""
        measured = list(self._measuring.review(units))
        judged = [answer.unit for answer in measured if not answer.not_reviewed]
        whole = {id(answer.unit): answer for answer in self._agreement.review(judged)}
        for answer in measured:
            other = whole.get(id(answer.unit))
            known = {finding.line for finding in answer.findings}
            more = () if other is None else tuple(each for each in other.findings if each.line not in known)
            findings = sorted((*answer.findings, *more), key=lambda finding: finding.line)
            yield replace(answer, findings=tuple(findings), dropped=answer.dropped + (other.dropped if other else 0))

    def described(self) -> dict[str, object]:
        """What the engine has to say of itself."""
        return self._measuring.described()


class Remembered:
    """Measures each unit once for all who ask."""

    def __init__(self, measurer: Suspecting) -> None:
        self._measurer = measurer
        self._known: dict[int, tuple[Unit, list[Suspicion]]] = {}

    def measure(self, unit: Unit) -> list[Suspicion]:
        """All suspicions of a unit. Raises what the measurer raises."""
        known = self._known.get(id(unit))
        if known is None:
            known = self._known[id(unit)] = (unit, self._measurer.measure(unit))
        return known[1]


def backwards(unit: Unit) -> Unit:
    """The unit whose change takes this one's back."""
    return replace(unit, hunk=_backwards(unit.hunk), prose=(), enclosing=None)


def _backwards(hunk: Hunk) -> Hunk:
    swapped = {Kind.ADDED: Kind.REMOVED, Kind.REMOVED: Kind.ADDED, Kind.CONTEXT: Kind.CONTEXT}
    lines = [Line(swapped[line.kind], line.text, line.new, line.old, line.ends) for line in hunk.lines]
    return Hunk(hunk.new_start, hunk.new_count, hunk.old_start, hunk.old_count, hunk.section, tuple(_ordered(lines)))


def _ordered(lines: Sequence[Line]) -> Iterator[Line]:
    """Within a run of changed lines the removed ones first, as git writes them."""
    run: list[Line] = []
    for line in lines:
        if line.kind is Kind.CONTEXT:
            yield from sorted(run, key=lambda each: each.kind is Kind.ADDED)
            run = []
            yield line
        else:
            run.append(line)
    yield from sorted(run, key=lambda each: each.kind is Kind.ADDED)
