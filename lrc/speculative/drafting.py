"""Puts a drafter together for each request, by the kind asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lrc.speculative.cache import PrefixCache
from lrc.speculative.draft_model import DraftModel
from lrc.speculative.forced import Forced
from lrc.speculative.gain import ExpectedGain
from lrc.speculative.history import History
from lrc.speculative.lookup import Lookup
from lrc.speculative.mixed import Chain, Mix
from lrc.speculative.none import NoDrafter
from lrc.speculative.policy import FixedLength, Policy
from lrc.speculative.protocols import Drafter, Target
from lrc.speculative.requests import DrafterKind, Request
from lrc.speculative.sampling import Chooser

_LENGTHS = {DrafterKind.DRAFT: 3, DrafterKind.SELF: 3, DrafterKind.MTP: 2, DrafterKind.LOOKUP: 8, DrafterKind.TREE: 8}
"""Tokens guessed a step where a drafter is asked for by name; the adaptive kind decides for itself."""
_BRANCHES = 2


@dataclass(frozen=True, slots=True)
class Pair:
    """A draft model beside the target."""

    target: Target
    """The draft's context."""
    cache: PrefixCache
    """Its sequences."""
    n_vocab: int
    """Ids shared with the target."""
    reads_states: bool = False
    """Whether it reads the target's hidden states: what it guessed is then read again once they are known."""


class Drafting:
    """What guesses can be made from, for all requests of an engine."""

    def __init__(
        self,
        kind: DrafterKind,
        gain: ExpectedGain,
        *,
        pair: Pair | None = None,
        bytes_to_tokens: Mapping[int, int] | None = None,
        encode: Callable[[bytes], list[int]] | None = None,
        draft_sampling: bool = False,
        length: int = 0,
        history: History | None = None,
    ) -> None:
        """`pair` is there for the kinds that need it; `length` fixes the draft length, 0 leaves it to the kind."""
        self.kind = kind
        self.history = history
        self._gain = gain
        self._pair = pair
        self._bytes_to_tokens = bytes_to_tokens or {}
        self._encode = encode
        self._draft_sampling = draft_sampling and kind is not DrafterKind.TREE
        self._length = length

    @property
    def policy(self) -> Policy:
        """Who shares out the rows."""
        if self.kind is DrafterKind.AUTO and not self._length:
            return self._gain
        return FixedLength(self._length or _LENGTHS.get(self.kind, 0))

    def drafter(self, request: Request, chooser: Chooser) -> Drafter:
        """The drafter of one request."""
        if self.kind is DrafterKind.NONE:
            return NoDrafter()
        if self.kind in (DrafterKind.DRAFT, DrafterKind.SELF, DrafterKind.MTP):
            return self._model(request, str(self.kind))
        members: list[Drafter] = []
        if chooser.grammar is not None and self._encode is not None:
            members.append(Forced(chooser.grammar, self._bytes_to_tokens, chooser.ends, self._encode))
        branches = _BRANCHES if self.kind is DrafterKind.TREE else 1
        members.append(Lookup(request.corpus, self.history, branches))
        if self._pair is None:
            return Mix(members)
        if self.kind is DrafterKind.TREE:
            return Mix([*members, self._model(request, "draft")])
        # Not laid over each other: what a drawn draft is compared with must not depend on other guesses.
        return Chain([Mix(members), self._model(request, "draft")], self._gain.ration)

    def _model(self, request: Request, name: str) -> Drafter:
        pair = self._pair
        if pair is None:
            return NoDrafter()
        drawn = request.sampling if self._draft_sampling and request.sampling.temperature > 0 else None
        siblings = _BRANCHES - 1 if self.kind is DrafterKind.TREE else 0
        return DraftModel(
            pair.target,
            pair.cache,
            name=name,
            n_vocab=pair.n_vocab,
            sampling=drawn,
            siblings=siblings,
            reads_again=pair.reads_states,
        )
