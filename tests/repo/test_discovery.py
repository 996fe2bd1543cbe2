"""Finding the repository, and saying what is wrong when there is none."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lrc.errors import EnvironmentFault, ExitCode, LrcError
from lrc.repo import GitFailure, Repository
from lrc.repo.process import reason_of
from tests.support.patching import added
from tests.support.repository import SampleRepository


def refusal(path: Path | None = None) -> LrcError:
    """The error that discovery ends in: one line, a way out, the environment's exit code."""
    with pytest.raises(EnvironmentFault) as fault:
        Repository.discover(path)
    assert "\n" not in fault.value.message and fault.value.hint
    assert fault.value.exit_code is ExitCode.ENVIRONMENT
    return fault.value


def test_from_a_subdirectory(sample: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """The root is the top of the work tree, from wherever below it."""
    sample.write("a/b/file", "x")
    monkeypatch.chdir(sample.path / "a" / "b")
    for path in (None, Path(), sample.path / "a", sample.path / "a" / "b" / "file", sample.path):
        with Repository.discover(path) as repository:
            assert repository.root == sample.path
            assert repository.git_dir == repository.common_dir == sample.path / ".git"
            assert not repository.is_bare


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory outside any repository is said to be that."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    assert "no repository" in refusal().message
    assert "no repository" in refusal(tmp_path).message
    assert "git init" in refusal(tmp_path).hint


def test_a_directory_that_does_not_exist(tmp_path: Path) -> None:
    """A wrong path is named."""
    assert str(tmp_path / "nowhere") in refusal(tmp_path / "nowhere").message


def test_the_current_directory_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deleted working directory is one clear line."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "does not exist any more" in refusal().message


def test_git_is_missing(sample: SampleRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without git on PATH the way out is to install it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git is not on PATH" in refusal().message


def test_git_cannot_start(sample: SampleRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file named git that is no program is one clear line too."""
    broken = tmp_path / "bin" / "git"
    broken.parent.mkdir()
    broken.write_bytes(b"\x7fELF garbage")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(broken.parent))
    assert "could not be started" in refusal().message


def test_a_repository_of_another_user(sample: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """safe.directory: git's refusal is explained, with the command that lifts it."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own way to test its refusal
    fault = refusal()
    assert "another user" in fault.message
    assert f"safe.directory {sample.path}" in fault.hint
    sample.git("config", "--global", "--add", "safe.directory", str(sample.path))
    with Repository.discover() as repository:
        assert repository.root == sample.path


def test_a_broken_configuration(sample: SampleRepository) -> None:
    """git's own complaint is passed on in one line."""
    (sample.path / ".git" / "config").write_text("[broken\n")
    assert "config" in refusal().message


def test_a_bare_repository(make_repo: Callable[..., SampleRepository], sample: SampleRepository) -> None:
    """Revisions can be reviewed; there is no staged change."""
    sample.commit("one", {"f": "1\n"})
    sample.git("clone", "--quiet", "--bare", ".", "../bare")
    with Repository.discover(sample.path.parent / "bare") as repository:
        assert repository.is_bare
        assert repository.root == repository.git_dir == sample.path.parent / "bare"
        assert [added(file) for file in repository.change("HEAD").files()] == [["1"]]
        assert repository.hooks_path() == sample.path.parent / "bare" / "hooks"
        assert repository.attributes(["f"]) == {"f": {}}
        assert (repository.paths(), repository.paths(at=repository.commit("HEAD"))) == ([], ["f"])
        with pytest.raises(EnvironmentFault, match="bare"):
            repository.staged()


def test_inside_the_git_directory(sample: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """From inside `.git` the repository is found."""
    sample.commit("one", {"f": "1\n"})
    sample.stage({"f": "1\n2\n"})
    monkeypatch.chdir(sample.path / ".git")
    with Repository.discover() as repository:
        assert [added(file) for file in repository.change("HEAD").files()] == [["1"]]
        assert [added(file) for file in repository.staged().files()] == [["2"]]
        assert repository.paths() == ["f"]


def test_relative_names_in_the_environment(sample: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative GIT_DIR and GIT_WORK_TREE count from where the process started."""
    sample.stage({"sub/f": "1\n"})
    monkeypatch.chdir(sample.path / "sub")
    monkeypatch.setenv("GIT_DIR", "../.git")
    monkeypatch.setenv("GIT_WORK_TREE", "..")
    with Repository.discover() as repository:
        assert repository.root == sample.path
        assert [file.path for file in repository.staged().files()] == ["sub/f"]


@pytest.mark.parametrize(
    "name", ["with space", "new\nline", "quo'te\"d", "naïve", "semi;colon:x", "back\\slash", "caf\udce9"]
)
def test_directories_with_hostile_names(make_repo: Callable[..., SampleRepository], name: str) -> None:
    """Whatever the path of the repository holds, everything works, merges included."""
    sample = make_repo(name)
    sample.conflict("f", "1\n", "2\n", "3\n")
    sample.stage({"f": "4\n"})
    with Repository.discover(sample.path) as repository:
        assert repository.root == sample.path
        assert repository.common_dir == sample.path / ".git"
        assert [added(file) for file in repository.staged().files()] == [["4"]]
        assert repository.hooks_path() == sample.path / ".git" / "hooks"


def test_hooks_path_setting(sample: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """`core.hooksPath` counts from the top of the work tree, also when asked from below it."""
    sample.git("config", "core.hooksPath", ".husky/_")
    sample.write("sub/f", "x")
    monkeypatch.chdir(sample.path / "sub")
    with Repository.discover() as repository:
        assert repository.hooks_path() == sample.path / ".husky" / "_"


def test_a_sha256_repository(make_repo: Callable[..., SampleRepository]) -> None:
    """Longer object names work: staged, first commit, merge, blobs."""
    sample = make_repo("long", arguments=("--object-format=sha256",))
    sample.stage({"f": "1\n"})
    with Repository.discover(sample.path) as repository:
        assert [added(file) for file in repository.staged().files()] == [["1"]]
        assert len(repository.staged().new) == 64
    sample.conflict("g", "1\n", "2\n", "3\n")
    sample.stage({"g": "4\n"})
    with Repository.discover(sample.path) as repository:
        (file,) = repository.staged().files()
        assert (added(file), repository.blob(file.new_blob)) == (["4"], b"4\n")


def test_settings_are_read_as_the_user_has_them(sample: SampleRepository) -> None:
    """`config` gives the user's value, not the one that we force on git's output."""
    sample.git("config", "diff.noprefix", "true")
    sample.git("config", "lrc.multi", "one\ntwo")
    with Repository.discover() as repository:
        assert repository.config("diff.noprefix") == "true"
        assert repository.config("lrc.multi") == "one\ntwo"
        assert repository.config("no.such.key") is None
        for key in ("nodot", "-x", "--list", "a\nb.c"):
            with pytest.raises(GitFailure):
                repository.config(key)


def test_head(sample: SampleRepository) -> None:
    """None on an unborn branch, a named fault when HEAD's commit is damaged."""
    with Repository.discover() as repository:
        assert repository.head() is None
    name = sample.commit("one", {"f": "1\n"})
    with Repository.discover() as repository:
        assert repository.head() == name
    shutil.rmtree(sample.path / ".git" / "objects" / name[:2])
    with Repository.discover() as repository, pytest.raises(EnvironmentFault, match="cannot be read"):
        repository.staged()


def test_a_traced_git(sample: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who traces git's own work gets no trace between the lines that are read."""
    sample.stage({"f": "1\n"})
    for name in ("GIT_TRACE", "GIT_TRACE_SETUP", "GIT_TRACE2"):
        monkeypatch.setenv(name, "1")
    with Repository.discover() as repository:
        assert [added(file) for file in repository.staged().files()] == [["1"]]
        assert repository.config("no.such") is None


def test_a_damaged_index(sample: SampleRepository) -> None:
    """A broken index is one clear line with a way out."""
    sample.commit("one", {"f": "1\n"})
    (sample.path / ".git" / "index").write_bytes(b"garbage")
    with Repository.discover() as repository, pytest.raises(GitFailure) as fault:
        list(repository.staged().files())
    assert "\n" not in fault.value.message and fault.value.hint


def test_git_complaints_become_one_printable_line() -> None:
    """The line that says what is wrong is chosen, cut and cleaned of control characters."""
    assert reason_of(b"warning: x\nfatal: bad \x1b[31mthing\nhint: y\n") == "bad �[31mthing"
    assert reason_of(b"") == ""
    assert len(reason_of(b"error: " + b"x" * 1000)) == 300
