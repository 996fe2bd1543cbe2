"""The whole engine on a real model of random weights, in exact mode: nothing but the prompt changes a token."""

import itertools
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lrc.speculative import Engine, EngineError, EngineOptions, Finish, Request, Sampling
from lrc.speculative.errors import (
    DrafterUnavailable,
    GrammarInvalid,
    NoMemoryRemoval,
    PromptTooLong,
    VocabularyMismatch,
)
from lrc.speculative.requests import Completion, DrafterKind
from tests.speculative.conftest import TinyPair
from tests.support import tiny_model

GRAMMAR = r"""
root ::= "{\"line\": " [0-9]+ ", \"message\": \"" [^"\\\n]{1,24} "\"}"
"""
OPTIONS = EngineOptions(n_ctx=1024, threads=1, max_sequences=5, exact=True, drafter=DrafterKind.NONE)
DRAFTERS = [DrafterKind.LOOKUP, DrafterKind.DRAFT, DrafterKind.TREE, DrafterKind.AUTO]


def requests(engine: Engine, count: int = 12) -> list[Request]:
    """With and without grammar, greedy and sampled, sharing a beginning, some with a text to quote."""
    head = "<|im_start|>user\nSay what is wrong with line 3 of this file.\n"
    found: list[Request] = []
    for index in range(count):
        text = head + "abline " * (index % 4) + chr(97 + index)
        sampling = Sampling() if index % 3 else Sampling(temperature=0.8, top_k=40, top_p=0.95, min_p=0.02, seed=index)
        corpus = (tuple(engine.encode('{"line": 3, "message": "', False)),) if index % 2 else ()
        found.append(
            Request(tuple(engine.encode(text, True)), 20 + index, GRAMMAR if index % 2 else None, sampling, corpus)
        )
    return found


def answers(engine: Engine, wanted: list[Request]) -> dict[int, tuple[int, ...]]:
    """The tokens by request."""
    return {completion.index: completion.tokens for completion in engine.generate(wanted)}


@pytest.fixture(scope="module")
def plain(tiny: TinyPair) -> Iterator[tuple[Engine, dict[int, tuple[int, ...]]]]:
    """An engine without drafter, and its answers one by one."""
    with Engine.open(tiny.target, None, replace(OPTIONS, max_sequences=1)) as engine:
        wanted = requests(engine)
        alone = {index: answers(engine, [request])[0] for index, request in enumerate(wanted)}
        yield engine, alone


@pytest.mark.parametrize("drafter", [DrafterKind.NONE, *DRAFTERS])
@pytest.mark.parametrize("sequences", [1, 5])
def test_every_drafter_alone_and_batched_gives_the_plain_tokens(
    tiny: TinyPair, plain: tuple[Engine, dict[int, tuple[int, ...]]], drafter: DrafterKind, sequences: int
) -> None:
    """Byte-identical, and something was really drafted."""
    options = replace(OPTIONS, drafter=drafter, max_sequences=sequences)
    with Engine.open(tiny.target, tiny.draft, options) as engine:
        assert answers(engine, requests(engine)) == plain[1]
        stats = engine.stats
        assert not stats.faults
        drafted = sum(sum(counts.drafted) for counts in stats.drafts.values())
        assert (drafted > 0) == (drafter is not DrafterKind.NONE)


def test_a_tree_needs_no_draft_model(tiny: TinyPair, plain: tuple[Engine, dict[int, tuple[int, ...]]]) -> None:
    """Lookup alone has several continuations to offer."""
    with Engine.open(tiny.target, None, replace(OPTIONS, drafter=DrafterKind.TREE)) as engine:
        assert answers(engine, requests(engine)) == plain[1]
        assert "lookup" in engine.stats.drafts


