"""What a change does around the place that a removed check left: reasons why nothing is missing there."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lrc.diff import FileDiff, Hunk
from lrc.patterns import lazy

QUESTION = lazy(r"\s*\}?\s*(?:else\s+)?(?:if|elif|elsif|unless|when|while)\b")
"""How a condition begins, in the ways of all languages."""
NAME = lazy(r"[A-Za-z_]\w*")
"""A name of code."""
_WORDS = (
    "if not is in and or return raise throw new else unless None null nil NULL undefined true false True False "
    "self this assert error err Error Exception ValueError TypeError len isinstance typeof instanceof continue "
    "break await defer then end const"
)
KEYWORDS = frozenset(_WORDS.split())
"""What a condition is made of beside what it is about."""
_TARGET = lazy(r"\s*(?:(?:const|let|var|auto|final)\s+)?(?:[\w<>*&.\[\]]+\s+)?([\w, ]+?)\s*:?=(?!=)")
_STRING = lazy(r"\"[^\"]*\"|'[^']*'|`[^`]*`")


@dataclass(frozen=True, slots=True)
class Around:
    """What a change does beside a gap."""

    present: frozenset[str]
    """The names of the new text."""
    mentioned: Counter[str]
    """By name, the removed lines of the file that hold it: with a limit, an option or a flag its questions go."""
    made: frozenset[str]
    """Names that removed lines gave a value: what is made in another way is checked in another way."""
    nearby: frozenset[str]
    """Names in the lines added beside the gap: where they speak about the same thing, it is seen to in another way."""
    asked: Sequence[str]
    """The questions just above the gap, and all that were added: one may be the same."""

    def excuses(self, text: str, subject: str, used: Sequence[str]) -> bool:
        """True when the loss of a check is explained by the rest; `used` are names of its `subject` still needed."""
        own = Counter(name for line in text.split("\n") for name in set(NAME.findall(line)))
        names = _names(subject)
        return (
            not self.nearby.isdisjoint(used)
            or not self.made.isdisjoint(NAME.findall(subject))
            or any(name not in self.present and self.mentioned[name] > own[name] for name in names)
            or (len(names) > 1 and any(names <= _names(question) for question in self.asked))
        )

    @classmethod
    def of(cls, file: FileDiff, text: str) -> "Around":
        """What holds for each gap of a file."""
        removed = [line.text for hunk in file.hunks for line in hunk.removed]
        kept = Counter(line.text.strip() for hunk in file.hunks for line in hunk.added)
        return cls(
            present=frozenset(NAME.findall(text)),
            mentioned=Counter(name for line in removed for name in set(NAME.findall(line))),
            made=frozenset(name for line in removed if not kept[line.strip()] for name in _made(line)),
            nearby=frozenset(),
            asked=tuple(line for line in kept if QUESTION.match(line)),
        )

    def beside(self, hunk: Hunk, above: Sequence[str]) -> "Around":
        """The same for a gap in a hunk, below some questions."""
        nearby = frozenset(name for line in hunk.added for name in NAME.findall(line.text))
        return replace(self, nearby=nearby, asked=(*self.asked, *above))


def _made(text: str) -> frozenset[str]:
    """The names that a line gives a value."""
    target = _TARGET.match(text)
    return frozenset(NAME.findall(target[1])) if target else frozenset()


def _names(text: str) -> frozenset[str]:
    """The names that a text rests on, without its strings."""
    return frozenset(NAME.findall(_STRING.sub("", text))) - KEYWORDS
