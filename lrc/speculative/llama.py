"""A context of llama.cpp as a `Target`: a unified key-value cache, several sequences, logits only where wanted."""

import ctypes
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrc.speculative.binding import native
from lrc.speculative.division import Division
from lrc.speculative.errors import (
    CacheWorn,
    ContextFull,
    DecodeAborted,
    DecodeFailed,
    NoCacheSlot,
    NoMemoryRemoval,
    OutOfMemory,
)
from lrc.speculative.interruption import deferred_interrupt
from lrc.speculative.llama_model import LlamaModel, log
from lrc.speculative.memory import available_bytes
from lrc.speculative.protocols import Logits, Row

_BOOKKEEPING = 64
"""Bytes beside each cell of the cache: its position and the set of its sequences."""
_DECODED, _NO_SLOT, _ABORTED = 0, 1, 2
_LONG_EVALUATION = 32
"""Rows from which an evaluation is made interruptible; below, it ends sooner than a user notices, and the callback,
which the native library calls once a graph node, costs a few per cent of a single row."""
_NEVER = native.ggml_abort_callback()
"""The null pointer: no callback."""


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """How a context is made."""

    n_ctx: int
    """Cells of the cache."""
    n_sequences: int
    """Sequences that share them."""
    threads: int
    """For every evaluation: one row and many must run with the same number, or they round differently."""
    micro_batch: int = 512
    """Rows evaluated at once."""
    n_outputs: int = 64
    """The most rows of one evaluation that may want logits."""
    flash_attention: bool = True
    """The fused kernel."""
    quantised_cache: bool = False
    """Keys and values as Q8_0 instead of F16; needs the fused kernel."""
    in_order: bool = False
    """Never write a cell before one that is in use. Attention sums over cells in the order in which they lie, so a text
    whose cells are out of order rounds differently; exact mode cannot have that. Raises `CacheWorn` at the end."""


def _cache_bytes(model: LlamaModel, options: ContextOptions) -> int:
    """Size of the cache, and of the book-keeping of its cells, whose allocation the native library does not survive."""
    each = 34 / 32 if options.quantised_cache else 2
    return int(options.n_ctx * (model.cache_values * each + _BOOKKEEPING))


