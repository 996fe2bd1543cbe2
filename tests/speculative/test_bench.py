"""The comparison of contenders: fair order, paired ratios, plain data."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pytest

from lrc.speculative import Engine, EngineOptions, Request
from lrc.speculative.bench import Contender, EngineContender, Result, Run, compare
from lrc.speculative.llama_peer import LlamaContender
from lrc.speculative.requests import DrafterKind
from tests.speculative.conftest import TinyPair


def results(contenders: Sequence[Contender], groups: Sequence[Sequence[Request]], **options: Any) -> list[Result]:
    """What `compare` returns, its progress left out."""
    steps = compare(contenders, groups, **options)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return list(end.value)


class Scripted:
    """Takes a given time for each prompt."""

    def __init__(self, name: str, seconds: dict[int, float], order: list[str]) -> None:
        self.name = name
        self.seconds = seconds
        self.order = order

    def begin(self) -> None:
        """Note it."""
        self.order.append("begin")

    def run(self, requests: Sequence[Request]) -> Run:
        """Ten tokens, and a second for the prompt."""
        self.order.append(self.name)
        seconds = self.seconds[requests[0].prompt[0]]
        return Run(seconds + 1, seconds, 10)

    def details(self) -> dict[str, Any]:
        """Nothing."""
        return {}


def test_ratios_are_of_the_same_prompt_and_the_order_alternates() -> None:
    """The median and the worst of the paired rates; each repeat turns the order round."""
    order: list[str] = []
    slow = Scripted("slow", {1: 2.0, 2: 4.0, 3: 4.0}, order)
    fast = Scripted("fast", {1: 1.0, 2: 4.0, 3: 5.0}, order)
    groups = [[Request((number,), 5)] for number in (1, 2, 3)]
    baseline, result = results([slow, fast], groups, repeats=2)
    assert (baseline.ratio, baseline.worst, baseline.whole) == (1.0, 1.0, None)
    assert (result.ratio, result.worst) == (1.0, 0.8)
    assert result.rate == 60 / 20
    assert order == ["begin", "begin"] + ["slow", "fast", "fast", "slow"] * 3


def test_whole_times_are_told_of_fresh_runs_alone() -> None:
    """Each run begins with an empty cache, after a warm-up that is thrown away."""
    order: list[str] = []
    slow, fast = Scripted("slow", {1: 3.0, 9: 1.0}, order), Scripted("fast", {1: 1.0, 9: 1.0}, order)
    _, result = results([slow, fast], [[Request((1,), 5)]], repeats=1, warm_up=[Request((9,), 5)], fresh=True)
    assert result.whole == 2.0
    assert order == ["slow", "begin", "fast", "begin", "begin", "slow", "begin", "fast"]


def test_the_engine_and_the_bindings_own_class_compare_on_a_real_model(tiny: TinyPair) -> None:
    """Both generate as many tokens as asked for; the result is JSON and a table with a line for each."""
    options = EngineOptions(n_ctx=256, threads=1, max_sequences=1, drafter=DrafterKind.LOOKUP)
    peer = LlamaContender(tiny.target, 256, 1)
    try:
        with Engine.open(tiny.target, None, options) as engine:
            group = [Request(tuple(engine.encode("abline", False)), 12)]
            contenders = [EngineContender("lookup", engine), peer]
            assert [contender.run(group).tokens for contender in contenders] == [12, 12]
            told = results(contenders, [group], repeats=1, fresh=True)
    finally:
        peer.close()
    assert [one.name for one in told] == ["lookup", "llama_cpp.Llama"]
    assert json.loads(json.dumps([asdict(one) for one in told]))[0]["details"]["acceptance"] >= 0


def test_an_engine_tells_of_the_runs_counted_alone(tiny: TinyPair) -> None:
    """What was answered before `begin` is in no figure, and its prompt is in the cache no more."""
    options = EngineOptions(n_ctx=256, threads=1, max_sequences=1, drafter=DrafterKind.LOOKUP)
    with Engine.open(tiny.target, None, options) as engine:
        contender = EngineContender("lookup", engine)
        group = [Request(tuple(engine.encode("abline" * 6, False)), 12)]
        contender.run(group)
        first = contender.details()
        contender.run(group)
        contender.begin()
        assert contender.details()["answer_tokens"] == 0
        reused = engine.stats.reused_tokens
        contender.run(group)
        assert engine.stats.reused_tokens == reused
        told = contender.details()
    assert told["answer_steps"] == first["answer_steps"]
    assert told["drafts"] == first["drafts"]
    assert told["answer_tokens"] == first["answer_tokens"] == 11


@pytest.mark.parametrize("repeats", [1, 3])
def test_progress_is_told_for_every_run(repeats: int) -> None:
    """One line a run, besides the first, which only warms up."""
    contenders = [Scripted("a", {1: 1.0}, []), Scripted("b", {1: 1.0}, [])]
    assert len(list(compare(contenders, [[Request((1,), 5)]], repeats))) == 2 * repeats
