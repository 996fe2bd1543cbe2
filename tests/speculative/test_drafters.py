"""What each drafter guesses, and how they go together."""

import numpy as np
import pytest

from lrc.speculative.cache import PrefixCache
from lrc.speculative.draft_model import DraftModel
from lrc.speculative.errors import NoCacheSlot
from lrc.speculative.forced import Forced
from lrc.speculative.history import MOST_TOKENS, History
from lrc.speculative.lookup import Lookup
from lrc.speculative.mixed import Chain, Mix
from lrc.speculative.protocols import DraftTree, Row
from lrc.speculative.sampling import Sampling
from lrc.speculative.tree import leaves, path_to
from tests.support.toy_drafters import Recording, Right, Wrong
from tests.support.toy_grammar import ToyGrammar
from tests.support.toy_target import ToyLaw, ToyTarget

END = frozenset({0})


def tokens(tree: DraftTree) -> list[int]:
    """The guessed tokens in order."""
    return [node.token for node in tree]


class TestLookup:
    """Drafts by suffix match."""

    def test_what_followed_the_same_words_is_guessed(self) -> None:
        """The longest match decides, not the nearest."""
        lookup = Lookup()
        lookup.begin([5, 1, 2, 3, 9, 9, 4, 2, 3, 8, 8, 5, 1, 2, 3])
        assert tokens(lookup.propose(2)) == [9, 9]

    def test_a_single_equal_token_is_no_match(self) -> None:
        """One token proves nothing: no rows are spent on it."""
        lookup = Lookup()
        lookup.begin([1, 2, 3, 4, 1])
        assert lookup.propose(4) == ()

    def test_it_reads_further_texts_but_never_across_their_ends(self) -> None:
        """A match in a text of the request is continued to that text's end at most."""
        lookup = Lookup([[1, 2, 3, 4], [7, 8]])
        lookup.begin([9, 1, 2])
        assert tokens(lookup.propose(9)) == [3, 4]

    def test_it_learns_from_the_answer(self) -> None:
        """What was said in this answer can be said again."""
        lookup = Lookup()
        lookup.begin([1])
        lookup.observe([4, 5, 6, 7, 4, 5])
        assert tokens(lookup.propose(2)) == [6, 7]

    def test_a_longer_match_is_believed_more(self) -> None:
        """Confidence grows with the length of the match."""
        short, long = Lookup(), Lookup()
        short.begin([1, 2, 3, 9, 1, 2])
        long.begin([1, 2, 3, 4, 5, 6, 9, 1, 2, 3, 4, 5])
        assert short.propose(1)[0].confidence < long.propose(1)[0].confidence

    def test_where_it_is_unsure_it_can_follow_several_branches(self) -> None:
        """Two continuations of one match are siblings, the more frequent first."""
        lookup = Lookup(branches=2)
        lookup.begin([1, 2, 3, 9, 1, 2, 3, 7, 1, 2, 4, 5, 1, 2])
        tree = lookup.propose(4)
        assert [node.token for node in tree if node.parent == -1] == [3, 4]
        assert len(leaves(tree)) > 1

    def test_history_helps_where_the_text_does_not(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        """Earlier answers are looked up when they match longer."""
        history = History(tmp_path_factory.mktemp("history") / "ids", "toy")
        history.add([1, 2, 3, 4, 5])
        lookup = Lookup(history=history)
        lookup.begin([9, 1, 2, 3])
        assert tokens(lookup.propose(9)) == [4, 5]


class TestHistory:
    """The file of earlier answers."""

    def test_it_outlives_the_process(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        """Saved ids are read again; nobody else may read them."""
        path = tmp_path_factory.mktemp("history") / "below" / "ids"
        history = History(path, "toy")
        history.add([1, 2, 3])
        history.save()
        assert len(History(path, "toy")) == 4
        assert path.stat().st_mode & 0o077 == 0
        assert [file.name for file in path.parent.iterdir()] == ["ids"]

    def test_it_is_capped(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        """Only the newest tokens are kept."""
        path = tmp_path_factory.mktemp("history") / "ids"
        history = History(path, "toy")
        for start in range(0, 3 * MOST_TOKENS, 100):
            history.add(list(range(start, start + 100)))
        history.save()
        assert len(History(path, "toy")) == MOST_TOKENS

    @pytest.mark.parametrize(
        "content", [b"", b"nonsense", b"{}\n\x00", b'{"version": 1, "tokenizer": "other"}\n\1\0\0\0']
    )
    def test_a_damaged_or_foreign_file_is_an_empty_history(
        self, tmp_path_factory: pytest.TempPathFactory, content: bytes
    ) -> None:
        """Guesses are lost, nothing else."""
        path = tmp_path_factory.mktemp("history") / "ids"
        path.write_bytes(content)
        assert len(History(path, "toy")) == 0

    def test_a_place_that_cannot_be_written_is_no_error(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        """Remembering is optional."""
        folder = tmp_path_factory.mktemp("history")
        (folder / "file").write_text("in the way")
        history = History(folder / "file" / "ids", "toy")
        history.add([1])
        history.save()
        assert (folder / "file").read_text() == "in the way"


class TestForced:
    """Drafts of what the grammar forces."""

    def forced(self, grammar: ToyGrammar) -> Forced:
        """Tokens 1 to 11 are their own bytes; two bytes 3 are one token 10 when encoded together."""

        def encode(span: bytes) -> list[int]:
            return list(span.replace(b"\x03\x03", b"\x0a"))

        return Forced(grammar, {byte: byte for byte in range(1, 12)}, END, encode)

    def test_the_forced_text_is_guessed_less_its_last_token(self) -> None:
        """The last token might be the beginning of a longer one."""
        assert tokens(self.forced(ToyGrammar(forced=(5, 4, 3, 2))).propose(9)) == [5, 4, 3]

    def test_it_is_tokenised_as_the_vocabulary_does(self) -> None:
        """A span of bytes is encoded as a whole."""
        assert tokens(self.forced(ToyGrammar(forced=(3, 3, 5, 5))).propose(9)) == [10, 5]

    def test_where_there_is_a_choice_nothing_is_guessed(self) -> None:
        """Two legal bytes are one too many."""
        assert self.forced(ToyGrammar()).propose(9) == ()

    def test_the_grammar_is_not_moved(self) -> None:
        """Looking ahead works on a copy, which is given back."""
        grammar = ToyGrammar(forced=(5, 4, 3, 2))
        before = ToyGrammar.open_copies
        self.forced(grammar).propose(9)
        assert (grammar.text, ToyGrammar.open_copies) == ((), before)


class TestDraftModel:
    """Drafts from a smaller model."""

    def rig(self, **settings: object) -> tuple[DraftModel, ToyTarget, PrefixCache]:
        """A draft model over a toy law."""
        target = ToyTarget(ToyLaw(seed=1), cells=64, sequences=2, rows=8)
        cache = PrefixCache(target, range(2))
        return DraftModel(target, cache, **settings), target, cache  # type: ignore[arg-type]

    def test_it_says_what_its_model_says(self) -> None:
        """Greedy continuation of the draft's own law."""
        drafter, _, _ = self.rig(stop_below=0.0)
        drafter.begin([1, 2, 3])
        expected = Recording(ToyLaw(seed=1))
        expected.begin([1, 2, 3])
        assert tokens(drafter.propose(5)) == expected.continuation(5)

    def test_nothing_is_evaluated_before_a_guess_is_asked_for(self) -> None:
        """Many texts are never drafted for; they cost the draft nothing."""
        drafter, target, _ = self.rig()
        drafter.begin([1, 2, 3])
        drafter.observe([4, 5])
        assert target.evaluations == []

    def test_after_a_rejection_only_the_difference_is_evaluated(self) -> None:
        """The accepted part of its own draft is still in its cache."""
        drafter, target, cache = self.rig(stop_below=0.0)
        drafter.begin([1] * 20)
        guessed = tokens(drafter.propose(4))
        drafter.observe([*guessed[:2], (guessed[2] + 1) % 12])
        target.evaluations.clear()
        drafter.propose(1)
        assert sum(target.evaluations) == 1
        assert target.tokens(0) == cache.text(0)

    def test_it_stops_where_it_is_unsure(self) -> None:
        """A guess below the threshold is not made."""
        drafter, _, _ = self.rig(stop_below=1.0)
        drafter.begin([1, 2, 3])
        assert drafter.propose(5) == ()

    def test_a_full_context_ends_drafting_not_the_answer(self) -> None:
        """A draft whose context is smaller than the target's falls silent."""
        drafter, _, _ = self.rig(stop_below=0.0)
        drafter.begin([1] * 62)
        assert len(drafter.propose(9)) == 2
        drafter.observe([1] * 5)
        assert drafter.propose(9) == ()

    def test_without_cells_it_falls_silent(self) -> None:
        """No cell for the draft is no fault of the answer."""
        drafter, target, _ = self.rig(stop_below=0.0)
        drafter.begin([1, 2, 3])
        target.failures = [NoCacheSlot("full")]
        assert drafter.propose(3) == ()
        assert drafter.propose(3) != ()

    def test_a_token_that_the_draft_does_not_know_silences_it(self) -> None:
        """Ids beyond the shared vocabulary are never fed to the draft."""
        drafter, _, _ = self.rig(n_vocab=8)
        drafter.begin([1, 9])
        assert drafter.propose(3) == ()

    def test_where_it_is_unsure_it_offers_the_next_best_too(self) -> None:
        """Siblings stand beside the best token, with their own share of probability."""
        drafter, _, _ = self.rig(stop_below=0.0, siblings=1)
        drafter.begin([1, 2, 3])
        tree = drafter.propose(8)
        law = ToyLaw(seed=1)
        for index, node in enumerate(tree):
            above = [tree[step].token for step in path_to(tree, index)][:-1]
            ranked = np.argsort(-law.after([1, 2, 3, *above]), kind="stable")[:2]
            assert node.token in ranked
        assert len(leaves(tree)) > 1

    def test_drawn_tokens_carry_their_law(self) -> None:
        """And what is kept of the draft cannot depend on the value drawn: confidence is the law's, not the token's."""
        drafter, _, _ = self.rig(sampling=Sampling(temperature=1.0, seed=3))
        drafter.begin([1, 2, 3])
        tree = drafter.propose(6)
        assert len(tree) == 6
        for node in tree:
            assert node.law is not None
            assert node.law[node.token] > 0
            assert node.confidence == node.law.max()


class TestMixed:
    """Several drafters in one."""

    law = ToyLaw(seed=1)

    def begun(self, kind: type[Recording], name: str) -> Recording:
        """A drafter in the middle of a text."""
        drafter = kind(self.law)
        drafter.name = name
        drafter.begin([1, 2])
        return drafter

    def test_a_chain_takes_the_first_that_has_a_guess(self) -> None:
        """Silent drafters are passed over."""
        chain = Chain([self.begun(Recording, "silent"), self.begun(Right, "right"), self.begun(Wrong, "wrong")])
        assert {node.source for node in chain.propose(3)} == {"right"}

    def test_a_mix_lays_all_guesses_over_each_other(self) -> None:
        """Each token keeps the name of who guessed it first."""
        mix = Mix([self.begun(Right, "right"), self.begun(Right, "same"), self.begun(Wrong, "wrong")])
        tree = mix.propose(8)
        assert {node.source for node in tree} == {"right"}
        tree = mix.propose(20)[:20]
        assert len({(node.parent, node.token) for node in tree}) == len(tree)

    def test_a_dear_drafter_is_rationed(self) -> None:
        """The ration is asked for each, and none means that it is not asked at all."""
        asked: list[str] = []

        def ration(drafter: object, limit: int) -> int:
            asked.append(drafter.name)  # type: ignore[attr-defined]
            return 0 if drafter.name == "dear" else 2  # type: ignore[attr-defined]

        chain = Chain([self.begun(Right, "dear"), self.begun(Right, "cheap")], ration)
        assert [node.source for node in chain.propose(5)] == ["cheap", "cheap"]
        assert asked == ["dear", "cheap"]

    def test_all_verbs_reach_all_drafters(self) -> None:
        """Begin, observe and close are passed on."""
        drafters = [self.begun(Right, "a"), self.begun(Wrong, "b")]
        mix = Mix(drafters)
        mix.begin([5])
        mix.observe([6])
        mix.close()
        assert [(drafter.text, drafter.closed) for drafter in drafters] == [([5, 6], 1)] * 2


def test_the_toy_target_is_strict() -> None:
    """The checks of these tests rest on it: a row that does not follow its sequence is refused."""
    target = ToyTarget(ToyLaw())
    with pytest.raises(AssertionError, match="must follow"):
        target.evaluate([Row((0,), 1, 1)])
