"""Writes GGUF files (version 3) out of plain values: what the tests' models are made of."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 32


def write(path: Path, metadata: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Path:
    """Write `metadata` and `tensors` (as float32, last axis first, as the format has it) to `path`."""
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    header += b"".join(_text(key) + _value(value) for key, value in metadata.items())
    blobs: list[bytes] = []
    offset = 0
    for name, tensor in tensors.items():
        data = np.ascontiguousarray(tensor).astype("<f4").tobytes()
        # Each begins at a multiple of the alignment; nothing follows the last.
        start = offset + -offset % ALIGNMENT
        sizes = tensor.shape[::-1]
        header += _text(name) + struct.pack("<I", len(sizes)) + struct.pack(f"<{len(sizes)}Q", *sizes)
        header += struct.pack("<IQ", 0, start)
        blobs.append(bytes(-offset % ALIGNMENT) + data)
        offset += len(blobs[-1])
    header += bytes(-len(header) % ALIGNMENT)
    path.write_bytes(header + b"".join(blobs))
    return path


def _text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if value and isinstance(value[0], int):
        return struct.pack("<IIQ", 9, 5, len(value)) + struct.pack(f"<{len(value)}i", *value)
    return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(_text(item) for item in value)
