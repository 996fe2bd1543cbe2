"""What happened, as plain numbers: frozen counts, and the tally that collects them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class DraftCounts:
    """Drafts of one drafter, by position in the draft (0 is the first drafted token)."""

    drafted: tuple[int, ...] = ()
    """Tokens evaluated as drafts."""
    accepted: tuple[int, ...] = ()
    """Of them, those that the target agreed with."""

    @property
    def acceptance(self) -> float:
        """Accepted part of the drafted tokens; 0 where nothing was drafted."""
        return sum(self.accepted) / sum(self.drafted) if sum(self.drafted) else 0.0


@dataclass(frozen=True, slots=True)
class Counts:
    """The work behind one answer."""

    prompt_tokens: int = 0
    """Tokens of the prompt."""
    reused_tokens: int = 0
    """Of them, those found in the cache."""
    generated_tokens: int = 0
    """Tokens of the answer, the ending one included."""
    target_steps: int = 0
    """Evaluations of the target that this answer took part in after its prompt."""
    drafts: Mapping[str, DraftCounts] = field(default_factory=dict)
    """By drafter."""

    @property
    def drafted(self) -> int:
        """All drafted tokens."""
        return sum(sum(draft.drafted) for draft in self.drafts.values())

    @property
    def accepted(self) -> int:
        """All accepted drafted tokens."""
        return sum(sum(draft.accepted) for draft in self.drafts.values())


@dataclass(frozen=True, slots=True)
class EngineStats:
    """All work of an engine since it was opened."""

    prompt_tokens: int = 0
    """Tokens of all prompts, scored ones included."""
    reused_tokens: int = 0
    """Of them, those found in the cache."""
    generated_tokens: int = 0
    """Tokens of all answers."""
    target_steps: int = 0
    """Evaluations of the target."""
    target_rows: int = 0
    """Rows in them."""
    seconds_prefill: float = 0.0
    """In evaluations that held more prompt rows than answer rows, and in scoring."""
    seconds_decode: float = 0.0
    """In the other evaluations."""
    seconds_draft: float = 0.0
    """Spent on guessing."""
    seconds_choose: float = 0.0
    """Spent on sampling, grammars and bookkeeping between evaluations."""
    drafts: Mapping[str, DraftCounts] = field(default_factory=dict)
    """By drafter."""
    faults: tuple[str, ...] = ()
    """Messages of drafters that failed and were dropped; the answers are unharmed."""

    @property
    def tokens_a_second(self) -> float:
        """Generated tokens over the time of everything but prefill; 0 before the first."""
        spent = self.seconds_decode + self.seconds_draft + self.seconds_choose
        return self.generated_tokens / spent if spent else 0.0

    @property
    def acceptance(self) -> float:
        """Accepted part of all drafted tokens."""
        drafted = sum(sum(draft.drafted) for draft in self.drafts.values())
        return sum(sum(draft.accepted) for draft in self.drafts.values()) / drafted if drafted else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON, rates included."""
        return asdict(self) | {"tokens_a_second": self.tokens_a_second, "acceptance": self.acceptance}


@dataclass(slots=True)
class DraftTally:
    """Collects `DraftCounts`."""

    drafted: dict[str, list[int]] = field(default_factory=dict)
    accepted: dict[str, list[int]] = field(default_factory=dict)

    def add(self, source: str, depth: int, agreed: bool) -> None:
        """One drafted token of `source` at `depth` was evaluated."""
        drafted = self.drafted.setdefault(source, [])
        accepted = self.accepted.setdefault(source, [])
        while len(drafted) <= depth:
            drafted.append(0)
            accepted.append(0)
        drafted[depth] += 1
        accepted[depth] += agreed

    def counts(self) -> dict[str, DraftCounts]:
        """The counts so far."""
        return {name: DraftCounts(tuple(self.drafted[name]), tuple(self.accepted[name])) for name in self.drafted}


@dataclass(slots=True)
class Tally:
    """Collects `EngineStats`; seconds and counts are simply added to its fields."""

    prompt_tokens: int = 0
    reused_tokens: int = 0
    generated_tokens: int = 0
    target_steps: int = 0
    target_rows: int = 0
    seconds_prefill: float = 0.0
    seconds_decode: float = 0.0
    seconds_draft: float = 0.0
    seconds_choose: float = 0.0
    drafts: DraftTally = field(default_factory=DraftTally)
    faults: list[str] = field(default_factory=list)
    """Messages of drafters that failed and were dropped."""

    def evaluated(self, rows: int, prompt_rows: int, seconds: float) -> None:
        """One evaluation of the target ended."""
        self.target_steps += 1
        self.target_rows += rows
        if 2 * prompt_rows > rows:
            self.seconds_prefill += seconds
        else:
            self.seconds_decode += seconds

    def stats(self) -> EngineStats:
        """The numbers so far."""
        return EngineStats(
            self.prompt_tokens,
            self.reused_tokens,
            self.generated_tokens,
            self.target_steps,
            self.target_rows,
            self.seconds_prefill,
            self.seconds_decode,
            self.seconds_draft,
            self.seconds_choose,
            self.drafts.counts(),
            tuple(dict.fromkeys(self.faults)),
        )


def merged(parts: Sequence[Mapping[str, DraftCounts]]) -> dict[str, DraftCounts]:
    """The sum of several counts by drafter."""
    tally = DraftTally()
    for part in parts:
        for name, counts in part.items():
            drafted = tally.drafted.setdefault(name, [])
            accepted = tally.accepted.setdefault(name, [])
            for sums, values in ((drafted, counts.drafted), (accepted, counts.accepted)):
                sums.extend([0] * (len(values) - len(sums)))
                for depth, value in enumerate(values):
                    sums[depth] += value
    return tally.counts()
