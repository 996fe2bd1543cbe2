"""Wide evaluations in several narrow ones: the cheapest by what was measured, the same numbers, all or nothing."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lrc.speculative import Engine, EngineOptions, Request
from lrc.speculative.cost import CostModel
from lrc.speculative.division import Division
from lrc.speculative.errors import DecodeFailed
from lrc.speculative.llama import ContextOptions, LlamaTarget
from lrc.speculative.llama_model import LlamaModel, LoadOptions
from lrc.speculative.protocols import Row
from lrc.speculative.requests import DrafterKind
from tests.speculative.conftest import TinyPair

STEEP = {1: 1.0, 2: 1.6, 4: 2.6, 8: 8.5, 16: 10.8, 32: 15.5}
"""Eight rows cost more than three times four: seen on two cores without AVX-512."""
TEXT = [5, 80, 33, 90, 17, 64, 200, 12, 77, 140]


def test_what_is_cheaper_in_parts_is_divided() -> None:
    """Eight rows go as two times four; four, and thirty-two, stay whole."""
    division = Division(STEEP)
    assert division.sizes(8) == [4, 4]
    assert division.sizes(4) == [4]
    assert division.sizes(32) == [32]
    assert division.costs[8] == pytest.approx(5.2)
    assert division.sizes(33) == [33]


def test_where_rows_grow_cheaper_nothing_is_divided() -> None:
    """A fair staircase stays as it is."""
    fair = {1: 1.0, 2: 1.2, 4: 1.5, 8: 2.5, 16: 4.0, 32: 7.0}
    division = Division(fair)
    assert division.costs == fair
    assert all(division.sizes(rows) == [rows] for rows in range(1, 33))


@given(
    st.dictionaries(st.integers(1, 40), st.floats(0.01, 50.0), min_size=1).map(lambda curve: {1: 1.0, **curve}),
    st.integers(1, 60),
)
def test_a_division_is_whole_and_never_dearer(curve: dict[int, float], rows: int) -> None:
    """All rows are evaluated, in parts that cost at most what the whole would; told is what the parts cost."""
    division = Division(curve)
    sizes = division.sizes(rows)
    assert sum(sizes) == rows
    assert min(sizes) > 0
    whole = CostModel(curve)
    spent = sum(map(whole.seconds, sizes))
    assert spent <= whole.seconds(rows) * (1 + 1e-9)
    if rows in curve:
        assert division.costs[rows] == pytest.approx(spent)


@pytest.fixture
def target(tiny: TinyPair) -> Iterator[LlamaTarget]:
    """A context in the settings of exact mode: results can be compared bit by bit."""
    model = LlamaModel(tiny.target, LoadOptions())
    context = LlamaTarget(
        model, ContextOptions(256, 4, threads=1, micro_batch=64, n_outputs=64, quantised_cache=True, in_order=True)
    )
    yield context
    context.close()
    model.close()


def test_parts_give_the_numbers_of_the_whole(target: LlamaTarget) -> None:
    """For wanted rows alone, in order, with branches that part inside a chunk."""
    stem = [Row((0, 1), index, token, index in (1, 4, 5)) for index, token in enumerate(TEXT[:6])]
    rows = [*stem, Row((0,), 6, 99, True), Row((1,), 6, TEXT[6], True)]
    whole = np.array(target.evaluate(rows))
    target.free(0)
    target.free(1)
    target.division = Division(STEEP)
    assert target.division.sizes(len(rows)) == [4, 4]
    assert np.array_equal(target.evaluate(rows), whole)


def test_a_part_that_fails_undoes_those_before_it(target: LlamaTarget) -> None:
    """A hole in the second half: the error by name, and the sequences as they were."""
    target.evaluate([Row((0,), index, token) for index, token in enumerate(TEXT)])
    target.division = Division(STEEP)
    good = [Row((0,), len(TEXT) + index, 7, True) for index in range(4)]
    with pytest.raises(DecodeFailed):
        target.evaluate([*good, *(Row((0,), 40 + index, 7, True) for index in range(4))])
    assert target.length(0) == len(TEXT)


def test_an_interrupt_between_two_parts_undoes_them(target: LlamaTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C does not leave half a step behind."""
    target.division = Division(STEEP)
    decode = target._decode
    calls: list[int] = []

    def interrupted(rows: list[Row]) -> object:
        if calls:
            raise KeyboardInterrupt
        calls.append(len(rows))
        return decode(rows)

    monkeypatch.setattr(target, "_decode", interrupted)
    with pytest.raises(KeyboardInterrupt):
        target.evaluate([Row((0,), index, 7, True) for index in range(8)])
    assert calls == [4]
    assert target.length(0) == 0


def test_an_engine_with_measured_costs_divides_and_says_the_same(tiny: TinyPair) -> None:
    """Eight answers side by side, in exact mode: byte for byte those of undivided steps; v(n) is measured undivided."""
    options = EngineOptions(n_ctx=1024, threads=1, max_sequences=8, exact=True, drafter=DrafterKind.LOOKUP)
    answers = []
    for costs in (None, STEEP):
        with Engine.open(tiny.target, None, replace(options, costs=costs)) as engine:
            requests = [Request(tuple(TEXT[start:] + TEXT[:start]), 16) for start in range(8)]
            answers.append({done.index: done.tokens for done in engine.generate(requests)})
            measured = engine.measure_costs(repeats=1)
    assert answers[0] == answers[1]
    assert 8 in measured
