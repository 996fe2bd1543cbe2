"""From what was measured to a probability, and from a probability to a severity."""

import hashlib
import json
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from lrc.findings import Severity
from lrc.reviewer.kinds import CLOSED
from lrc.reviewer.repairs import Suspicion
from lrc.syntax import is_test_path

CAUTIOUS = 0.8
"""Probability from which a target speaks that nothing is known about."""
NEVER = 1.01
"""A threshold that no probability reaches."""
LEAST_GAIN = 1.0
"""Nats below which nothing speaks for a repair but what kind of slip it would be: that is no evidence, however often
planted slips were of that kind."""
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
    targets: tuple[str, ...] = ()
    """SHA-256 of the targets that it was fitted on."""
    about: str = ""
    """What it was fitted on, for people."""
    whole: float = 0.0
    """Share of the agreed comments on whole hunks that were right when measured; 0: such comments are not asked for."""

    def probability(self, suspicion: Suspicion) -> float:
        """How likely the suspicion is a defect, 0 to 1."""
        return self.of(features(suspicion))

    def of(self, named: dict[str, float]) -> float:
        """The probability that features by name stand for; 0 where the repair gains next to nothing."""
        if named.get("gain", LEAST_GAIN) < LEAST_GAIN:
            return 0.0
        score = sum(self.weights.get(name, 0.0) * value for name, value in named.items())
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
    gain = max(-MOST_GAIN, min(suspicion.gain, MOST_GAIN))
    named = {
        "is": 1.0,
        "gain": gain,
        f"is:{group}": 1.0,
        f"gain:{group}": gain,
        "surprise": max(-MOST_GAIN, min(suspicion.surprise, MOST_GAIN)),
        f"{suspicion.edit}:{kind.value}": 1.0,
        f"in:{family(suspicion.unit.language)}": 1.0,
    }
    if is_test_path(suspicion.unit.file.path):
        named["in-test"] = 1.0
    return named


def family(language: str) -> str:
    """The languages that a calibration treats alike, by one name."""
    return "javascript" if language in ("typescript", "tsx") else language


@lru_cache
def built_in() -> Calibration:
    """The calibration that ships with the package, fitted on the default target."""
    return parse(files("lrc.reviewer").joinpath("calibration.json").read_text(encoding="utf-8"))


def kept_for(target: str, directory: Path) -> Calibration:
    """The calibration of a target (its SHA-256): the one kept in `directory`, else the built-in one.

    For a target that the built-in one was not fitted on, it speaks late and never blocks: its probabilities mean
    nothing there until `lrc calibrate` has measured. A kept file that cannot be read counts as absent.
    """
    try:
        return parse(kept_at(target, directory).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = built_in()
    if target in known.targets:
        return known
    return replace(known, speak=max(known.speak, CAUTIOUS), block=NEVER, identity=f"{known.identity} cautious")


def kept_at(target: str, directory: Path) -> Path:
    """Where the calibration of a target is kept."""
    return directory / f"{target[:16]}.json"


def parse(text: str) -> Calibration:
    """A calibration from its JSON text; ValueError when it is none."""
    try:
        raw: dict[str, Any] = json.loads(text)
        weights = {str(name): float(value) for name, value in raw["weights"].items()}
        identity = hashlib.sha256(text.encode()).hexdigest()[:12]
        targets = tuple(str(name) for name in raw.get("targets", ()))
        about = str(raw.get("about", ""))
        whole = float(raw.get("whole", 0.0))
        return Calibration(weights, float(raw["speak"]), float(raw["block"]), identity, targets, about, whole)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a calibration: {error}") from None


def to_json(calibration: Calibration) -> str:
    """The text that `parse` reads."""
    kept = {
        "about": calibration.about,
        "targets": list(calibration.targets),
        "weights": calibration.weights,
        "speak": calibration.speak,
        "block": calibration.block,
        "whole": calibration.whole,
    }
    return json.dumps(kept, indent=2) + "\n"
