"""What CI services say of a change, and what of it is believed."""

import json
from collections.abc import Callable, Mapping

import pytest

from lrc.cli.ci_environment import Clue, Kind, clue_from
from lrc.errors import EnvironmentFault

OLD, NEW, ZERO = "a1" * 20, "b2" * 20, "0" * 40
GITLAB = {"GITLAB_CI": "true", "CI_COMMIT_SHA": NEW, "CI_DEFAULT_BRANCH": "main"}


def event_of(content: bytes) -> Callable[[str], bytes]:
    """A reader that gives this content whatever the path."""
    return lambda path: content


def github(name: str, event: object) -> Clue:
    """The clue of an event of GitHub Actions."""
    environment = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": "event.json"}
    return clue_from(environment, event_of(json.dumps(event).encode()))


def gitlab(**more: str) -> Clue:
    """The clue of a job of GitLab CI."""
    return clue_from(GITLAB | more, event_of(b""))


def test_no_service_knows_nothing() -> None:
    """Outside of a known service only the head is known; variables of a service that is not running count nothing."""
    environment: Mapping[str, str] = {"GITHUB_EVENT_NAME": "push", "CI_COMMIT_BEFORE_SHA": OLD, "CI": "true"}
    assert clue_from(environment, event_of(b"{}")) == Clue("git", Kind.ALONE)


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target", "pull_request_review"])
def test_pull_request(name: str) -> None:
    """A pull request has the two sides that the event names."""
    clue = github(name, {"pull_request": {"base": {"sha": OLD}, "head": {"sha": NEW}}})
    assert (clue.kind, clue.base, clue.head) == (Kind.REQUEST, OLD, NEW)


def test_merge_queue() -> None:
    """A merge group names its sides in its own words."""
    clue = github("merge_group", {"merge_group": {"base_sha": OLD, "head_sha": NEW}})
    assert (clue.kind, clue.base, clue.head) == (Kind.REQUEST, OLD, NEW)


def test_push() -> None:
    """A push goes from `before` to `after`."""
    clue = github("push", {"before": OLD, "after": NEW, "repository": {"default_branch": "release/2.x"}})
    assert clue == Clue("GitHub push", Kind.PUSH, OLD, NEW, "release/2.x")


def test_push_of_a_new_branch() -> None:
    """All zeros before: the branch is new and has no base of its own."""
    assert github("push", {"before": ZERO, "after": NEW}).base == ""


def test_deleted_branch() -> None:
    """All zeros after: nothing is there to review."""
    assert github("push", {"before": OLD, "after": ZERO}).kind is Kind.DELETION


def test_run_by_hand() -> None:
    """A dispatched or scheduled run names no base, and needs no event file."""
    assert github("workflow_dispatch", {}).kind is Kind.ALONE
    environment = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "schedule"}
    assert clue_from(environment, event_of(b"")) == Clue("GitHub schedule", Kind.ALONE)


def test_merge_request() -> None:
    """GitLab names the merge base; with merged results the head is the source branch's own."""
    assert gitlab(CI_MERGE_REQUEST_DIFF_BASE_SHA=OLD).head == NEW
    own = gitlab(CI_MERGE_REQUEST_DIFF_BASE_SHA=OLD, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA="c3" * 20)
    assert (own.kind, own.base, own.head) == (Kind.REQUEST, OLD, "c3" * 20)


def test_gitlab_push() -> None:
    """A push to GitLab goes from CI_COMMIT_BEFORE_SHA, or from nothing when that is all zeros or not set."""
    assert gitlab(CI_COMMIT_BEFORE_SHA=OLD) == Clue("GitLab push", Kind.PUSH, OLD, NEW, "main")
    assert gitlab(CI_COMMIT_BEFORE_SHA=ZERO).base == gitlab().base == ""


@pytest.mark.parametrize(
    "bad",
    ["--output=/etc/passwd", "main", "HEAD", "a1" * 19, "A1" * 20, f"{OLD}\n", f"{OLD}^{{/x}}", 7, None, {}, ZERO],
)
def test_a_side_that_is_no_object_name(bad: object) -> None:
    """Whatever is not a full object name is refused, and not repeated."""
    with pytest.raises(EnvironmentFault) as caught:
        github("pull_request", {"pull_request": {"base": {"sha": bad}, "head": {"sha": NEW}}})
    assert "--output" not in caught.value.message
    assert "--base" in caught.value.hint


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[1]", b"null", b'"x"', b"[" * 100_000])
def test_garbage_for_an_event(content: bytes) -> None:
    """A file that is no JSON object ends in one clear fault."""
    environment = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": "event.json"}
    with pytest.raises(EnvironmentFault, match="event file"):
        clue_from(environment, event_of(content))


@pytest.mark.parametrize("event", [{}, {"pull_request": []}, {"pull_request": {"base": "x"}}])
def test_an_event_without_its_parts(event: object) -> None:
    """JSON of another shape is refused like a missing side."""
    with pytest.raises(EnvironmentFault, match="names no commit"):
        github("pull_request", event)


@pytest.mark.parametrize(
    "name",
    ["--upload-pack=x", "a..b", "a b", "a~1", "a^", "a:b", "@{u}", "x.lock", "a/", ".a", "a\n", "a@{1}", "*", 5, ""],
)
def test_a_default_branch_that_cannot_be_one(name: object) -> None:
    """A name that is no branch's counts as unknown."""
    assert github("push", {"before": OLD, "after": NEW, "repository": {"default_branch": name}}).default_branch == ""
