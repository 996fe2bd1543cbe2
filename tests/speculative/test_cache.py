"""The prefix cache: what is remembered is what the target holds, through any use."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lrc.speculative.cache import PrefixCache, common_prefix
from lrc.speculative.errors import EngineBusy
from lrc.speculative.protocols import Row
from tests.support.toy_target import ToyLaw, ToyTarget

TEXTS = st.lists(st.integers(1, 2), min_size=1, max_size=40)


def fill(target: ToyTarget, cache: PrefixCache, prompt: list[int], most: int | None = None) -> tuple[int, int]:
    """Take a sequence and evaluate what is missing of `prompt`."""
    sequence, known = cache.take(prompt, len(prompt) if most is None else most)
    rows = [Row((sequence,), index, prompt[index]) for index in range(known, len(prompt))]
    if rows:
        target.evaluate(rows)
    cache.grow(sequence, prompt[known:])
    return sequence, known


@given(TEXTS, TEXTS)
def test_the_common_prefix_is_found(left: list[int], right: list[int]) -> None:
    """Equal to comparing token by token."""
    expected = next(
        (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    assert common_prefix(left, right) == expected


@settings(max_examples=200)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("take"), TEXTS, st.booleans()),
            st.tuples(st.just("cut"), st.integers(0, 3), st.integers(0, 40)),
            st.tuples(st.just("release"), st.integers(0, 3), st.booleans()),
            st.tuples(st.just("evict"), st.just(0), st.just(False)),
            st.tuples(st.just("snapshot"), st.integers(0, 3), st.just(False)),
        ),
        max_size=25,
    )
)
def test_through_any_use_it_knows_what_the_target_holds(steps: list[tuple[str, object, object]]) -> None:
    """Taking, cutting, releasing, evicting and restoring in any order: texts agree, and taken prefixes are right."""
    target = ToyTarget(ToyLaw(), cells=1000, sequences=4, rows=64)
    cache = PrefixCache(target, range(4))
    held: list[int] = []
    for action, what, how in steps:
        if action == "take" and cache.idle:
            assert isinstance(what, list)
            before = [cache.text(sequence) for sequence in range(4)]
            known = max((common_prefix(text, what) for text in before), default=0)
            sequence, _ = cache.take(what, len(what), spare_donor=bool(how))
            assert len(cache.text(sequence)) == known
            rows = [Row((sequence,), index, what[index]) for index in range(known, len(what))]
            if rows:
                target.evaluate(rows)
            cache.grow(sequence, what[known:])
            held.append(sequence)
        elif action == "cut" and what in held:
            assert isinstance(how, int)
            cache.cut(what, min(how, len(cache.text(what))))  # type: ignore[arg-type]
        elif action == "release" and what in held:
            cache.release(what, keep=bool(how))  # type: ignore[arg-type]
            held.remove(what)  # type: ignore[arg-type]
        elif action == "evict":
            cache.evict()
        elif action == "snapshot":
            target.restore(what, target.snapshot(what))  # type: ignore[arg-type]
        for sequence in range(4):
            assert target.tokens(sequence) == cache.text(sequence)
        assert cache.idle == 4 - len(held)


def test_a_prompt_borrows_the_longest_known_beginning() -> None:
    """Only what differs is evaluated, and shared cells count once."""
    target = ToyTarget(ToyLaw(), cells=100, sequences=3)
    cache = PrefixCache(target, range(3))
    fill(target, cache, [1, 2, 3, 4, 5, 6])
    sequence, known = fill(target, cache, [1, 2, 3, 9])
    assert known == 3
    assert target.used() == 7
    assert cache.cells([0, sequence]) == 7


def test_a_text_released_without_keeping_is_gone() -> None:
    """Its cells are free again."""
    target = ToyTarget(ToyLaw(), sequences=2)
    cache = PrefixCache(target, range(2))
    sequence, _ = fill(target, cache, [1, 2, 3])
    cache.release(sequence, keep=False)
    assert target.used() == 0


def test_the_text_used_longest_ago_is_overwritten_first() -> None:
    """Recent prompts are the likelier to be continued."""
    target = ToyTarget(ToyLaw(), sequences=2, rows=64)
    cache = PrefixCache(target, range(2))
    old, _ = fill(target, cache, [1] * 30)
    new, _ = fill(target, cache, [2] * 30)
    cache.release(old)
    cache.release(new)
    assert fill(target, cache, [3] * 30)[0] == old


def test_a_donor_can_be_spared() -> None:
    """Trying a variant does not shorten the text that it is a variant of."""
    target = ToyTarget(ToyLaw(), sequences=2, rows=64)
    cache = PrefixCache(target, range(2))
    donor, _ = fill(target, cache, [1, 2, 3, 4])
    cache.release(donor)
    variant, known = cache.take([1, 2, 9], 3, spare_donor=True)
    assert (variant != donor, known) == (True, 2)
    assert cache.text(donor) == [1, 2, 3, 4]


def test_waiting_pays_while_a_longer_beginning_is_being_evaluated() -> None:
    """A prompt that shares much with one in work is told so, until that part is there."""
    target = ToyTarget(ToyLaw(), sequences=2, rows=64)
    cache = PrefixCache(target, range(2))
    prompt = [1] * 40
    sequence, _ = cache.take(prompt, 39)
    assert cache.is_coming([*prompt[:30], 2, 3], 31)
    target.evaluate([Row((sequence,), index, 1) for index in range(30)])
    cache.grow(sequence, prompt[:30])
    assert not cache.is_coming([*prompt[:30], 2, 3], 31)


def test_with_no_idle_sequence_it_says_so() -> None:
    """A named error."""
    cache = PrefixCache(ToyTarget(ToyLaw(), sequences=1), range(1))
    cache.take([1], 0)
    with pytest.raises(EngineBusy):
        cache.take([1], 0)
