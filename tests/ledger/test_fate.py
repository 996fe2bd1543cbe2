"""What the ledger says of a commit, from events alone: what real repositories do not easily show."""

import random
from typing import Any

import pytest

from lrc.ledger.account import since_commit, with_past
from lrc.ledger.action import action_of
from lrc.ledger.fate import BEFORE, Past, State
from lrc.ledger.walk import Commit, Lines

KEYS = [f"{number:012d}" for number in range(10)]
HERE = Commit("c" * 40, ("p" * 40,), "t" * 40, 1000, "subject")


def _review(at: int = 10, *, seen: list[str] | None = None, **values: object) -> dict[str, Any]:
    seen = KEYS[:4] if seen is None else seen
    return {
        "event": "review",
        "at": at,
        "id": f"r{at}",
        "worktree": "",
        "head": "p" * 40,
        "index": "t" * 40,
        "hook": True,
        "staged": True,
        "verdict": "pass",
        "model": "coder@1",
        "fault": "",
        "findings": [],
        "lines": {"model": len(seen)},
        "keys": {"model": "".join(seen)},
        **values,
    }


def _commit(at: int = 20, **values: object) -> dict[str, Any]:
    fields = {"id": "c" * 40, "parents": "p" * 40, "tree": "t" * 40, "before": "p" * 40, "action": "commit"}
    return {"event": "commit", "at": at, "worktree": "", **fields, **values}


def _lines(*keys: str) -> Any:
    return lambda commit: Lines(keys, 1)


def _unasked(commit: Commit) -> Lines:
    raise AssertionError("the ledger alone tells: git need not be asked")


@pytest.mark.parametrize(
    ("subject", "action"),
    [
        ("commit: words", "commit"),
        ("commit (initial): words: more", "commit (initial)"),
        ("commit (amend): (odd) words", "commit (amend)"),
        ("merge topic: Merge made by the 'ort' strategy.", "merge"),
        ("pull: Merge made by the 'ort' strategy.", "pull"),
        ("pull --rebase origin main (pick): words", "rebase (pick)"),
        ("pull --rebase https://example.org/x (pick): words", "rebase"),
        ("rebase (continue): words", "rebase (continue)"),
        ("am: words", "am"),
        ("", ""),
    ],
)
def test_actions_of_the_reflog(subject: str, action: str) -> None:
    """What git was doing, without the names that follow."""
    assert action_of(subject) == action


def test_a_commit_that_is_what_was_reviewed_needs_no_git() -> None:
    """Tree and parent are those of the review: nothing is read from the repository."""
    fate = Past([_review(), _commit()]).fate(HERE, _unasked)
    assert (fate.state, fate.coverage, fate.by_model, fate.model) == (State.REVIEWED, 1.0, 1.0, "coder@1")


def test_unfinished_review_is_reviewed_in_part() -> None:
    """Out of time: the commit was reviewed, not as a whole, and is worth another look."""
    review = _review(lines={"model": 2, "left": 2}, keys={"model": "".join(KEYS[:2]), "left": "".join(KEYS[2:4])})
    fate = Past([review, _commit()]).fate(HERE, _lines(*KEYS[:4]))
    assert (fate.state, fate.coverage, fate.unreviewed) == (State.REVIEWED, 0.5, True)


def test_review_of_another_tree_is_not_this_commit_s() -> None:
    """Reviewed, ended in the editor, changed, committed with `--no-verify`: passed by."""
    fate = Past([_review(index="o" * 40), _commit()]).fate(HERE, _lines(*KEYS[2:6]))
    assert (fate.state, fate.how, fate.coverage) == (State.BYPASSED, "--no-verify", 0.5)


def test_review_in_another_work_tree_or_on_another_branch_does_not_count_as_this_hook_s() -> None:
    """The attempt must be of this work tree and of what was HEAD; its lines count all the same."""
    for review in (_review(worktree="other"), _review(head="x" * 40)):
        fate = Past([review, _commit()]).fate(HERE, _lines(*KEYS[:4]))
        assert (fate.state, fate.how) == (State.REVIEWED, "--no-verify, but another review read it")
        assert fate.iterations == 0


def test_a_commit_reported_twice_is_one() -> None:
    """The framework and our own hook both record it: the second changes nothing."""
    past = Past([_review(), _commit(20), _commit(21)])
    assert past.fate(HERE, _unasked).state is State.REVIEWED


def test_a_later_review_takes_a_block_back() -> None:
    """Lines that blocked and were then found good (dismissed, another threshold) are no override."""
    blocked = _review(10, verdict="block", blocking=KEYS[0], index="o" * 40)
    assert Past([blocked, _commit()]).fate(HERE, _lines(*KEYS[:4])).state is State.OVERRIDDEN
    again = _review(11, index="q" * 40)
    assert Past([blocked, again, _commit()]).fate(HERE, _lines(*KEYS[:4])).state is State.REVIEWED


