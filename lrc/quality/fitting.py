"""From observations to a calibration: logistic weights, and the two probabilities at which it speaks and blocks."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lrc.quality.cases import Way
from lrc.quality.intervals import Share
from lrc.quality.observing import Observation, Sight
from lrc.reviewer.confidence import NEVER, Calibration, parse

PENALTIES = {"is": 0.01, "gain": 0.01, "is:": 1.0, "gain:": 20.0}
"""Ridge penalties: on what all groups share next to none, on how a group differs from the others more, so that a group
that was rarely seen is treated like the rest."""
MOST_DOUBT = 0.5
"""Share of the common slope that a group's own may take away."""
SPEECHLESS = ("other",)
"""Groups that never speak: where more than one thing differs, an old text is no better than a new one."""
SILENCE = -1000.0
TEST_DOUBT = -2.0
"""In tests odd values are the point, and nothing is planted there to learn from: a choice, not a measurement."""
_STEPS = 50


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a user will bear."""

    findings: float = 0.1
    """Comments on a clean commit, at most, on average."""
    blocks: float = 0.02
    """Blocks of a clean commit, at most, on average: 0.02 is one in fifty."""


@dataclass(frozen=True, slots=True)
class Point:
    """What a threshold gives."""

    threshold: float
    recall: float
    """Share of the planted cases that are found on their line."""
    noise: float
    """Comments on a clean commit."""


def fit(observations: Sequence[Observation], about: str) -> Calibration:
    """Weights by penalised logistic regression (Newton's method), thresholds left at even odds and 0.9.

    One example a line: the strongest suspicion of a planted line, and every suspicion of clean lines. Suspicions of
    other lines of planted cases are left out, for nobody knows whether they are right. Raises ValueError without both
    planted and clean cases.
    """
    import numpy as np

    examples = [example for example in _examples(observations) if not _speechless(example[0])]
    labels = np.array([hit for _, hit in examples], dtype=float)
    if not labels.any() or labels.all():
        raise ValueError("both planted and clean cases are needed")
    names = sorted({name for features, _ in examples for name in features if name.split(":")[0] in ("is", "gain")})
    matrix = np.array([[features.get(name, 0.0) for name in names] for features, _ in examples])
    penalty = np.array([PENALTIES.get(name, PENALTIES[name.partition(":")[0] + ":"]) for name in names])
    weights = np.zeros(len(names))
    for _ in range(_STEPS):
        odds = 1 / (1 + np.exp(-np.clip(matrix @ weights, -30, 30)))
        gradient = matrix.T @ (odds - labels) + penalty * weights
        curvature = (matrix * (odds * (1 - odds))[:, None]).T @ matrix + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if float(np.abs(step).max()) < 1e-6:
            break
    kept = {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}
    # Few cases must not turn a group's gain into no evidence at all.
    least = -kept["gain"] * MOST_DOUBT
    kept |= {name: max(least, weight) for name, weight in kept.items() if name.startswith("gain:")}
    kept |= {f"is:{sort}{ending}": SILENCE for sort in SPEECHLESS for ending in ("", "-revert")}
    kept["in-test"] = TEST_DOUBT
    return parse(json.dumps({"about": about, "weights": kept, "speak": 0.5, "block": 0.9}))


def _speechless(features: dict[str, float]) -> bool:
    return any(f"is:{sort}{ending}" in features for sort in SPEECHLESS for ending in ("", "-revert"))


def _examples(observations: Iterable[Observation]) -> Iterable[tuple[dict[str, float], bool]]:
    for observation in observations:
        if observation.way is Way.CLEAN:
            yield from ((sight.features, False) for sight in observation.sights)
        else:
            hits = [sight for sight in observation.sights if sight.hit]
            if hits:
                yield max(hits, key=_gain).features, True


def _gain(sight: Sight) -> float:
    return next((value for name, value in sight.features.items() if name.startswith("gain:")), 0.0)


def confidences(observation: Observation, calibration: Calibration) -> dict[str, tuple[float, bool]]:
    """By place: the probability of the surest suspicion there, and whether it is the planted line."""
    best: dict[str, tuple[float, bool]] = {}
    for sight in observation.sights:
        probability = calibration.of(sight.features)
        if probability > best.get(sight.place, (-1.0, False))[0]:
            best[sight.place] = probability, sight.hit
    return best


def curve(observations: Sequence[Observation], calibration: Calibration) -> list[Point]:
    """Recall and noise at every threshold that makes a difference, lowest threshold first."""
    planted, clean = [], []
    commits = 0
    for observation in observations:
        seen = confidences(observation, calibration)
        if observation.way is Way.CLEAN:
            commits += 1
            clean += [probability for probability, _ in seen.values()]
        elif observation.way in (Way.ADDED, Way.MODIFIED):
            planted.append(max((probability for probability, hit in seen.values() if hit), default=-1.0))
    thresholds = sorted({round(value, 4) for value in (*planted, *clean) if value >= 0.01})
    return [
        Point(
            threshold=threshold,
            recall=sum(value >= threshold for value in planted) / len(planted) if planted else 0.0,
            noise=sum(value >= threshold for value in clean) / commits if commits else 0.0,
        )
        for threshold in thresholds
    ]


def with_thresholds(observations: Sequence[Observation], calibration: Calibration, wanted: Wanted) -> Calibration:
    """The calibration with the lowest thresholds that keep to what is wanted on the clean commits.

    Speaking starts at even odds at the earliest. Blocking asks for at least 0.9, and for more than the surest wrong
    suspicion when the commits are too few to show one block in so many.
    """
    points = curve(observations, calibration)
    commits = sum(observation.way is Way.CLEAN for observation in observations)
    speak = next((point.threshold for point in points if point.noise <= wanted.findings), NEVER)
    allowed = wanted.blocks if commits * wanted.blocks >= 1 else 0.0
    block = next((point.threshold for point in points if point.noise <= allowed), NEVER)
    speak = max(0.5, speak)
    return replace(calibration, speak=round(speak, 4), block=round(max(0.9, block, speak), 4))


def whole_share(observations: Sequence[Observation]) -> float:
    """What agreed comments on whole hunks are worth: the share that was right, if that is surely more than a coin's
    and clean commits are hardly spoken about; else 0, which leaves them off."""
    asked = [observation for observation in observations if observation.prompted is not None]
    clean = [observation for observation in asked if observation.way is Way.CLEAN]
    spoken = Share(
        sum(observation.prompted_hit for observation in asked),
        sum(len(observation.prompted or ()) for observation in asked),
    )
    noise = sum(len(observation.prompted or ()) for observation in clean) / len(clean) if clean else 1.0
    return spoken.value if spoken.interval[0] > 0.5 and noise <= Wanted().findings else 0.0
