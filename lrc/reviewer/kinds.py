"""Kinds of tokens, and which edit of one a reader would call a repair.

A surprising token is only evidence when what the model expected instead is of the same kind: an operator for an
operator, a number for a number. Between names, or a name and a bracket, there are many ways to go on and none is wrong.
"""

from enum import Enum


class Kind(str, Enum):
    """What a token is, for the purpose of telling a slip from a choice."""

    COMPARISON = "comparison"
    ARITHMETIC = "arithmetic"
    ASSIGNMENT = "assignment"
    LOGIC = "logic"
    NEGATION = "negation"
    CONSTANT = "constant"
    NUMBER = "number"
    CONTROL = "control"
    AWAITING = "awaiting"
    PAIRED = "paired"
    """One of two names that are each other's opposite or neighbour: `min` and `max`."""
    ORDER = "order"
    """Two names that have changed places."""
    NAME = "name"
    OTHER = "other"


_WORDS: dict[Kind, str] = {
    Kind.COMPARISON: "== != < <= > >= === !== <> is in instanceof",
    Kind.ARITHMETIC: "+ - * / // % ** << >> & | ^ ~ ++ --",
    Kind.ASSIGNMENT: "= += -= *= /= %= |= &= ^= //= **= <<= >>= := ??=",
    Kind.LOGIC: "and or && || xor ?? elif else unless",
    Kind.NEGATION: "not !",
    Kind.CONSTANT: "True False None true false null nil undefined NULL TRUE FALSE nullptr NaN",
    Kind.CONTROL: "break continue return pass raise throw yield",
    Kind.AWAITING: "await async defer",
}
_PAIRS = (
    "min max|any all|first last|start end|begin end|left right|push pop|shift unshift|floor ceil|add remove|"
    "width height|row col|row column|rows cols|before after|next prev|next previous|keys values|values items|"
    "old new|read write|"
    "open close|enable disable|encode decode|index rindex|find rfind|lstrip rstrip|startswith endswith|starts ends|"
    "lower upper|append extend|insert append|src dst|source target|source destination|request response|input output|"
    "parent child|top bottom|x y|i j|up down|lock unlock|acquire release|sin cos|success failure|success error|"
    "inner outer|head tail|get set|post get|put post|sum max|sum min|union intersection|isinstance issubclass|"
    "getattr hasattr|sorted reversed|encodeURIComponent decodeURIComponent|toLowerCase toUpperCase|slice splice|"
    "forEach map|some every|indexOf lastIndexOf|substr substring|trimStart trimEnd|RLock RUnlock|Lock Unlock|"
    "Encode Decode|Marshal Unmarshal|HasPrefix HasSuffix|Before After|Min Max|Add Remove|isEmpty isPresent"
)

_FORMS = (
    "const let var val def fn func function class struct enum interface type import from as package use using require "
    "public private protected static final if for while switch case try catch except finally with lambda self this"
)
_DECLARING = frozenset(_FORMS.split())
"""Words of a language that are no names, and of which one in another's place is a matter of form."""
_KIND_OF = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_PARTNERS: dict[str, set[str]] = {}
for _pair in _PAIRS.split("|"):
    _one, _other = _pair.split()
    _PARTNERS.setdefault(_one, set()).add(_other)
    _PARTNERS.setdefault(_other, set()).add(_one)

CLOSED = frozenset(_WORDS) | {Kind.NUMBER}
"""Kinds with few members, where another member is nearly always a different meaning and rarely a matter of taste."""


def partners(name: str) -> frozenset[str]:
    """The names that are `name`'s opposite or neighbour."""
    return frozenset(_PARTNERS.get(name, ()))


def kind_of(text: str) -> Kind:
    """The kind of a token's text, white space aside."""
    word = text.strip()
    if word in _KIND_OF:
        return _KIND_OF[word]
    if word.isdigit():
        return Kind.NUMBER
    if word in _DECLARING:
        return Kind.OTHER
    if word.lstrip("._(").isidentifier() and word:
        return Kind.NAME
    return Kind.OTHER


def replaceable(written: str, expected: str) -> Kind | None:
    """The kind of slip that writing `written` for `expected` would be; None when it is none.

    Tokens of which one begins the other are no slip: they are the same text cut differently.
    """
    one, other = written.strip(), expected.strip()
    if not one or not other or one == other:
        return None
    kind, expected_kind = kind_of(one), kind_of(other)
    if kind in CLOSED and (expected_kind is kind or {kind, expected_kind} <= _CONFUSED):
        return kind
    bare, expected_bare = one.lstrip("._("), other.lstrip("._(")
    if (
        expected_bare in _PARTNERS.get(bare, ())
        and one[: len(one) - len(bare)] == other[: len(other) - len(expected_bare)]
    ):
        return Kind.PAIRED
    if kind is Kind.NAME and expected_kind is Kind.NAME and not one.startswith(other) and not other.startswith(one):
        return Kind.NAME
    return None


_CONFUSED = {Kind.CONSTANT, Kind.NUMBER}
"""`False` for `0` and `None` for `0` are slips across kinds."""


def insertable(expected: str) -> Kind | None:
    """The kind of slip that leaving out `expected` would be; None when it is none."""
    kind = kind_of(expected)
    return (
        kind if kind in (Kind.NEGATION, Kind.AWAITING) else Kind.ARITHMETIC if expected.strip() in ("+", "-") else None
    )


def removable(written: str) -> Kind | None:
    """The kind of slip that writing `written` where nothing belongs would be; None when it is none."""
    kind = kind_of(written)
    return kind if kind in (Kind.NEGATION, Kind.AWAITING) else None
