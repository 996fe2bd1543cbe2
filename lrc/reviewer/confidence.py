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
from lrc.reviewer.repairs import Suspicion

MOST_GAIN = 20.0
"""Nats beyond which more gain says nothing more."""


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
    """The numbers that a calibration may weigh, by name.

    A suspicion belongs to one group, by the kind of its tokens and by whether the repair is the old text: that a
    change was made on purpose is likelier for names than for operators, and an old text is one guess, not the best
    of many.
    """
    kind = suspicion.kind
    sort = "closed" if kind in CLOSED else kind.value
    group = f"{sort}-revert" if suspicion.reverts else sort
    return {
        f"is:{group}": 1.0,
        f"gain:{group}": max(-MOST_GAIN, min(suspicion.gain, MOST_GAIN)),
        "surprise": max(-MOST_GAIN, min(suspicion.surprise, MOST_GAIN)),
        f"{suspicion.edit}:{kind.value}": 1.0,
        f"in:{family(suspicion.unit.language)}": 1.0,
    }


def family(language: str) -> str:
    """The languages that a calibration treats alike, by one name."""
    return "javascript" if language in ("typescript", "tsx") else language


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
