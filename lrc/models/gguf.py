"""The header of a GGUF file, read without loading the model. Format: ggml's `docs/gguf.md`, versions 2 and 3.

An own reader of one file's header: the `gguf` package needs numpy and several seconds for a vocabulary of 150,000
tokens, this one maps the file and steps over what nobody asked for (about a tenth of a second).
"""

import mmap
import stat
import struct
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from lrc.models.faults import PULL_AGAIN, DamagedModel, ModelFault
from lrc.models.ggml_types import tensor_bytes

_STRING, _ARRAY = 8, 9
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_MOST_DIMENSIONS = 8

Scalar = int | float | bool | str


@dataclass(frozen=True, slots=True)
class ArraySpan:
    """An array of the header that was stepped over; `GgufFile.strings` and `numbers` read it."""

    kind: int
    """Type number of the elements."""
    count: int
    """How many there are."""
    offset: int
    """Where the first one begins, in bytes from the file's start."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor as the header lists it."""

    name: str
    """Its name."""
    shape: tuple[int, ...]
    """Extents, the contiguous one first."""
    kind: int
    """ggml type number."""
    offset: int
    """Where its data begins, in bytes from the file's start."""
    bytes: int | None
    """Size of its data; None for a type newer than our table."""


class GgufFile:
    """An open GGUF file: `metadata` and `tensors`. A context manager; close it before the file is replaced.

    Opening raises `ModelFault` for a file that is missing, unreadable or no GGUF, and `DamagedModel` for one that is
    cut short or garbled.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = _regular_size(path)
        self.metadata: dict[str, Scalar | ArraySpan] = {}
        self.tensors: list[Tensor] = []
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as fault:
            raise ModelFault(f"cannot read {path}: {getattr(fault, 'strerror', None) or fault}", PULL_AGAIN) from fault
        self._at = 0
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "GgufFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the file."""
        self._map.close()

    def strings(self, key: str) -> list[bytes]:
        """The string array `key`, undecoded (tokens need not be UTF-8); empty when the header has none."""
        span = self.metadata.get(key)
        if not isinstance(span, ArraySpan) or span.kind != _STRING:
            return []
        self._at = span.offset
        return [self._bytes() for _ in range(span.count)]

    def numbers(self, key: str) -> list[float]:
        """The number array `key`; a single number is an array of one; empty when the header has none."""
        found = self.metadata.get(key)
        if isinstance(found, int | float):
            return [found]
        if not isinstance(found, ArraySpan) or found.kind not in _SCALARS:
            return []
        code = _SCALARS[found.kind]
        step = struct.calcsize(code)
        return [struct.unpack_from(code, self._map, found.offset + i * step)[0] for i in range(found.count)]

    def _read(self) -> None:
        magic = self._map[:4]
        if magic != b"GGUF":
            raise ModelFault(f"{self.path} is not a GGUF file", "llama.cpp's own format is needed, from a .gguf file")
        self._at = 4
        version = self._number("<I")
        if version not in (2, 3):
            big_endian = int.from_bytes(int(version).to_bytes(4, "little"), "big") in (2, 3)
            kind = "written for big-endian machines" if big_endian else f"of GGUF version {version}"
            raise ModelFault(f"{self.path} is {kind}, which cannot be read", "take a file of GGUF version 2 or 3")
        tensors, keys = int(self._number("<Q")), int(self._number("<Q"))
        for _ in range(keys):
            key = self._text()
            self.metadata[key] = self._value(int(self._number("<I")), key)
        listed = [self._tensor() for _ in range(tensors)]
        alignment = self.metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1):
            raise self._garbled(f"an alignment of {alignment}")
        data = -(-self._at // alignment) * alignment
        self.tensors = [Tensor(t.name, t.shape, t.kind, data + t.offset, t.bytes) for t in listed]
        self._check_extents()

    def _check_extents(self) -> None:
        """Every tensor must lie inside the file: what a download that broke off does not fulfil."""
        end = max((tensor.offset + (tensor.bytes or 0) for tensor in self.tensors), default=0)
        if end > self.size:
            raise DamagedModel(
                f"{self.path} is cut short: {self.size:,} of at least {end:,} bytes are there", PULL_AGAIN
            )

    def _tensor(self) -> Tensor:
        """The next entry of the tensor list; its offset still counts from the start of the data."""
        name = self._text()
        dimensions = int(self._number("<I"))
        if dimensions > _MOST_DIMENSIONS:
            raise self._garbled(f"a tensor of {dimensions} dimensions")
        shape = tuple(int(self._number("<Q")) for _ in range(dimensions))
        kind = int(self._number("<I"))
        return Tensor(name, shape, kind, int(self._number("<Q")), tensor_bytes(kind, shape))

    def _value(self, kind: int, key: str) -> Scalar | ArraySpan:
        if kind == _STRING:
            return self._text()
        if kind == _ARRAY:
            return self._step_over(key)
        if kind not in _SCALARS:
            raise self._garbled(f"a value of type {kind}")
        return self._number(_SCALARS[kind])

    def _step_over(self, key: str) -> ArraySpan:
        kind, count = int(self._number("<I")), int(self._number("<Q"))
        span = ArraySpan(kind, count, self._at)
        if kind == _STRING:
            self._step_over_strings(count)
        elif kind in _SCALARS:
            self._advance(count * struct.calcsize(_SCALARS[kind]))
        else:
            raise self._garbled(f"an array of type {kind} under {key[:60]!r}")
        return span

    def _step_over_strings(self, count: int) -> None:
        """The hot loop: a vocabulary and its merges are 300,000 strings. Ends with the file, whatever `count` says."""
        length = struct.Struct("<Q").unpack_from
        at, last = self._at, self.size - 8
        for _ in range(count):
            if at > last:
                raise self._ends_early()
            at += 8 + length(self._map, at)[0]
        self._advance(at - self._at)

    def _text(self) -> str:
        return self._bytes().decode("utf-8", "replace")

    def _bytes(self) -> bytes:
        length = int(self._number("<Q"))
        start = self._at
        self._advance(length)
        return self._map[start : self._at]

    def _number(self, code: str) -> int | float | bool:
        start = self._at
        self._advance(struct.calcsize(code))
        value: int | float | bool = struct.unpack_from(code, self._map, start)[0]
        return value

    def _advance(self, count: int) -> None:
        if count > self.size - self._at:
            raise self._ends_early()
        self._at += count

    def _ends_early(self) -> DamagedModel:
        return DamagedModel(f"{self.path} is cut short or garbled: it ends inside its header", PULL_AGAIN)

    def _garbled(self, what: str) -> DamagedModel:
        return DamagedModel(f"{self.path} is garbled: its header speaks of {what}", PULL_AGAIN)


def _regular_size(path: Path) -> int:
    """Bytes of the file at `path`. Raises `ModelFault` for what is not a file: opening a pipe would wait for ever."""
    try:
        status = path.stat()
    except (OSError, ValueError) as fault:
        raise ModelFault(f"no model at {path}", PULL_AGAIN) from fault
    if not stat.S_ISREG(status.st_mode):
        raise ModelFault(f"{path} is not a file", "give the path of a .gguf file")
    if status.st_size == 0:
        raise DamagedModel(f"{path} is empty", PULL_AGAIN)
    return status.st_size
