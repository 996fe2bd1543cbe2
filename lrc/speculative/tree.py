"""Draft trees as rows of a batch. Pure.

Branches that part need a sequence each. The branch that the drafter believes in most runs in the text's own sequence;
the others borrow spare ones, which share the text's cells up to the fork.
"""

from collections.abc import Sequence

from lrc.speculative.protocols import DraftNode, DraftTree


def leaves(tree: DraftTree) -> list[int]:
    """Indexes of the nodes without children, in order."""
    parents = {node.parent for node in tree}
    return [index for index in range(len(tree)) if index not in parents]


def path_to(tree: DraftTree, index: int) -> list[int]:
    """Indexes from the first level down to `index`, inclusive; empty for -1."""
    path: list[int] = []
    while index >= 0:
        path.append(index)
        index = tree[index].parent
    return path[::-1]


def depths(tree: DraftTree) -> list[int]:
    """Level of each node, 0 right below the last known token."""
    result: list[int] = []
    for node in tree:
        result.append(0 if node.parent < 0 else result[node.parent] + 1)
    return result


def chances(tree: DraftTree) -> list[float]:
    """Probability that each node is reached and accepted, by the confidences along its path."""
    result: list[float] = []
    for node in tree:
        result.append(node.confidence * (1.0 if node.parent < 0 else result[node.parent]))
    return result


def chain(tokens: Sequence[int], source: str, confidences: Sequence[float]) -> DraftTree:
    """The tree with one branch."""
    return tuple(
        DraftNode(index - 1, token, source, confidence)
        for index, (token, confidence) in enumerate(zip(tokens, confidences, strict=True))
    )


def pruned(tree: DraftTree, keep: Sequence[int]) -> DraftTree:
    """The tree of the nodes at `keep` (rising, with every parent of a kept node kept)."""
    place = {-1: -1}
    kept: list[DraftNode] = []
    for index in keep:
        node = tree[index]
        place[index] = len(kept)
        kept.append(DraftNode(place[node.parent], node.token, node.source, node.confidence, node.law))
    return tuple(kept)


def merged(trees: Sequence[DraftTree], limit: int) -> DraftTree:
    """One tree out of several, at most `limit` nodes: equal tokens at an equal place become one node.

    The earlier tree's node stays, with its source; a later tree only adds what is new. Trees with laws are not merged
    with others: siblings of a drawn token would have to be drawn as well.
    """
    nodes: list[DraftNode] = []
    at: dict[tuple[int, int], int] = {}
    for tree in trees:
        place = {-1: -1}
        for index, node in enumerate(tree):
            if node.parent not in place:
                continue
            parent = place[node.parent]
            known = at.get((parent, node.token))
            if known is None:
                if len(nodes) >= limit:
                    continue
                known = len(nodes)
                at[(parent, node.token)] = known
                nodes.append(DraftNode(parent, node.token, node.source, node.confidence, node.law))
            place[index] = known
    return tuple(nodes)


def branches(tree: DraftTree, own: int, spare: Sequence[int]) -> tuple[DraftTree, list[tuple[int, ...]], list[int]]:
    """Give every branch a sequence: the tree, the sequences of each node, and the spare ones in use.

    The most probable branch runs in `own`. Branches beyond the spare sequences are cut off where they part.
    """
    chance = chances(tree)
    ranked = sorted(leaves(tree), key=lambda leaf: (-chance[leaf], leaf))[: len(spare) + 1]
    used = [own, *spare][: len(ranked)]
    members: dict[int, list[int]] = {}
    for leaf, sequence in zip(ranked, used, strict=True):
        for index in path_to(tree, leaf):
            members.setdefault(index, []).append(sequence)
    kept = sorted(members)
    return pruned(tree, kept), [tuple(members[index]) for index in kept], used[1:]
