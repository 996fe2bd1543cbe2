"""Deterministic detectors, one a file; they run with and without a model. A new one is added to the tuple below."""

from lrc.detect.conflict_markers import ConflictMarkers
from lrc.detect.detector import Detector, Scope
from lrc.detect.disabled_security import DisabledSecurity
from lrc.detect.hidden_characters import HiddenCharacters
from lrc.detect.masking import mask
from lrc.detect.reviewer_address import ReviewerAddress
from lrc.detect.secrets import Secrets

__all__ = ["DETECTORS", "Detector", "Scope", "mask"]

DETECTORS: tuple[Detector, ...] = (
    Secrets(),
    ConflictMarkers(),
    HiddenCharacters(),
    ReviewerAddress(),
    DisabledSecurity(),
)
"""Every detector, in the order in which they run."""
