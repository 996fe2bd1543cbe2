"""One token by the real engine, in a process of its own: a native library built for another processor dies with it.

Run as `python -P -m lrc.cli.smoke TARGET [DRAFT]`; prints one JSON object and nothing else.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

CONTEXT = 512
"""Tokens of context: enough for one token, small enough to start at once."""
PROMPT = "def add(a, b):\n    return a +"
"""A prompt that any code model continues."""


def one_token(target: Path, draft: Path | None) -> dict[str, Any]:
    """Load the models, decode one token, and say how long both took (seconds). Raises `EngineError`."""
    from lrc.speculative.engine import Engine
    from lrc.speculative.requests import EngineOptions, Request

    begun = time.monotonic()
    with Engine.open(target, draft, EngineOptions(n_ctx=CONTEXT, max_sequences=1)) as engine:
        loaded = time.monotonic()
        prompt = (*engine.begin_tokens, *engine.encode(PROMPT, special=False))
        answers = list(engine.generate([Request(prompt=prompt, max_tokens=1)]))
        done = time.monotonic()
    return {"text": answers[0].text, "load_seconds": loaded - begun, "token_seconds": done - loaded}


def main(arguments: list[str]) -> int:
    """The command line: exit code 0 with `text` and times, 1 with `error` and `hint`."""
    from lrc.speculative.errors import EngineError

    paths = [Path(argument) for argument in arguments]
    try:
        answer = one_token(paths[0], paths[1] if len(paths) > 1 else None)
    except EngineError as fault:
        answer = {"error": fault.message, "hint": fault.hint}
    except MemoryError:
        answer = {"error": "not enough memory to load the models", "hint": "choose a smaller pair"}
    except Exception as fault:  # this process exists to find out what goes wrong, whatever it is
        answer = {"error": f"{type(fault).__name__}: {str(fault)[:200]}", "hint": ""}
    print(json.dumps(answer))
    return 1 if "error" in answer else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
