"""The suffix automaton against plain search."""

from hypothesis import given
from hypothesis import strategies as st

from lrc.speculative.automaton import SuffixAutomaton

TEXTS = st.lists(st.integers(0, 3), max_size=40)


def occurs(part: list[int], text: list[int]) -> int:
    """How often `part` occurs in `text`."""
    return sum(text[start : start + len(part)] == part for start in range(len(text) - len(part) + 1))


@given(TEXTS)
def test_the_longest_repeat_is_the_longest_suffix_seen_before(text: list[int]) -> None:
    """Length by search over all suffixes."""
    automaton = SuffixAutomaton()
    automaton.extend(text)
    expected = max((n for n in range(len(text)) if n and occurs(text[-n:], text) > 1), default=0)
    assert automaton.longest_repeat()[1] == expected


@given(TEXTS)
def test_continuations_are_the_tokens_that_followed_by_frequency(text: list[int]) -> None:
    """Every token seen after the repeated suffix, with its share of the occurrences."""
    automaton = SuffixAutomaton()
    automaton.extend(text)
    state, matched = automaton.longest_repeat()
    if not matched:
        return
    suffix = text[-matched:]
    counts = {token: occurs([*suffix, token], text) for token in range(4)}
    total = sum(counts.values())
    found = {token: share for token, _, share in automaton.continuations(state)}
    assert set(found) == {token for token, count in counts.items() if count}
    assert all(abs(share - counts[token] / total) < 1e-9 for token, share in found.items())


@given(TEXTS, TEXTS)
def test_following_another_text_keeps_its_longest_known_suffix(text: list[int], other: list[int]) -> None:
    """The match length after each token equals that of a search."""
    automaton = SuffixAutomaton()
    automaton.extend(text)
    place = (0, 0)
    for end in range(1, len(other) + 1):
        place = automaton.follow(*place, other[end - 1])
        expected = max(n for n in range(end + 1) if n == 0 or occurs(other[end - n : end], text))
        assert place[1] == expected


def test_of_equally_frequent_continuations_the_nearer_comes_first() -> None:
    """Text read last is the likelier to be repeated."""
    automaton = SuffixAutomaton()
    automaton.extend([1, 2, 7, 1, 2, 8, 1, 2])
    state, matched = automaton.longest_repeat()
    assert matched == 2
    assert [token for token, _, _ in automaton.continuations(state)] == [8, 7]


@given(TEXTS)
def test_it_stays_small(text: list[int]) -> None:
    """At most two states a token, and the first."""
    automaton = SuffixAutomaton()
    automaton.extend(text)
    assert len(automaton) <= 2 * len(text) + 1
