"""The beginning that many prompts share, kept on disk as it stands in the cache: a new process need not evaluate it.

A snapshot is only good for the model, library and settings that made it; all of them are in its name. Its content
carries a checksum, since a cache with a turned bit would be read without complaint.
"""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lrc.speculative.cache import PrefixCache
from lrc.speculative.errors import DecodeFailed
from lrc.speculative.protocols import Row, Target

MOST_FILES = 4
"""Snapshots kept in a folder; the oldest beyond that are deleted."""
_SUFFIX = ".prefix"
_DIGEST = 32


def warm(target: Target, cache: PrefixCache, prefix: list[int], folder: Path, settings: str) -> bool:
    """Bring `prefix` into the cache, from the folder if it is there, else by evaluating it and writing it down.

    `settings` names everything that a snapshot depends on. Returns whether it came from disk. A damaged snapshot is
    evaluated anew; a folder that cannot be written costs speed only. Raises what evaluating raises.
    """
    if not prefix or cache.known(prefix, len(prefix)) == len(prefix):
        return False
    path = folder / (hashlib.sha256(f"{settings}\0{prefix}".encode()).hexdigest()[:32] + _SUFFIX)
    state = _read(path)
    # A snapshot replaces a sequence whole, so nothing is borrowed for it; evaluating starts from what is known.
    sequence, known = cache.take(prefix, 0 if state else len(prefix))
    restored = False
    try:
        if state and _restore(target, sequence, state, len(prefix)):
            restored = True
            cache.grow(sequence, prefix)
        else:
            for start in range(known, len(prefix), target.n_rows):
                part = prefix[start : start + target.n_rows]
                target.evaluate([Row((sequence,), start + index, token) for index, token in enumerate(part)])
                cache.grow(sequence, part)
            _write(path, target.snapshot(sequence))
    finally:
        cache.release(sequence)
    return restored


def _restore(target: Target, sequence: int, state: bytes, length: int) -> bool:
    with contextlib.suppress(DecodeFailed):
        target.restore(sequence, state)
        if target.length(sequence) == length:
            return True
    target.free(sequence)
    return False


def _read(path: Path) -> bytes:
    """The snapshot; empty when it is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return b""
    state = content[_DIGEST:]
    return state if hashlib.sha256(state).digest() == content[:_DIGEST] else b""


def _write(path: Path, state: bytes) -> None:
    """Aside and in place, readable by the user alone; then the oldest snapshots beyond the limit go."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(state).digest() + state)
            Path(aside).replace(path)
        except OSError:
            Path(aside).unlink(missing_ok=True)
            raise
        for old in _by_age(path.parent)[:-MOST_FILES]:
            old.unlink(missing_ok=True)


def _by_age(folder: Path) -> Sequence[Path]:
    return sorted(folder.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
