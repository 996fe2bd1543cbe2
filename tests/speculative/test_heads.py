"""Heads that predict several tokens: a tiny model with some, the states they read, and what is refused."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lrc.speculative import Engine, EngineOptions, Request, Sampling
from lrc.speculative.errors import DrafterUnavailable
from lrc.speculative.hidden import HiddenStates, Texts
from lrc.speculative.llama import ContextOptions
from lrc.speculative.llama_heads import LlamaHeads, LlamaTrunk
from lrc.speculative.llama_model import LlamaModel, LoadOptions
from lrc.speculative.protocols import Row
from lrc.speculative.requests import DrafterKind
from lrc.speculative.stats import DraftCounts
from tests.support import tiny_model

OPTIONS = EngineOptions(n_ctx=1024, threads=1, max_sequences=1, exact=True, drafter=DrafterKind.MTP)
PROMPTS = ((5, 80, 34, 9), (5, 80, 34, 12, 7, 7), (63, 2), tuple(range(40, 90)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where models are written."""
    return tmp_path_factory.mktemp("heads")


@pytest.fixture(scope="module")
def agreeing(folder: Path) -> Path:
    """A model whose head says what the trunk will say."""
    return tiny_model.write_with_heads(folder / "agreeing.gguf")


@pytest.fixture(scope="module")
def late(folder: Path) -> Path:
    """A model whose head says what the trunk said a token earlier: it reads nothing but the state."""
    return tiny_model.write_with_heads(folder / "late.gguf", state=1e4)


def answers(model: Path, options: EngineOptions, sampling: Sampling) -> tuple[list[tuple[int, ...]], DraftCounts]:
    """What is said to all prompts, twice over, so that the second time finds them in the cache."""
    with Engine.open(model, None, options) as engine:
        requests = [Request(prompt, 24, None, replace(sampling, seed=7 + i)) for i, prompt in enumerate(PROMPTS)]
        found = [
            done.tokens
            for _ in range(2)
            for done in sorted(engine.generate(requests), key=lambda completion: completion.index)
        ]
        assert not engine.stats.faults
        return found, engine.stats.drafts.get("mtp", DraftCounts())


@pytest.mark.parametrize("sequences", [1, 3])
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(temperature=0.9, top_k=30)], ids=["greedy", "sampled"])
@pytest.mark.parametrize("state", [0.0, 0.5, 1e4])
def test_the_text_is_that_of_plain_decoding(folder: Path, state: float, sampling: Sampling, sequences: int) -> None:
    """Whatever the head says, alone and side by side, with prompts evaluated and found."""
    model = tiny_model.write_with_heads(folder / "any.gguf", state=state)
    options = replace(OPTIONS, max_sequences=sequences)
    plain, none = answers(model, replace(options, drafter=DrafterKind.NONE), sampling)
    drafted, counts = answers(model, options, sampling)
    assert drafted == plain
    assert none == DraftCounts()
    assert sum(counts.drafted) > 0


def test_a_head_that_agrees_is_always_accepted(agreeing: Path) -> None:
    """Two tokens a step, and every one of them right."""
    _, counts = answers(agreeing, OPTIONS, Sampling())
    assert counts.accepted == counts.drafted
    assert len(counts.drafted) == 2


def test_a_prompt_from_a_snapshot_is_drafted_for(agreeing: Path, tmp_path: Path) -> None:
    """Its states are not known, so its guesses may be poor; the text is the same."""
    prefix = tuple(range(40, 90))
    texts = []
    for _ in range(2):
        with Engine.open(agreeing, None, OPTIONS) as engine:
            engine.warm(prefix, tmp_path)
            (done,) = engine.generate([Request((*prefix, 5, 80, 34, 9), 20)])
            texts.append(done.tokens)
            assert sum(done.counts.drafts["mtp"].accepted) > 0
    assert texts[0] == texts[1]


@pytest.fixture
def contexts(late: Path) -> Iterator[tuple[LlamaTrunk, LlamaHeads]]:
    """Trunk and head in the settings of exact mode."""
    model = LlamaModel(late, LoadOptions(heads=True))
    options = ContextOptions(256, 4, threads=1, micro_batch=64, n_outputs=64, quantised_cache=True)
    trunk = LlamaTrunk(model, options)
    heads = LlamaHeads(trunk, model, options)
    yield trunk, heads
    heads.close()
    trunk.close()
    model.close()


def rows(tokens: list[int], sequence: int, start: int = 0) -> list[Row]:
    """Consecutive rows that all want logits."""
    return [Row((sequence,), start + index, token, True) for index, token in enumerate(tokens)]


