"""One engine at a time on a machine: two commits at once must not load two models."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from lrc.errors import EnvironmentFault

LIMIT = 120.0
"""Seconds to wait for another review before giving up."""


class EngineBusy(EnvironmentFault):
    """Another review kept the engine longer than we may wait."""


def cache_directory() -> Path:
    """Where lock files live: `LRC_CACHE_DIR`, else the user's cache directory. The same for all repositories."""
    if override := os.environ.get("LRC_CACHE_DIR"):
        return Path(override)
    from platformdirs import user_cache_path

    return user_cache_path("lrc")


@contextlib.contextmanager
def engine_lock(
    announce: Callable[[str], None], *, limit: float = LIMIT, directory: Path | None = None
) -> Iterator[None]:
    """Holds the machine-wide right to load a model while the block runs.

    When another process has it, `announce` gets one sentence about who, once, and we wait up to `limit` seconds; then
    EngineBusy. The operating system frees the lock when its holder dies, however that happens. Not re-entrant: a
    process that already holds it waits for itself.
    """
    from filelock import FileLock, Timeout

    place = directory or cache_directory()
    try:
        place.mkdir(parents=True, exist_ok=True)
        lock = FileLock(place / "engine.lock")
    except OSError:
        # No place for a lock (a read-only home): a second model in memory is better than no review.
        yield
        return
    holder = place / "engine.holder"
    try:
        lock.acquire(timeout=0)
    except Timeout:
        announce(f"waiting for another review{_who(holder)} to finish, at most {limit:.0f} s")
        try:
            lock.acquire(timeout=limit, poll_interval=0.1)
        except Timeout:
            raise EngineBusy(
                f"another review{_who(holder)} did not finish within {limit:.0f} s", "commit again when it is done"
            ) from None
    except OSError:
        yield
        return
    try:
        with contextlib.suppress(OSError):
            holder.write_text(f"{os.getpid()}\n{Path.cwd()}\n", encoding="utf-8", errors="backslashreplace")
        yield
    finally:
        with contextlib.suppress(OSError):
            holder.unlink()
        lock.release()


def _who(holder: Path) -> str:
    """The holder in words; empty when it left no note, or is leaving just now."""
    try:
        process, where = holder.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return ""
    return f" (process {process}, in {where})"
