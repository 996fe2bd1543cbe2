"""Cases from a real repository: clean commits as a review sees them, and planted defects in git's own diffs."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lrc.diff import Kind
from lrc.quality.cases import Case, Way
from lrc.quality.sampling import cases_of, cases_of_files
from lrc.repo import Repository

FUNCTIONS = """\
def pick_{name}(items, limit, other):
    found = []
    if not items:
        raise ValueError("no items")
    for item in items:
        if item.size <= limit and item.name != other:
            found.append(item)
    return found


"""


def git(where: Path, *arguments: str) -> None:
    """A git command that must succeed."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(where), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    """Six ordinary commits, each adding a function, a fix, and one too large to be ordinary."""
    where = tmp_path_factory.mktemp("cases")
    git(where, "init", "-q")
    text = ""
    for number in range(6):
        text += FUNCTIONS.format(name=f"n{number}")
        (where / "pick.py").write_text(text)
        git(where, "add", "-A")
        git(where, "commit", "-q", "-m", f"Pick {number}")
    (where / "pick.py").write_text(text.replace("<= limit", "< limit", 1))
    git(where, "add", "-A")
    git(where, "commit", "-q", "-m", "Fix an off-by-one error")
    (where / "large.py").write_text("x = 1\n" * 500)
    git(where, "add", "-A")
    git(where, "commit", "-q", "-m", "Large")
    with Repository.discover(where) as opened:
        yield opened


@pytest.fixture(scope="module")
def cases(repository: Repository) -> list[Case]:
    """All cases of the repository."""
    return list(cases_of(repository, seed=3, most=10))


def test_clean_cases_are_the_ordinary_commits(cases: list[Case]) -> None:
    """The first commit has no parent and the last one is too large; the six between are taken."""
    clean = [case for case in cases if case.way is Way.CLEAN]
    assert len(clean) == 6
    assert all(len(case.units) == 1 and not case.kind and case.language == "python" for case in clean)


def test_every_way_is_planted(cases: list[Case]) -> None:
    """Added, modified and removed lines, each a real hunk that holds the defect."""
    assert {case.way for case in cases} == set(Way)
    for case in cases:
        if case.way in (Way.CLEAN, Way.REVERSED):
            continue
        hunk = case.units[0].hunk
        added = {line.new: line.text for line in hunk.lines if line.kind is Kind.ADDED}
        if case.way is Way.REMOVED:
            assert not added
            assert hunk.removed
        else:
            assert case.line in added
            assert bool(hunk.removed) or case.way is Way.ADDED


def test_planted_cases_differ_from_the_real_code_in_one_place(cases: list[Case], repository: Repository) -> None:
    """The broken text is the file's own but for the defect."""
    head = repository.head()
    assert head
    own = (repository.file("pick.py", head) or b"").decode().split("\n")
    for case in cases:
        if case.way is Way.MODIFIED:
            broken = case.files[0][1].split("\n")
            assert [number for number, (a, b) in enumerate(zip(own, broken, strict=True), 1) if a != b] == [case.line]


def test_the_same_seed_gives_the_same_cases(cases: list[Case], repository: Repository) -> None:
    """Figures can be had again; another seed plants elsewhere."""
    again = [(case.origin, case.kind, case.line) for case in cases_of(repository, seed=3, most=10)]
    assert again == [(case.origin, case.kind, case.line) for case in cases]
    other = [(case.origin, case.kind, case.line) for case in cases_of(repository, seed=4, most=10)]
    assert other != again


def test_a_fix_taken_back_is_a_defect_that_somebody_made(cases: list[Case]) -> None:
    """The line as it was before the fix is the one to speak about."""
    (case,) = [case for case in cases if case.way is Way.REVERSED]
    (line,) = case.lines
    assert case.files[0][1].split("\n")[line - 1].strip() == "if item.size <= limit and item.name != other:"
    assert [each.text.strip() for each in case.units[0].hunk.removed] == [
        "if item.size < limit and item.name != other:"
    ]


def test_an_installed_package_is_a_source_as_well(tmp_path: Path) -> None:
    """Code without a history can be planted in, in every way that needs none."""
    (tmp_path / "picking").mkdir()
    (tmp_path / "picking" / "pick.py").write_text(FUNCTIONS.format(name="one"))
    found = [case for case, _ in zip(cases_of_files(tmp_path / "picking"), range(6), strict=False)]
    assert {case.way for case in found} == {Way.ADDED, Way.MODIFIED, Way.REMOVED}
    assert all(case.origin.startswith("picking/pick.py") for case in found)


def test_nothing_is_written_to_the_repository(repository: Repository) -> None:
    """Broken texts live in a store of their own."""
    before = sorted(path.name for path in (repository.git_dir / "objects").rglob("*") if path.is_file())
    assert list(cases_of(repository, seed=5, most=3))
    assert sorted(path.name for path in (repository.git_dir / "objects").rglob("*") if path.is_file()) == before
