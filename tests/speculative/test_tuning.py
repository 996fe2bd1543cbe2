"""Tuning: what is tried, what is kept, and when it is void."""

from dataclasses import replace
from pathlib import Path

import pytest

from lrc.speculative import EngineError, EngineOptions, llama_trials
from lrc.speculative.tuning import Trial, Tuning, identity, recall, remember, tune
from tests.speculative.conftest import TinyPair

FIRST = Tuning(True, 3, False, 128, 0, Trial(100.0, 0.04), {1: 0.04, 4: 0.1})


def machine(options: EngineOptions) -> Trial:
    """A made-up machine: repacked weights, three threads and small batches are best."""
    rate, step = 100.0, 0.05
    if options.repack:
        rate, step = 150.0, 0.04
    if options.micro_batch == 128:
        rate *= 1.1
    return Trial(rate * (1.2 if options.threads == 3 else 1.0), step)


def test_the_best_of_what_was_tried_is_kept() -> None:
    """One change after the other, each kept if it is better."""
    tuning = tune(EngineOptions(), machine, lambda options: {1: options.threads}, processors=4)
    assert (tuning.repack, tuning.threads, tuning.micro_batch) == (True, 3, 128)
    assert tuning.costs == {1: 3}
    assert tuning.trial == machine(EngineOptions(repack=True, threads=3, micro_batch=128))


def test_a_setting_that_does_not_load_is_not_chosen() -> None:
    """It counts as slower than anything; the first one's error rises."""

    def picky(options: EngineOptions) -> Trial:
        if options.repack:
            raise EngineError("no memory")
        return machine(options)

    assert not tune(EngineOptions(), picky, lambda _: {}, processors=2).repack
    with pytest.raises(EngineError):
        tune(EngineOptions(repack=True), picky, lambda _: {}, processors=2)


def test_time_is_kept() -> None:
    """With no time left only the first setting is measured."""
    tried: list[EngineOptions] = []
    tune(EngineOptions(), machine, lambda _: {}, processors=8, seconds=-1, on_trial=lambda o, _: tried.append(o))
    assert len(tried) == 1


def test_threads_of_the_user_are_respected_and_make_other_costs_void() -> None:
    """What was measured with three threads says nothing about one, nor about exact mode."""
    assert FIRST.apply(EngineOptions()).threads == 3
    assert FIRST.apply(EngineOptions()).costs == FIRST.costs
    assert FIRST.apply(EngineOptions(threads=1)).threads == 1
    assert FIRST.apply(EngineOptions(threads=1)).costs is None
    assert FIRST.apply(EngineOptions(exact=True)).costs is None


def test_it_is_remembered_by_machine_and_model(tmp_path: Path) -> None:
    """Two models side by side in one file."""
    path = tmp_path / "below" / "tuning.json"
    second = replace(FIRST, threads=5)
    remember(path, "a", FIRST)
    remember(path, "b", second)
    assert (recall(path, "a"), recall(path, "b"), recall(path, "c")) == (FIRST, second, None)
    assert [file.name for file in path.parent.iterdir()] == ["tuning.json"]


@pytest.mark.parametrize(
    "content", ["", "nonsense", "[]", '{"version": 1}', '{"version": 1, "tunings": {"a": {"repack": 1}}}']
)
def test_a_damaged_file_is_no_tuning(tmp_path: Path, content: str) -> None:
    """And is replaced at the next one."""
    path = tmp_path / "tuning.json"
    path.write_text(content)
    assert recall(path, "a") is None
    remember(path, "a", FIRST)
    assert recall(path, "a") == FIRST


def test_another_file_or_library_is_another_identity(tmp_path: Path) -> None:
    """When something changed, tuning is done again."""
    model = tmp_path / "model.gguf"
    model.write_bytes(b"1")
    first = identity(model, "1.0")
    assert identity(model, "1.0") == first
    assert identity(model, "1.1") != first
    model.write_bytes(b"12")
    assert identity(model, "1.0") != first


def test_the_real_library_is_timed(tiny: TinyPair) -> None:
    """On a tiny model, through loading, prompt, steps and v(n); the result can be used at once."""
    tuning = tune(
        EngineOptions(),
        lambda options: llama_trials.measure(tiny.target, options),
        lambda options: llama_trials.measure_costs(tiny.target, options),
        processors=1,
        gpu=llama_trials.has_gpu(),
    )
    assert tuning.trial.prompt_rate > 0
    assert min(tuning.costs) == 1
    assert tuning.apply(EngineOptions()).costs == tuning.costs
