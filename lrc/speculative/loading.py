"""Brings models into memory and puts the parts of an engine together. Imports the native binding when called."""

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lrc.speculative import exact
from lrc.speculative.cache import PrefixCache
from lrc.speculative.cost import CostModel, best_speedup
from lrc.speculative.division import Division
from lrc.speculative.drafting import Drafting, Pair
from lrc.speculative.errors import BindingMissing, DrafterUnavailable, NoMemoryRemoval
from lrc.speculative.gain import ExpectedGain
from lrc.speculative.history import History
from lrc.speculative.protocols import Grammar
from lrc.speculative.requests import DrafterKind, EngineOptions

if TYPE_CHECKING:
    from lrc.speculative.llama import ContextOptions, LlamaTarget
    from lrc.speculative.llama_model import LlamaModel, LoadOptions

_Part = TypeVar("_Part", bound="LlamaModel | LlamaTarget")

_OUTPUTS = 64
_DRAFT_ROWS = 64
"""Small buffers for the draft: it decodes single rows, and prompts in pieces."""
_BRANCHES = 8
"""Sequences set aside for the branches of trees."""
_HOPED_ACCEPTANCE = 0.75
"""Of a draft model's tokens; what decides whether one is loaded at all."""
_WORTH_LOADING = 1.03
_WITH_MODEL = (DrafterKind.DRAFT, DrafterKind.SELF, DrafterKind.TREE)


@dataclass(frozen=True, slots=True)
class Draft:
    """A loaded draft model."""

    model: "LlamaModel"
    """Its weights."""
    context: "LlamaTarget"
    """Its context."""
    pair: Pair
    """What drafters need of it."""


@dataclass(slots=True)
class Parts:
    """A loaded engine's insides."""

    target: "LlamaTarget"
    """The target's context."""
    vocabulary: "LlamaModel"
    """Weights and vocabulary of the target."""
    drafting: Drafting
    """Makes drafters."""
    spare: Sequence[int]
    """Sequences of the target for branches."""
    draft: "Draft | None"
    """The draft model."""
    stack: ExitStack
    """Closes all of it, contexts before weights."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings in force, as plain data."""

    def close(self) -> None:
        """Give all memory back."""
        self.stack.close()

    def set_deadline(self, deadline: float | None) -> None:
        """Stop evaluations at this `time.monotonic()` time."""
        self.target.deadline = deadline
        if self.draft is not None:
            self.draft.context.deadline = deadline

    def snapshot_key(self) -> str:
        """Everything that a snapshot of the target's cache depends on, besides the text."""
        from lrc.speculative.llama_model import version

        file = self.vocabulary.path.stat()
        kernel = [self.settings[name] for name in ("exact", "repack", "flash_attention", "threads")]
        return repr((version(), self.vocabulary.path.name, file.st_size, file.st_mtime_ns, kernel))

    def parse_grammar(self, text: str) -> Grammar:
        """The grammar `text` over the target's vocabulary. Raises `GrammarInvalid`."""
        from lrc.speculative.llama_grammar import LlamaGrammar

        return LlamaGrammar.parse(self.vocabulary, text)

    def describe(self) -> dict[str, Any]:
        """Plain data about all of it."""
        draft = self.draft.model.describe() | {"vocabulary_matches": True} if self.draft else None
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
    _check_kind(options.drafter, draft)
    if options.exact:
        os.environ.update(exact.ENVIRONMENT)
    try:
        from lrc.speculative import llama, llama_model
    except (ImportError, OSError, RuntimeError) as error:
        raise BindingMissing(
            f"the native library of llama-cpp-python cannot be loaded: {error}", "reinstall llama-cpp-python"
        ) from error
    with ExitStack() as stack:
        placing = llama_model.LoadOptions(
            options.repack and not options.exact,
            options.gpu_layers,
            heads=options.drafter is DrafterKind.MTP,
            verbose=options.verbose,
        )
        model = _opened(stack, lambda: llama_model.LlamaModel(target, placing))
        _check_model(model, options.drafter)
        threads = options.threads or threads_of_machine()
        small: Draft | None = None
        if options.drafter is DrafterKind.MTP:
            context, small = _with_heads(stack, model, options, threads)
        else:
            context = _opened(stack, lambda: llama.LlamaTarget(model, _target_context(options, threads)))
        if options.exact:
            exact.check_rows_are_independent(context, (0, 1))
        context.division = Division(options.costs) if options.costs else None
        costs = CostModel(context.division.costs if context.division else None)
        share, note = _draft_share(target, draft, options, costs)
        small = small or _load_draft(stack, model, None if note else draft, options, placing)
        drafting = Drafting(
            options.drafter,
            ExpectedGain(costs, share),
            pair=small.pair if small else None,
            bytes_to_tokens=model.single_bytes(),
            encode=lambda span: model.encode(span.decode("utf-8", "ignore"), False),
            draft_sampling=options.draft_sampling,
            length=options.draft_length,
            history=_history(options.history, model),
        )
        settings = {
            "threads": threads,
            "n_ctx": context.n_ctx,
            "exact": options.exact,
            "repack": placing.repack,
            "flash_attention": options.flash_attention or options.exact,
            "micro_batch": options.micro_batch,
            "gpu_layers": options.gpu_layers,
            "costs_measured": options.costs is not None,
            "draft_note": "" if small else note,
        }
        spare = range(options.max_sequences + 1, context.n_sequences)
        return Parts(context, model, drafting, spare, small, stack.pop_all(), settings)


