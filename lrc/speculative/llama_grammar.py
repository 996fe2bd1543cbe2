"""A GBNF grammar over llama.cpp's sampler.

The native sampler ends the process when it is told to accept an illegal token, so nothing here accepts a token that was
not found legal first.
"""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lrc.speculative.binding import native
from lrc.speculative.errors import GrammarInvalid, GrammarStuck
from lrc.speculative.llama_model import LlamaModel, log

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
"""Layout of `llama_token_data`."""


class LlamaGrammar:
    """The state of one answer under a grammar."""

    def __init__(self, sampler: Any) -> None:
        """Own the native `sampler`; use `parse`."""
        self._sampler = sampler

    @classmethod
    def parse(cls, model: LlamaModel, text: str) -> "LlamaGrammar":
        """The grammar `text` (GBNF, rule `root`) over the vocabulary of `model`. Raises `GrammarInvalid`."""
        log.errors.clear()
        sampler = native.llama_sampler_init_grammar(model.vocab, text.encode(), b"root")
        if not sampler:
            raise GrammarInvalid(f"the grammar does not parse{log.cause}", "check the GBNF text")
        return cls(sampler)

    def legal(self, token: int) -> bool:
        """Whether `token` may come next."""
        return bool(self.mask(np.array([token], np.int32))[0])

    def mask(self, tokens: NDArray[np.int32]) -> NDArray[np.bool_]:
        """For each of `tokens` whether it may come next."""
        candidates = np.zeros(len(tokens), _CANDIDATE)
        candidates["id"] = tokens
        array = native.llama_token_data_array(
            candidates.ctypes.data_as(native.llama_token_data_p), len(tokens), -1, False
        )
        native.llama_sampler_apply(self._sampler, ctypes.byref(array))
        legal: NDArray[np.bool_] = np.isfinite(candidates["logit"])
        return legal

    def accept(self, token: int) -> None:
        """The answer goes on with `token`. Raises `GrammarStuck` when it is illegal."""
        if not self.legal(token):
            raise GrammarStuck(f"token {token} does not continue the grammar", "report this")
        native.llama_sampler_accept(self._sampler, token)

    def clone(self) -> "LlamaGrammar":
        """An independent copy."""
        return type(self)(native.llama_sampler_clone(self._sampler))

    def close(self) -> None:
        """Free the native sampler; harmless when repeated."""
        if self._sampler:
            native.llama_sampler_free(self._sampler)
            self._sampler = None
