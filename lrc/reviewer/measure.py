"""Measuring a change: where the target's own probabilities say that something else was meant.

Two readings of one evaluation. *Surprise*: at a written token the model strongly expected another of the same kind.
*Gain*: with the expected text in its place, the likelihood of the edited stretch and of what follows rises. Surprise
alone is mostly taste; a gain is only seen where what follows agrees with the repair and not with what is written.
For a modified line the old text is a repair to be tried as well (a regression).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Protocol

from lrc.review import Unit
from lrc.reviewer.kinds import CLOSED, Kind, insertable, removable, replaceable
from lrc.reviewer.passage import Encoder, Passage, Written, passage_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MEASURED = frozenset({
    "bash", "c", "cpp", "csharp", "elixir", "go", "haskell", "java", "javascript", "kotlin", "lua", "php", "python",
    "ruby", "rust", "scala", "solidity", "swift", "tsx", "typescript",
})  # fmt: skip
"""Languages that are measured: code, with a grammar at hand that tells it from comments and strings. In settings and
data every value is a choice, and a surprising one is none the worse."""

LEAST_SURPRISE = 1.0
"""Nats below which an expected token is no news."""
LEAST_SHARE = -3.0
"""Log-probability below which the expected token is itself a guess."""
NAME_SURPRISE = 6.0
"""Nats below which one name in another's place is taste."""
TRIED = 4
"""Repairs tried for a unit; each costs the evaluation of two short stretches."""
FOLLOWING = 12
"""Tokens behind an edit that both versions are judged by."""
_ALTERNATIVES = 6
_WORD = r"\w+|\s+|[^\w\s]+"


class Scorer(Encoder, Protocol):
    """What measuring needs of the engine."""

    def score(
        self, prompt: Sequence[int], positions: Sequence[int], *, keep: bool = True, deadline: float | None = None
    ) -> Iterator[tuple[int, "NDArray[np.float32]"]]:
        """For each wanted position the logits that predict the token standing there."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A place where the model is sure that something else was meant."""

    unit: Unit
    line: int
    """Line of the new file."""
    written: str
    """That line as it is."""
    expected: str
    """That line as the model would have it."""
    kind: Kind
    edit: str
    """`replace`, `insert`, `remove` or `revert`."""
    written_token: str
    expected_token: str
    surprise: float
    """Nats by which the expected token beat the written one; 0 for a revert that no token pointed to."""
    share: float
    """Log-probability of the expected token."""
    reverts: bool
    """True when the expected line is the one that the change took away."""
    gain: float = 0.0
    """Nats by which the repaired text beats the written one over the edit and what follows."""


@dataclass(frozen=True, slots=True)
class _Repair:
    """An edit of the passage that may be tried."""

    suspicion: Suspicion
    start: int
    end: int
    text: str


def unmeasurable(unit: Unit) -> str:
    """Why measuring can say nothing about a unit; empty when it can."""
    if unit.language not in MEASURED:
        return "not code that can be measured: detectors only"
    if not unit.hunk.added:
        return "only removed lines: detectors only"
    return ""


class Measurer:
    """Finds suspicions in units with one model; not thread-safe, as the engine is not."""

    def __init__(self, scorer: Scorer, mask: Callable[[str], str], deadline: float | None = None) -> None:
        self._scorer = scorer
        self._mask = mask
        self._deadline = deadline

    def measure(self, unit: Unit) -> list[Suspicion]:
        """All suspicions of a unit with their gain, strongest first. Raises what the engine raises."""
        passage = passage_of(unit, self._scorer, self._mask)
        likelihoods, surprises = self._read(unit, passage)
        repairs = _worth_trying([*surprises, *_reverts(unit, passage)])
        # From the back, so that the evaluated beginning of the passage serves every repair.
        tried = [self._tried(passage, repair, likelihoods) for repair in sorted(repairs, key=lambda item: -item.start)]
        return sorted(tried, key=lambda suspicion: -suspicion.gain)

    def _read(self, unit: Unit, passage: Passage) -> tuple[dict[int, float], list[_Repair]]:
        """One evaluation of the passage: the log-probability of every token from the first added one on, and the
        repairs that surprises suggest."""
        import numpy as np

        written = {token.index: token for token in passage.written()}
        if not written:
            return {}, []
        last = min(len(passage.tokens), max(written) + FOLLOWING + 1)
        likelihoods: dict[int, float] = {}
        repairs: list[_Repair] = []
        for index, logits in self._scorer.score(
            passage.tokens, range(max(1, min(written)), last), deadline=self._deadline
        ):
            actual, peak = float(logits[passage.tokens[index]]), float(logits.max())
            total = peak + float(np.log(np.exp(logits - peak).sum()))
            likelihoods[index] = actual - total
            token = written.get(index)
            if token is None or peak - actual < LEAST_SURPRISE or not _is_new_code(unit, passage, token):
                continue
            best = np.argpartition(logits, -_ALTERNATIVES)[-_ALTERNATIVES:]
            for candidate in best[np.argsort(-logits[best])]:
                value = float(logits[candidate])
                if value - actual < LEAST_SURPRISE or value - total < LEAST_SHARE:
                    break
                expected = self._scorer.piece([int(candidate)]).decode("utf-8", "replace")
                repairs += _edits(unit, passage, token, expected, value - actual, value - total)
        return likelihoods, repairs

    def _tried(self, passage: Passage, repair: _Repair, likelihoods: dict[int, float]) -> Suspicion:
        """The repair's suspicion with its gain: both versions from where they part to where they are one again, and
        `FOLLOWING` tokens on."""
        edited = passage.edited(repair.start, repair.end, repair.text)
        original = passage.tokens
        head = _common(original, edited)
        tail = _common(original[head:][::-1], edited[head:][::-1])
        as_written = sum(likelihoods.get(index, 0.0) for index in range(head, _end(original, tail)))
        gain = self._likelihood(edited[: _end(edited, tail)], head) - as_written
        return replace(repair.suspicion, gain=gain)

    def _likelihood(self, tokens: Sequence[int], first: int) -> float:
        """Log-probability of the tokens from `first` on, given those before."""
        import numpy as np

        total = 0.0
        for index, logits in self._scorer.score(tokens, range(first, len(tokens)), deadline=self._deadline):
            peak = float(logits.max())
            total += float(logits[tokens[index]]) - peak - float(np.log(np.exp(logits - peak).sum()))
        return total


