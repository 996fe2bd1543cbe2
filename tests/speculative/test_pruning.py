"""The search for blocks to leave out, on a tiny real model."""

from pathlib import Path

import pytest

from lrc.speculative import Engine, EngineOptions, Request
from lrc.speculative.errors import EngineError
from lrc.speculative.llama_model import LlamaModel, LoadOptions
from lrc.speculative.prune import candidates
from lrc.speculative.pruning import Pruned, Sample, acceptance, make_pruned, samples
from lrc.speculative.requests import DrafterKind
from tests.support import tiny_model

BLOCKS = 8
OPTIONS = EngineOptions(n_ctx=256, threads=1, max_sequences=3, drafter=DrafterKind.NONE)


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A target with blocks to spare."""
    return tiny_model.write_model(tmp_path_factory.mktemp("deep") / "target.gguf", blocks=BLOCKS)


@pytest.fixture(scope="module")
def known(target: Path) -> list[Sample]:
    """What it says to some prompts, those left out that it has nothing to say to."""
    with Engine.open(target, None, OPTIONS) as engine:
        prompts = [tuple(engine.encode(text * 2, False)) for text in "abcdefgh"]
        return samples(engine, [Request(prompt, 24) for prompt in prompts])


def test_the_target_guesses_itself_and_another_model_does_not(target: Path, known: list[Sample]) -> None:
    """All of its own greedy tokens (but for the rounding of rows beside others); next to none of a stranger's."""
    assert sum(len(sample.answer) for sample in known) > 48
    assert acceptance(target, known, OPTIONS) > 0.95
    stranger = tiny_model.write_model(target.parent / "stranger.gguf", seed=9)
    assert acceptance(stranger, known, OPTIONS) < 0.3


def test_the_best_set_that_was_tried_is_written(target: Path, known: list[Sample], tmp_path: Path) -> None:
    """Several numbers of blocks are tried; the copy is the one with the highest expected gain."""
    tried: list[Pruned] = []
    destination = tmp_path / "below" / "pruned.gguf"
    best = make_pruned(
        target, destination, lambda: known, OPTIONS, blocks=BLOCKS, costs={1: 1.0, 16: 1.2}, on_trial=tried.append
    )
    assert len({len(one.dropped) for one in tried}) > 1
    assert len({one.dropped for one in tried}) == len(tried)
    assert best.speedup == max(one.speedup for one in tried)
    assert set(best.dropped) <= set(candidates(BLOCKS))
    assert 0 < best.share < 1
    model = LlamaModel(destination, LoadOptions())
    assert model.blocks == BLOCKS - len(best.dropped)
    model.close()
    assert [path.name for path in destination.parent.iterdir()] == ["pruned.gguf"]


def test_without_time_one_set_is_tried(target: Path, known: list[Sample], tmp_path: Path) -> None:
    """There is a copy all the same."""
    tried: list[Pruned] = []
    best = make_pruned(
        target, tmp_path / "pruned.gguf", lambda: known, OPTIONS, blocks=BLOCKS, seconds=-1, on_trial=tried.append
    )
    assert tried == [best]


def test_an_error_half_way_leaves_nothing(target: Path, known: list[Sample], tmp_path: Path) -> None:
    """An interrupt while a copy is tried takes the copy along."""

    def stop(_: Pruned) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_pruned(target, tmp_path / "pruned.gguf", lambda: known, OPTIONS, blocks=BLOCKS, on_trial=stop)
    assert list(tmp_path.iterdir()) == []


def test_a_shallow_model_is_refused_before_it_is_asked(target: Path, tmp_path: Path) -> None:
    """Its ends cannot go, and it has nothing else."""
    with pytest.raises(EngineError, match="too few blocks"):
        make_pruned(target, tmp_path / "pruned.gguf", lambda: pytest.fail("asked"), OPTIONS, blocks=4)
