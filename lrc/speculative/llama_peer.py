"""The high-level class of the binding as a contender: what one would use without this engine."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lrc.speculative.bench import Run
from lrc.speculative.binding import LlamaPromptLookupDecoding, llama_cpp, native, rearranging_crashes
from lrc.speculative.requests import Request


@contextmanager
def _weights_that_work() -> Iterator[None]:
    """Where its rearranged weights would crash, the class gets them as stored, for which it has no argument."""
    defaults = native.llama_model_default_params

    def as_stored() -> Any:
        params = defaults()
        params.use_extra_bufts = False
        return params

    if rearranging_crashes():
        native.llama_model_default_params = as_stored
    try:
        yield
    finally:
        native.llama_model_default_params = defaults


class LlamaContender:
    """`llama_cpp.Llama`, alone or with its prompt lookup, one request after the other and with the same threads."""

    def __init__(self, target: Path, n_ctx: int, threads: int, lookup: bool = False) -> None:
        """Load `target`. Its default is half of the threads for single rows, which would flatter any competitor."""
        self.name = "llama_cpp.Llama" + (" + lookup" if lookup else "")
        with _weights_that_work():
            self._llama = llama_cpp.Llama(
                str(target),
                n_ctx=n_ctx,
                n_threads=threads,
                n_threads_batch=threads,
                draft_model=LlamaPromptLookupDecoding() if lookup else None,
                # Without it, its lookup has no room for the logits of a prompt beyond one batch (0.3.36).
                logits_all=lookup,
                verbose=False,
            )

    def close(self) -> None:
        """Give the memory back."""
        self._llama.close()

    def begin(self) -> None:
        """Forget the last prompt: the class keeps it, and evaluates only what the next one has not in common with it.

        Within a run of several requests it may do so.
        """
        self._llama.reset()

    def run(self, requests: Sequence[Request]) -> Run:
        """Answer greedily and without grammar; requests must ask for no more."""
        started = time.perf_counter()
        tokens, decoding = 0, 0.0
        for request in requests:
            first = time.perf_counter()
            for count, token in enumerate(self._llama.generate(list(request.prompt), temp=0.0), 1):
                if count == 1:
                    first = time.perf_counter()
                tokens += 1
                if count >= request.max_tokens or token == self._llama.token_eos():
                    break
            decoding += time.perf_counter() - first
        return Run(time.perf_counter() - started, decoding, tokens)

    def details(self) -> dict[str, Any]:
        """Nothing more."""
        return {}
