"""Review prompts about real code: pieces of this repository's own modules, as a reviewer would be asked about them."""

from pathlib import Path

from lrc.speculative import Engine, Request, Sampling

ROOT = Path(__file__).parents[2]
GRAMMAR = r"""
root ::= "{\"line\": " [1-9] [0-9]* ", \"severity\": \"" ("high" | "low") "\", \"message\": \"" [^"\\\n]* "\"}"
"""
_LINES = 14


def pieces(count: int) -> list[str]:
    """`count` different runs of lines."""
    found: list[str] = []
    for path in sorted((ROOT / "lrc").rglob("*.py")):
        lines = path.read_text("utf-8").splitlines()
        found.extend("\n".join(lines[at : at + _LINES]) for at in range(8, len(lines) - _LINES, 3 * _LINES))
    step = max(1, len(found) // count)
    return found[::step][:count]


def review_requests(engine: Engine, count: int, max_tokens: int) -> list[Request]:
    """Every second under a grammar, every fourth sampled, all with the code as a text to quote."""
    requests: list[Request] = []
    for index, code in enumerate(pieces(count)):
        question = "Name one defect of this code in one sentence" + (" as JSON." if index % 2 else ".")
        head = engine.encode(f"<|im_start|>user\n{question}\n```python\n", True)
        body = engine.encode(code, False)
        tail = engine.encode("\n```<|im_end|>\n<|im_start|>assistant\n", True)
        sampling = Sampling() if index % 4 < 3 else Sampling(temperature=0.7, top_k=40, top_p=0.9, seed=index)
        requests.append(
            Request((*head, *body, *tail), max_tokens, GRAMMAR if index % 2 else None, sampling, (tuple(body),))
        )
    return requests
