"""A text in work: what is known of it, what the target has evaluated, and how it becomes rows of a batch.

A text's known tokens that the target has not evaluated are *pending*: a whole prompt at first, one token afterwards.
"""

from dataclasses import dataclass, field

from lrc.speculative import tree as trees
from lrc.speculative.cache import PrefixCache
from lrc.speculative.protocols import Drafter, DraftTree, Row, Target
from lrc.speculative.requests import Finish
from lrc.speculative.sampling import Chooser
from lrc.speculative.stats import Counts, DraftTally
from lrc.speculative.verify import Verdict


@dataclass(slots=True)
class Job:
    """One text to continue."""

    prompt: list[int]
    """What is there; at least one token."""
    max_tokens: int
    """How much may be added; at least one."""
    chooser: Chooser
    """Decides the output. Closed with the stream."""
    drafter: Drafter
    """Guesses it. Closed with the stream."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished text."""

    index: int
    """Place of its job."""
    tokens: tuple[int, ...]
    """What was added, an ending token included."""
    finish: Finish
    """Why it ended."""
    counts: Counts
    """The work behind it."""


@dataclass(slots=True, eq=False)
class Stream:
    """The state of one job."""

    index: int
    """Place of the job."""
    job: Job
    """What is asked for."""
    tokens: list[int]
    """All known tokens."""
    sequence: int = -1
    """The sequence it runs in; -1 while it waits."""
    reused: int = 0
    """Tokens found in the cache when it started."""
    steps: int = 0
    """Evaluations since its prompt was done."""
    begun: bool = False
    """Whether it ever ran."""
    drafts: DraftTally = field(default_factory=DraftTally)
    """What was guessed."""

    @property
    def emitted(self) -> int:
        """Tokens added so far."""
        return len(self.tokens) - len(self.job.prompt)

    @property
    def remaining(self) -> int:
        """Tokens that may still be added."""
        return self.job.max_tokens - self.emitted

    def outcome(self, finish: Finish) -> Outcome:
        """The finished text."""
        counts = Counts(len(self.job.prompt), self.reused, self.emitted, self.steps, self.drafts.counts())
        return Outcome(self.index, tuple(self.tokens[len(self.job.prompt) :]), finish, counts)


@dataclass(slots=True)
class Part:
    """What one stream has in the batch of a step."""

    stream: Stream
    """Whose part it is."""
    start: int
    """Position of its first row."""
    pending: list[int]
    """Known tokens to evaluate."""
    complete: bool
    """Whether nothing is pending after this step, so that the last of them predicts a new token."""
    tree: DraftTree = ()
    """Guessed tokens to evaluate after them."""
    members: list[tuple[int, ...]] = field(default_factory=list)
    """Sequences of each guessed token."""
    spare: list[int] = field(default_factory=list)
    """Sequences borrowed for branches."""

    @property
    def outputs(self) -> int:
        """Rows that want logits."""
        return 1 + len(self.tree) if self.complete else 0

    @property
    def rows(self) -> list[Row]:
        """The rows of this part, parents before children."""
        sequences = (self.stream.sequence, *self.spare)
        last = len(self.pending) - 1
        rows = [
            Row(sequences, self.start + index, token, self.complete and index == last)
            for index, token in enumerate(self.pending)
        ]
        after = self.start + len(self.pending)
        depths = trees.depths(self.tree)
        rows.extend(
            Row(members, after + depth, node.token, True)
            for node, members, depth in zip(self.tree, self.members, depths, strict=True)
        )
        return rows

    def borrow(self, target: Target, spare: list[int]) -> None:
        """Give the branches of the tree sequences, from `spare` beyond the first; the rest of the branches is cut."""
        self.tree, self.members, self.spare = trees.branches(self.tree, self.stream.sequence, spare)
        for sequence in self.spare:
            spare.remove(sequence)
            target.fork(self.stream.sequence, sequence, 0, self.start)

    def settle(self, target: Target, cache: PrefixCache, verdict: Verdict | None) -> None:
        """After the evaluation: keep the accepted path in the stream's sequence and give the borrowed ones back."""
        own, path = self.stream.sequence, verdict.path if verdict else ()
        after = self.start + len(self.pending)
        inside = sum(own in self.members[index] for index in path)
        if self.tree:
            target.rewind(own, after + inside)
        if inside < len(path):
            target.fork(self.members[path[-1]][0], own, after + inside, after + len(path))
        for sequence in self.spare:
            target.free(sequence)
        cache.grow(own, [*self.pending, *(self.tree[index].token for index in path)])

    def give_back(self, target: Target) -> None:
        """The evaluation did not happen: free the borrowed sequences."""
        for sequence in self.spare:
            target.free(sequence)
