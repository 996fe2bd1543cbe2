"""The comparison of contenders: fair order, paired ratios, plain data."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pytest

from lrc.speculative import Engine, EngineOptions, Request
from lrc.speculative.bench import EngineContender, Run, compare, run_all, table
from lrc.speculative.llama_peer import LlamaContender
from lrc.speculative.requests import DrafterKind
from tests.speculative.conftest import TinyPair


class Scripted:
    """Takes a given time for each prompt."""

    def __init__(self, name: str, seconds: dict[int, float], order: list[str]) -> None:
        self.name = name
        self.seconds = seconds
        self.order = order

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
    baseline, result = run_all(compare([slow, fast], groups, repeats=2))
    assert (baseline.ratio, baseline.worst) == (1.0, 1.0)
    assert (result.ratio, result.worst) == (1.0, 0.8)
    assert result.total_ratio == 1.0
    assert result.rate == 60 / 20
    assert order == ["slow", "fast"] + ["slow", "fast"] * 3 + ["fast", "slow"] * 3


def test_the_engine_and_the_bindings_own_class_compare_on_a_real_model(tiny: TinyPair) -> None:
    """Both generate as many tokens as asked for; the result is JSON and a table with a line for each."""
    options = EngineOptions(n_ctx=256, threads=1, max_sequences=1, drafter=DrafterKind.LOOKUP)
    peer = LlamaContender(tiny.target, 256, 1)
    try:
        with Engine.open(tiny.target, None, options) as engine:
            group = [Request(tuple(engine.encode("abline", False)), 12)]
            contenders = [EngineContender("lookup", engine), peer]
            assert [contender.run(group).tokens for contender in contenders] == [12, 12]
            results = run_all(compare(contenders, [group], repeats=1))
    finally:
        peer.close()
    assert json.loads(json.dumps([asdict(result) for result in results]))[0]["details"]["acceptance"] >= 0
    lines = table(results, {1: 0.5, 4: 1.0}).splitlines()
    assert [line.split("  ")[0] for line in lines[1:3]] == ["lookup", "llama_cpp.Llama"]
    assert lines[3] == "v(n): 1: 1.00, 4: 2.00"


@pytest.mark.parametrize("repeats", [1, 3])
def test_progress_is_told_for_every_run(repeats: int) -> None:
    """One line a run, besides the first, which only warms up."""
    contenders = [Scripted("a", {1: 1.0}, []), Scripted("b", {1: 1.0}, [])]
    assert len(list(compare(contenders, [[Request((1,), 5)]], repeats))) == 2 * repeats
