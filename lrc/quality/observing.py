"""What measuring says about cases, kept as numbers: fitting and judging a calibration needs no model any more."""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lrc.detect import DETECTORS
from lrc.diff import Side
from lrc.findings import Finding, Severity
from lrc.quality.cases import Case, Way
from lrc.review import Reviewer, Unit
from lrc.reviewer.agreement import Suspecting
from lrc.reviewer.confidence import features
from lrc.reviewer.measure import unmeasurable


@dataclass(frozen=True, slots=True)
class Sight:
    """One suspicion: its features, and whether it points at the planted line."""

    features: dict[str, float]
    hit: bool
    place: str
    """File and line, to count one comment a line."""
    written: str = ""
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen in one case."""

    way: Way
    kind: str
    language: str
    origin: str
    hunks: int
    sights: tuple[Sight, ...] = ()
    detected: tuple[str, ...] = ()
    """Where a detector spoke at medium or above, a line each; with `!` in front where it blocks."""
    detected_hit: bool = False
    """A detector spoke about the planted line."""
    prompted: tuple[str, ...] | None = None
    """Where the classic reviewer spoke; None when it was not asked."""
    prompted_hit: bool = False
    seconds: float = 0.0
    """How long measuring took."""
    prompted_seconds: float = 0.0


class Observer:
    """Shows cases to the detectors, to measuring and, where there is one, to the classic reviewer."""

    def __init__(self, measurer: Suspecting | None, prompting: Reviewer | None = None) -> None:
        self._measurer = measurer
        self._prompting = prompting

    def observe(self, case: Case) -> Observation:
        """Everything that can be seen of a case. Raises what the engine raises."""
        found = [
            finding
            for file, text in case.files
            for detector in DETECTORS
            for finding in detector.scan(file, text)
            if finding.severity >= Severity.MEDIUM
        ]
        observation = Observation(
            way=case.way,
            kind=case.kind,
            language=case.language,
            origin=case.origin,
            hunks=len(case.units),
            detected=tuple(dict.fromkeys(_place(finding) for finding in found)),
            detected_hit=any(_is_hit(case, finding) for finding in found),
        )
        started = time.monotonic()
        if self._measurer is not None:
            sights = [sight for unit in case.units if not unmeasurable(unit) for sight in self._sights(case, unit)]
            observation = replace(observation, sights=tuple(sights), seconds=time.monotonic() - started)
        return self._prompted(case, observation) if self._prompting is not None else observation

    def _prompted(self, case: Case, observation: Observation) -> Observation:
        assert self._prompting is not None  # noqa: S101 - asked by the caller
        started = time.monotonic()
        findings = [finding for answer in self._prompting.review(case.units) for finding in answer.findings]
        return replace(
            observation,
            prompted=tuple(dict.fromkeys(_place(finding) for finding in findings)),
            prompted_hit=any(_is_hit(case, finding) for finding in findings),
            prompted_seconds=time.monotonic() - started,
        )

    def _sights(self, case: Case, unit: Unit) -> Iterator[Sight]:
        assert self._measurer is not None  # noqa: S101 - asked by the caller
        for suspicion in self._measurer.measure(unit):
            yield Sight(
                features=features(suspicion),
                hit=suspicion.line in case.lines,
                place=f"{unit.file.path}:{suspicion.line}",
                written=suspicion.written.strip(),
                expected=suspicion.expected.strip(),
            )


def _place(finding: Finding) -> str:
    block = "!" if finding.severity >= Severity.HIGH else ""
    return f"{block}{finding.path}:{finding.line}"


def _is_hit(case: Case, finding: Finding) -> bool:
    """On the planted line; what is gone is told of on the old side, at its first line or the one above."""
    if case.way is Way.REMOVED:
        return finding.line in (case.line - 1, case.line)
    return finding.line in case.lines and (finding.side is Side.NEW or case.way is Way.REVERSED)


def without_code(observation: Observation) -> Observation:
    """The same without any text of the repository: paths, commits and lines of code left out."""
    places = {sight.place: str(number) for number, sight in enumerate(observation.sights)}
    sights = tuple(replace(sight, place=places[sight.place], written="", expected="") for sight in observation.sights)
    detected = tuple(f"{'!' if place[0] == '!' else ''}d{number}" for number, place in enumerate(observation.detected))
    return replace(observation, origin="", sights=sights, detected=detected)


def to_json(observation: Observation) -> str:
    """One line of JSON."""
    return json.dumps(asdict(observation))


def from_json(line: str) -> Observation:
    """The observation of one line; ValueError when it is none."""
    try:
        raw: dict[str, Any] = json.loads(line)
        raw["way"] = Way(raw["way"])
        raw["sights"] = tuple(Sight(**sight) for sight in raw["sights"])
        raw["detected"] = tuple(raw["detected"])
        raw["prompted"] = None if raw["prompted"] is None else tuple(raw["prompted"])
        return Observation(**raw)
    except (KeyError, TypeError) as error:
        raise ValueError(f"not an observation: {error}") from None


def read(path: Path) -> list[Observation]:
    """The observations of a file; a last line that was cut off is left out."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(from_json(line))
        except ValueError:
            continue
    return found
