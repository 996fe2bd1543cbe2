"""Drafts under a grammar: an illegal guess is a sure rejection, so it is not worth a row."""

from lrc.speculative.protocols import DraftTree, Grammar
from lrc.speculative.tree import pruned


def prune_illegal(tree: DraftTree, grammar: Grammar, ends: frozenset[int]) -> DraftTree:
    """`tree` without the nodes that the grammar forbids and what hangs below them.

    `grammar` stands after the last known token and is not moved: each branch advances a copy. An ending token is never
    fed to the grammar, so nothing may hang below one. A token drawn from a law stays even when illegal: the rejection
    rule counts on every draw being tried.
    """
    states: dict[int, Grammar] = {-1: grammar}
    parents = {node.parent for node in tree}
    keep: list[int] = []
    try:
        for index, node in enumerate(tree):
            state = states.get(node.parent)
            if state is None:
                continue
            legal = state.legal(node.token)
            if not legal and node.law is None:
                continue
            keep.append(index)
            if legal and index in parents and node.token not in ends:
                copy = state.clone()
                states[index] = copy
                copy.accept(node.token)
    finally:
        for index, state in states.items():
            if index >= 0:
                state.close()
    return pruned(tree, keep)
