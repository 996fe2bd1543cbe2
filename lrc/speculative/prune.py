"""Which blocks of a target to leave out for self-speculation. Pure; the copy is written by `llama_files`.

Nothing is trained. The first and the last blocks matter most, so blocks are taken from the middle; which ones is best
found by trying (Zhang et al. 2023, "Draft & Verify", found about half of a large model's blocks to be dispensable;
small models are far less redundant).
"""

from collections.abc import Callable, Sequence

_KEPT_ENDS = 2
"""Blocks at either end that are never left out: without them, next to nothing is accepted."""


def candidates(blocks: int) -> list[int]:
    """Blocks that may be left out of a model of `blocks`: all but those at the ends."""
    return list(range(_KEPT_ENDS, blocks - _KEPT_ENDS))


def spread(blocks: int, count: int) -> list[int]:
    """`count` dispensable blocks, evenly spread over the middle: the start of a search, or a choice without one."""
    middle = candidates(blocks)
    if not 0 < count <= len(middle):
        raise ValueError(f"cannot leave {count} blocks out of {blocks}")
    return [middle[index * len(middle) // count] for index in range(count)]


def search(
    blocks: int, count: int, value: Callable[[Sequence[int]], float], trials: int = 24
) -> tuple[list[int], float]:
    """The best set of `count` blocks to leave out, by `value` (the acceptance on real prompts, say), and its value.

    From the evenly spread set, one block at a time is moved to the place where that helps, until nothing helps or
    `trials` sets were tried. Deterministic.
    """
    best = spread(blocks, count)
    best_value = value(best)
    tried = {tuple(best)}
    improved = True
    while improved and len(tried) < trials:
        improved = False
        for place in range(count):
            for step in (-1, 1):
                moved = sorted({*best[:place], *best[place + 1 :], best[place] + step})
                legal = len(moved) == count and set(moved) <= set(candidates(blocks))
                if not legal or tuple(moved) in tried or len(tried) >= trials:
                    continue
                tried.add(tuple(moved))
                found = value(moved)
                if found > best_value:
                    best, best_value, improved = moved, found, True
                    break
    return best, best_value
