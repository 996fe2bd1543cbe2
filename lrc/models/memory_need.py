"""How much memory a pair takes: weights, key/value cache and working buffers, from headers alone."""

from lrc.models.compatibility import REVIEW_CONTEXT
from lrc.models.facts import Facts

CACHE_BYTES = 2
"""Bytes of a cached value: F16."""
WORKING = 160 << 20
"""Buffers of one model's graphs, in bytes: 64 to 100 MB measured for the default pair, more for wider models."""
PROCESS = 150 << 20
"""Python, the binding and the rest of a review, in bytes (measured, rounded up)."""


def need(target: Facts, draft: Facts | None = None, context: int = REVIEW_CONTEXT) -> int:
    """Bytes that a review with `context` tokens takes at its peak.

    An estimate that errs upwards: 2.4 GB against 2.1 GB measured for the default pair with its draft at 8,192 tokens.
    """
    return PROCESS + sum(_of_model(facts, context) for facts in (target, draft) if facts is not None)


def _of_model(facts: Facts, context: int) -> int:
    return facts.tensor_bytes + facts.kv_values * CACHE_BYTES * context + WORKING
