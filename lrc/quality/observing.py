"""What measuring says about cases, kept as numbers: fitting and judging a calibration needs no model any more."""

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lrc.quality.cases import Case, Way
from lrc.review import Unit
from lrc.reviewer.confidence import features
from lrc.reviewer.measure import Measurer, unmeasurable


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
    """All suspicions of one case."""

    way: Way
    kind: str
    language: str
    origin: str
    sights: tuple[Sight, ...]
    hunks: int
    seconds: float
    detected: tuple[str, ...] = ()
    """Places where a detector spoke, `!` before those that block."""
    detected_hit: bool = False
    """A detector spoke about the planted line."""


def observe(case: Case, measurer: Measurer) -> Observation:
    """Measures every hunk of a case."""
    started = time.monotonic()
    sights = [sight for unit in case.units if not unmeasurable(unit) for sight in _sights(case, unit, measurer)]
    return Observation(
        case.way, case.kind, case.language, case.origin, tuple(sights), len(case.units), time.monotonic() - started
    )


def _sights(case: Case, unit: Unit, measurer: Measurer) -> Iterator[Sight]:
    for suspicion in measurer.measure(unit):
        yield Sight(
            features=features(suspicion),
            hit=case.way is not Way.CLEAN and suspicion.line == case.line,
            place=f"{unit.file.path}:{suspicion.line}",
            written=suspicion.written.strip(),
            expected=suspicion.expected.strip(),
        )


def to_json(observation: Observation) -> str:
    """One line of JSON."""
    return json.dumps(asdict(observation))


def from_json(line: str) -> Observation:
    """The observation of one line; ValueError when it is none."""
    try:
        raw: dict[str, Any] = json.loads(line)
        raw["way"] = Way(raw["way"])
        raw["sights"] = tuple(Sight(**sight) for sight in raw["sights"])
        raw["detected"] = tuple(raw.get("detected", ()))
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


def write(path: Path, observations: Iterable[Observation]) -> Iterator[Observation]:
    """Appends each observation as it comes, and hands it on."""
    with path.open("a", encoding="utf-8") as file:
        for observation in observations:
            file.write(to_json(observation) + "\n")
            file.flush()
            yield observation
