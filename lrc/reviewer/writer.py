"""From suspicions to comments: the pair writes one sentence about each, the rest is known already."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from lrc.diff import Side
from lrc.findings import Category, Finding, Severity
from lrc.reviewer.answer import grammar_for_suspicion, parse_suspicion_answer
from lrc.reviewer.chat import ChatForm
from lrc.reviewer.excerpt import spoken
from lrc.reviewer.kinds import Kind
from lrc.reviewer.prompt import SYSTEM, about_suspicion
from lrc.reviewer.repairs import Suspicion
from lrc.speculative.requests import Completion, Finish, Request

MAX_TOKENS = 72
"""A sentence; what runs on is cut and thrown away."""


class Generator(Protocol):
    """What writing needs of the engine."""

    def encode(self, text: str, special: bool) -> list[int]:
        """`text` as token ids."""

    def generate(
        self,
        requests: Sequence[Request],
        *,
        deadline: float | None = None,
        on_tokens: Callable[[int, float], None] | None = None,
    ) -> Iterator[Completion]:
        """Answers requests side by side."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A suspicion that is worth a comment, and how sure the reviewer is."""

    suspicion: Suspicion
    confidence: float
    severity: Severity


class Writer:
    """Writes the sentences of measured findings."""

    def __init__(
        self,
        engine: Generator,
        form: ChatForm,
        mask: Callable[[str], str],
        deadline: float | None = None,
        on_tokens: Callable[[int, float], None] | None = None,
    ) -> None:
        self._engine = engine
        self._form = form
        self._mask = mask
        self._deadline = deadline
        self._on_tokens = on_tokens

    def write(self, judged: Sequence[Judged]) -> Iterator[tuple[Judged, Finding]]:
        """One finding for each suspicion, as its sentence is written.

        A sentence that cannot be used does not lose the finding: it is what was measured that counts, and that can be
        said without a model.
        """
        grammar = grammar_for_suspicion()
        requests = [
            Request(
                prompt=self._form.tokens(SYSTEM, about_suspicion(item.suspicion, self._mask)),
                max_tokens=MAX_TOKENS,
                grammar=grammar,
                corpus=tuple(
                    tuple(self._engine.encode(text, False)) for text in spoken(item.suspicion.unit, self._mask)
                ),
            )
            for item in judged
        ]
        for answer in self._engine.generate(requests, deadline=self._deadline, on_tokens=self._on_tokens):
            item = judged[answer.index]
            said = parse_suspicion_answer(answer.text) if answer.finish is Finish.STOP else ""
            yield item, _finding(item, said, self._mask)


def _finding(item: Judged, said: str, mask: Callable[[str], str]) -> Finding:
    suspicion = item.suspicion
    evidence = _evidence(suspicion)
    return Finding(
        path=suspicion.unit.file.path,
        line=suspicion.line,
        end_line=suspicion.line,
        side=Side.NEW,
        severity=item.severity,
        category=Category.CONCURRENCY if suspicion.kind is Kind.AWAITING else Category.CORRECTNESS,
        confidence=round(item.confidence, 3),
        message=mask(f"{evidence} {said}".strip()),
        source="model:measure",
        quote=mask(suspicion.written.strip()),
        replacement=suspicion.expected if _stands(suspicion) else None,
        evidence=mask(evidence),
    )


def _stands(suspicion: Suspicion) -> bool:
    """Whether the written line is the file's own: where a secret in it was masked, no repair of it can be applied."""
    return any(line.new == suspicion.line and line.text == suspicion.written for line in suspicion.unit.hunk.lines)


def _evidence(suspicion: Suspicion) -> str:
    """What was measured, in words."""
    if suspicion.edit == "insert":
        return f"`{suspicion.expected_token}` seems to be missing."
    if suspicion.edit == "remove":
        return f"`{suspicion.written_token}` seems to be out of place."
    if suspicion.reverts and suspicion.edit == "revert":
        return f"The old text fits better: `{suspicion.expected.strip()}`."
    return f"`{suspicion.expected_token}` was expected, not `{suspicion.written_token}`."
