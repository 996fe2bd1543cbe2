"""Speculative decoding over llama.cpp: several guessed tokens verified in one evaluation, the output law unchanged.

Imports nothing else of `lrc`. The native library is loaded when an engine is opened, not before.
"""

from lrc.speculative.engine import Engine
from lrc.speculative.errors import EngineError
from lrc.speculative.requests import Completion, DrafterKind, EngineOptions, Finish, Request
from lrc.speculative.sampling import GREEDY, Sampling
from lrc.speculative.stats import Counts, EngineStats

__all__ = [
    "GREEDY",
    "Completion",
    "Counts",
    "DrafterKind",
    "Engine",
    "EngineError",
    "EngineOptions",
    "EngineStats",
    "Finish",
    "Request",
    "Sampling",
]
