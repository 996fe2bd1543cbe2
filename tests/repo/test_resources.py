"""What reading costs: no child, descriptor or file is left, and commits at the same time do not disturb each other."""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lrc.repo import Repository
from tests.repo.conftest import Recorder
from tests.support.patching import added
from tests.support.repository import SampleRepository

REVIEWS = """
import os, sys, tempfile
from pathlib import Path
from lrc.repo import Repository
from lrc.repo.history import commits

def descriptors():
    return len(os.listdir("/proc/self/fd"))

def children():
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()

def review():
    with Repository.discover() as repository:
        for file in repository.staged().files():
            repository.blob(file.new_blob)

def abandon():
    with Repository.discover() as repository:
        next(repository.staged().files())

review(); abandon()
with Repository.discover() as repository:
    list(commits(repository))
before = descriptors()
for number in range(int(sys.argv[1])):
    (abandon if number % 10 == 0 else review)()
assert descriptors() == before, f"{descriptors()} descriptors, {before} before"
assert not children(), children()
"""


@pytest.mark.parametrize("reviews", [100, pytest.param(1000, marks=pytest.mark.proof)])
def test_reviews_leave_nothing_open(sample: SampleRepository, tmp_path: Path, reviews: int) -> None:
    """After hundreds of reviews' reads in one process there is no more open than after one."""
    sample.commit("one", {"f": "1\n"})
    sample.stage({"f": "1\n2\n"})
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-c", REVIEWS, str(reviews)]
    done = subprocess.run(
        command,
        cwd=sample.path,
        env={**os.environ, "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(scratch.iterdir()) == []


def test_an_error_in_the_middle_leaves_nothing_open(sample: SampleRepository) -> None:
    """A reader that fails half way ends git, and its temporary directory goes."""
    sample.stage({f"f{number}": "x\n" * 5000 for number in range(20)})
    before = set(Path(tempfile.gettempdir()).glob("lrc-*"))
    with pytest.raises(RuntimeError), Repository.discover() as repository:
        for file in repository.staged().files():
            repository.blob(file.new_blob)
            raise RuntimeError
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    assert set(Path(tempfile.gettempdir()).glob("lrc-*")) <= before


def test_commits_in_two_worktrees_at_once(sample: SampleRepository, recorder: Recorder, tmp_path: Path) -> None:
    """Each hook sees the index of its own worktree, four times over, and both commits stand."""
    sample.commit("base", {"f": "".join(f"{number}\n" for number in range(4))})
    recorder.watch(sample)
    linked = SampleRepository(tmp_path / "linked", init=False)
    sample.git("worktree", "add", "--quiet", str(linked.path), "-b", "other")

    def commit(where: SampleRepository, name: str) -> None:
        for number in range(4):
            where.write("f", f"{name} {number}\n")
            where.git("commit", "-a", "-m", f"{name} {number}")

    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(commit, sample, "main"), pool.submit(commit, linked, "linked")]:
            future.result()
    seen = [(entry["tree"], entry["files"][0]["added"]) for entry in recorder.seen]
    recorded = [
        (where.git("rev-parse", f"HEAD~{3 - number}^{{tree}}"), [f"{name} {number}"])
        for where, name in ((sample, "main"), (linked, "linked"))
        for number in range(4)
    ]
    assert sorted(seen) == sorted(recorded)


def test_commits_in_two_repositories_at_once(tmp_path: Path, recorder: Recorder) -> None:
    """Two repositories share nothing."""
    samples = [SampleRepository(tmp_path / name) for name in ("left", "right")]
    for sample in samples:
        recorder.watch(sample)
        sample.stage({"f": f"{sample.path.name}\n"})
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda sample: sample.git("commit", "-m", "x"), samples))
    assert sorted(entry["files"][0]["added"] for entry in recorder.seen) == [["left"], ["right"]]


def test_threads_share_a_repository(sample: SampleRepository) -> None:
    """Reading blobs from several threads mixes nothing up."""
    contents = [f"content {number}\n".encode() * (number + 1) for number in range(50)]
    names = [sample.git("hash-object", "-w", "--stdin", feed=content) for content in contents]
    with Repository.discover() as repository, ThreadPoolExecutor(8) as pool:
        assert list(pool.map(repository.blob, names * 4)) == contents * 4


def test_two_changes_at_once(sample: SampleRepository) -> None:
    """Two iterations over one repository's changes run side by side."""
    sample.commit("one", {"f": "1\n"})
    sample.stage({f"f{number}": "x\n" for number in range(3)})
    with Repository.discover() as repository:
        pairs = list(zip(repository.staged().files(), repository.change("HEAD").files(), strict=False))
        assert [(added(left), added(right)) for left, right in pairs] == [(["x"], ["1"])]


def test_no_heavy_import(tmp_path: Path) -> None:
    """Reading a change loads neither GitPython nor any other heavy library."""
    script = (
        "import sys; from lrc.repo import Repository; import lrc.context;"
        "heavy = {'git', 'rich', 'typer', 'numpy', 'llama_cpp', 'ast_grep_py', 'pathspec', 'huggingface_hub'};"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
