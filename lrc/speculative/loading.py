"""Brings models into memory and puts the parts of an engine together. Imports the native binding when called."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lrc.speculative.cache import PrefixCache
from lrc.speculative.drafting import Drafting, Pair
from lrc.speculative.errors import BindingMissing, DrafterUnavailable, EngineError, NoMemoryRemoval
from lrc.speculative.policy import FixedLength, Policy
from lrc.speculative.protocols import Grammar
from lrc.speculative.requests import DrafterKind, EngineOptions

if TYPE_CHECKING:
    from lrc.speculative.llama import LlamaTarget
    from lrc.speculative.llama_model import LlamaModel

_OUTPUTS = 64
_DRAFT_ROWS = 64
"""Small buffers for the draft: it decodes single rows, and prompts in pieces."""


@dataclass(slots=True)
class Parts:
    """A loaded engine's insides."""

    target: "LlamaTarget"
    """The target's context."""
    vocabulary: "LlamaModel"
    """Weights and vocabulary of the target."""
    drafting: Drafting
    """Makes drafters."""
    policy: Policy
    """Shares out rows."""
    spare: Sequence[int] = ()
    """Sequences of the target for branches."""
    draft: "LlamaTarget | None" = None
    """The draft's context."""
    draft_model: "LlamaModel | None" = None
    """Weights of the draft."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings in force, as plain data."""

    def close(self) -> None:
        """Give all memory back, contexts before weights."""
        for part in (self.draft, self.draft_model, self.target, self.vocabulary):
            if part is not None:
                part.close()

    def set_deadline(self, deadline: float | None) -> None:
        """Stop evaluations at this `time.monotonic()` time."""
        self.target.deadline = deadline
        if self.draft is not None:
            self.draft.deadline = deadline

    def parse_grammar(self, text: str) -> Grammar:
        """The grammar `text` over the target's vocabulary. Raises `GrammarInvalid`."""
        from lrc.speculative.llama_grammar import LlamaGrammar

        return LlamaGrammar.parse(self.vocabulary, text)

    def describe(self) -> dict[str, Any]:
        """Plain data about all of it."""
        draft = self.draft_model.describe() | {"vocabulary_matches": True} if self.draft_model else None
        return {
            "target": self.vocabulary.describe(),
            "draft": draft,
            "drafter": str(self.drafting.kind),
            "settings": self.settings,
        }


def threads_of_machine() -> int:
    """Threads that this process may run on; of many, half, as they are usually two to a core."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return usable if usable <= 4 else max(4, usable // 2)


def load(target: Path, draft: Path | None, options: EngineOptions) -> Parts:
    """Load everything that `options` need; whatever fails, nothing stays loaded. See `Engine.open` for the errors."""
    try:
        from lrc.speculative import llama, llama_model
    except (ImportError, OSError, RuntimeError) as error:
        raise BindingMissing(
            f"the native library of llama-cpp-python cannot be loaded: {error}", "reinstall llama-cpp-python"
        ) from error
    if options.drafter is DrafterKind.DRAFT and draft is None:
        raise DrafterUnavailable("the drafter 'draft' needs a draft model", "name one, or choose 'lookup'")
    opened: list[Any] = []
    try:
        placing = llama_model.LoadOptions(options.repack, options.gpu_layers, options.verbose)
        model = llama_model.LlamaModel(target, placing)
        opened.append(model)
        if not model.forgets:
            raise NoMemoryRemoval(f"{target.name} cannot take tokens back (recurrent memory)", "choose another model")
        threads = options.threads or threads_of_machine()
        context = llama.LlamaTarget(model, _target_context(options, threads))
        opened.append(context)
        draft_model, draft_context, pair = None, None, None
        if draft is not None and options.drafter in (DrafterKind.DRAFT, DrafterKind.TREE):
            draft_model = llama_model.LlamaModel(draft, placing)
            opened.append(draft_model)
            llama_model.check_vocabularies(model, draft_model)
            draft_context = llama.LlamaTarget(draft_model, _draft_context(options, threads))
            opened.append(draft_context)
            shared = min(model.n_vocab, draft_model.n_vocab)
            pair = Pair(draft_context, PrefixCache(draft_context, range(options.max_sequences)), shared)
        drafting = Drafting(
            options.drafter,
            pair=pair,
            bytes_to_tokens=model.single_bytes(),
            encode=lambda span: model.encode(span.decode("utf-8", "ignore"), False),
            draft_sampling=options.draft_sampling,
        )
        return Parts(
            context,
            model,
            drafting,
            FixedLength(4),
            draft=draft_context,
            draft_model=draft_model,
            settings={"threads": threads, "n_ctx": context.n_ctx, "exact": options.exact, "repack": options.repack},
        )
    except BaseException as error:
        for part in reversed(opened):
            part.close()
        if isinstance(error, MemoryError):
            raise EngineError("out of memory while loading", "use a smaller model") from error
        raise


def _target_context(options: EngineOptions, threads: int) -> Any:
    from lrc.speculative.llama import ContextOptions

    return ContextOptions(
        n_ctx=options.n_ctx,
        n_sequences=options.max_sequences + 1,
        threads=threads,
        micro_batch=options.micro_batch,
        n_outputs=max(_OUTPUTS, options.max_sequences),
        flash_attention=options.flash_attention or options.exact,
        quantised_cache=options.exact,
    )


def _draft_context(options: EngineOptions, threads: int) -> Any:
    from lrc.speculative.llama import ContextOptions

    return ContextOptions(
        n_ctx=options.n_ctx,
        n_sequences=options.max_sequences,
        threads=threads,
        micro_batch=_DRAFT_ROWS,
        n_outputs=1,
        flash_attention=options.flash_attention,
    )
