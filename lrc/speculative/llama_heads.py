"""Heads that predict several tokens (MTP), through llama.cpp's context for them.

The calls are not part of the native library's public interface (`llama-ext.h` of llama.cpp 0c1e57098, as vendored by
llama-cpp-python 0.3.36), so they are looked for before anything is built on them.
"""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from lrc.speculative.binding import extension, native
from lrc.speculative.errors import DrafterUnavailable
from lrc.speculative.hidden import Hidden, HiddenStates, Texts
from lrc.speculative.llama import ContextOptions, LlamaTarget
from lrc.speculative.llama_model import LlamaModel
from lrc.speculative.protocols import Logits, Row

_MTP_CONTEXT = 1
"""`LLAMA_CONTEXT_TYPE_MTP`."""
_FORMS = frozenset({
    "cohere2moe", "deepseek2", "deepseek32", "glm-dsa", "glm4moe", "hy_v3", "mimo2", "step35",
})  # fmt: skip
"""Architectures for which the library can evaluate a head and take tokens back. On others it ends the process."""
_HEAD = b".nextn.eh_proj.weight"
_HEADER = 1 << 26
"""Bytes at the beginning of a file that hold the names of its tensors."""


def check_heads(model: LlamaModel) -> None:
    """Raise `DrafterUnavailable` with the reason unless `model` has a head that can be used.

    The library trusts what a file says of itself, and ends the process where that turns out wrong.
    """
    form = model.meta("general.architecture")
    reason = ""
    if not model.n_heads:
        reason = "has none"
    elif form not in _FORMS:
        reason = f"has {model.n_heads}, which the native library cannot evaluate for the architecture {form}"
    elif model.n_heads > 1:
        reason = f"has a chain of {model.n_heads}, of which the native library evaluates single ones"
    else:
        with model.path.open("rb") as file:
            if _HEAD not in file.read(_HEADER):
                reason = "has lost them: the file names one and does not hold it"
    if reason:
        raise DrafterUnavailable(
            f"the drafter 'mtp' needs heads that predict several tokens; {model.path.name} {reason}", "choose 'auto'"
        )


class _Followed(LlamaTarget):
    """A context whose texts are followed."""

    def __init__(self, model: LlamaModel, options: ContextOptions) -> None:
        super().__init__(model, options)
        self.texts = Texts(options.n_sequences)

    def fork(self, source: int, destination: int, start: int, end: int) -> None:
        """Share cells; see `Target.fork`."""
        super().fork(source, destination, start, end)
        self.texts.fork(source, destination, start, end)

    def restore(self, sequence: int, state: bytes) -> None:
        """Replace a sequence by a snapshot, whose tokens are not known; see `Target.restore`."""
        self.texts.cut(sequence, 0)
        super().restore(sequence, state)

    def _remove(self, sequence: int, start: int) -> bool:
        self.texts.cut(sequence, start)
        return super()._remove(sequence, start)

    def _states(self, count: int) -> Hidden:
        """The hidden states of the last evaluation, of so many rows."""
        pointer = extension().llama_get_embeddings_nextn(self._handle)
        return np.ctypeslib.as_array(pointer, (count, self._model.width))


class LlamaTrunk(_Followed):
    """A target that keeps the hidden state of every row for its heads."""

    def __init__(self, model: LlamaModel, options: ContextOptions) -> None:
        """Allocate cache and buffers. Raises `OutOfMemory`, `DrafterUnavailable`."""
        calls = extension()
        super().__init__(model, options)
        self.hidden = HiddenStates(model.width)
        calls.llama_set_embeddings_nextn(self._handle, True, False)

    def _decode(self, rows: Sequence[Row]) -> Logits:
        logits = super()._decode(rows)
        for row in rows:
            self.texts.add(row)
        self.hidden.keep(self.texts, rows, self._states(len(rows)))
        return logits


class LlamaHeads(_Followed):
    """The heads as a draft model: a `Target` that reads, beside each token, the state at the position before it.

    Where the trunk evaluated that position, its state is read; after a drafted token, the head's own; where neither is
    known, zeros, which make a poor guess and no wrong text.
    """

    def __init__(self, trunk: LlamaTrunk, model: LlamaModel, options: ContextOptions) -> None:
        """Allocate the heads' own cache. Raises `OutOfMemory`, `DrafterUnavailable`."""
        calls = extension()
        self._trunk = trunk
        super().__init__(model, options)
        if calls.llama_get_ctx_other(self._handle):
            self.close()
            raise DrafterUnavailable(
                f"the heads of {model.path.name} share the target's cache, which this version cannot use",
                "choose 'auto'",
            )
        calls.llama_set_embeddings_nextn(self._handle, True, False)
        self._own: dict[tuple[int, int], Hidden] = {}

    def _params(self, options: ContextOptions) -> Any:
        params = super()._params(options)
        params.ctx_type = _MTP_CONTEXT
        params.ctx_other = self._trunk._handle
        return params

    def _new_batch(self, rows: int, sequences: int) -> Any:
        """A batch with a token and a state in each row; the library's own has either."""
        batch = native.llama_batch_init(rows, self._model.width, sequences)
        self._tokens = (native.llama_token * rows)()
        batch.token = self._tokens
        self._inputs = np.ctypeslib.as_array(batch.embd, (rows, self._model.width))
        return batch

    def close(self) -> None:
        """Give the memory back; harmless when repeated."""
        if self._handle:
            self._batch.token = ctypes.POINTER(native.llama_token)()
        super().close()

    def _decode(self, rows: Sequence[Row]) -> Logits:
        for index, row in enumerate(rows):
            sequence, before = row.sequences[0], row.position - 1
            state = self._trunk.hidden.find(self.texts.place(sequence, before))
            if state is None:
                state = self._own.get((sequence, before))
            self._inputs[index] = 0.0 if state is None else state
            self.texts.add(row)
        logits = super()._decode(rows)
        states = self._states(len(rows))
        self._own = {(row.sequences[0], row.position): state.copy() for row, state in zip(rows, states, strict=True)}
        return logits
