"""How good a calibration is on observed cases: what it finds, and how often it speaks or blocks without reason."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lrc.quality.cases import Way
from lrc.quality.defects import OPERATORS
from lrc.quality.fitting import confidences
from lrc.quality.intervals import Share
from lrc.quality.observing import Observation
from lrc.reviewer.confidence import Calibration


@dataclass(frozen=True, slots=True)
class Noise:
    """What was said about clean commits."""

    commits: int
    findings: int
    """Comments at medium or above."""
    blocked: Share
    """Commits that were stopped."""

    @property
    def rate(self) -> float:
        """Comments a clean commit."""
        return self.findings / self.commits if self.commits else 0.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """The figures of one reviewer on one set of cases."""

    name: str
    found: dict[str, Share]
    """By group of cases: the share of planted defects found on their line."""
    kinds: dict[str, Share]
    """By kind of defect."""
    noise: Noise
    precision: Share
    """Of all places spoken about in planted and clean cases, those that hold a planted defect."""
    seconds: float
    """For a hunk, on average."""


Seen = Callable[[Observation], tuple[bool, list[tuple[str, bool]]]]
"""For a case: whether its defect was found, and every place spoken about with whether it blocks."""


def measured(calibration: Calibration) -> Seen:
    """Detectors and measuring, as a review with this calibration speaks."""

    def seen(observation: Observation) -> tuple[bool, list[tuple[str, bool]]]:
        places = {place.lstrip("!"): place.startswith("!") for place in observation.detected}
        hit = observation.detected_hit
        for place, (probability, is_hit) in confidences(observation, calibration).items():
            if probability >= calibration.speak:
                places[place] = places.get(place, False) or probability >= calibration.block
                hit = hit or is_hit
        return hit, list(places.items())

    return seen


def prompted(observation: Observation) -> tuple[bool, list[tuple[str, bool]]]:
    """The classic reviewer, as it speaks."""
    return observation.prompted_hit, [
        (place.lstrip("!"), place.startswith("!")) for place in observation.prompted or ()
    ]


def judge(
    name: str, observations: Sequence[Observation], seen: Seen, seconds: Callable[[Observation], float]
) -> Judgement:
    """The figures of a reviewer that speaks as `seen` says."""
    planted = [(observation, *seen(observation)) for observation in observations if observation.way is not Way.CLEAN]
    clean = [seen(observation)[1] for observation in observations if observation.way is Way.CLEAN]
    groups: dict[str, list[bool]] = {}
    kinds: dict[str, list[bool]] = {}
    for observation, hit, _ in planted:
        for group in _groups(observation):
            groups.setdefault(group, []).append(hit)
        kinds.setdefault(observation.kind, []).append(hit)
    spoken = sum(len(places) for places in clean) + sum(len(places) for _, _, places in planted)
    return Judgement(
        name=name,
        found={group: _share(hits) for group, hits in sorted(groups.items())},
        kinds={kind: _share(hits) for kind, hits in sorted(kinds.items())},
        noise=Noise(
            commits=len(clean),
            findings=sum(len(places) for places in clean),
            blocked=_share([any(blocks for _, blocks in places) for places in clean]),
        ),
        precision=Share(sum(hit for _, hit, _ in planted), spoken),
        seconds=_mean([seconds(observation) for observation in observations], [each.hunks for each in observations]),
    )


def _groups(observation: Observation) -> Iterable[str]:
    """The groups that a planted case is counted in."""
    if observation.way in (Way.REMOVED, Way.REVERSED):
        yield "removed" if observation.way is Way.REMOVED else "real fixes taken back"
        return
    level = "operator" if observation.kind in OPERATORS else "other"
    yield f"{observation.way.value}, {level}"
    if observation.kind in OPERATORS:
        yield f"{observation.language}, operator"


def _share(hits: Sequence[bool]) -> Share:
    return Share(sum(hits), len(hits))


def _mean(seconds: Sequence[float], hunks: Sequence[int]) -> float:
    return sum(seconds) / sum(hunks) if sum(hunks) else 0.0
