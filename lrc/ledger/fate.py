"""What became of each commit: reviewed, blocked and committed all the same, past the review, or never seen."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from lrc.ledger import keys
from lrc.ledger.account import keys_of, renamed_keys, seen_keys
from lrc.ledger.made import Entry, Made
from lrc.ledger.walk import Commit, Lines
from lrc.review import Seen

BEFORE = "before the ledger began"
"""How a commit came that is older than the ledger: nobody is to blame, and nothing is asked of it."""


class State(str, Enum):
    """What the ledger and the history say of a commit; the values are those of the JSON output."""

    REVIEWED = "reviewed"
    OVERRIDDEN = "overridden"
    """It holds lines for which a review had blocked it."""
    BYPASSED = "bypassed"
    """The review was skipped on purpose."""
    FAILED = "failed open"
    """The review could not take place and the commit was let go."""
    UNSEEN = "never seen"
    """No hook ran: a rebase, a cherry-pick, `git am`, another tool, another machine."""
    EMPTY = "nothing to review"


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one commit."""

    commit: Commit
    state: State
    how: str = ""
    """How the review was passed by, or why there was none; empty when there is nothing to say."""
    coverage: float | None = None
    """Share of its changed lines that some review read in this state; None when it has no such lines."""
    by_model: float | None = None
    """The share that the model judged."""
    iterations: int = 0
    """Reviews of the staged change before it was committed; 0 when none is known."""
    model: str = ""
    """Who judged it last; empty when only detectors did, or nobody."""
    findings: Mapping[str, int] | None = None
    """What the last review found, by severity; None without one."""
    reviews: tuple[str, ...] = ()
    """Identities of the reviews that saw any of it, oldest first."""

    @property
    def unreviewed(self) -> bool:
        """Whether a part of it, or all, was read by no review."""
        if self.state is State.EMPTY:
            return False
        return self.coverage < 1.0 if self.coverage is not None else self.state not in _SETTLED


_SETTLED = (State.REVIEWED, State.OVERRIDDEN)