def test_a_draft_that_disagrees_costs_nothing_but_time(
    tiny: TinyPair, plain: tuple[Engine, dict[int, tuple[int, ...]]], tmp_path: Path
) -> None:
    """Other weights, the same vocabulary: hardly a token accepted, every token the same."""
    stranger = tiny_model.write_model(tmp_path / "stranger.gguf", seed=9)
    with Engine.open(tiny.target, stranger, replace(OPTIONS, drafter=DrafterKind.DRAFT)) as engine:
        assert answers(engine, requests(engine)) == plain[1]
        assert engine.stats.acceptance < 0.5


def test_answers_under_a_grammar_are_texts_of_it(plain: tuple[Engine, dict[int, tuple[int, ...]]]) -> None:
    """Complete answers parse."""
    engine, _ = plain
    wanted = [replace(request, max_tokens=90) for request in requests(engine)[1::2]]
    complete = [completion for completion in engine.generate(wanted) if completion.finish is Finish.STOP]
    assert complete
    for completion in complete:
        assert set(json.loads(completion.text, strict=False)) == {"line", "message"}


def test_dropping_the_iterator_at_any_answer_changes_nothing_later(
    tiny: TinyPair, plain: tuple[Engine, dict[int, tuple[int, ...]]]
) -> None:
    """Abandoned half way, again and again, the engine still gives the plain tokens."""
    with Engine.open(tiny.target, tiny.draft, replace(OPTIONS, drafter=DrafterKind.TREE)) as engine:
        wanted = requests(engine)
        for taken in range(1, 6):
            completions = engine.generate(wanted)
            for completion in itertools.islice(completions, taken):
                assert completion.tokens == plain[1][completion.index]
            completions.close()  # type: ignore[attr-defined]
        assert answers(engine, wanted) == plain[1]


def test_a_deadline_hands_out_beginnings_of_the_plain_answers(
    tiny: TinyPair, plain: tuple[Engine, dict[int, tuple[int, ...]]]
) -> None:
    """What is there when time is up is a prefix of what would have come; the engine goes on afterwards."""
    with Engine.open(tiny.target, None, replace(OPTIONS, drafter=DrafterKind.AUTO)) as engine:
        wanted = requests(engine)
        cut: list[Completion] = list(engine.generate(wanted, deadline=time.monotonic() + 0.05))
        assert sorted(completion.index for completion in cut) == list(range(len(wanted)))
        for completion in cut:
            assert completion.tokens == plain[1][completion.index][: len(completion.tokens)]
        assert answers(engine, wanted) == plain[1]


def test_scoring_gives_the_numbers_that_decoding_saw(plain: tuple[Engine, dict[int, tuple[int, ...]]]) -> None:
    """The argmax of each row over a greedy answer is the answer's token, also while answers are in work."""
    engine, alone = plain
    request = requests(engine)[2]
    text = [*request.prompt, *alone[2]]
    completions = engine.generate(requests(engine)[:3])
    next(completions)
    found = dict(engine.score(text, range(len(request.prompt), len(text))))
    assert [int(row.argmax()) for row in found.values()] == list(alone[2])
    list(completions)
    again = dict(engine.score(text, [len(text) - 1], keep=False))
    assert np.array_equal(again[len(text) - 1], found[len(text) - 1])


def test_the_prompt_of_a_second_call_comes_from_the_cache(tiny: TinyPair) -> None:
    """Only the differing end is evaluated."""
    with Engine.open(tiny.target, None, OPTIONS) as engine:
        wanted = requests(engine)
        list(engine.generate(wanted[:1]))
        (completion,) = engine.generate([replace(wanted[0], prompt=(*wanted[0].prompt, 97))])
        assert completion.counts.reused_tokens == len(wanted[0].prompt)


def test_progress_and_counts_are_plain_numbers(tiny: TinyPair) -> None:
    """The callback's last total is that of the counts, and all of it can be written as JSON."""
    with Engine.open(tiny.target, tiny.draft, replace(OPTIONS, drafter=DrafterKind.DRAFT)) as engine:
        told: list[int] = []
        done = list(engine.generate(requests(engine), on_tokens=lambda count, rate: told.append(count)))
        assert told == sorted(told)
        assert told[-1] == engine.stats.generated_tokens == sum(c.counts.generated_tokens for c in done)
        assert json.loads(json.dumps(engine.stats.as_dict()))["tokens_a_second"] > 0
        described = json.loads(json.dumps(engine.describe()))
        assert described["draft"]["vocabulary_matches"] is True


