"""The reviewer that measures first and writes second: the default."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from lrc.findings import Finding
from lrc.review import Answer, Unit
from lrc.reviewer.agreement import Suspecting
from lrc.reviewer.confidence import Calibration
from lrc.reviewer.writer import Judged, Writer
from lrc.speculative.errors import DecodeAborted, PromptTooLong

OUT_OF_TIME = "out of time"
TOO_LONG = "longer than the model's context"
MOST_PER_UNIT = 2
"""Comments on one hunk at most: where more is wrong, mending the first shows the rest."""


@dataclass(slots=True)
class _Open:
    """A measured unit whose comments are not all written yet."""

    unit: Unit
    waiting: int
    findings: list[Finding] = field(default_factory=list)


class MeasuringReviewer:
    """Measures each unit with the target, then has the pair write a sentence about what stands out."""

    def __init__(
        self,
        measurer: Suspecting,
        writer: Writer,
        calibration: Calibration,
        describe: Callable[[], dict[str, object]],
        deadline: float | None = None,
    ) -> None:
        self._measurer = measurer
        self._writer = writer
        self._calibration = calibration
        self._describe = describe
        self._deadline = deadline

    def review(self, units: Sequence[Unit]) -> Iterator[Answer]:
        """One answer a unit. Those that raise no suspicion, most of them, come as soon as they are measured."""
        pending: list[tuple[_Open, Judged]] = []
        for unit in units:
            if self._deadline is not None and time.monotonic() >= self._deadline:
                yield Answer(unit, not_reviewed=OUT_OF_TIME)
                continue
            try:
                judged = self._judged(unit)
            except PromptTooLong:
                yield Answer(unit, not_reviewed=TOO_LONG)
                continue
            except DecodeAborted:
                yield Answer(unit, not_reviewed=OUT_OF_TIME)
                continue
            if not judged:
                yield Answer(unit)
                continue
            opened = _Open(unit, len(judged))
            pending += [(opened, item) for item in judged]
        yield from self._written(pending)

    def described(self) -> dict[str, object]:
        """What the engine has to say of itself."""
        return self._describe()

    def _judged(self, unit: Unit) -> list[Judged]:
        """The suspicions of a unit that are worth a comment, surest first, one a line."""
        best: dict[int, Judged] = {}
        for suspicion in self._measurer.measure(unit):
            probability = self._calibration.probability(suspicion)
            severity = self._calibration.severity(probability)
            known = best.get(suspicion.line)
            if severity is not None and (known is None or known.confidence < probability):
                best[suspicion.line] = Judged(suspicion, probability, severity)
        return sorted(best.values(), key=lambda item: -item.confidence)[:MOST_PER_UNIT]

    def _written(self, pending: Sequence[tuple[_Open, Judged]]) -> Iterator[Answer]:
        owners = {id(item): opened for opened, item in pending}
        for item, finding in self._writer.write([item for _, item in pending]):
            opened = owners[id(item)]
            opened.findings.append(finding)
            opened.waiting -= 1
            if opened.waiting == 0:
                yield Answer(opened.unit, tuple(sorted(opened.findings, key=lambda found: found.line)))
