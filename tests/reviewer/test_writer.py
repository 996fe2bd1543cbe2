"""From a suspicion to a finding: what is known without the model is right whatever the model writes."""

from collections.abc import Callable, Iterator, Sequence

import pytest

from lrc.context import unit_for
from lrc.findings import Finding, Severity
from lrc.reviewer.chat import ChatForm
from lrc.reviewer.kinds import Kind
from lrc.reviewer.repairs import Suspicion
from lrc.reviewer.writer import Judged, Writer
from lrc.speculative.requests import Completion, Finish, Request
from lrc.speculative.stats import Counts
from tests.support.changes import change, new_text

FILE = change("a.py", " def f(a, b):\n-    if a < b:\n+    if a <= b:\n         return a\n     return b")
UNIT = unit_for(FILE, FILE.hunks[0], new_text(FILE))
TEMPLATE = "{% for m in messages %}{{ m.content }}\n{% endfor %}"


class Answering:
    """A pair that answers every request with one text."""

    begin_tokens: tuple[int, ...] = ()

    def __init__(self, text: str, finish: Finish = Finish.STOP) -> None:
        self.text, self.finish = text, finish

    def encode(self, text: str, special: bool) -> list[int]:
        """One token a character."""
        return [ord(character) for character in text]

    def generate(
        self,
        requests: Sequence[Request],
        *,
        deadline: float | None = None,
        on_tokens: Callable[[int, float], None] | None = None,
    ) -> Iterator[Completion]:
        """The same for all."""
        for index, _ in enumerate(requests):
            yield Completion(index, (), self.text, self.finish, Counts())


def written(suspicion: Suspicion, text: str, finish: Finish = Finish.STOP) -> Finding:
    """The finding about one suspicion."""
    answering = Answering(text, finish)
    writer = Writer(answering, ChatForm(answering, TEMPLATE), lambda line: line)
    ((_, finding),) = writer.write([Judged(suspicion, 0.8, Severity.MEDIUM)])
    return finding


def suspicion(line: str) -> Suspicion:
    """A wrong comparison on line 2."""
    return Suspicion(UNIT, 2, line, "    if a < b:", Kind.COMPARISON, "replace", "<=", "<", 3.0, -0.1, True, 5.0)


@pytest.mark.parametrize(
    ("text", "finish"),
    [("", Finish.STOP), ("no JSON", Finish.STOP), ("", Finish.DEADLINE), ("", Finish.LENGTH)],
)
def test_a_sentence_that_cannot_be_used_loses_no_finding(text: str, finish: Finish) -> None:
    """What was measured is said without a model: the line, both tokens and the repair."""
    finding = written(suspicion("    if a <= b:"), text, finish)
    assert (finding.path, finding.line, finding.severity, finding.confidence) == ("a.py", 2, Severity.MEDIUM, 0.8)
    assert finding.message == "`<` was expected, not `<=`."
    assert finding.replacement == "    if a < b:"


def test_a_line_that_was_masked_has_no_replacement() -> None:
    """The repaired text would hold the mask in place of the secret."""
    assert written(suspicion("    if MASKED <= b:"), "").replacement is None
