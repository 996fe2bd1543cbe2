"""Whatever is drafted, batched or dropped half way: the text is that of plain decoding, and the cache is sound."""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from lrc.speculative.cache import PrefixCache
from lrc.speculative.draft_model import DraftModel
from lrc.speculative.lookup import Lookup
from lrc.speculative.mixed import Chain, Mix
from lrc.speculative.none import NoDrafter
from lrc.speculative.policy import FixedLength
from lrc.speculative.protocols import Drafter, Grammar
from lrc.speculative.requests import Finish
from lrc.speculative.sampling import GREEDY, Chooser, Sampling, law_of
from lrc.speculative.scheduler import Decoding
from lrc.speculative.stats import Tally
from lrc.speculative.streams import Job, Outcome
from tests.support import toy_drafters
from tests.support.toy_grammar import ToyGrammar
from tests.support.toy_target import ToyLaw, ToyTarget

END = frozenset({0})
SPARE = 4
STREAMS = 8

Maker = Callable[[ToyLaw, int], Drafter]


def draft_model(law: ToyLaw, seed: int, sampling: Sampling | None = None) -> DraftModel:
    """A draft whose law is near the target's."""
    near = ToyLaw(law.vocabulary, seed=0, peak=2.0, noise=0.1)
    target = ToyTarget(near, sequences=2, rows=5, outputs=2)
    return DraftModel(target, PrefixCache(target, range(2)), stop_below=0.2, sampling=sampling)


def mixed(law: ToyLaw, seed: int) -> Drafter:
    """Everything at once."""
    return Mix([Lookup(branches=2), draft_model(law, seed), toy_drafters.RandomTree(law, seed)])


MAKERS: dict[str, Maker] = {
    "none": lambda law, seed: NoDrafter(),
    **{kind.__name__: kind for kind in toy_drafters.ALL},
    "lookup": lambda law, seed: Lookup([[3, 4, 5, 6, 3, 4]]),
    "lookup tree": lambda law, seed: Lookup(branches=3),
    "draft": draft_model,
    "chain": lambda law, seed: Chain([Lookup(), draft_model(law, seed)]),
    "mix": mixed,
}


def plain(
    law: ToyLaw, prompt: Sequence[int], most: int, sampling: Sampling, grammar: Grammar | None = None
) -> list[int]:
    """Plain decoding with nothing of the engine but the chooser."""
    chooser, text = Chooser(sampling, grammar, END), list(prompt)
    while len(text) < len(prompt) + most:
        text.append(chooser.pick(law.after(text)))
        chooser.advance(text[-1])
        if text[-1] in END:
            break
    return text[len(prompt) :]


def prompts(count: int, seed: int) -> list[list[int]]:
    """Prompts that share a beginning, some only partly."""
    random = np.random.default_rng(seed)
    head = random.integers(1, 12, 24).tolist()
    return [
        head[: int(random.integers(1, 25))] + random.integers(1, 12, int(random.integers(0, 20))).tolist()
        for _ in range(count)
    ]


