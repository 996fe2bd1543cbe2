"""The classic reviewer: shows the model a hunk and asks what is wrong. For larger models, and for comparison."""

from collections.abc import Callable, Iterator, Sequence

from lrc.diff import Side
from lrc.findings import Finding
from lrc.review import Answer, Unit
from lrc.reviewer.answer import Comment, grammar_for_hunk, parse_hunk_answer
from lrc.reviewer.chat import ChatForm
from lrc.reviewer.excerpt import places, spoken
from lrc.reviewer.measuring import OUT_OF_TIME, TOO_LONG
from lrc.reviewer.prompt import SYSTEM, about_hunk
from lrc.reviewer.writer import Generator
from lrc.speculative.requests import Finish, Request

MAX_TOKENS = 220
MOST = 2
"""Comments on one hunk; a small model fills whatever it is given."""
UNCALIBRATED = 0.2
"""Confidence of a comment that nothing but the model's own text speaks for: an assumption, not a measurement, low
enough that nothing is built on it."""
ROOM = 64
"""Tokens of the context kept free besides the answer."""


class PromptingReviewer:
    """Asks for defects hunk by hunk, all hunks decoded side by side."""

    def __init__(
        self,
        engine: Generator,
        form: ChatForm,
        mask: Callable[[str], str],
        describe: Callable[[], dict[str, object]],
        *,
        context: int,
        rules: str = "",
        deadline: float | None = None,
        on_tokens: Callable[[int, float], None] | None = None,
    ) -> None:
        self._engine = engine
        self._form = form
        self._mask = mask
        self._describe = describe
        self._context = context
        self._rules = rules
        self._deadline = deadline
        self._on_tokens = on_tokens

    def review(self, units: Sequence[Unit]) -> Iterator[Answer]:
        """One answer a unit, as each is finished."""
        asked: list[tuple[Unit, Request]] = []
        for unit in units:
            request = self._request(unit)
            if len(request.prompt) + MAX_TOKENS + ROOM > self._context:
                yield Answer(unit, not_reviewed=TOO_LONG)
            else:
                asked.append((unit, request))
        requests = [request for _, request in asked]
        for answer in self._engine.generate(requests, deadline=self._deadline, on_tokens=self._on_tokens):
            unit = asked[answer.index][0]
            if answer.finish is Finish.DEADLINE:
                yield Answer(unit, not_reviewed=OUT_OF_TIME)
                continue
            comments, dropped = parse_hunk_answer(answer.text, places(unit.hunk))
            findings = tuple(_finding(unit, comment, self._mask) for comment in comments)
            grounded = tuple(found for found in findings if found is not None)
            yield Answer(unit, grounded, dropped + len(findings) - len(grounded))

    def described(self) -> dict[str, object]:
        """What the engine has to say of itself."""
        return self._describe()

    def _request(self, unit: Unit) -> Request:
        return Request(
            prompt=self._form.tokens(SYSTEM, about_hunk(unit, self._mask, self._rules)),
            max_tokens=MAX_TOKENS,
            grammar=grammar_for_hunk(places(unit.hunk), MOST),
            corpus=tuple(tuple(self._engine.encode(text, False)) for text in spoken(unit, self._mask)),
        )


def _finding(unit: Unit, comment: Comment, mask: Callable[[str], str]) -> Finding | None:
    """The comment as a finding; None when it says nothing about its line: a blank one, or one it only repeats."""
    place = comment.place
    quoted = place.line.text.strip()
    if not quoted or comment.message.strip(" .`'\"") == quoted.strip(" .`'\""):
        return None
    replacement = comment.replacement
    if replacement is not None and (place.side is Side.OLD or replacement.strip() in ("", quoted)):
        replacement = None  # nothing to put in place of a removed line; a repair equal to the code is none
    return Finding(
        path=unit.file.path,
        line=place.number,
        end_line=place.number,
        side=place.side,
        severity=comment.severity,
        category=comment.category,
        confidence=UNCALIBRATED,
        message=mask(comment.message),
        source="model:prompt",
        quote=mask(quoted),
        replacement=None if replacement is None else _indented(mask(replacement), place.line.text),
    )


def _indented(replacement: str, written: str) -> str:
    """The replacement at the written line's depth: models leave the leading white space out."""
    indent = written[: len(written) - len(written.lstrip())]
    return replacement if replacement[:1].isspace() else indent + replacement
