"""How much memory a pair takes: weights, key/value cache and working buffers, from headers alone."""

from lrc.models.compatibility import REVIEW_CONTEXT
from lrc.models.facts import Facts

CACHE_BYTES = 2
"""Bytes of a cached value: F16."""
MICRO_BATCH = 512
"""Rows of one graph; the working buffer is reserved for this many."""
PROCESS = 200 << 20
"""Python, the binding and the rest of a review, in bytes (measured, rounded up)."""


def need(target: Facts, draft: Facts | None = None, context: int = REVIEW_CONTEXT) -> int:
    """Bytes that a review with `context` tokens takes at its peak. An estimate that errs upwards."""
    return PROCESS + sum(_of_model(facts, context) for facts in (target, draft) if facts is not None)


def _of_model(facts: Facts, context: int) -> int:
    cache = facts.kv_values * CACHE_BYTES * context
    # The largest working tensor is one float32 row of logits for every row of a micro-batch.
    working = facts.vocabulary * 4 * MICRO_BATCH
    return facts.tensor_bytes + cache + working
