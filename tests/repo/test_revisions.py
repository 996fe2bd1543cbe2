"""Revisions and ranges as users type them."""

import pytest

from lrc.errors import EnvironmentFault, ExitCode, WrongUsage
from lrc.repo import Repository
from tests.support.patching import added
from tests.support.repository import SampleRepository


@pytest.fixture
def forked(sample: SampleRepository) -> SampleRepository:
    """`main` and `topic` with one commit each since `fork`."""
    sample.commit("one", {"f": "1\n"})
    sample.git("tag", "fork")
    sample.git("checkout", "--quiet", "-b", "topic")
    sample.commit("topic", {"t": "t\n"})
    sample.git("checkout", "--quiet", "main")
    sample.commit("main", {"m": "m\n"})
    return sample


def lines(revision: str) -> dict[str, tuple[str, list[str]]]:
    """Status and added lines of each file of a change."""
    with Repository.discover() as repository:
        change = repository.change(revision)
        assert change.label == revision and not change.is_staged
        return {file.path: (file.status.value, added(file)) for file in change.files()}


def test_a_commit(forked: SampleRepository) -> None:
    """One commit against its parent, by any name it has."""
    forked.git("tag", "-a", "annotated", "-m", "x", "topic")
    for name in ("topic", "refs/heads/topic", "annotated", forked.git("rev-parse", "topic"), "topic^0", ":/topic"):
        assert lines(name) == {"t": ("A", ["t"])}


def test_the_first_commit(forked: SampleRepository) -> None:
    """A commit without parents is all new."""
    assert lines("fork") == {"f": ("A", ["1"])}


def test_two_dots(forked: SampleRepository) -> None:
    """`A..B` compares the two."""
    assert lines("main..topic") == {"m": ("D", []), "t": ("A", ["t"])}
    assert lines("fork..") == {"m": ("A", ["m"])}
    assert lines("..topic") == lines("main..topic")


def test_three_dots(forked: SampleRepository) -> None:
    """`A...B` begins at the merge base."""
    assert lines("main...topic") == {"t": ("A", ["t"])}
    assert lines("topic...") == {"m": ("A", ["m"])}


def test_a_range_without_difference(forked: SampleRepository) -> None:
    """The same commit twice is an empty change."""
    assert lines("main..main") == {}


def test_dots_in_a_message_search(forked: SampleRepository) -> None:
    """`:/text` may hold dots without being a range."""
    forked.commit("fix ..both", {"x": "x\n"})
    assert lines(":/fix ..both") == {"x": ("A", ["x"])}


def test_both_sides_are_named(forked: SampleRepository) -> None:
    """A change knows the objects it lies between."""
    with Repository.discover() as repository:
        change = repository.change("main...topic")
        assert change.base == forked.git("rev-parse", "fork")
        assert change.new == change.tip == forked.git("rev-parse", "topic")
        assert repository.commit("main") == forked.head


@pytest.mark.parametrize(
    "revision",
    [
        "", " ", "-", "--", "-rf", "--output=pwned", "--all", "-1..main", "main..-x", "main..--output=pwned",
        "nosuch", "nosuch..main", "main..nosuch", "main...nosuch", "HEAD~99", "a\nb", "HEAD\n", "\0", "HEAD\x1b[2J",
        "main^{tree}", "HEAD:f", ":f", "^main", "main topic", "main^@", "main^!", "@{upstream}", "..", "...",
        "f" * 40, "é" * 3000, "main..topic..fork", "$(id)", "*", "HEAD^{/nothing}", "stash@{0}", "\udcff",
    ],
)  # fmt: skip
def test_what_is_no_revision(forked: SampleRepository, revision: str) -> None:
    """Wrong usage, in one line, with a hint; git never takes it for an option."""
    with Repository.discover() as repository:
        if revision in ("..", "..."):  # both sides are HEAD, as in git
            assert list(repository.change(revision).files()) == []
            return
        with pytest.raises((WrongUsage, EnvironmentFault)) as fault:
            repository.change(revision)
    assert "\n" not in fault.value.message and fault.value.message.isprintable()
    assert fault.value.hint
    assert isinstance(fault.value, WrongUsage) or revision == "f" * 40
    assert not list(forked.path.glob("*pwned*"))


def test_an_ambiguous_reference(forked: SampleRepository) -> None:
    """A tag and a branch of one name: the user chooses, not we."""
    forked.git("tag", "topic", "main")
    with Repository.discover() as repository:
        with pytest.raises(WrongUsage, match="ambiguous") as fault:
            repository.change("topic")
        assert "refs/heads/topic" in fault.value.hint
        assert len(list(repository.change("refs/heads/topic").files())) == 1


def test_an_ambiguous_object_name(forked: SampleRepository) -> None:
    """Too few digits are said to be too few."""
    seen: dict[str, int] = {}
    number = 0
    while not any(count > 1 for count in seen.values()):
        name = forked.git("commit-tree", "-m", str(number), "HEAD^{tree}")
        seen[name[:4]] = seen.get(name[:4], 0) + 1
        number += 1
        if number > 40:  # write many at once: a clash in four digits needs hundreds
            break
    feed = "".join(f"blob\ndata <<E\n{step}\nE\n\n" for step in range(3000)).encode()
    forked.git("fast-import", "--quiet", feed=feed)
    names = forked.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    prefixes = [name[:4] for name in names]
    short = next(prefix for prefix in prefixes if prefixes.count(prefix) > 1)
    with Repository.discover() as repository, pytest.raises(WrongUsage) as fault:
        repository.change(short)
    assert "\n" not in fault.value.message


def test_head_on_an_unborn_branch(sample: SampleRepository) -> None:
    """HEAD without a commit: the way out is the staged change."""
    with Repository.discover() as repository, pytest.raises(WrongUsage) as fault:
        repository.change("HEAD")
    assert fault.value.exit_code is ExitCode.USAGE
    assert "staged" in fault.value.hint


def test_no_merge_base(forked: SampleRepository) -> None:
    """Two histories without a common commit have no `A...B`."""
    forked.git("checkout", "--quiet", "--orphan", "island")
    forked.commit("island", {"i": "i\n"})
    with Repository.discover() as repository, pytest.raises(WrongUsage, match="no merge base"):
        repository.change("main...island")


def test_a_branch_named_head(forked: SampleRepository) -> None:
    """A branch that is called HEAD does not make HEAD unusable."""
    forked.git("update-ref", "refs/heads/HEAD", "topic")
    assert lines("HEAD") == {"m": ("A", ["m"])}
