"""Draft trees: pruning, merging, and giving every branch a sequence."""

from hypothesis import given
from hypothesis import strategies as st

from lrc.speculative.protocols import DraftNode, DraftTree
from lrc.speculative.tree import branches, chain, chances, depths, leaves, merged, path_to, pruned


@st.composite
def trees(draw: st.DrawFn) -> DraftTree:
    """Any tree of up to twelve nodes without equal siblings."""
    nodes: list[DraftNode] = []
    for index in range(draw(st.integers(0, 12))):
        node = DraftNode(draw(st.integers(-1, index - 1)), draw(st.integers(0, 5)), "toy", draw(st.floats(0.01, 0.99)))
        if all((node.parent, node.token) != (other.parent, other.token) for other in nodes) and node.parent < len(
            nodes
        ):
            nodes.append(node)
    return tuple(nodes)


def texts(tree: DraftTree) -> set[tuple[int, ...]]:
    """The texts that the tree's nodes stand for."""
    return {tuple(tree[step].token for step in path_to(tree, index)) for index in range(len(tree))}


def test_a_chain_is_a_tree_with_one_branch() -> None:
    """One leaf, the last token."""
    tree = chain([5, 6, 7], "toy", [0.5] * 3)
    assert leaves(tree) == [2]
    assert depths(tree) == [0, 1, 2]
    assert chances(tree) == [0.5, 0.25, 0.125]


@given(trees())
def test_a_tree_merged_with_itself_is_itself(tree: DraftTree) -> None:
    """Equal guesses fall together."""
    assert merged([tree, tree], 100) == tree


@given(trees(), trees())
def test_merging_keeps_every_guess_of_both(left: DraftTree, right: DraftTree) -> None:
    """The texts of a merged tree are those of its parts, each once."""
    both = merged([left, right], 100)
    assert texts(both) == texts(left) | texts(right)
    assert len(both) == len(texts(both))


@given(trees(), trees(), st.integers(0, 10))
def test_merging_keeps_to_the_limit_and_stays_a_tree(left: DraftTree, right: DraftTree, limit: int) -> None:
    """However it is cut, parents come first and no node is orphaned."""
    both = merged([left, right], limit)
    assert len(both) <= limit
    assert all(-1 <= node.parent < index for index, node in enumerate(both))


@given(trees(), st.integers(0, 3))
def test_branches_share_rows_where_they_are_equal_and_part_where_they_part(tree: DraftTree, spare: int) -> None:
    """Each sequence runs down one branch; a node belongs to the sequences of all kept branches through it."""
    kept, members, used = branches(tree, 7, range(20, 20 + spare))
    assert used == list(range(20, 20 + len(used)))
    assert len(used) == max(len(leaves(kept)) - 1, 0)
    assert texts(kept) <= texts(tree)
    for leaf in leaves(kept):
        assert len(members[leaf]) == 1
    for index, node in enumerate(kept):
        if node.parent >= 0:
            assert set(members[index]) <= set(members[node.parent])
    if kept:
        own = [leaf for leaf in leaves(kept) if members[leaf] == (7,)]
        assert len(own) == 1
        assert chances(kept)[own[0]] == max(chances(kept)[leaf] for leaf in leaves(kept))


@given(trees())
def test_pruning_to_all_nodes_changes_nothing(tree: DraftTree) -> None:
    """The identity."""
    assert pruned(tree, range(len(tree))) == tree
