"""Many texts at once: shared work, order, deadlines, and what happens when something fails."""

import time

import pytest

from lrc.speculative.cache import PrefixCache
from lrc.speculative.draft_model import DraftModel
from lrc.speculative.errors import DecodeAborted, DecodeFailed, DraftOutOfSync, EngineBusy, NoCacheSlot
from lrc.speculative.none import NoDrafter
from lrc.speculative.policy import FixedLength
from lrc.speculative.protocols import Drafter
from lrc.speculative.requests import Finish
from lrc.speculative.sampling import GREEDY, Chooser
from lrc.speculative.scheduler import Decoding
from lrc.speculative.stats import Tally
from lrc.speculative.streams import Job
from tests.support.toy_drafters import Broken, Right, Wrong
from tests.support.toy_target import ToyLaw, ToyTarget

NEVER = frozenset({-1})


class Rig:
    """A target, its cache and a decoding over them."""

    def __init__(self, *, cells: int = 512, streams: int = 4, rows: int = 32, length: int = 3) -> None:
        self.law = ToyLaw(seed=1)
        self.target = ToyTarget(self.law, cells=cells, sequences=streams + 1, rows=rows)
        self.cache = PrefixCache(self.target, range(streams + 1))
        self.tally = Tally()
        self.decoding = Decoding(self.target, self.cache, FixedLength(length), self.tally, streams=streams)

    def job(self, prompt: list[int], most: int = 8, drafter: Drafter | None = None) -> Job:
        """A job that never ends by itself."""
        return Job(prompt, most, Chooser(GREEDY, None, NEVER), drafter or NoDrafter())

    def texts(self, jobs: list[Job]) -> dict[int, tuple[int, ...]]:
        """Run to the end."""
        return {outcome.index: outcome.tokens for outcome in self.decoding.outcomes(jobs)}


def test_a_shared_beginning_is_evaluated_once() -> None:
    """Of prompts that begin alike, the second waits for the first and only its own end is evaluated."""
    rig = Rig(rows=64)
    head = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] * 4
    outcomes = list(rig.decoding.outcomes([rig.job([*head, tail]) for tail in (1, 2, 3, 4)]))
    assert sorted(outcome.counts.reused_tokens for outcome in outcomes) == [0, 40, 40, 40]
    assert sum(rig.target.evaluations) == 40 + 4 + 4 * 7


def test_texts_side_by_side_share_their_steps() -> None:
    """Four texts of eight tokens take eight steps of four rows, not thirty-two of one."""
    rig = Rig()
    rig.texts([rig.job([index + 1]) for index in range(4)])
    assert rig.target.evaluations == [4] * 8


def test_an_answer_is_handed_out_as_soon_as_it_ends() -> None:
    """The shortest comes first, and the waiting text takes its place."""
    rig = Rig(streams=2)
    jobs = [rig.job([1], 9), rig.job([2], 2), rig.job([3], 3)]
    assert [outcome.index for outcome in rig.decoding.outcomes(jobs)] == [1, 2, 0]


def test_a_second_call_finds_the_first_ones_prompt() -> None:
    """What was evaluated stays borrowable between calls."""
    rig = Rig()
    prompt = list(range(1, 11)) * 2
    rig.texts([rig.job(prompt)])
    rig.texts([rig.job([*prompt, 5])])
    assert rig.tally.reused_tokens == 20


def test_progress_is_told_after_each_step() -> None:
    """Tokens so far rise to the total; rates are positive."""
    rig = Rig()
    told: list[tuple[int, float]] = []
    list(rig.decoding.outcomes([rig.job([1]), rig.job([2])], None, lambda count, rate: told.append((count, rate))))
    assert [count for count, _ in told] == list(range(2, 17, 2))
    assert all(rate > 0 for _, rate in told)


def test_at_the_deadline_everything_is_handed_out_as_it_is() -> None:
    """Texts in work and waiting ones end with what they have."""
    rig = Rig(streams=1)
    outcomes = list(rig.decoding.outcomes([rig.job([1]), rig.job([2])], time.monotonic() - 1))
    assert [(outcome.finish, outcome.tokens) for outcome in outcomes] == [(Finish.DEADLINE, ())] * 2
    assert rig.cache.idle == 2


def test_an_evaluation_stopped_by_the_deadline_is_no_error() -> None:
    """The target stops half way through a step; the texts end there."""
    rig = Rig()
    rig.target.failures = [DecodeAborted("stopped")]
    deadline = time.monotonic() + 0.05

    class Late(NoDrafter):
        def begin(self, prompt: object) -> None:
            time.sleep(0.06)

    outcomes = list(rig.decoding.outcomes([rig.job([1], drafter=Late())], deadline))
    assert [outcome.finish for outcome in outcomes] == [Finish.DEADLINE]