def test_history_is_remembered_and_changes_no_token(
    tiny: TinyPair, plain: tuple[Engine, dict[int, tuple[int, ...]]], tmp_path: Path
) -> None:
    """A second engine guesses the same answers from the first one's, and takes fewer steps."""
    options = replace(OPTIONS, drafter=DrafterKind.LOOKUP, history=tmp_path / "history")
    steps: list[int] = []
    for _ in range(2):
        with Engine.open(tiny.target, None, options) as engine:
            wanted = requests(engine)
            assert answers(engine, wanted) == plain[1]
            steps.append(engine.stats.target_steps)
    assert steps[1] < steps[0]
    assert len(list((tmp_path / "history").iterdir())) == 1


def test_history_of_another_vocabulary_lies_beside(tiny: TinyPair, tmp_path: Path) -> None:
    """Ids mean nothing to another tokenizer; neither model makes the other forget."""
    tokens = tiny_model.vocabulary()
    tokens[100] = "other"
    foreign = tiny_model.write_model(tmp_path / "foreign.gguf", tokens=tokens)
    options = replace(OPTIONS, drafter=DrafterKind.LOOKUP, history=tmp_path / "history", exact=False)
    for model in (tiny.target, foreign, tiny.target):
        with Engine.open(model, None, options) as engine:
            list(engine.generate(requests(engine, 1)))
    sizes = sorted(path.stat().st_size for path in (tmp_path / "history").iterdir())
    assert len(sizes) == 2
    assert sizes[0] < sizes[1]


def test_costs_are_measured_by_rows_and_leave_nothing_behind(tiny: TinyPair) -> None:
    """Seconds for every width up to the widest, usable as an option."""
    with Engine.open(tiny.target, None, OPTIONS) as engine:
        costs = engine.measure_costs(repeats=1)
        assert min(costs) == 1
        assert all(seconds > 0 for seconds in costs.values())
    with Engine.open(tiny.target, None, replace(OPTIONS, costs=costs, drafter=DrafterKind.AUTO)) as engine:
        assert engine.describe()["settings"]["costs_measured"] is True
        list(engine.generate(requests(engine, 2)))


