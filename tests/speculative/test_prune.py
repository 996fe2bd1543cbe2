"""A draft made from the target by leaving blocks out."""

from dataclasses import replace
from pathlib import Path

import pytest

from lrc.speculative import Engine, EngineOptions, Request
from lrc.speculative.errors import EngineError, ModelUnreadable
from lrc.speculative.llama_files import write_pruned, write_slim
from lrc.speculative.llama_model import LlamaModel, LoadOptions
from lrc.speculative.prune import candidates, search, spread
from lrc.speculative.requests import DrafterKind
from tests.speculative.conftest import TinyPair
from tests.support import tiny_model

OPTIONS = EngineOptions(n_ctx=256, threads=1, max_sequences=2, exact=True, drafter=DrafterKind.NONE)


def test_the_copy_has_fewer_blocks_and_drafts_without_changing_a_token(tiny: TinyPair, tmp_path: Path) -> None:
    """It loads, shares the vocabulary, is smaller, and serves as the drafter `self`."""
    pruned = tmp_path / "below" / "pruned.gguf"
    write_pruned(tiny.target, pruned, [1])
    assert pruned.stat().st_size < tiny.target.stat().st_size
    assert [path.name for path in pruned.parent.iterdir()] == ["pruned.gguf"]
    model = LlamaModel(pruned, LoadOptions())
    assert model.describe()["layers"] == tiny_model.BLOCKS - 1
    model.close()
    answers: list[tuple[int, ...]] = []
    for drafter in (DrafterKind.NONE, DrafterKind.SELF):
        with Engine.open(tiny.target, pruned, replace(OPTIONS, drafter=drafter)) as engine:
            request = Request(tuple(engine.encode("abline", False)), 40)
            answers.extend(completion.tokens for completion in engine.generate([request]))
            assert (drafter is DrafterKind.SELF) == ("self" in engine.stats.drafts)
    assert answers[0] == answers[1]


def test_a_slim_copy_has_fewer_bits_and_the_same_vocabulary(tiny: TinyPair, tmp_path: Path) -> None:
    """Embedding and output layer included; it drafts without changing a token."""
    slim = tmp_path / "slim.gguf"
    write_slim(tiny.draft, slim)
    assert slim.stat().st_size < tiny.draft.stat().st_size / 5
    with Engine.open(tiny.target, slim, replace(OPTIONS, drafter=DrafterKind.DRAFT)) as engine:
        request = Request(tuple(engine.encode("abline", False)), 20)
        (drafted,) = engine.generate([request])
        assert drafted.counts.accepted > 0
        assert engine.describe()["draft"]["kind"].endswith("Q4_0")


@pytest.mark.parametrize("dropped", [[], [3], [-1], [0, 1, 2]])
def test_blocks_that_cannot_be_left_out_are_refused(tiny: TinyPair, tmp_path: Path, dropped: list[int]) -> None:
    """None, one that does not exist, all of them; nothing is written."""
    with pytest.raises(ValueError, match="cannot leave"):
        write_pruned(tiny.target, tmp_path / "pruned.gguf", dropped)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_model_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    """A file of another kind, and a place that cannot be written."""
    (tmp_path / "text.gguf").write_text("no model")
    with pytest.raises(ModelUnreadable, match=r"text\.gguf"):
        write_pruned(tmp_path / "text.gguf", tmp_path / "pruned.gguf", [1])
    assert [path.name for path in tmp_path.iterdir()] == ["text.gguf"]


def test_a_cut_file_is_named(tiny: TinyPair, tmp_path: Path) -> None:
    """The copy fails as loading does."""
    (tmp_path / "cut.gguf").write_bytes(tiny.target.read_bytes()[:90_000])
    with pytest.raises(EngineError, match=r"cut\.gguf"):
        write_pruned(tmp_path / "cut.gguf", tmp_path / "pruned.gguf", [1])


@pytest.mark.parametrize(("blocks", "count"), [(28, 1), (28, 14), (28, 24), (24, 7), (6, 2)])
def test_the_ends_are_never_left_out(blocks: int, count: int) -> None:
    """Different blocks, all from the middle."""
    chosen = spread(blocks, count)
    assert len(set(chosen)) == count
    assert set(chosen) <= set(candidates(blocks)) == set(range(2, blocks - 2))


@pytest.mark.parametrize("count", [0, 25])
def test_too_many_or_too_few_are_refused(count: int) -> None:
    """At least one goes, and the ends stay."""
    with pytest.raises(ValueError, match="cannot leave"):
        spread(28, count)


def test_the_search_moves_to_a_better_set_and_stops() -> None:
    """It finds the blocks that a made-up measure prefers, and tries no more sets than allowed."""
    tried: list[list[int]] = []

    def value(dropped: object) -> float:
        assert isinstance(dropped, list)
        tried.append(dropped)
        return -sum(abs(block - wanted) for block, wanted in zip(dropped, (5, 7, 9), strict=True))

    best, best_value = search(16, 3, value, trials=60)
    assert (best, best_value) == ([5, 7, 9], 0)
    assert len(tried) <= 60
    assert len({tuple(dropped) for dropped in tried}) == len(tried)