def test_review_after_the_fact_has_stopped_nothing() -> None:
    """`lrc review COMMIT` that finds something blocking does not make an override of it."""
    later = _review(30, staged=False, hook=False, verdict="block", blocking=KEYS[0], findings=[["f", "high", "cost"]])
    fate = Past([_commit(), later]).fate(HERE, _lines(*KEYS[:4]))
    assert (fate.state, fate.findings) == (State.REVIEWED, {"high": 1})


def test_rewrites_in_a_circle_end() -> None:
    """Whatever the file says of who replaced whom, an answer comes."""
    old = "d" * 40
    past = Past(
        [
            _commit(id=old, action="rebase (pick)"),
            _commit(action="rebase (pick)"),
            {"event": "rewrite", "at": 30, "pairs": [[old, HERE.name], [HERE.name, old], [HERE.name, HERE.name]]},
        ]
    )
    assert past.fate(HERE, _lines(KEYS[0])).state is State.UNSEEN


def test_clone_that_lacks_the_parent() -> None:
    """Where git cannot show the change, what the hooks saw is what is known."""
    assert Past([_commit()]).fate(HERE, lambda commit: None).state is State.BYPASSED
    assert Past([]).fate(HERE, lambda commit: None).unreviewed


def test_a_cut_ledger_begins_with_what_is_left() -> None:
    """The mark of the cut is newer than what it stands before."""
    past = Past([{"event": "cut", "at": 900}, _review(500)])
    assert past.began == 500


def test_within_the_ledger_s_first_second_the_parent_tells() -> None:
    """Git counts seconds: an unseen commit as old as the first entry is older only if nothing known is below it."""
    past = Past([_review(10, head="o" * 40), _commit(10, id="p" * 40, parents="o" * 40)])

    def how(parent: str, at: int) -> str:
        return past.fate(Commit("d" * 40, (parent * 40,), "t" * 40, at, "subject"), _lines("unknown")).how

    assert [how(parent, 10) for parent in "poa"] == ["made elsewhere", "made elsewhere", BEFORE]
    assert [how(parent, 9) for parent in "pa"] == [BEFORE, BEFORE]
    assert how("a", 11) == "made elsewhere"


def test_iterations_end_at_a_commit_or_another_head() -> None:
    """Counted are reviews of what was staged, in this work tree, since its last commit."""
    entries = [_review(1), _commit(2), _review(3), _review(4, worktree="w"), _review(5, staged=False), _review(6)]
    assert [entry["at"] for entry in since_commit(reversed(entries), "", "p" * 40)] == [6, 3]
    assert list(since_commit(reversed(entries), "", "x" * 40)) == []


def test_lines_left_by_this_run_but_seen_by_an_earlier_one_count() -> None:
    """Coverage is of all reviews, the current one included."""
    entry = {
        "worktree": "",
        "head": "p" * 40,
        "lines": {"model": 2, "left": 2, "aside": 9},
        "keys": {"model": "".join(KEYS[:2]), "left": "".join(KEYS[2:4])},
    }
    assert with_past(entry, list) == (0.5, 1)
    assert with_past(entry, lambda: [_review(seen=KEYS[2:3])]) == (0.75, 2)
    assert with_past({**entry, "lines": {"aside": 9}, "keys": {}}, list) == (None, 1)


@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_events_gives_an_answer(seed: int) -> None:
    """Events in any order and number, as two hook tools and a crash may leave them: a fate, a share within bounds."""
    chance = random.Random(seed)
    kinds = [
        lambda: _review(chance.randrange(50), seen=chance.sample(KEYS, 3), index=chance.choice("to") * 40),
        lambda: _review(1, blocking=chance.choice(KEYS), staged=chance.random() < 0.5, renamed="".join(KEYS[:2])),
        lambda: {"event": "bypass", "at": 3, "worktree": "", "head": "p" * 40, "how": "LRC_SKIP=1"},
        lambda: {"event": "failed", "at": 3, "worktree": "", "head": "p" * 40, "fault": "no model"},
        lambda: _commit(action=chance.choice(["commit", "rebase (pick)", "commit (amend)", ""])),
        lambda: {"event": "rewrite", "at": 4, "pairs": [[chance.choice("cd") * 40, chance.choice("cd") * 40]]},
        lambda: {"event": "unheard of", "at": 4},
    ]
    past = Past([chance.choice(kinds)() for _ in range(chance.randrange(12))])
    fate = past.fate(HERE, _lines(*chance.sample(KEYS, 4)))
    assert fate.coverage is None or 0 <= fate.coverage <= 1
    assert fate.by_model is None or 0 <= fate.by_model <= 1
    assert fate.state in State
