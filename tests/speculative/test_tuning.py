"""Tuning: what is tried, what is kept, and when it is void."""

import importlib.metadata
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lrc.speculative import Engine, EngineError, EngineOptions, llama_trials
from lrc.speculative.cost import CAUTIOUS, completed
from lrc.speculative.llama_model import LlamaModel, LoadOptions
from lrc.speculative.tuning import Trial, Tuning, identity, library_identity, recall, remember, tune, two_contexts
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
    assert tuning.costs == completed({1: 3})
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
    second = replace(FIRST, threads=5, trial=Trial(90.0, 0.05, 0.01, 0.9), two_contexts=1.04)
    remember(path, "a", FIRST)
    remember(path, "b", second)
    assert (recall(path, "a"), recall(path, "b"), recall(path, "c")) == (FIRST, second, None)
    assert [file.name for file in path.parent.iterdir()] == ["tuning.json"]


@pytest.mark.parametrize(
    "content", ["", "nonsense", "[]", '{"version": 3}', '{"version": 3, "tunings": {"a": {"repack": 1}}}']
)
def test_a_damaged_file_is_no_tuning(tmp_path: Path, content: str) -> None:
    """And is replaced at the next one."""
    path = tmp_path / "tuning.json"
    path.write_text(content)
    assert recall(path, "a") is None
    remember(path, "a", FIRST)
    assert recall(path, "a") == FIRST


def test_another_model_library_or_number_of_threads_is_another_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    """When something changed, tuning is done again."""
    first = identity("model", "1.0")
    assert identity("model", "1.0") == first
    assert len({first, identity("model", "1.1"), identity("other", "1.0")}) == 3
    monkeypatch.setattr("lrc.speculative.tuning.threads_of_machine", lambda: 99)
    assert identity("model", "1.0") != first


def test_the_library_is_known_by_version_and_files() -> None:
    """Without loading it."""
    version, *files = library_identity().splitlines()
    assert version == importlib.metadata.version("llama-cpp-python")
    assert any("llama" in name for name in files)


def test_what_is_better_by_noise_alone_is_not_chosen() -> None:
    """One per cent is nothing; the next change starts from the old setting."""
    tuning = tune(EngineOptions(), lambda o: Trial(100.0, 0.0495 if o.repack else 0.05), lambda _: {}, processors=1)
    assert not tuning.repack


def test_a_busy_machine_gives_settings_and_no_costs() -> None:
    """They would be wrong for good; a review then learns them by itself."""

    def disturbed(options: EngineOptions) -> Trial:
        return replace(machine(options), processor_share=0.5)

    tuning = tune(EngineOptions(), disturbed, lambda _: pytest.fail("measured"), processors=4)
    assert (tuning.repack, tuning.costs) == (True, {})
    assert tuning.apply(EngineOptions()).costs is None


@given(st.dictionaries(st.integers(1, 64), st.floats(0.001, 10.0), min_size=1, max_size=8).filter(lambda d: 1 in d))
def test_costs_never_fall_and_rows_that_were_not_measured_are_not_cheap(measured: dict[int, float]) -> None:
    """Neither noise nor an early end makes a wide evaluation look cheaper than a narrow one."""
    curve = completed(measured)
    seconds = [curve[rows] for rows in sorted(curve)]
    assert seconds == sorted(seconds)
    assert max(curve) == 64
    assert all(curve[rows] >= measured[rows] for rows in measured)
    last = max(measured)
    assert all(curve[rows] >= CAUTIOUS[rows] * measured[1] * 0.999 for rows in CAUTIOUS if rows > last)


def test_two_contexts_are_worth_what_each_is_best_at_less_the_hand_over() -> None:
    """300 prompt tokens at 150 a second and 40 rows of 0.04 s, against 300 at 150 and 40 of 0.05 s."""
    fast_prompt, fast_rows = Trial(150.0, 0.05), Trial(100.0, 0.04)
    assert two_contexts([fast_prompt, fast_rows]) == pytest.approx(4.0 / 3.6)
    assert two_contexts([replace(fast_prompt, hand_over_seconds=0.4), fast_rows]) == pytest.approx(1.0)
    assert two_contexts([fast_prompt]) == pytest.approx(1.0)


def test_no_trial_is_begun_that_would_end_too_late() -> None:
    """Each takes about as long as those before it."""
    tried: list[EngineOptions] = []

    def slow(options: EngineOptions) -> Trial:
        tried.append(options)
        time.sleep(0.05)
        return machine(options)

    tune(EngineOptions(), slow, lambda _: {}, processors=8, seconds=0.12)
    assert len(tried) == 2


def test_costs_are_measured_for_as_long_as_there_is_time(tiny: TinyPair) -> None:
    """One row always is; without time nothing else."""
    with Engine.open(tiny.target, None, EngineOptions(n_ctx=256, threads=1)) as engine:
        assert list(engine.measure_costs(1, seconds=-1)) == [1]
        assert len(engine.measure_costs(1)) > 3


def test_weights_are_loaded_again_only_for_another_layout(tiny: TinyPair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading takes longer than timing; what was loaded before is given back first."""
    loaded: list[LoadOptions] = []
    first = llama_trials.LlamaModel

    def noted(path: Path, options: LoadOptions) -> LlamaModel:
        loaded.append(options)
        return first(path, options)

    monkeypatch.setattr(llama_trials, "LlamaModel", noted)
    with llama_trials.Trials(tiny.target) as trials:
        plain = EngineOptions(threads=1)
        for options in (plain, replace(plain, micro_batch=128), replace(plain, repack=True), plain):
            assert trials.measure(options).prompt_rate > 0
    assert [options.repack for options in loaded] == [False, True, False]


def test_the_real_library_is_timed(tiny: TinyPair) -> None:
    """On a tiny model, through loading, prompt, steps and v(n); the result can be used at once."""
    with llama_trials.Trials(tiny.target) as trials:
        tuning = tune(
            EngineOptions(), trials.measure, trials.costs, processors=1, gpu=llama_trials.has_gpu(), seconds=60
        )
        assert min(trials.costs(EngineOptions())) == 1
    assert tuning.trial.prompt_rate > 0
    assert 0 < tuning.trial.processor_share <= 1
    assert min(tuning.costs, default=1) == 1
    assert tuning.apply(EngineOptions()).costs == (tuning.costs or None)
