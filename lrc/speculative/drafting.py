"""Puts a drafter together for each request, by the kind asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lrc.speculative.cache import PrefixCache
from lrc.speculative.draft_model import DraftModel
from lrc.speculative.errors import DrafterUnavailable
from lrc.speculative.forced import Forced
from lrc.speculative.lookup import Lookup
from lrc.speculative.mixed import Chain, Mix
from lrc.speculative.none import NoDrafter
from lrc.speculative.protocols import Drafter, Target
from lrc.speculative.requests import DrafterKind, Request
from lrc.speculative.sampling import Chooser


@dataclass(frozen=True, slots=True)
class Pair:
    """A draft model beside the target."""

    target: Target
    """The draft's context."""
    cache: PrefixCache
    """Its sequences."""
    n_vocab: int
    """Ids shared with the target."""


class Drafting:
    """What guesses can be made from, for all requests of an engine."""

    def __init__(
        self,
        kind: DrafterKind,
        *,
        pair: Pair | None,
        bytes_to_tokens: Mapping[int, int],
        encode: Callable[[bytes], list[int]],
        draft_sampling: bool = False,
    ) -> None:
        """Refuse with `DrafterUnavailable` a kind that these models cannot serve, saying why."""
        if kind is DrafterKind.DRAFT and pair is None:
            raise DrafterUnavailable("the drafter 'draft' needs a draft model", "name one, or choose 'lookup'")
        if kind in (DrafterKind.SELF, DrafterKind.MTP, DrafterKind.TREE):
            raise DrafterUnavailable(f"the drafter '{kind}' is not built into this version", "choose 'auto'")
        self.kind = kind
        self._pair = pair
        self._bytes_to_tokens = bytes_to_tokens
        self._encode = encode
        self._draft_sampling = draft_sampling

    def drafter(self, request: Request, chooser: Chooser) -> Drafter:
        """The drafter of one request."""
        if self.kind is DrafterKind.NONE:
            return NoDrafter()
        if self.kind is DrafterKind.DRAFT:
            return self._draft_model(request)
        members: list[Drafter] = []
        if chooser.grammar is not None:
            members.append(Forced(chooser.grammar, self._bytes_to_tokens, chooser.ends, self._encode))
        members.append(Lookup(request.corpus))
        return Mix(members)

    def _draft_model(self, request: Request) -> Drafter:
        pair = self._pair
        if pair is None:
            return NoDrafter()
        drawn = request.sampling if self._draft_sampling and request.sampling.temperature > 0 else None
        return Chain([DraftModel(pair.target, pair.cache, n_vocab=pair.n_vocab, sampling=drawn)])