def _with_heads(
    stack: ExitStack, model: "LlamaModel", options: EngineOptions, threads: int
) -> "tuple[LlamaTarget, Draft]":
    """The target's context, and its own heads in the place of a draft model. Raises `DrafterUnavailable`."""
    from lrc.speculative.llama_heads import LlamaHeads, LlamaTrunk, check_heads

    check_heads(model)
    trunk = _opened(stack, lambda: LlamaTrunk(model, _target_context(options, threads)))
    heads = _opened(stack, lambda: LlamaHeads(trunk, model, _draft_context(options, threads)))
    cache = PrefixCache(heads, range(options.max_sequences))
    return trunk, Draft(model, heads, Pair(heads, cache, model.n_vocab, reads_states=True))


def _history(folder: Path | None, model: "LlamaModel") -> History | None:
    """What models of this vocabulary said earlier; None where nothing is to be remembered."""
    if folder is None:
        return None
    vocabulary = model.fingerprint()
    return History(folder / f"{vocabulary[:16]}.ids", vocabulary)


def _load_draft(
    stack: ExitStack, target: "LlamaModel", path: Path | None, options: EngineOptions, placing: "LoadOptions"
) -> "Draft | None":
    """The draft model with its context; None without a `path`. Raises `VocabularyMismatch`, `NoMemoryRemoval`."""
    if path is None:
        return None
    from lrc.speculative import llama, llama_model

    model = _opened(stack, lambda: llama_model.LlamaModel(path, placing))
    _require_forgetting(model)
    llama_model.check_vocabularies(target, model)
    if options.drafter is DrafterKind.SELF and not (model.width == target.width and model.blocks < target.blocks):
        raise DrafterUnavailable(
            f"the drafter 'self' needs {target.path.name} with blocks left out, which {path.name} is not",
            "make such a copy, or choose 'draft'",
        )
    threads = options.threads or threads_of_machine()
    context = _opened(stack, lambda: llama.LlamaTarget(model, _draft_context(options, threads)))
    cache = PrefixCache(context, range(options.max_sequences))
    return Draft(model, context, Pair(context, cache, min(target.n_vocab, model.n_vocab)))


def _opened(stack: ExitStack, make: "Callable[[], _Part]") -> "_Part":
    """What `make` returns, to be closed with the stack."""
    part = make()
    stack.callback(part.close)
    return part


def _check_kind(kind: DrafterKind, draft: Path | None) -> None:
    """Refuse, before anything is loaded, a drafter that lacks its file."""
    if draft is not None:
        return
    if kind is DrafterKind.DRAFT:
        raise DrafterUnavailable(f"the drafter '{kind}' needs a draft model", "name one, or choose 'lookup'")
    if kind is DrafterKind.SELF:
        raise DrafterUnavailable(
            "the drafter 'self' needs a copy of the target with blocks left out", "make one, or choose 'lookup'"
        )


def _check_model(model: "LlamaModel", kind: DrafterKind) -> None:
    """Refuse a model that cannot do what the loop or the drafter needs."""
    _require_forgetting(model)


def _require_forgetting(model: "LlamaModel") -> None:
    if not model.forgets:
        raise NoMemoryRemoval(
            f"{model.path.name} cannot take tokens back (recurrent memory)", "choose a model with a plain cache"
        )


def _draft_share(target: Path, draft: Path | None, options: EngineOptions, costs: CostModel) -> tuple[float, str]:
    """Price of a draft's token in single rows, by size, and why the draft is not worth loading; empty when it is."""
    if draft is None:
        return 1.0, "no draft model is given"
    try:
        share = draft.stat().st_size / max(target.stat().st_size, 1)
    except OSError:
        return 1.0, ""
    if options.drafter in _WITH_MODEL:
        return share, ""
    if options.drafter is not DrafterKind.AUTO:
        return share, f"the drafter '{options.drafter}' uses none"
    ratio, _ = best_speedup(costs, _HOPED_ACCEPTANCE, share)
    if ratio >= _WORTH_LOADING:
        return share, ""
    return share, f"it would not pay here: {share:.2f} of the target's size, at best {ratio:.2f} times plain decoding"


def _target_context(options: EngineOptions, threads: int) -> "ContextOptions":
    from lrc.speculative.llama import ContextOptions

    branches = _BRANCHES if options.drafter is DrafterKind.TREE else 0
    return ContextOptions(
        n_ctx=options.n_ctx,
        n_sequences=options.max_sequences + 1 + branches,
        threads=threads,
        micro_batch=options.micro_batch,
        n_outputs=max(_OUTPUTS, options.max_sequences),
        flash_attention=options.flash_attention or options.exact,
        quantised_cache=options.exact,
        in_order=options.exact,
    )


def _draft_context(options: EngineOptions, threads: int) -> "ContextOptions":
    from lrc.speculative.llama import ContextOptions

    return ContextOptions(
        n_ctx=options.n_ctx,
        n_sequences=options.max_sequences,
        threads=threads,
        micro_batch=_DRAFT_ROWS,
        n_outputs=1,
        flash_attention=options.flash_attention,
    )