def _end(tokens: Sequence[int], tail: int) -> int:
    return min(len(tokens), len(tokens) - tail + FOLLOWING)


def _is_new_code(unit: Unit, passage: Passage, token: Written) -> bool:
    """False in comments and strings, and for what a modified line has kept: the change did not write that."""
    row = passage.rows[token.row]
    column = token.start - passage.starts[token.row]
    if any(span.line == row.number and span.start <= column < span.end for span in unit.prose):
        return False
    return row.old is None or not any(start <= column < end for start, end in _kept(row.text, row.old))


def _kept(new: str, old: str) -> list[tuple[int, int]]:
    """The stretches of a modified line, as columns, that stood in the old one too."""
    words, old_words = (re.findall(_WORD, text) for text in (new, old))
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    blocks = SequenceMatcher(None, words, old_words, autojunk=False).get_matching_blocks()
    return [(starts[block.a], starts[block.a + block.size]) for block in blocks if block.size]


def _edits(
    unit: Unit, passage: Passage, token: Written, expected: str, surprise: float, share: float
) -> Iterator[_Repair]:
    """The repairs that an expected token suggests: in place of the written one, before it, or by leaving that out."""
    word = expected.strip()
    if kind := replaceable(token.text, expected):
        if kind is not Kind.NAME or surprise >= NAME_SURPRISE:
            yield _repair(
                unit, passage, token, ("replace", kind, word), (token.start, len(token.text), word), surprise, share
            )
    elif kind := insertable(expected):
        gap = "" if word in ("!",) else " "
        yield _repair(unit, passage, token, ("insert", kind, word), (token.start, 0, word + gap), surprise, share)
    if kind := removable(token.text):
        following = passage.text[token.start + len(token.text) :]
        space = len(following) - len(following.lstrip(" "))
        if following.lstrip().startswith(word) or word.startswith(following.lstrip()[:2] or "\0"):
            yield _repair(
                unit,
                passage,
                token,
                ("remove", kind, word),
                (token.start, len(token.text) + space, ""),
                surprise,
                share,
            )


def _repair(
    unit: Unit,
    passage: Passage,
    token: Written,
    what: tuple[str, Kind, str],
    change: tuple[int, int, str],
    surprise: float,
    share: float,
) -> _Repair:
    edit, kind, expected = what
    start, length, text = change
    row = passage.rows[token.row]
    offset = passage.starts[token.row]
    line = row.text[: start - offset] + text + row.text[start - offset + length :]
    suspicion = Suspicion(
        unit,
        row.number or unit.hunk.new_start,
        row.text,
        line,
        kind,
        edit,
        token.text,
        expected,
        surprise,
        share,
        reverts=row.old is not None and row.old.split() == line.split(),
    )
    return _Repair(suspicion, start, start + length, text)


def _reverts(unit: Unit, passage: Passage) -> Iterator[_Repair]:
    """For each modified line: the text that the change took away, as a repair."""
    for place, row in enumerate(passage.rows):
        if row.old is None or row.old.split() == row.text.split():
            continue
        written, old = _only_change(row.text, row.old) or ("", "")
        kind = replaceable(written, old) or (insertable(old) if not written.strip() else None)
        kind = kind or (removable(written) if not old.strip() else None) or Kind.OTHER
        suspicion = Suspicion(
            unit, row.number or 0, row.text, row.old, kind, "revert", written.strip(), old.strip(), 0.0, 0.0, True
        )
        offset = passage.starts[place]
        yield _Repair(suspicion, offset, offset + len(row.text), row.old)


def _only_change(new: str, old: str) -> tuple[str, str] | None:
    """The words that stand in one place of a line instead of others; None when the lines differ in several places."""
    words, old_words = (re.findall(_WORD, text) for text in (new, old))
    matcher = SequenceMatcher(None, words, old_words, autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    if len(changes) != 1:
        return None
    _, first, last, old_first, old_last = changes[0]
    return "".join(words[first:last]), "".join(old_words[old_first:old_last])


def _worth_trying(repairs: Iterable[_Repair]) -> list[_Repair]:
    """The most promising repairs, one for each edit: closed kinds and reverts before names, then by surprise."""
    best: dict[tuple[int, str], _Repair] = {}
    for repair in repairs:
        key = (repair.suspicion.line, " ".join(repair.suspicion.expected.split()))
        known = best.get(key)
        if known is None or known.suspicion.surprise < repair.suspicion.surprise:
            best[key] = repair
    ranked = sorted(
        best.values(),
        key=lambda item: (
            not (item.suspicion.kind in CLOSED or item.suspicion.reverts),
            -item.suspicion.surprise,
        ),
    )
    return ranked[:TRIED]


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens both begin with."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