@pytest.mark.parametrize("fault", [DecodeAborted("stopped"), DecodeFailed("refused"), KeyboardInterrupt()])
def test_a_failed_evaluation_leaves_a_usable_state(fault: BaseException) -> None:
    """The error rises, sequences are given back, and the same jobs then give their texts."""
    rig = Rig()
    expected = Rig().texts([rig.job([1, 2, 3]), rig.job([4, 5])])
    outcomes = rig.decoding.outcomes([rig.job([1, 2, 3]), rig.job([4, 5], 3)])
    next(outcomes)
    rig.target.failures = [fault]  # type: ignore[list-item]
    with pytest.raises(type(fault)):
        next(outcomes)
    assert rig.cache.idle == 5
    assert rig.texts([rig.job([1, 2, 3]), rig.job([4, 5])]) == expected


def test_a_full_context_ends_the_answer_by_name() -> None:
    """The answer stops where the window does, drafted or not, and says so."""
    for drafter in (None, Right(ToyLaw(seed=1))):
        rig = Rig(cells=20)
        (outcome,) = rig.decoding.outcomes([rig.job([1] * 12, 50, drafter)])
        assert outcome.finish is Finish.CONTEXT
        assert len(outcome.tokens) == 9


def test_without_cells_old_texts_are_forgotten_first() -> None:
    """A full cache of finished texts is no obstacle."""
    rig = Rig(cells=40)
    for token in range(1, 9):
        assert len(rig.texts([rig.job([token] * 20)])[0]) == 8


def test_a_text_sent_back_for_lack_of_cells_goes_on_later() -> None:
    """When the cache cannot hold two growing texts, the younger waits and still comes out right."""
    expected = Rig().texts([Rig().job([1] * 5, 12), Rig().job([2] * 5, 12)])
    rig = Rig()
    rig.target.failures = []
    outcomes = rig.decoding.outcomes([rig.job([1] * 5, 12), rig.job([2] * 5, 12)])
    rig.target.failures = [NoCacheSlot("full")] * 2
    assert {outcome.index: outcome.tokens for outcome in outcomes} == expected


def test_a_drafter_that_fails_is_dropped_and_named() -> None:
    """The answer is unharmed; the fault is in the counts."""
    rig = Rig()
    broken = Broken(rig.law)
    assert rig.texts([rig.job([1, 2], 12, broken)]) == Rig().texts([rig.job([1, 2], 12)])
    assert rig.tally.stats().faults == ("the drafter broke",)
    assert broken.closed >= 1


def test_a_draft_model_out_of_sync_is_noticed_and_dropped() -> None:
    """A draft whose cache does not hold what it should is a named fault, never a silent loss of acceptance."""
    rig = Rig()
    small = ToyTarget(rig.law, sequences=2)
    drafter = DraftModel(small, PrefixCache(small, range(2)), stop_below=0.0)
    drafter.begin([1, 2, 3])
    assert drafter.propose(2)
    small.rewind(0, 2)
    drafter.observe([4])
    with pytest.raises(DraftOutOfSync):
        drafter.propose(2)


def test_counts_are_by_drafter_and_position() -> None:
    """Right drafts are accepted at every position, wrong ones tried at the first only."""
    rig = Rig(length=3)
    (right,) = rig.decoding.outcomes([rig.job([1], 8, Right(rig.law))])
    assert right.counts.drafts["toy"].drafted == (2, 2, 2)
    assert right.counts.drafts["toy"].accepted == (2, 2, 2)
    assert right.counts.target_steps == 2
    (wrong,) = rig.decoding.outcomes([rig.job([2], 4, Wrong(rig.law))])
    assert wrong.counts.drafts["toy"].drafted == (3,)
    assert wrong.counts.accepted == 0


def test_every_drafter_is_closed_however_the_run_ends() -> None:
    """After the last answer, and after dropping the run."""
    rig = Rig()
    drafters = [Right(rig.law), Wrong(rig.law)]
    rig.texts([rig.job([1], drafter=drafters[0])])
    outcomes = rig.decoding.outcomes([rig.job([1], 2), rig.job([2], 50, drafters[1])])
    next(outcomes)
    outcomes.close()
    assert [drafter.closed for drafter in drafters] == [1, 1]


def test_with_all_sequences_taken_by_others_it_says_so() -> None:
    """Instead of waiting for ever."""
    rig = Rig(streams=1)
    rig.cache.take([1], 0)
    rig.cache.take([2], 0)
    with pytest.raises(EngineBusy):
        rig.texts([rig.job([3])])