class Past:
    """The ledger, read for questions about commits."""

    def __init__(self, entries: Iterable[Entry], actions: Mapping[str, str] | None = None) -> None:
        self._actions = actions or {}
        self._made: dict[str, Made] = {}
        self._rewritten: dict[str, list[str]] = {}
        self.reviews: list[Entry] = []
        """Every review, oldest first."""
        self.began: int | None = None
        """When the ledger begins, in seconds since 1970; None when it is empty."""
        self._first_head = ""
        self._read: dict[str, int] = {}
        self._by_model: set[str] = set()
        self._aside: set[str] = set()
        self._blocked: set[str] = set()
        pending: dict[str, list[Entry]] = {}
        for entry in entries:
            if entry["event"] != "cut" and (self.began is None or entry["at"] < self.began):
                self.began, self._first_head = entry["at"], str(entry.get("head", ""))
            self._take(entry, pending.setdefault(str(entry.get("worktree", "")), []))

    def _take(self, entry: Entry, pending: list[Entry]) -> None:
        match entry.get("event"):
            case "review":
                self._learn(entry)
                pending.append(entry)
            case "bypass" | "failed":
                pending.append(entry)
            case "commit":
                if entry.get("id") not in self._made:  # two hook tools may both report it
                    self._made[str(entry.get("id"))] = made = Made(entry, tuple(pending))
                    pending.clear()
                    if made.is_amended:  # not every hook tool passes on what git says of replaced commits
                        self._replaced(str(entry.get("before", "")), str(entry.get("id")))
            case "rewrite":
                for old, new in entry.get("pairs", ()):
                    self._replaced(old, new)

    def _replaced(self, old: str, new: str) -> None:
        olds = self._rewritten.setdefault(new, [])
        if old and old != new and old not in olds:
            olds.append(old)

    def _learn(self, entry: Entry) -> None:
        self.reviews.append(entry)
        place = len(self.reviews) - 1
        fresh = set(seen_keys(entry))
        self._read.update(dict.fromkeys(fresh, place))
        self._by_model.update(keys.unpacked(keys_of(entry, Seen.MODEL)))
        self._aside.update(keys.unpacked(keys_of(entry, Seen.ASIDE)))
        for old, new in renamed_keys(entry):
            if old in self._read:
                self._read[new] = self._read[old]
            for known in (self._by_model, self._aside, self._blocked):
                if old in known:
                    known.add(new)
        self._blocked -= fresh
        if entry.get("staged"):  # a review after the fact has stopped nothing
            self._blocked.update(keys.unpacked(str(entry.get("blocking", ""))))

    def fate(self, commit: Commit, lines: Callable[[Commit], Lines | None]) -> Fate:
        """What became of a commit. `lines` is asked only when the ledger alone does not tell."""
        made = self._made.get(commit.name)
        attempt = made.attempt(commit) if made else None
        if made is not None and attempt is not None and made.settles(attempt, commit):
            return self._settled(commit, attempt, made)
        content = lines(commit)
        if content is not None and not content.files:
            return Fate(commit, State.EMPTY)
        known = self._weighed(commit, content, made)
        if content is not None and (blocked := self._overridden(content)):
            how = _way_past(attempt) or self._unhooked(commit, made)
            return replace(known, state=State.OVERRIDDEN, how=how if blocked else "")
        if known.coverage is not None and known.coverage >= 1.0:
            return replace(known, how=self._seen_otherwise(made, attempt))
        return self._incomplete(known, made, attempt, lines)

    def _settled(self, commit: Commit, attempt: Entry, made: Made | None) -> Fate:
        """The fate of a commit that is, to the tree, what a hook reviewed from the same parent."""
        counts = attempt.get("lines", {})
        model, left = counts.get(Seen.MODEL.value, 0), counts.get(Seen.LEFT.value, 0)
        read = model + counts.get(Seen.DETECTORS.value, 0)
        fate = Fate(
            commit,
            State.REVIEWED,
            coverage=read / (read + left) if read + left else None,
            by_model=model / (read + left) if read + left else None,
            iterations=made.iterations(commit) if made else 0,
            model=str(attempt.get("model", "")),
            findings=_severities(attempt),
            reviews=(str(attempt.get("id", "")),),
        )
        if attempt.get("verdict") == "block":
            return replace(fate, state=State.OVERRIDDEN, how="--no-verify")
        return fate

    def _weighed(self, commit: Commit, content: Lines | None, made: Made | None) -> Fate:
        """What the reviews of all times know of the commit's lines."""
        lines = content.keys if content else ()
        wanted = [key for key in lines if key in self._read or key not in self._aside]
        read = [key for key in wanted if key in self._read]
        places = sorted({self._read[key] for key in read})
        last = self.reviews[places[-1]] if places else None
        return Fate(
            commit,
            State.REVIEWED,
            coverage=len(read) / len(wanted) if wanted else None,
            by_model=sum(key in self._by_model for key in read) / len(wanted) if wanted else None,
            iterations=made.iterations(commit) if made else 0,
            model=str(last.get("model", "")) if last else "",
            findings=_severities(last) if last else None,
            reviews=tuple(str(self.reviews[place].get("id", "")) for place in places),
        )

    def _overridden(self, content: Lines) -> bool:
        return any(key in self._blocked for key in content.keys)

    def _seen_otherwise(self, made: Made | None, attempt: Entry | None) -> str:
        """How a commit whose lines are all known went past the hook; empty when it did not."""
        if made is None or made.is_amended or (attempt is not None and attempt["event"] == "review"):
            return ""
        if way := _way_past(attempt) or ("--no-verify" if made.was_hooked else ""):
            return f"{way}, but another review read it"
        return f"read before, then {made.action}" if made.action else ""

    def _incomplete(
        self, known: Fate, made: Made | None, attempt: Entry | None, lines: Callable[[Commit], Lines | None]
    ) -> Fate:
        """The fate of a commit of which no review has read everything."""
        if inherited := self._inherited(known, made, attempt, lines):
            return inherited
        if attempt is not None and attempt["event"] == "review" and not attempt.get("fault"):
            return known
        if attempt is not None and attempt["event"] != "bypass":
            return replace(known, state=State.FAILED, how=str(attempt.get("fault", "")))
        if attempt is not None:
            return replace(known, state=State.BYPASSED, how=_way_past(attempt))
        if made and made.was_hooked:
            return replace(known, state=State.BYPASSED, how="--no-verify")
        return replace(known, state=State.UNSEEN, how=self._unseen(known.commit, made))

    def _inherited(
        self, known: Fate, made: Made | None, attempt: Entry | None, lines: Callable[[Commit], Lines | None]
    ) -> Fate | None:
        """What the commit that this one replaces went past, when this one was not reviewed as a whole since."""
        olds = self._rewritten.get(known.commit.name, [])
        amended = made is not None and made.is_amended
        if not olds or (attempt is not None and not amended):
            return None
        fates = [self._of_old(old, lines) for old in olds]
        worst = next((fate for state in _WORST for fate in fates if fate and fate.state is state), None)
        if worst is None or (amended and worst.state is State.REVIEWED):
            return None
        action = f", then {made.action}" if made and made.action else ""
        return replace(known, state=worst.state, how=f"{worst.how}{action}".removeprefix(", "))

    def _of_old(self, name: str, lines: Callable[[Commit], Lines | None]) -> Fate | None:
        made = self._made.get(name)
        if made is None:
            return None
        entry = made.entry
        parents = tuple(str(entry.get("parents", "")).split())
        self_replacing = self._rewritten.pop(name, None)  # a chain of rewrites ends, whatever the file says
        try:
            return self.fate(Commit(name, parents, str(entry.get("tree", "")), entry["at"], ""), lines)
        finally:
            if self_replacing is not None:
                self._rewritten[name] = self_replacing

    def _unhooked(self, commit: Commit, made: Made | None) -> str:
        return "--no-verify" if made and made.was_hooked else self._unseen(commit, made)

    def _unseen(self, commit: Commit, made: Made | None) -> str:
        """Why no review of ours knows of a commit."""
        if made is None and self._is_older(commit):
            return BEFORE
        action = (made.action if made else "") or self._actions.get(commit.name, "")
        return f"made by {action}" if action else "made elsewhere"

    def _is_older(self, commit: Commit) -> bool:
        """Whether it was there before the ledger. Git counts seconds: within the first one its parent tells."""
        if self.began is None or commit.at != self.began:
            return self.began is None or commit.at < self.began
        return not any(parent in self._made or parent == self._first_head for parent in commit.parents)


_WORST = (State.OVERRIDDEN, State.BYPASSED, State.FAILED, State.UNSEEN, State.REVIEWED)


def _severities(entry: Entry) -> dict[str, int]:
    found: dict[str, int] = {}
    for finding in entry.get("findings", ()):
        found[str(finding[1])] = found.get(str(finding[1]), 0) + 1
    return found


def _way_past(attempt: Entry | None) -> str:
    return str(attempt.get("how", "")) if attempt is not None and attempt["event"] == "bypass" else ""


def unreviewed(fates: Sequence[Fate]) -> list[Fate]:
    """Those of which a part was read by no review, oldest first."""
    return [fate for fate in reversed(fates) if fate.unreviewed]