class LlamaTarget:
    """One context over loaded weights."""

    def __init__(self, model: LlamaModel, options: ContextOptions) -> None:
        """Allocate cache and buffers. Raises `OutOfMemory`."""
        self._model = model
        self._options = options
        self.deadline: float | None = None
        self.division: Division | None = None
        self._stopped = False
        self._written = 0
        # Kept as an attribute: the native library holds the bare pointer.
        self._abort = native.ggml_abort_callback(self._should_abort)
        log.errors.clear()
        needed, free = _cache_bytes(model, options), available_bytes()
        self._bytes_a_cell = max(1, needed // options.n_ctx - _BOOKKEEPING)
        fits = free is None or needed <= free
        handle = native.llama_init_from_model(model.handle, self._params(options)) if fits else None
        if not handle:
            raise OutOfMemory(
                f"no memory for a context of {options.n_ctx} tokens with {model.path.name}{log.cause}",
                f"its cache takes {needed / 2**20:.0f} MiB; choose a smaller context or model",
            )
        self._handle: Any = handle
        self._memory = native.llama_get_memory(handle)
        self._rows = min(int(native.llama_n_batch(handle)), options.micro_batch)
        self._batch = self._new_batch(self._rows, options.n_sequences)
        self._refuse = options.n_sequences if options.in_order else None

    def _params(self, options: ContextOptions) -> Any:
        params = native.llama_context_default_params()
        params.n_ctx = options.n_ctx
        params.n_batch = params.n_ubatch = options.micro_batch
        params.n_seq_max = options.n_sequences + options.in_order
        params.n_outputs_max = self.n_outputs
        params.n_threads = params.n_threads_batch = options.threads
        params.flash_attn_type = int(options.flash_attention)
        params.kv_unified = True
        params.no_perf = True
        if options.quantised_cache:
            params.type_k = params.type_v = native.GGML_TYPE_Q8_0
        return params

    def _new_batch(self, rows: int, sequences: int) -> Any:
        """The native arrays that rows are copied into."""
        return native.llama_batch_init(rows, 0, sequences)

    def close(self) -> None:
        """Give the memory back; harmless when repeated."""
        if self._handle:
            native.llama_batch_free(self._batch)
            native.llama_free(self._handle)
            self._handle = None

    @property
    def n_vocab(self) -> int:
        """Number of token ids."""
        return self._model.n_vocab

    @property
    def n_ctx(self) -> int:
        """Cells of the cache."""
        return int(native.llama_n_ctx(self._handle))

    @property
    def n_sequences(self) -> int:
        """Sequences that share them."""
        return self._options.n_sequences

    @property
    def n_rows(self) -> int:
        """The most rows in one evaluation."""
        return self._rows

    @property
    def n_outputs(self) -> int:
        """The most rows of one evaluation that may want logits."""
        # The library ends the process when there are fewer outputs than sequences.
        return max(self._options.n_outputs, self._options.n_sequences + self._options.in_order)

    def evaluate(self, rows: Sequence[Row]) -> Logits:
        """Evaluate in one batch; see `Target.evaluate`. On any failure the touched sequences lose what was added."""
        if max(row.position for row in rows) >= self.n_ctx:
            raise ContextFull(f"the context of {self.n_ctx} tokens is full", "choose a larger context")
        if self._refuse is not None and self._written + len(rows) > self.n_ctx:
            raise CacheWorn("the cache is written to its end", "choose a larger context")
        sizes = self.division.sizes(len(rows)) if self.division is not None else [len(rows)]
        return self._decode(rows) if len(sizes) == 1 else self._decode_divided(rows, sizes)

    def _decode_divided(self, rows: Sequence[Row], sizes: Sequence[int]) -> Logits:
        """Evaluate `rows` in several batches; all of them or none."""
        found: list[Logits] = []
        start = 0
        try:
            for size in sizes:
                # The native buffer is the next batch's.
                found.append(self._decode(rows[start : start + size]).copy())
                start += size
        except BaseException:
            self._undo(rows)
            raise
        return np.concatenate(found)

    def _decode(self, rows: Sequence[Row]) -> Logits:
        """Evaluate `rows` in one batch."""
        wanted = self._fill(rows)
        self._written += len(rows)
        with self._interruptible(len(rows)):
            log.errors.clear()
            code = native.llama_decode(self._handle, self._batch)
            if code != _DECODED:
                self._undo(rows)
                raise self._failure(code)
        if not wanted:
            return np.empty((0, self.n_vocab), np.float32)
        pointer = native.llama_get_logits(self._handle)
        return np.ctypeslib.as_array(pointer, (wanted, self.n_vocab))

    def _fill(self, rows: Sequence[Row]) -> int:
        """Copy `rows` into the native batch; returns how many want logits."""
        batch = self._batch
        wanted = 0
        for index, row in enumerate(rows):
            batch.token[index] = row.token
            batch.pos[index] = row.position
            batch.n_seq_id[index] = len(row.sequences)
            ids = batch.seq_id[index]
            for place, sequence in enumerate(row.sequences):
                ids[place] = sequence
            batch.logits[index] = row.wants_logits
            wanted += row.wants_logits
        batch.n_tokens = len(rows)
        return wanted

    def _undo(self, rows: Sequence[Row]) -> None:
        """Drop what a failed evaluation may have left in the cache: micro-batches before the failing one stay there."""
        first: dict[int, int] = {}
        for row in rows:
            for sequence in row.sequences:
                first[sequence] = min(row.position, first.get(sequence, row.position))
        for sequence, position in first.items():
            self._remove(sequence, position)

    def _failure(self, code: int) -> Exception:
        if code == _NO_SLOT:
            return NoCacheSlot("the cache has no room for this step", "decode fewer answers at once")
        if code == _ABORTED:
            return DecodeAborted("the evaluation was stopped")
        return DecodeFailed(f"the native library refused a batch (code {code}){log.cause}", "report this")

    def fork(self, source: int, destination: int, start: int, end: int) -> None:
        """Share cells; see `Target.fork`."""
        native.llama_memory_seq_cp(self._memory, source, destination, start, end)

    def rewind(self, sequence: int, length: int) -> None:
        """Forget the end of a sequence; see `Target.rewind`."""
        if not self._remove(sequence, length):
            raise NoMemoryRemoval(f"{self._model.path.name} cannot take tokens back", "choose the drafter 'none'")

    def length(self, sequence: int) -> int:
        """Tokens held by a sequence."""
        return int(native.llama_memory_seq_pos_max(self._memory, sequence)) + 1

    def snapshot(self, sequence: int) -> bytes:
        """The cache of a sequence as bytes."""
        size = native.llama_state_seq_get_size(self._handle, sequence)
        buffer = (ctypes.c_uint8 * size)()
        written = native.llama_state_seq_get_data(self._handle, buffer, size, sequence)
        return bytes(memoryview(buffer)[:written])

    def restore(self, sequence: int, state: bytes) -> None:
        """Replace a sequence by a snapshot; see `Target.restore`."""
        self.free(sequence)
        log.errors.clear()
        if self._refuse is not None:
            # How many cells it takes is only known afterwards; the worst is all that may be in it.
            self._written += len(state) // self._bytes_a_cell
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        if not native.llama_state_seq_set_data(self._handle, buffer, len(state), sequence):
            self.free(sequence)
            raise DecodeFailed(f"a snapshot does not fit this model or these settings{log.cause}", "throw it away")

    def free(self, sequence: int) -> None:
        """Forget a sequence."""
        self._remove(sequence, 0)
        if self._refuse is not None and not any(map(self.length, range(self.n_sequences))):
            native.llama_memory_seq_rm(self._memory, self._refuse, -1, -1)
            self._written = 0

    def _remove(self, sequence: int, start: int) -> bool:
        """Drop the end of a sequence. In order, its cells are not freed but kept as refuse, for nobody to reuse."""
        if self._refuse is not None and self.length(sequence) > start:
            native.llama_memory_seq_cp(self._memory, sequence, self._refuse, start, -1)
        return bool(native.llama_memory_seq_rm(self._memory, sequence, start, -1))

    def _should_abort(self, _data: Any) -> bool:
        """Called by the native library before each graph node of a long evaluation."""
        return self._stopped or (self.deadline is not None and time.monotonic() > self.deadline)

    def _stop(self) -> None:
        self._stopped = True

    @contextmanager
    def _interruptible(self, rows: int) -> Iterator[None]:
        """Let the deadline and Ctrl-C stop a long evaluation."""
        if rows < _LONG_EVALUATION:
            yield
            return
        self._stopped = False
        native.llama_set_abort_callback(self._handle, self._abort, None)
        try:
            with deferred_interrupt(self._stop):
                yield
        finally:
            native.llama_set_abort_callback(self._handle, _NEVER, None)
