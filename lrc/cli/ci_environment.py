"""What a CI service says about the change it runs for: values of its environment, taken as hostile data. Pure.

Whoever opens a pull request chooses its branch names and much of the event file. Only object names and branch names
of a strict spelling come through, so that nothing here can be an option, another kind of revision or a command.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from lrc.errors import EnvironmentFault

GIVE_BASE = "name the range yourself: --base REV and --head REV"
_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCH = re.compile(r"(?!.*(?:\.\.|//|@\{|\.lock(?:/|\Z)|/\.|\.\Z|/\Z))[A-Za-z0-9_][^\x00-\x20\x7f~^:?*\[\\]{0,249}")
"""What git-check-ref-format(1) allows, with a letter, digit or underscore in front."""


class Kind(Enum):
    """How the base that a service names relates to the head."""

    REQUEST = "the change of a request to merge: its base is what it would be merged into"
    PUSH = "a push: its base is what the branch named before"
    ALONE = "nothing but the head is known"
    DELETION = "a branch was deleted: there is no head"


@dataclass(frozen=True, slots=True)
class Clue:
    """What the environment tells of the change."""

    source: str
    """Who says so, for people: `GitHub pull request`."""
    kind: Kind
    base: str = ""
    """Full object name; empty when there is none (a new branch, a run by hand)."""
    head: str = "HEAD"
    """Full object name, or HEAD."""
    default_branch: str = ""
    """Name of the default branch, without `refs/heads/`; empty when unknown."""


def clue_from(environment: Mapping[str, str], read_event: Callable[[str], bytes]) -> Clue:
    """What the service that `environment` belongs to says; `Kind.ALONE` outside of any that is known.

    `read_event` gives the content of a file by its path: GitHub describes what happened in one (variables
    GITHUB_EVENT_NAME and GITHUB_EVENT_PATH, as documented for GitHub Actions). Raises EnvironmentFault for a value that
    cannot be what the service documents.
    """
    if on_github(environment):
        return _github(environment, read_event)
    if environment.get("GITLAB_CI") == "true":
        return _gitlab(environment)
    return Clue("git", Kind.ALONE)


def on_github(environment: Mapping[str, str]) -> bool:
    """True in a job of GitHub Actions."""
    return environment.get("GITHUB_ACTIONS") == "true"


def _github(environment: Mapping[str, str], read_event: Callable[[str], bytes]) -> Clue:
    path = environment.get("GITHUB_EVENT_PATH", "")
    event = _event(read_event(path)) if path else {}
    name = environment.get("GITHUB_EVENT_NAME", "")
    default = _branch(_part(event, "repository").get("default_branch"))
    if name.startswith("pull_request"):
        request = _part(event, "pull_request")
        base, head = _part(request, "base").get("sha"), _part(request, "head").get("sha")
        return Clue("GitHub pull request", Kind.REQUEST, _named(base), _named(head), default)
    if name == "merge_group":
        group = _part(event, "merge_group")
        base, head = _named(group.get("base_sha")), _named(group.get("head_sha"))
        return Clue("GitHub merge queue", Kind.REQUEST, base, head, default)
    if name == "push":
        base, head = _maybe(event.get("before")), _maybe(event.get("after"))
        kind = Kind.PUSH if head else Kind.DELETION
        return Clue("GitHub push", kind, base, head or "HEAD", default)
    return Clue(f"GitHub {name if name.isidentifier() else 'run'}", Kind.ALONE, "", "HEAD", default)


def _gitlab(environment: Mapping[str, str]) -> Clue:
    """The predefined variables of GitLab CI/CD; the base of a merge request is the merge base itself."""
    default = _branch(environment.get("CI_DEFAULT_BRANCH"))
    head = _maybe(environment.get("CI_COMMIT_SHA") or None, absent="HEAD")
    if base := environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        # With merged results, CI_COMMIT_SHA is a merge that also holds what the target branch has gained.
        own = environment.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA")
        return Clue("GitLab merge request", Kind.REQUEST, _named(base), _named(own) if own else head, default)
    before = _maybe(environment.get("CI_COMMIT_BEFORE_SHA") or None, absent="")
    return Clue("GitLab push", Kind.PUSH, before, head, default)


def _event(content: bytes) -> dict[str, Any]:
    try:
        event = json.loads(content)
    except (ValueError, RecursionError):
        raise EnvironmentFault("the event file of GitHub Actions is not JSON", GIVE_BASE) from None
    if not isinstance(event, dict):
        raise EnvironmentFault("the event file of GitHub Actions is not a JSON object", GIVE_BASE)
    return event


def _part(event: Mapping[str, Any], key: str) -> dict[str, Any]:
    part = event.get(key)
    return part if isinstance(part, dict) else {}


def _named(value: object) -> str:
    """A full object name; raises EnvironmentFault for anything else, without repeating what it was."""
    if isinstance(value, str) and _OBJECT.fullmatch(value) and value.strip("0"):
        return value
    what = "no commit" if value is None else "something that is no object name"
    raise EnvironmentFault(f"the CI environment names {what} as a side of the change", GIVE_BASE)


def _maybe(value: object, absent: str | None = None) -> str:
    """The same, where all zeros stand for "nothing" (empty) and no value at all for `absent`, if that is given."""
    if value is None and absent is not None:
        return absent
    return "" if isinstance(value, str) and _OBJECT.fullmatch(value) and not value.strip("0") else _named(value)


def _branch(value: object) -> str:
    """A branch name of sound spelling; anything else counts as unknown."""
    sound = isinstance(value, str) and value.isprintable() and _BRANCH.fullmatch(value)
    return str(value) if sound else ""
