"""Deterministic detectors, one a file; they run with and without a model. A new one is added to the tuple below."""

from lrc.detect.access_widening import AccessWidening
from lrc.detect.cloud_loops import CloudLoops
from lrc.detect.conflict_markers import ConflictMarkers
from lrc.detect.debug_leftovers import DebugLeftovers
from lrc.detect.dependencies import Dependencies
from lrc.detect.detector import Detector, Scope
from lrc.detect.disabled_security import DisabledSecurity
from lrc.detect.hidden_characters import HiddenCharacters
from lrc.detect.masking import mask
from lrc.detect.own_settings import OwnSettings
from lrc.detect.removed_checks import RemovedChecks
from lrc.detect.reviewer_address import ReviewerAddress
from lrc.detect.secrets import Secrets
from lrc.detect.sensitive_logs import SensitiveLogs
from lrc.detect.sql_text import SqlText
from lrc.detect.swallowed_errors import SwallowedErrors
from lrc.detect.weakened_tests import WeakenedTests

__all__ = ["DETECTORS", "Detector", "Scope", "mask"]

DETECTORS: tuple[Detector, ...] = (
    Secrets(),
    ConflictMarkers(),
    HiddenCharacters(),
    ReviewerAddress(),
    OwnSettings(),
    Dependencies(),
    DebugLeftovers(),
    DisabledSecurity(),
    SqlText(),
    SensitiveLogs(),
    AccessWidening(),
    SwallowedErrors(),
    WeakenedTests(),
    RemovedChecks(),
    CloudLoops(),
)
"""Every detector, in the order in which they run."""
