"""The range that a CI run reviews, on real clones."""

from pathlib import Path

import pytest

from lrc.cli.ci_environment import Clue, Kind
from lrc.cli.ci_range import Finder, Range
from lrc.errors import EnvironmentFault, WrongUsage
from lrc.repo import Repository
from tests.support.repository import SampleRepository

ABSENT = "d4" * 20


@pytest.fixture
def origin(tmp_path: Path) -> SampleRepository:
    """Two commits on main, then two on topic and one more on main."""
    made = SampleRepository(tmp_path / "origin")
    for name in ("one", "two"):
        made.commit(name, {name: name})
    made.git("checkout", "-q", "-b", "topic")
    for name in ("three", "four"):
        made.commit(name, {name: name})
    made.git("checkout", "-q", "main")
    made.commit("five", {"five": "five"})
    return made


def clone(origin: SampleRepository, *arguments: str, at: str = "topic") -> SampleRepository:
    """A clone as a CI service makes it: the head detached at a commit."""
    path = origin.path.parent / "clone"
    origin.git("clone", "-q", "--branch", at, *arguments, origin.path.as_uri(), str(path))
    made = SampleRepository(path, init=False)
    made.git("checkout", "-q", "--detach")
    return made


def oid(repo: SampleRepository, revision: str) -> str:
    """The object name of a revision."""
    return repo.git("rev-parse", revision)


def found(repo: SampleRepository, clue: Clue, head: str | None = None) -> Range:
    """The range for a clue in a clone."""
    with Repository.discover(repo.path) as opened:
        return Finder(opened).found(clue, head)


def given(repo: SampleRepository, base: str, head: str = "HEAD") -> Range:
    """The range for revisions that a user gave."""
    with Repository.discover(repo.path) as opened:
        return Finder(opened).given(base, head)


def test_request_from_its_merge_base(origin: SampleRepository) -> None:
    """What the target branch gained since is not the request's doing."""
    base, new = oid(origin, "main"), oid(origin, "topic")
    result = found(clone(origin), Clue("GitHub pull request", Kind.REQUEST, base, new))
    assert result == Range(f"{oid(origin, 'main~1')}..{new}", "GitHub pull request")


def test_merge_checkout_of_two_commits_will_do(origin: SampleRepository) -> None:
    """GitHub's merge of a pull request with its two parents shows what it brings, without more history."""
    base, new = oid(origin, "main"), oid(origin, "topic")
    origin.git("checkout", "-q", "-b", "merged")
    origin.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    result = found(clone(origin, "--depth=2", at="merged"), Clue("GitHub pull request", Kind.REQUEST, base, new))
    assert result == Range(f"{base}..{oid(origin, 'merged')}", "GitHub pull request, as merged")


def test_merge_request_in_a_clone_that_ends_between(origin: SampleRepository) -> None:
    """GitLab's base is the merge base: it need not be linked to the head."""
    base, new = oid(origin, "main~1"), oid(origin, "topic")
    shallow = clone(origin, "--depth=1")
    shallow.git("fetch", "-q", "--depth=1", "origin", base)
    assert found(shallow, Clue("GitLab merge request", Kind.REQUEST, base, new)).revision == f"{base}..{new}"


@pytest.mark.parametrize("kind", [Kind.REQUEST, Kind.PUSH])
def test_shallow_clone_without_the_base(origin: SampleRepository, kind: Kind) -> None:
    """A base beyond the end of the clone is named, with the way out, and nothing is fetched."""
    base, new = oid(origin, "topic~2"), oid(origin, "topic")
    shallow = clone(origin, "--depth=1")
    with pytest.raises(EnvironmentFault, match=f"shallow clone.*{base[:12]}") as caught:
        found(shallow, Clue("GitHub run", kind, base, new))
    assert "fetch-depth: 0" in caught.value.hint
    assert shallow.git("rev-list", "--all", "--count") == "1"


def test_request_whose_base_nobody_has(origin: SampleRepository) -> None:
    """In a complete clone a missing base is not a matter of depth."""
    with pytest.raises(EnvironmentFault, match="does not hold") as caught:
        found(clone(origin), Clue("GitHub pull request", Kind.REQUEST, ABSENT, oid(origin, "topic")))
    assert "--base" in caught.value.hint


def test_push(origin: SampleRepository) -> None:
    """A push brings what came after the old tip."""
    base, new = oid(origin, "topic~1"), oid(origin, "topic")
    assert found(clone(origin), Clue("GitHub push", Kind.PUSH, base, new)).revision == f"{base}..{new}"


def test_forced_push(origin: SampleRepository) -> None:
    """After a forced push the new commits count from where old and new were one."""
    old, new = oid(origin, "main"), oid(origin, "topic")
    assert found(clone(origin), Clue("GitHub push", Kind.PUSH, old, new)).revision == f"{oid(origin, 'main~1')}..{new}"