def test_a_head_reads_the_state_before_its_token(contexts: tuple[LlamaTrunk, LlamaHeads]) -> None:
    """In whatever sequence the trunk had the text, and after it was cut and taken up again elsewhere."""
    trunk, heads = contexts
    text = [5, 80, 33, 90, 17, 64, 200, 12]
    said = np.array(trunk.evaluate(rows(text, 2))).argmax(axis=1)
    heard = np.array(heads.evaluate(rows(text, 0))).argmax(axis=1)
    assert heard[1:].tolist() == said[:-1].tolist()
    trunk.fork(2, 3, 0, 4)
    trunk.rewind(2, 3)
    other = [9, 8, 7]
    said = np.array(trunk.evaluate(rows(other, 3, 4))).argmax(axis=1)
    heads.rewind(0, 4)
    heard = np.array(heads.evaluate(rows(other, 0, 4))).argmax(axis=1)
    assert heard[1:].tolist() == said[:-1].tolist()


def test_after_a_guess_a_head_reads_its_own_state(contexts: tuple[LlamaTrunk, LlamaHeads]) -> None:
    """What the trunk has not evaluated is known to the head alone: it goes on with what it said."""
    trunk, heads = contexts
    text = [5, 80, 33]
    trunk.evaluate(rows(text[:2], 0))
    (first,) = np.array(heads.evaluate(rows(text, 0)))[-1:].argmax(axis=1)
    (second,) = np.array(heads.evaluate(rows([int(first)], 0, 3))).argmax(axis=1)
    assert second == first  # the state it made for its guess says that guess again


def test_forgotten_states_cost_guesses_and_nothing_else(agreeing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for two states, most of a prompt is read without."""
    plain, _ = answers(agreeing, replace(OPTIONS, drafter=DrafterKind.NONE), Sampling())
    monkeypatch.setattr("lrc.speculative.llama_heads.HiddenStates", lambda width: HiddenStates(width, 8 * width))
    drafted, counts = answers(agreeing, OPTIONS, Sampling())
    assert drafted == plain
    assert sum(counts.drafted) > 0


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("grow"), st.integers(0, 2), st.lists(st.integers(0, 3), min_size=1, max_size=24)),
            st.tuples(st.just("cut"), st.integers(0, 2), st.integers(0, 30)),
            st.tuples(st.just("fork"), st.integers(0, 2), st.integers(0, 2)),
        ),
        max_size=14,
    )
)
def test_states_are_found_by_their_text_whatever_happened_to_it(steps: list[tuple[str, int, object]]) -> None:
    """A state stands for a text: two sequences that hold the same one find the same, others nothing."""
    texts, states = Texts(3), HiddenStates(2)
    held: list[list[int]] = [[], [], []]
    for what, sequence, given_ in steps:
        if what == "grow" and isinstance(given_, list):
            start = len(held[sequence])
            grown = rows(given_, sequence, start)
            held[sequence] += given_
            for row in grown:
                texts.add(row)
            marks = [[hash(tuple(held[sequence][: start + n + 1])) % 1000, start + n] for n in range(len(given_))]
            states.keep(texts, grown, np.array(marks, np.float32))
        elif what == "cut" and isinstance(given_, int):
            texts.cut(sequence, given_)
            del held[sequence][given_:]
        elif isinstance(given_, int) and given_ != sequence:
            texts.cut(given_, 0)
            texts.fork(sequence, given_, 0, len(held[sequence]))
            held[given_] = list(held[sequence])
    for sequence, text in enumerate(held):
        for position in range(len(text)):
            found = states.find(texts.place(sequence, position))
            assert found is not None
            if position < 16:
                assert found.tolist() == [hash(tuple(text[: position + 1])) % 1000, position]


def test_unknown_beginnings_have_no_place() -> None:
    """What follows a snapshot is found once enough of it is known."""
    texts = Texts(1)
    for row in rows(list(range(30)), 0, 10):
        texts.add(row)
    assert texts.place(0, 20) is None
    assert texts.place(0, 25) == (25, tuple(range(16)))
    assert texts.place(0, 40) is None


def test_heads_that_would_end_the_process_are_refused(folder: Path) -> None:
    """A chain of them; a file that names one and has lost it. The model goes on without."""
    several = tiny_model.write_with_heads(folder / "several.gguf", heads=2)
    lost = tiny_model.write_with_heads(folder / "lost.gguf", lost=True)
    for model, reason in ((several, "a chain of 2"), (lost, "has lost them")):
        with pytest.raises(DrafterUnavailable, match=reason):
            Engine.open(model, None, OPTIONS)
        found, counts = answers(model, replace(OPTIONS, drafter=DrafterKind.LOOKUP), Sampling())
        assert all(found)
        assert counts == DraftCounts()


def test_a_library_without_the_calls_is_refused(agreeing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not public, so a build may lack them; other drafters are untouched by that."""
    monkeypatch.setitem(sys.modules, "llama_cpp.llama_cpp_ext", None)
    monkeypatch.delattr("llama_cpp.llama_cpp_ext", raising=False)
    with pytest.raises(DrafterUnavailable, match="no calls for heads"):
        Engine.open(agreeing, None, OPTIONS)
    with Engine.open(agreeing, None, replace(OPTIONS, drafter=DrafterKind.LOOKUP)) as engine:
        (done,) = engine.generate([Request(PROMPTS[0], 8)])
        assert done.tokens
