"""Drafts are cut where the grammar forbids them."""

from lrc.speculative.legal import prune_illegal
from lrc.speculative.protocols import DraftNode
from lrc.speculative.sampling import Sampling, law_of
from lrc.speculative.tree import chain
from tests.support.toy_grammar import ToyGrammar
from tests.support.toy_target import ToyLaw

END = frozenset({0})


def test_a_chain_is_cut_at_its_first_illegal_token() -> None:
    """What follows an illegal token is as sure a rejection as the token itself."""
    tree = chain([1, 1, 2, 4], "toy", [0.5] * 4)
    assert [node.token for node in prune_illegal(tree, ToyGrammar(), END)] == [1, 1]


def test_branches_are_judged_each_by_its_own_text() -> None:
    """A token illegal in one branch may be legal in another."""
    tree = (DraftNode(-1, 1, "a"), DraftNode(-1, 2, "a"), DraftNode(0, 2, "a"), DraftNode(1, 2, "a"))
    assert [(node.parent, node.token) for node in prune_illegal(tree, ToyGrammar(), END)] == [(-1, 1), (-1, 2), (1, 2)]


def test_an_end_is_kept_only_where_the_text_may_end_and_nothing_below_it() -> None:
    """The ending token is never fed to the grammar."""
    tree = chain([0, 4], "toy", [0.5] * 2)
    assert prune_illegal(tree, ToyGrammar(shortest=1), END) == ()
    assert [node.token for node in prune_illegal(tree, ToyGrammar(shortest=0), END)] == [0]


def test_a_drawn_token_is_kept_even_if_illegal() -> None:
    """The rejection rule needs every draw to be tried: dropping one by its value would bend the law."""
    law = law_of(ToyLaw().after([1]), Sampling(temperature=1.0))
    tree = (DraftNode(-1, 1, "q", 0.5, law), DraftNode(0, 2, "q", 0.5, law), DraftNode(1, 4, "q", 0.5, law))
    assert [node.token for node in prune_illegal(tree, ToyGrammar(), END)] == [1, 2]


def test_looking_ahead_leaves_no_copies_behind() -> None:
    """Every copy of the grammar is closed; the text's own is neither moved nor closed."""
    grammar = ToyGrammar()
    before = ToyGrammar.open_copies
    prune_illegal(chain([1, 1, 1, 3], "toy", [0.5] * 4), grammar, END)
    assert ToyGrammar.open_copies == before
    assert grammar.text == ()