@pytest.mark.parametrize("before", ["", ABSENT])
def test_new_branch_and_forgotten_base(origin: SampleRepository, before: str) -> None:
    """A new branch, and one whose old tip is gone for good, is compared with the default branch."""
    new = oid(origin, "topic")
    result = found(clone(origin), Clue("GitHub push", Kind.PUSH, before, new, "main"))
    assert result == Range(f"{oid(origin, 'main~1')}..{new}", "GitHub push: what origin/main lacks")


def test_new_branch_in_a_shallow_clone(origin: SampleRepository) -> None:
    """With one commit and nothing to compare it with, depth is what is missing."""
    with pytest.raises(EnvironmentFault, match="shallow clone") as caught:
        found(clone(origin, "--depth=1"), Clue("GitHub push", Kind.PUSH, "", oid(origin, "topic"), "main"))
    assert "fetch-depth" in caught.value.hint


def test_new_branch_apart_from_the_default_in_a_shallow_clone(origin: SampleRepository) -> None:
    """Both tips without their common past are not compared."""
    shallow = clone(origin, "--depth=1", "--no-single-branch")
    with pytest.raises(EnvironmentFault, match="does not reach back to where refs/remotes/origin/main"):
        found(shallow, Clue("GitHub push", Kind.PUSH, "", oid(origin, "topic"), "main"))


def test_default_branch_by_hand(origin: SampleRepository) -> None:
    """A run on the default branch itself reviews its last commit, a first commit against nothing."""
    whole = clone(origin, at="main")
    new = oid(origin, "main")
    result = found(whole, Clue("GitHub workflow_dispatch", Kind.ALONE, "", "HEAD", "main"))
    assert result == Range(f"{oid(origin, 'main~1')}..{new}", "GitHub workflow_dispatch: the last commit alone")
    root = oid(origin, "main~2")
    assert found(whole, Clue("GitHub workflow_dispatch", Kind.ALONE, "", root, "main")).revision == root


def test_deleted_branch(origin: SampleRepository) -> None:
    """A deletion is an empty range."""
    new = oid(origin, "topic")
    assert found(clone(origin), Clue("GitHub push", Kind.DELETION)).revision == f"{new}..{new}"


def test_plain_git_with_an_upstream(origin: SampleRepository) -> None:
    """What the upstream lacks comes first."""
    repo = clone(origin)
    repo.git("checkout", "-q", "topic")
    new = repo.commit("six", {"six": "six"})
    result = found(repo, Clue("git", Kind.ALONE))
    assert result == Range(f"{oid(origin, 'topic')}..{new}", "git: what its upstream lacks")


def test_plain_git_with_a_detached_head(origin: SampleRepository) -> None:
    """Without a branch there is no upstream: the default branch is compared."""
    result = found(clone(origin), Clue("git", Kind.ALONE))
    assert result.revision == f"{oid(origin, 'main~1')}..{oid(origin, 'topic')}"


def test_plain_git_without_a_remote(origin: SampleRepository) -> None:
    """A branch of a lone repository is compared with its main branch; main with its last commit's parent."""
    assert found(origin, Clue("git", Kind.ALONE)).why == "git: the last commit alone"
    origin.git("checkout", "-q", "topic")
    assert found(origin, Clue("git", Kind.ALONE)).why == "git: what main lacks"


def test_given_sides(origin: SampleRepository) -> None:
    """A base that is given counts from the merge base; equal sides are an empty range."""
    whole, new = clone(origin), oid(origin, "topic")
    assert given(whole, "origin/main").revision == f"{oid(origin, 'main~1')}..{new}"
    assert given(whole, "HEAD").revision == f"{new}..{new}"
    assert given(whole, "HEAD~1", "HEAD~1").short == "..".join([oid(origin, "topic~1")[:12]] * 2)


def test_given_head_of_a_request(origin: SampleRepository) -> None:
    """A head that is given takes the place of the environment's."""
    base = oid(origin, "main")
    clue = Clue("GitHub pull request", Kind.REQUEST, base, ABSENT)
    assert found(clone(origin), clue, "HEAD~1").revision == f"{oid(origin, 'main~1')}..{oid(origin, 'topic~1')}"


@pytest.mark.parametrize("base", ["--output=x", "-x", "", "nowhere", "a\nb", "HEAD:one"])
def test_given_base_that_is_no_revision(origin: SampleRepository, base: str) -> None:
    """Wrong usage, whatever it looks like."""
    with pytest.raises(WrongUsage):
        given(origin, base)


@pytest.mark.parametrize("base", ["HEAD~1", "origin/main", ABSENT])
def test_given_base_beyond_a_shallow_clone(origin: SampleRepository, base: str) -> None:
    """What a deeper clone would have is a matter of depth."""
    with pytest.raises(EnvironmentFault) as caught:
        given(clone(origin, "--depth=1"), base)
    assert "fetch-depth: 0" in caught.value.hint
