"""The target's own predictions over given text, with flat memory: chunk by chunk, and only the rows asked for."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count

import numpy as np

from lrc.speculative.cache import PrefixCache
from lrc.speculative.errors import CacheWorn, DecodeAborted, NoCacheSlot
from lrc.speculative.protocols import Logits, Row, Target
from lrc.speculative.stats import Tally


def score(
    target: Target, cache: PrefixCache, tally: Tally, prompt: list[int], positions: Sequence[int], keep: bool
) -> Iterator[tuple[int, Logits]]:
    """Yield (position, logits that predict the token there) for `positions`: sorted, each 1 to the prompt's length.

    The sequence is given back when the iteration ends or is dropped; with `keep`, the evaluated text stays borrowable.
    """
    if not positions:
        return
    wanted = frozenset(positions)
    renewed = -1
    prompt = prompt[: positions[-1]]
    sequence, start = cache.take(prompt, positions[0] - 1, spare_donor=not keep)
    tally.prompt_tokens += len(prompt)
    tally.reused_tokens += start
    try:
        while wanted:
            # Asked anew each time: whoever renews a worn cache empties this sequence too.
            start = len(cache.text(sequence))
            rows = _chunk(target, prompt, start, wanted, sequence)
            try:
                logits = _evaluate(target, cache, tally, rows)
            except CacheWorn:
                if renewed == len(wanted):
                    raise
                renewed = len(wanted)
                cache.renew()
                continue
            cache.grow(sequence, prompt[start : start + len(rows)])
            # Copied: the caller may evaluate other things between two rows.
            copies = np.array(logits, np.float32)
            found = [row.position + 1 for row in rows if row.wants_logits]
            wanted = wanted.difference(found)
            yield from zip(found, copies, strict=True)
    finally:
        cache.release(sequence, keep)


def _chunk(target: Target, prompt: list[int], start: int, wanted: frozenset[int], sequence: int) -> list[Row]:
    """The next rows, as many as one batch takes with its outputs."""
    rows: list[Row] = []
    outputs = 0
    for position in range(start, min(start + target.n_rows, len(prompt))):
        wants = position + 1 in wanted
        if wants and outputs == target.n_outputs:
            break
        outputs += wants
        rows.append(Row((sequence,), position, prompt[position], wants))
    return rows


def _evaluate(target: Target, cache: PrefixCache, tally: Tally, rows: list[Row]) -> Logits:
    """Evaluate, forgetting old texts while the cache is full."""
    for _ in count():
        started = time.perf_counter()
        try:
            logits = target.evaluate(rows)
        except CacheWorn:
            raise
        except NoCacheSlot:
            if not cache.evict():
                raise
        else:
            tally.evaluated(len(rows), len(rows), time.perf_counter() - started)
            return logits
    raise AssertionError


def until(
    rows: Iterator[tuple[int, Logits]], deadline: float | None, set_deadline: Callable[[float | None], None]
) -> Iterator[tuple[int, Logits]]:
    """`rows` under a deadline, which does not cover what the caller does between two of them."""
    try:
        while True:
            if deadline is not None and time.monotonic() >= deadline:
                raise DecodeAborted("time is up")
            set_deadline(deadline)
            try:
                row = next(rows)
            except StopIteration:
                return
            finally:
                set_deadline(None)
            yield row
    finally:
        close = getattr(rows, "close", None)
        if close is not None:
            close()