class TestRefusals:
    """What cannot work is refused by name, before anything is evaluated."""

    def test_a_prompt_beyond_the_context(self, plain: tuple[Engine, dict[int, tuple[int, ...]]]) -> None:
        """For generation and for scoring, at the call and not at the first answer; what fits is answered as ever."""
        engine, expected = plain
        steps = engine.stats.target_steps
        with pytest.raises(PromptTooLong, match="1024"):
            engine.generate([*requests(engine), Request((1,) * 1024, 5)])
        with pytest.raises(PromptTooLong):
            engine.score([1] * 1025, [3])
        assert engine.stats.target_steps == steps
        assert answers(engine, requests(engine)) == expected

    def test_a_grammar_that_does_not_parse(self, plain: tuple[Engine, dict[int, tuple[int, ...]]]) -> None:
        """At the call."""
        with pytest.raises(GrammarInvalid):
            plain[0].generate([Request((1,), 5, 'root ::= "')])

    def test_positions_without_a_prediction(self, plain: tuple[Engine, dict[int, tuple[int, ...]]]) -> None:
        """The first token has none, nor has anything beyond the end."""
        for position in (0, -1, 5):
            with pytest.raises(ValueError, match="outside"):
                plain[0].score([1, 2, 3, 4], [position])

    @pytest.mark.parametrize("drafter", [DrafterKind.DRAFT, DrafterKind.SELF])
    def test_a_drafter_without_its_model(self, tiny: TinyPair, drafter: DrafterKind) -> None:
        """Says what is missing."""
        with pytest.raises(DrafterUnavailable, match=drafter.value):
            Engine.open(tiny.target, None, replace(OPTIONS, drafter=drafter))

    def test_a_draft_that_is_no_copy_of_the_target(self, tiny: TinyPair) -> None:
        """Self-speculation with another model would be named wrongly."""
        with pytest.raises(DrafterUnavailable, match="blocks left out"):
            Engine.open(tiny.target, tiny.draft, replace(OPTIONS, drafter=DrafterKind.SELF))

    def test_heads_that_the_model_does_not_have(self, tiny: TinyPair) -> None:
        """Multi-token prediction needs a model made for it."""
        with pytest.raises(DrafterUnavailable, match="has none"):
            Engine.open(tiny.target, None, replace(OPTIONS, drafter=DrafterKind.MTP))

    def test_a_memory_that_cannot_take_tokens_back(self, tiny: TinyPair, tmp_path: Path) -> None:
        """A recurrent model loads in the native library, and is refused by name, as target and as draft."""
        recurrent = tiny_model.write_recurrent(tmp_path / "recurrent.gguf")
        for drafter in (DrafterKind.NONE, DrafterKind.LOOKUP):
            with pytest.raises(NoMemoryRemoval, match=r"recurrent\.gguf"):
                Engine.open(recurrent, None, replace(OPTIONS, drafter=drafter, exact=False))
        with pytest.raises(NoMemoryRemoval, match=r"recurrent\.gguf"):
            Engine.open(tiny.target, recurrent, replace(OPTIONS, drafter=DrafterKind.DRAFT))

    def test_a_draft_of_another_vocabulary(self, tiny: TinyPair, tmp_path: Path) -> None:
        """Both files are named."""
        tokens = tiny_model.vocabulary()
        tokens[100] = "other"
        foreign = tiny_model.write_model(tmp_path / "foreign.gguf", tokens=tokens)
        with pytest.raises(VocabularyMismatch, match=r"target\.gguf.*foreign\.gguf"):
            Engine.open(tiny.target, foreign, replace(OPTIONS, drafter=DrafterKind.DRAFT))

    def test_a_closed_engine(self, tiny: TinyPair) -> None:
        """Closing twice is harmless; using it afterwards is named."""
        engine = Engine.open(tiny.target, None, OPTIONS)
        engine.close()
        engine.close()
        with pytest.raises(EngineError, match="closed"):
            engine.generate([Request((1,), 1)])

    def test_requests_and_options_without_meaning(self) -> None:
        """Fail where they are written down."""
        with pytest.raises(ValueError, match="prompt"):
            Request((), 5)
        with pytest.raises(ValueError, match="room"):
            Request((1,), 0)
        with pytest.raises(ValueError, match="options"):
            EngineOptions(max_sequences=0)


def test_outside_exact_mode_a_different_token_was_nearly_as_likely(tiny: TinyPair) -> None:
    """At the first difference to plain decoding, the plain model's own two tokens are closer than the kernels round."""
    loose = replace(OPTIONS, exact=False)
    with Engine.open(tiny.target, tiny.draft, replace(loose, drafter=DrafterKind.DRAFT)) as engine:
        wanted = [replace(request, grammar=None, sampling=Sampling()) for request in requests(engine)]
        drafted = answers(engine, wanted)
    with Engine.open(tiny.target, None, loose) as engine:
        for index, request in enumerate(wanted):
            expected = answers(engine, [request])[0]
            pairs = zip(expected, drafted[index], strict=False)
            place = next((at for at, (left, right) in enumerate(pairs) if left != right), None)
            if place is None:
                continue
            text = [*request.prompt, *expected[:place]]
            ((_, row),) = engine.score(text, [len(text)], keep=False)
            assert row[expected[place]] - row[drafted[index][place]] < 1.0
