"""The range that a CI run reviews: the environment's clue, or plain git's knowledge, held against the clone."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lrc.cli.ci_environment import GIVE_BASE, Clue, Kind
from lrc.errors import EnvironmentFault, WrongUsage

if TYPE_CHECKING:
    from lrc.repo import Repository

DEEPEN = "give the checkout its history: `fetch-depth: 0` on GitHub, `GIT_DEPTH: 0` on GitLab, `git fetch --unshallow`"
_USUAL = ("main", "master", "trunk")


@dataclass(frozen=True, slots=True)
class Range:
    """What is reviewed."""

    revision: str
    """For `lrc review`: `BASE..HEAD` in full object names, or a first commit alone."""
    why: str
    """Where it comes from, for people."""

    @property
    def short(self) -> str:
        """The revision with object names cut to twelve digits."""
        return "..".join(side[:12] for side in self.revision.split(".."))


class Finder:
    """Asks a repository, read only and never over a network."""

    def __init__(self, repo: "Repository") -> None:
        self._repo = repo
        self._ask: Callable[..., subprocess.CompletedProcess[bytes]] = repo.place.git.ask

    def given(self, base: str, head: str) -> Range:
        """The range of two revisions that a user gave: from their merge base, as a request to merge would show it.

        Raises WrongUsage for what is no revision, EnvironmentFault when a shallow clone ends before it.
        """
        new = self._commit(head)
        old = self._commit(base)
        return self._between(self._merge_base(old, new) or self._no_history(base), new, "as given")

    def found(self, clue: Clue, head: str | None = None) -> Range:
        """The range that the environment means; raises EnvironmentFault when this clone cannot show it.

        `head` is the user's own, in place of the environment's.
        """
        if clue.kind is Kind.DELETION:
            new = self._commit("HEAD")
            return self._between(new, new, f"{clue.source}: a branch was deleted, nothing to review")
        if clue.kind is Kind.REQUEST:
            return self._requested(clue, head)
        new = self._commit(head or clue.head)
        if clue.base and self._has(clue.base):
            # Before a forced push the branch was elsewhere: what it brings counts from where both were one.
            base = self._merge_base(clue.base, new)
            if not base and self._repo.place.shallow:
                raise self._beyond(clue.base, clue.source)
            return self._between(base or clue.base, new, clue.source)
        if clue.base and self._repo.place.shallow:
            raise self._beyond(clue.base, clue.source)
        return self._from_branches(clue, new, own_upstream=clue.source == "git" and head is None)

    def _requested(self, clue: Clue, head: str | None) -> Range:
        """A request to merge; a checkout of two commits will do when it is of the merge that the service made."""
        wanted = head or clue.head
        known = self._has(clue.base) and (wanted != clue.head or wanted == "HEAD" or self._has(wanted))
        if known:
            new = self._commit(wanted)
            if base := self._merge_base(clue.base, new):
                return self._between(base, new, clue.source)
            if clue.source.startswith("GitLab"):
                return self._between(clue.base, new, clue.source)  # it names the merge base itself
        if head is None and clue.head != "HEAD" and self._resolved("HEAD^2") == clue.head:
            merged, into = self._resolved("HEAD"), self._resolved("HEAD^1")
            return self._between(into, merged, f"{clue.source}, as merged")
        raise self._beyond(clue.base if not self._has(clue.base) else wanted, clue.source)

    def _from_branches(self, clue: Clue, new: str, *, own_upstream: bool) -> Range:
        """What a branch brings that its upstream, or the default branch, lacks; else the last commit alone."""
        names = ["HEAD@{upstream}"] if own_upstream else []
        if clue.default_branch:
            names += [f"refs/remotes/origin/{clue.default_branch}", f"refs/heads/{clue.default_branch}"]
        else:
            names += ["refs/remotes/origin/HEAD"]
            names += [f"refs/{place}/{name}" for name in _USUAL for place in ("remotes/origin", "heads")]
        apart = ""
        for name in names:
            other = self._resolved(name)
            base = self._merge_base(other, new) if other else ""
            if base and base != new:
                label = "its upstream" if name.endswith("}") else name.removeprefix("refs/").partition("/")[2]
                return self._between(base, new, f"{clue.source}: what {label} lacks")
            apart = apart or (name if other and not base else "")
        if apart and self._repo.place.shallow:
            raise EnvironmentFault(f"this shallow clone does not reach back to where {apart} and HEAD part", DEEPEN)
        return self._last(new, clue.source)

    def _last(self, new: str, source: str) -> Range:
        """The last commit alone: against its first parent, a first commit against nothing."""
        from lrc.repo.revision import parents_of

        try:
            parents = parents_of(self._repo.place.git, new)
        except EnvironmentFault:
            raise EnvironmentFault(
                f"this shallow clone has nothing that {new[:12]} can be compared with", DEEPEN
            ) from None
        return Range(f"{parents[0]}..{new}" if parents else new, f"{source}: the last commit alone")

    def _between(self, base: str, new: str, why: str) -> Range:
        return Range(f"{base}..{new}", why)

    def _commit(self, revision: str) -> str:
        """The commit of a revision; in a shallow clone an unknown one may well exist elsewhere."""
        try:
            return self._repo.commit(revision)
        except EnvironmentFault as fault:
            raise EnvironmentFault(fault.message, DEEPEN) from None
        except WrongUsage as fault:
            if self._repo.place.shallow and fault.message.startswith("unknown revision"):
                raise EnvironmentFault(f"{fault.message} in this shallow clone", DEEPEN) from None
            raise

    def _no_history(self, base: str) -> str:
        if self._repo.place.shallow:
            raise EnvironmentFault(
                f"this shallow clone does not reach back to where {base!r} and the head part", DEEPEN
            )
        raise WrongUsage(f"{base!r} and the head share no history", "give a --base that the head comes from")

    def _beyond(self, name: str, source: str) -> EnvironmentFault:
        """What to say when an object is out of reach, or the way to it is."""
        if self._repo.place.shallow:
            return EnvironmentFault(f"{source}: this shallow clone does not reach back to {name[:12]}", DEEPEN)
        return EnvironmentFault(f"{source}: this clone does not hold, or has no history with, {name[:12]}", GIVE_BASE)

    def _has(self, name: str) -> bool:
        return self._ask("cat-file", "-e", f"{name}^{{commit}}").returncode == 0

    def _resolved(self, name: str) -> str:
        """The commit that a reference of ours names; empty when there is none."""
        done = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return done.stdout.decode("ascii", "replace").strip() if done.returncode == 0 else ""

    def _merge_base(self, left: str, right: str) -> str:
        done = self._ask("merge-base", "--end-of-options", left, right)
        return done.stdout.decode("ascii", "replace").strip() if done.returncode == 0 else ""
