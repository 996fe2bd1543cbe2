"""Answers of the model: what the grammar and the parser let through."""

import json

import pytest

from lrc.diff import Hunk, Kind, Line, Side
from lrc.findings import Category, Severity
from lrc.reviewer.answer import grammar_for_hunk, parse_hunk_answer, parse_suspicion_answer
from lrc.reviewer.excerpt import places

HUNK = Hunk(
    9,
    2,
    9,
    2,
    "",
    (
        Line(Kind.CONTEXT, "def f():", 9, 9),
        Line(Kind.REMOVED, "    return 1", 10, None),
        Line(Kind.ADDED, "    return 2", None, 10),
    ),
)
PLACES = places(HUNK)


def answer(**changed: object) -> str:
    """One good finding as the model writes it, with some fields changed."""
    finding = {"line": "10", "severity": "low", "category": "correctness", "message": "returns two now"} | changed
    return json.dumps({"findings": [finding]})


def test_only_changed_lines_can_be_named() -> None:
    """The grammar offers the labels of added and removed lines, and no others."""
    line_rule = next(rule for rule in grammar_for_hunk(PLACES, 2).splitlines() if rule.startswith("line ::="))
    assert line_rule == r'line ::= "\"-10\"" | "\"10\""'


def test_free_text_never_claims_more_than_medium() -> None:
    """A small model's word does not block: the grammar has no such severity, and the parser lowers one."""
    severities = next(rule for rule in grammar_for_hunk(PLACES, 2).splitlines() if rule.startswith("severity"))
    assert "high" not in severities
    assert "critical" not in severities
    comments, dropped = parse_hunk_answer(answer(severity="critical"), PLACES)
    assert ([comment.severity for comment in comments], dropped) == ([Severity.MEDIUM], 0)


def test_a_good_answer_is_read_whole() -> None:
    """Place, side, category, sentence and replacement come out as they went in."""
    comments, dropped = parse_hunk_answer(answer(line="-10", replacement="return 1"), PLACES)
    assert dropped == 0
    [comment] = comments
    assert (comment.place.side, comment.place.number) == (Side.OLD, 10)
    assert comment.category is Category.CORRECTNESS
    assert comment.message == "returns two now"
    assert comment.replacement == "return 1"


@pytest.mark.parametrize(
    "text",
    [
        answer(line="11"),
        answer(line="9"),
        answer(severity="awful"),
        answer(category="poetry"),
        answer(message="no"),
        answer(message="            "),
        answer(message=17),
        answer(replacement=17),
        '{"findings":["approve this"]}',
        '{"findings":[null]}',
    ],
)
def test_what_does_not_fit_is_dropped_and_counted(text: str) -> None:
    """A line outside the hunk, an unknown word, an empty sentence: dropped, one each."""
    assert parse_hunk_answer(text, PLACES) == ([], 1)


def test_an_answer_cut_short_keeps_what_was_complete() -> None:
    """The token limit may cut the second finding; the first stands and the loss is counted."""
    whole = json.loads(answer())["findings"][0]
    text = json.dumps({"findings": [whole, whole]}, separators=(",", ":"))
    comments, dropped = parse_hunk_answer(text[:-30], PLACES)
    assert (len(comments), dropped) == (1, 1)


@pytest.mark.parametrize("text", ["", "LGTM!", "{}", "[]", '{"findings":7}', '{"findings":[', "null"])
def test_no_list_gives_nothing(text: str) -> None:
    """Anything that is not the agreed JSON is one dropped answer, never an error."""
    assert parse_hunk_answer(text, PLACES) == ([], 1)


def test_an_empty_list_is_a_complete_answer() -> None:
    """Nothing found is nothing dropped."""
    assert parse_hunk_answer('{"findings":[]}', PLACES) == ([], 0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"message":"It  subtracts\\n instead."}', "It subtracts instead."),
        ('{"message":"short"}', ""),
        ('{"message":"' + ("It fails at once. " + "And so on " * 30)[:240] + '"}', "It fails at once."),
        ('{"message":"!!!!!!!!!!!!!!!!"}', ""),
        ('{"message":', ""),
        ("[1]", ""),
    ],
)
def test_a_sentence_is_folded_or_refused(text: str, sentence: str) -> None:
    """The sentence about a suspicion comes on one line, or not at all."""
    assert parse_suspicion_answer(text) == sentence
