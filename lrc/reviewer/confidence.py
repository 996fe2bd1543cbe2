"""From what was measured to a probability, and from a probability to a severity."""

import hashlib
import json
import math
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from lrc.findings import Severity
from lrc.reviewer.kinds import CLOSED
from lrc.reviewer.measure import Suspicion


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic model over the features of a suspicion, and the probabilities at which it speaks and blocks."""

    weights: dict[str, float]
    speak: float
    """Probability from which a suspicion becomes a comment."""
    block: float
    """Probability from which it is severe enough to stop a commit."""
    identity: str = ""
    """Changes whenever the numbers do."""

    def probability(self, suspicion: Suspicion) -> float:
        """How likely the suspicion is a defect, 0 to 1."""
        score = sum(self.weights.get(name, 0.0) * value for name, value in features(suspicion).items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))

    def severity(self, probability: float) -> Severity | None:
        """What a suspicion of that probability is worth; None when it is not worth a comment."""
        if probability >= self.block:
            return Severity.HIGH
        return Severity.MEDIUM if probability >= self.speak else None


def features(suspicion: Suspicion) -> dict[str, float]:
    """The numbers that the calibration weighs, by name; `bias` is always 1."""
    closed = suspicion.kind in CLOSED
    gain = min(suspicion.gain, 20.0)
    group = "revert" if suspicion.reverts else "closed" if closed else suspicion.kind.value
    return {
        "bias": 1.0,
        f"is:{group}": 1.0,
        f"gain:{group}": gain,
        "surprise": min(suspicion.surprise, 20.0),
        "share": max(suspicion.share, -5.0),
        f"kind:{suspicion.kind.value}": 1.0,
        f"edit:{suspicion.edit}": 1.0,
    }


@lru_cache
def built_in() -> Calibration:
    """The calibration that ships with the package, fitted on the default target."""
    return parse(files("lrc.reviewer").joinpath("calibration.json").read_text(encoding="utf-8"))


def parse(text: str) -> Calibration:
    """A calibration from its JSON text; ValueError when it is none."""
    try:
        raw: dict[str, Any] = json.loads(text)
        weights = {str(name): float(value) for name, value in raw["weights"].items()}
        identity = hashlib.sha256(text.encode()).hexdigest()[:12]
        return Calibration(weights, float(raw["speak"]), float(raw["block"]), identity)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a calibration: {error}") from None
