"""A commit that a hook of ours saw being made, and the reviews that went before it in its work tree."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lrc.ledger.walk import Commit
from lrc.review import Seen

Entry = Mapping[str, Any]
"""A line of the ledger."""
_HOOKED = ("commit", "merge", "pull")
"""What git was doing when it should have run our review hook: else `--no-verify` went past it."""


@dataclass(frozen=True, slots=True)
class Made:
    """What the hooks recorded of one commit."""

    entry: Entry
    """The commit's own."""
    attempts: tuple[Entry, ...]
    """What the review hook did in its work tree since the commit before, oldest first."""

    @property
    def action(self) -> str:
        """What git was doing, as the reflog names it; empty when it did not say."""
        return str(self.entry.get("action", ""))

    @property
    def was_hooked(self) -> bool:
        """Whether git should have run the review hook."""
        return self.action.startswith(_HOOKED)

    @property
    def is_amended(self) -> bool:
        """Whether it replaces another commit."""
        return "amend" in self.action or "reword" in self.action

    def attempt(self, commit: Commit) -> Entry | None:
        """What the review hook did for this very commit: the last that fits what was HEAD and was then committed."""
        heads = self._heads(commit)
        for entry in reversed(self.attempts):
            if str(entry.get("head", "")) not in heads:
                continue
            if entry["event"] != "review" or (entry.get("hook") and entry.get("index") == commit.tree):
                return entry
        return None

    def settles(self, attempt: Entry, commit: Commit) -> bool:
        """Whether this one review tells all: it saw this tree from this parent, and kept a key for each line."""
        parent = commit.parents[0] if commit.parents else ""
        return (
            attempt["event"] == "review"
            and attempt.get("head", "") == parent
            and len(commit.parents) < 2
            and not attempt.get("fault")
            and not attempt.get("lines", {}).get(Seen.LEFT.value)
            and not self.is_amended
        )

    def iterations(self, commit: Commit) -> int:
        """Reviews of the staged change before it was committed."""
        heads = self._heads(commit)
        return sum(
            entry["event"] == "review" and bool(entry.get("staged")) and entry.get("head", "") in heads
            for entry in self.attempts
        )

    def _heads(self, commit: Commit) -> set[str]:
        return {str(self.entry.get("before", "")), commit.parents[0] if commit.parents else ""}
