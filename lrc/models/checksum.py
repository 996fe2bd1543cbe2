"""The sha256 of gigabytes, with progress."""

import hashlib
from pathlib import Path

from lrc.models.faults import PULL_AGAIN, ModelFault
from lrc.models.progress import SILENT, Listener

CHUNK = 4 << 20
"""Bytes hashed between two words to the listener."""


def sha256_of(path: Path, listener: Listener = SILENT, task: str = "") -> str:
    """Hash of the file at `path`, lower-case hexadecimal. Raises `ModelFault` when it cannot be read."""
    digest = hashlib.sha256()
    buffer = bytearray(CHUNK)
    view = memoryview(buffer)
    done = 0
    try:
        with path.open("rb", buffering=0) as file:
            listener.begin(task or f"checking {path.name}", path.stat().st_size)
            while taken := file.readinto(buffer):
                digest.update(view[:taken])
                done += taken
                listener.at(done)
    except OSError as fault:
        raise ModelFault(f"cannot read {path}: {fault.strerror}", PULL_AGAIN) from fault
    finally:
        listener.end()
    return digest.hexdigest()
