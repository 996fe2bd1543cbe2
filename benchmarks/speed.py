"""Decoding speed of the engine against plain decoding and against the binding's own class.

    python -m benchmarks.speed TARGET [DRAFT] [--prompts 8] [--tokens 48] [--repeats 2] [--exact] [--json FILE]

Meant for a machine that does nothing else. All contenders decode the same review prompts, made from this repository's
own modules, greedily; `ratio` and `worst` are against plain decoding prompt by prompt, prompts' evaluation left out,
`whole` is with it.
"""

import argparse
import json
import os
import platform
import sys
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from lrc.speculative import Engine, EngineOptions, Sampling
from lrc.speculative.bench import Contender, EngineContender, Result, compare, table
from lrc.speculative.llama_peer import LlamaContender
from lrc.speculative.requests import DrafterKind
from tests.support.review_prompts import review_requests


def main(arguments: list[str]) -> int:
    """Run the comparison and print its table."""
    wanted = _parser().parse_args(arguments)
    options = EngineOptions(n_ctx=4096, exact=wanted.exact, drafter=DrafterKind.NONE, max_sequences=1)
    kinds = [DrafterKind.LOOKUP, DrafterKind.AUTO]
    if wanted.draft:
        kinds[1:1] = [DrafterKind.DRAFT, DrafterKind.TREE]
    with ExitStack() as stack:
        plain = stack.enter_context(Engine.open(wanted.target, None, options))
        costs = plain.measure_costs()
        options = replace(options, costs=costs)
        requests = [
            replace(request, grammar=None, sampling=Sampling())
            for request in review_requests(plain, wanted.prompts, wanted.tokens)
        ]
        contenders: list[Contender] = [EngineContender("plain", plain)]
        for kind in kinds:
            engine = Engine.open(wanted.target, wanted.draft, replace(options, drafter=kind))
            contenders.append(EngineContender(str(kind), stack.enter_context(engine)))
        threads = plain.describe()["settings"]["threads"]
        for lookup in (False, True):
            peer = LlamaContender(wanted.target, options.n_ctx, threads, lookup)
            stack.callback(peer.close)
            contenders.append(peer)
        alone = _watched(compare(contenders, [[request] for request in requests], wanted.repeats))
        wide = Engine.open(wanted.target, wanted.draft, replace(options, drafter=DrafterKind.AUTO, max_sequences=16))
        together: list[Contender] = [contenders[0], EngineContender("16 side by side", stack.enter_context(wide))]
        together.append(contenders[-2])
        several = _watched(compare(together, [(requests * 16)[:16]], wanted.repeats))
    print(table(alone, costs))
    print(table(several, {}))
    if wanted.json:
        wanted.json.write_text(json.dumps(_report(wanted, costs, alone, several), indent=1), "utf-8")
    return 0


def _watched(steps: Any) -> list[Result]:
    """Show progress on the terminal while it goes on."""
    while True:
        try:
            line = next(steps)
        except StopIteration as end:
            print("\x1b[2K\r", end="", file=sys.stderr)
            results: list[Result] = end.value
            return results
        print(f"\x1b[2K\r{line}", end="", file=sys.stderr, flush=True)


def _report(wanted: argparse.Namespace, costs: dict[int, float], *parts: list[Result]) -> dict[str, Any]:
    return {
        "machine": {"processor": platform.processor() or platform.machine(), "processors": os.cpu_count()},
        "target": wanted.target.name,
        "draft": wanted.draft.name if wanted.draft else None,
        "exact": wanted.exact,
        "costs": costs,
        "alone": [asdict(result) for result in parts[0]],
        "together": [asdict(result) for result in parts[1]],
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("target", type=Path)
    parser.add_argument("draft", type=Path, nargs="?")
    parser.add_argument("--prompts", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--json", type=Path)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
