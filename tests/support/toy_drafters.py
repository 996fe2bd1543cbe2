"""Drafters that are always right, always wrong, greedy for room, random, or broken."""

from collections.abc import Sequence

import numpy as np

from lrc.speculative.errors import EngineError
from lrc.speculative.protocols import DraftNode, DraftTree
from lrc.speculative.tree import chain
from tests.support.toy_target import ToyLaw


class Recording:
    """Keeps the text; the base of the drafters below."""

    name = "toy"
    seconds_a_token = 0.0

    def __init__(self, law: ToyLaw, seed: int = 0) -> None:
        """Draft for text of `law`."""
        self.law = law
        self.text: list[int] = []
        self.closed = 0
        self.random = np.random.default_rng(seed)

    def begin(self, prompt: Sequence[int]) -> None:
        """Start."""
        self.text = list(prompt)

    def observe(self, tokens: Sequence[int]) -> None:
        """Go on."""
        self.text.extend(tokens)

    def close(self) -> None:
        """Count it: every drafter must be closed."""
        self.closed += 1

    def continuation(self, length: int, shift: int = 0) -> list[int]:
        """What greedy decoding would say, each token moved on by `shift`."""
        text, found = list(self.text), []
        for _ in range(length):
            found.append((int(self.law.after(text).argmax()) + shift) % self.law.vocabulary)
            text.append(found[-1])
        return found

    def propose(self, limit: int) -> DraftTree:
        """Nothing."""
        return ()


class Right(Recording):
    """Guesses what greedy decoding says."""

    def propose(self, limit: int) -> DraftTree:
        """As long as allowed."""
        return chain(self.continuation(limit), self.name, [0.9] * limit)


class Wrong(Recording):
    """Guesses anything but what greedy decoding says."""

    def propose(self, limit: int) -> DraftTree:
        """As long as allowed."""
        return chain(self.continuation(limit, shift=1), self.name, [0.9] * limit)


class TooLong(Recording):
    """Guesses more than it may."""

    def propose(self, limit: int) -> DraftTree:
        """Seven tokens too many."""
        return chain(self.continuation(limit + 7), self.name, [0.9] * (limit + 7))


class RandomTree(Recording):
    """Guesses trees of any shape, with the right branch somewhere among them as often as not."""

    def propose(self, limit: int) -> DraftTree:
        """Up to the limit."""
        size = int(self.random.integers(0, limit + 1))
        nodes: list[DraftNode] = []
        texts: list[list[int]] = []
        for _ in range(size):
            parent = int(self.random.integers(-1, len(nodes)))
            text = texts[parent] if parent >= 0 else self.text
            token = int(self.random.integers(self.law.vocabulary))
            if self.random.random() < 0.6:
                token = int(self.law.after(text).argmax())
            if any(node.parent == parent and node.token == token for node in nodes):
                continue
            nodes.append(DraftNode(parent, token, self.name, float(self.random.random())))
            texts.append([*text, token])
        return tuple(nodes)


class Broken(Recording):
    """Fails at the second guess."""

    def propose(self, limit: int) -> DraftTree:
        """Fail."""
        if len(self.text) % 3 == 0:
            raise EngineError("the drafter broke")
        return chain(self.continuation(1), self.name, [0.9])


ALL = (Recording, Right, Wrong, TooLong, RandomTree, Broken)
