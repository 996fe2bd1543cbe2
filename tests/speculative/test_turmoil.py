"""Anything may go wrong at any step: what comes out is plain text, or an error by name, and the next run is sound."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lrc.speculative import Engine, EngineOptions, Request
from lrc.speculative.errors import DecodeAborted, DecodeFailed, NoCacheSlot
from lrc.speculative.requests import DrafterKind, Finish
from lrc.speculative.sampling import GREEDY, Sampling
from tests.speculative.conftest import TinyPair
from tests.speculative.test_lossless import MAKERS, Bench, plain, prompts
from tests.support.toy_target import ToyLaw


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 50),
    st.integers(1, 8),
    st.integers(1, 12),
    st.integers(50, 200),
    st.lists(st.integers(0, 40), max_size=6),
    st.sampled_from(sorted(MAKERS)),
    st.booleans(),
    st.booleans(),
)
def test_a_cache_that_is_full_now_and_then_changes_no_text(
    seed: int, count: int, length: int, cells: int, full: list[int], maker: str, sampled: bool, in_order: bool
) -> None:
    """Whatever is evicted, sent back or left undrafted, each text is plain, or begins so where it must end."""
    law = ToyLaw(seed=seed)
    sampling = Sampling(temperature=0.8, seed=seed) if sampled else GREEDY
    bench = Bench(law, cells=cells, length=length, in_order=in_order)
    texts = prompts(count, seed)
    evaluate = bench.target.evaluate
    steps = iter(range(10_000))

    def sometimes_full(rows: object) -> object:
        if next(steps) in full:
            raise NoCacheSlot("full")
        return evaluate(rows)  # type: ignore[arg-type]

    bench.target.evaluate = sometimes_full  # type: ignore[method-assign, assignment]
    found = {o.index: o for o in bench.decoding.outcomes(bench.jobs(texts, 20, sampling, MAKERS[maker]))}
    assert sorted(found) == list(range(count))
    for index, outcome in found.items():
        expected = plain(law, texts[index], 20, sampling)
        if outcome.finish is Finish.CONTEXT:
            expected = expected[: len(outcome.tokens)]
        assert list(outcome.tokens) == expected
    bench.check()


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 50),
    st.integers(0, 30),
    st.sampled_from([DecodeAborted("stopped"), DecodeFailed("refused"), KeyboardInterrupt()]),
    st.sampled_from(sorted(MAKERS)),
)
def test_after_an_error_at_any_step_the_next_run_is_plain(
    seed: int, step: int, fault: BaseException, maker: str
) -> None:
    """Nothing half done stays: sequences, cells and the grammar's copies are those of an idle engine."""
    law = ToyLaw(seed=seed)
    bench = Bench(law, length=4, streams=4)
    texts = prompts(6, seed)
    evaluate = bench.target.evaluate
    steps = iter(range(10_000))

    def failing(rows: object) -> object:
        if next(steps) == step:
            raise fault
        return evaluate(rows)  # type: ignore[arg-type]

    bench.target.evaluate = failing  # type: ignore[method-assign, assignment]
    outcomes = bench.decoding.outcomes(bench.jobs(texts, 15, GREEDY, MAKERS[maker]))
    try:
        for outcome in outcomes:
            assert list(outcome.tokens) == plain(law, texts[outcome.index], 15, GREEDY)
    except type(fault):
        bench.check()
    bench.target.evaluate = evaluate  # type: ignore[method-assign]
    again = bench.decoding.outcomes(bench.jobs(texts, 15, GREEDY, MAKERS[maker]))
    assert {o.index: list(o.tokens) for o in again} == {
        index: plain(law, text, 15, GREEDY) for index, text in enumerate(texts)
    }
    bench.check()


def _resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs the process's own memory figures")
def test_a_thousand_requests_do_not_make_the_process_grow(tiny: TinyPair) -> None:
    """On the real library, with grammars, branches and a draft model: no leak of native memory."""
    options = EngineOptions(n_ctx=512, threads=1, max_sequences=8, drafter=DrafterKind.TREE)
    grammar = 'root ::= "{" [a-z]+ "}"'
    with Engine.open(tiny.target, tiny.draft, options) as engine:
        sizes: list[int] = []
        for batch in range(20):
            wanted = [
                Request(tuple(engine.encode(f"line {batch} {number}", False)), 6, grammar if number % 2 else None)
                for number in range(50)
            ]
            assert len(list(engine.generate(wanted))) == 50
            sizes.append(_resident())
    assert sizes[-1] - sizes[4] < 8 * 2**20