class Bench:
    """A toy target ready to decode on, with the checks that every test ends with."""

    def __init__(
        self, law: ToyLaw, cells: int = 512, length: int = 4, streams: int = STREAMS, in_order: bool = False
    ) -> None:
        self.law = law
        self.target = ToyTarget(law, cells=cells, sequences=streams + 1 + SPARE, rows=16, outputs=12, in_order=in_order)
        self.spare = list(range(streams + 1, streams + 1 + SPARE))
        self.cache = PrefixCache(self.target, range(streams + 1))
        self.tally = Tally()
        self.decoding = Decoding(
            self.target, self.cache, FixedLength(length), self.tally, spare=self.spare, streams=streams
        )

    def jobs(
        self, texts: list[list[int]], most: int, sampling: Sampling, maker: Maker, grammar: bool = False
    ) -> list[Job]:
        """One job a prompt."""
        return [
            Job(list(text), most, Chooser(sampling, ToyGrammar() if grammar else None, END), maker(self.law, index))
            for index, text in enumerate(texts)
        ]

    def check(self) -> None:
        """All sequences idle and known, none of the spare ones in use."""
        assert self.cache.idle == len(self.target.texts) - SPARE
        for sequence in range(self.cache.idle):
            assert self.target.tokens(sequence) == self.cache.text(sequence)
        assert all(not self.target.texts[sequence] for sequence in self.spare)


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS.keys())
@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=0.9, top_k=6, top_p=0.95, min_p=0.02, seed=5)])
@pytest.mark.parametrize("count", range(1, 9))
def test_any_drafter_gives_the_text_of_plain_decoding(maker: Maker, sampling: Sampling, count: int) -> None:
    """For every drafter, length and number of texts side by side, output and cache are those of plain decoding."""
    for seed, length in itertools.product(range(2), (1, 2, 5, 11)):
        law = ToyLaw(seed=seed)
        bench = Bench(law, length=length)
        texts = prompts(count, seed)
        found: list[Outcome | None] = [None] * count
        for outcome in bench.decoding.outcomes(bench.jobs(texts, 30, sampling, maker)):
            found[outcome.index] = outcome
        for text, outcome in zip(texts, found, strict=True):
            assert outcome is not None
            assert list(outcome.tokens) == plain(law, text, 30, sampling)
            assert outcome.finish is (Finish.STOP if outcome.tokens[-1] in END else Finish.LENGTH)
        bench.check()


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS.keys())
def test_a_dropped_iteration_leaves_a_cache_that_decodes_the_same(maker: Maker) -> None:
    """Closing the iterator after any number of answers gives everything back, and the next run is not affected."""
    law = ToyLaw(seed=1)
    texts = prompts(8, 1)
    for taken in range(1, 6):
        bench = Bench(law, length=3, streams=4)
        outcomes = bench.decoding.outcomes(bench.jobs(texts, 20, GREEDY, maker))
        for _ in range(taken):
            next(outcomes)
        outcomes.close()
        again = bench.decoding.outcomes(bench.jobs(texts, 20, GREEDY, maker))
        assert {o.index: list(o.tokens) for o in again} == {
            index: plain(law, text, 20, GREEDY) for index, text in enumerate(texts)
        }
        assert bench.cache.idle == 5


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS.keys())
def test_too_few_cells_delay_answers_but_do_not_change_them(maker: Maker) -> None:
    """With a cache that cannot hold all texts at once, every text still comes out as in plain decoding."""
    law = ToyLaw(seed=2)
    texts = prompts(8, 2)
    bench = Bench(law, cells=90, length=5)
    found = {o.index: list(o.tokens) for o in bench.decoding.outcomes(bench.jobs(texts, 30, GREEDY, maker))}
    assert found == {index: plain(law, text, 30, GREEDY) for index, text in enumerate(texts)}
    bench.check()


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS.keys())
@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=1.2, top_k=5, seed=9)])
def test_under_a_grammar_the_text_is_the_same_and_legal(maker: Maker, sampling: Sampling) -> None:
    """Illegal drafts cost rows at most, and no illegal token reaches the grammar, which would end the process."""
    law = ToyLaw(seed=3)
    texts = prompts(5, 3)
    open_copies = ToyGrammar.open_copies
    bench = Bench(law, length=5)
    found = list(bench.decoding.outcomes(bench.jobs(texts, 25, sampling, maker, grammar=True)))
    for outcome in found:
        assert list(outcome.tokens) == plain(law, texts[outcome.index], 25, sampling, ToyGrammar())
    bench.check()
    assert ToyGrammar.open_copies == open_copies + len(texts)


def test_drawn_drafts_keep_the_law_of_whole_texts() -> None:
    """With the rejection rule, the frequencies of all two-token texts are those of the target, by chi-square."""
    law = ToyLaw(4, seed=4, peak=1.0)
    sampling = Sampling(temperature=1.0)
    first = law_of(law.after([1, 2]), sampling)
    expected = {(a, b): first[a] * law_of(law.after([1, 2, a]), sampling)[b] for a in range(4) for b in range(4)}
    draft = ToyTarget(ToyLaw(4, seed=5, peak=1.0), sequences=2)
    seen: Counter[tuple[int, ...]] = Counter()
    total = 4_000
    target = ToyTarget(law, sequences=2)
    cache, pair = PrefixCache(target, range(2)), PrefixCache(draft, range(2))
    accepted = 0
    for seed in range(total):
        drawn = Sampling(temperature=1.0, seed=seed)
        job = Job([1, 2], 2, Chooser(drawn, None, frozenset()), DraftModel(draft, pair, sampling=drawn))
        (outcome,) = Decoding(target, cache, FixedLength(3), Tally()).outcomes([job])
        seen[outcome.tokens] += 1
        accepted += outcome.counts.accepted
    distance = sum((seen[text] - total * p) ** 2 / (total * p) for text, p in expected.items())
    assert accepted > total / 10
    # 99.99 % quantile with 15 degrees of freedom.
    assert distance < 44.26


def test_a_thousand_requests_leave_nothing_behind() -> None:
    """Cells in use stay bounded, and every sequence and copy of a grammar is given back."""
    law = ToyLaw(seed=6)
    bench = Bench(law, cells=200, length=4)
    peak = 0
    open_copies = ToyGrammar.open_copies
    for batch in range(50):
        texts = prompts(20, batch)
        jobs = bench.jobs(texts, 12, GREEDY, MAKERS["lookup tree"], grammar=True)
        assert len(list(bench.decoding.outcomes(jobs))) == 20
        peak = max(peak, bench.target.used())
        bench.check()
    assert peak <= 200
    assert ToyGrammar.open_copies == open_copies
