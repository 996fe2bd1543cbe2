"""Clones that do not hold everything: what is missing is said, and never fetched."""

from pathlib import Path

import pytest

from lrc.errors import EnvironmentFault, WrongUsage
from lrc.repo import MissingObject, Repository
from lrc.repo.history import commits
from tests.repo.conftest import Recorder
from tests.support.patching import added, removed
from tests.support.repository import SampleRepository


@pytest.fixture
def origin(sample: SampleRepository) -> SampleRepository:
    """Three commits to clone from."""
    sample.git("config", "uploadpack.allowFilter", "true")
    sample.git("config", "uploadpack.allowAnySHA1InWant", "true")
    sample.commit("one", {"f": "1\n", "g": "g\n", "large": "x\n" * 500})
    sample.commit("two", {"f": "1\n2\n"})
    sample.commit("three", {"f": "1\n2\n3\n", "g": "g\nG\n"})
    return sample


def cloned(origin: SampleRepository, *arguments: str) -> SampleRepository:
    """A clone of `origin` over the git protocol."""
    path = origin.path.parent / "clone"
    origin.git("clone", "--quiet", *arguments, f"file://{origin.path}", str(path))
    clone = SampleRepository(path, init=False)
    clone.git("config", "protocol.file.allow", "always")
    return clone


def objects(clone: SampleRepository) -> set[Path]:
    """All object files of a clone."""
    return {path for path in (clone.path / ".git" / "objects").rglob("*") if path.is_file()}


def test_shallow_clone(origin: SampleRepository, recorder: Recorder) -> None:
    """Commits made in it are right; the oldest one, whose parent is missing, is explained, not shown as all new."""
    clone = cloned(origin, "--depth=2")
    recorder.watch(clone)
    clone.write("f", "1\n2\n3\n4\n")
    clone.git("commit", "-a", "-m", "x")
    assert recorder.added == {"f": ["4"]}
    with Repository.discover(clone.path) as repository:
        assert {file.path: added(file) for file in repository.change("HEAD~1").files()} == {"f": ["3"], "g": ["G"]}
        with pytest.raises(EnvironmentFault) as fault:
            repository.change("HEAD~2")
        assert "parent" in fault.value.message and "--deepen" in fault.value.hint
        with pytest.raises(WrongUsage):
            repository.change("HEAD~3")
        assert [commit.subject for commit in commits(repository)] == ["x", "three", "two"]


def test_shallow_clone_without_a_merge_base(origin: SampleRepository) -> None:
    """The hint says how to get the history."""
    origin.git("checkout", "--quiet", "-b", "topic", "HEAD~2")
    origin.commit("topic", {"t": "t\n"})
    clone = cloned(origin, "--depth=1", "--no-single-branch")
    with Repository.discover(clone.path) as repository, pytest.raises(WrongUsage) as fault:
        repository.change("origin/main...origin/topic")
    assert "--unshallow" in fault.value.hint


def test_partial_clone(origin: SampleRepository, recorder: Recorder) -> None:
    """A missing blob is a fault of its file, the other files are shown, and nothing is fetched."""
    clone = cloned(origin, "--filter=blob:none")
    clone.git("config", "user.useConfigOnly", "false")
    before = objects(clone)
    with Repository.discover(clone.path) as repository:
        files = {file.path: file for file in repository.change("HEAD").files()}
    assert set(files) == {"f", "g"}
    assert files["f"].fault and files["g"].fault and not files["f"].hunks
    assert "not in this clone" in files["f"].fault
    assert objects(clone) == before
    recorder.watch(clone)
    clone.write("f", "1\n2\n3\n4\n")
    clone.git("commit", "-a", "-m", "x")
    assert recorder.added == {"f": ["4"]}


def test_partial_clone_shows_what_is_there(origin: SampleRepository) -> None:
    """Files whose blobs are here keep their hunks beside one whose blob is not."""
    clone = cloned(origin, "--filter=blob:none", "--no-checkout")
    for name in (f"{side}:f" for side in ("HEAD", "HEAD~1")):
        clone.git("cat-file", "blob", name)  # this one fetches, as git does by itself
    with Repository.discover(clone.path) as repository:
        files = {file.path: file for file in repository.change("HEAD").files()}
        assert (added(files["f"]), files["f"].fault) == (["3"], "")
        assert files["g"].fault and files["g"].hunks == ()
        with pytest.raises(MissingObject):
            repository.blob(files["g"].new_blob)
        with pytest.raises(MissingObject):
            repository.file("g", repository.commit("HEAD"))


def test_partial_clone_with_deletions_and_additions(origin: SampleRepository) -> None:
    """A deleted file whose content is missing is named; an added one is shown whole; a rename stays one."""
    clone = cloned(origin, "--filter=blob:none")
    clone.git("config", "diff.renames", "false")
    (clone.path / "large").unlink()
    (clone.path / "f").rename(clone.path / "moved")
    clone.stage({"new": "n\nlast"})
    known = {name: clone.git("ls-tree", "HEAD", name).split()[2] for name in ("large",)}
    pack = next((clone.path / ".git" / "objects" / "pack").glob("*.promisor"))
    assert pack.exists()
    with Repository.discover(clone.path) as repository:
        files = {file.path: file for file in repository.staged().files()}
    assert added(files["new"]) == ["n", "last"]
    assert files["moved"].old_path == "f" and files["moved"].hunks == ()
    assert removed(files["large"]) == ["x"] * 500 or files["large"].fault
    assert files["large"].old_blob == known["large"]


def test_treeless_clone(origin: SampleRepository) -> None:
    """Where not even the directories are here, the whole change is refused in one line with the way out."""
    clone = cloned(origin, "--filter=tree:0")
    before = objects(clone)
    with Repository.discover(clone.path) as repository, pytest.raises(EnvironmentFault) as fault:
        list(repository.change("HEAD~1").files())
    assert "\n" not in fault.value.message and "fetch" in fault.value.hint
    assert objects(clone) == before


def test_a_damaged_blob(sample: SampleRepository) -> None:
    """A blob that cannot be read is a fault of its file alone."""
    sample.commit("one", {"f": "1\n", "g": "1\n2\n"})
    sample.stage({"f": "1\nx\n", "g": "1\n2\n3\n"})
    name = sample.git("rev-parse", ":f")
    broken = sample.path / ".git" / "objects" / name[:2] / name[2:]
    broken.chmod(0o644)
    broken.write_bytes(b"garbage")
    with Repository.discover() as repository:
        files = {file.path: file for file in repository.staged().files()}
    assert files["f"].fault and files["f"].hunks == ()
    assert added(files["g"]) == ["3"]
