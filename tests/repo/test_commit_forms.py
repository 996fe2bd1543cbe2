"""Every way a commit happens: the hook sees the tree that git then records, and the lines that are new in it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lrc.repo import Repository
from tests.repo.conftest import Recorder
from tests.support.patching import added, removed
from tests.support.repository import SampleRepository


@pytest.fixture
def watched(sample: SampleRepository, recorder: Recorder) -> SampleRepository:
    """A repository with two committed files, whose later commits are recorded by its hooks."""
    sample.commit("base", {"a": "a1\na2\na3\n", "b": "b1\n"})
    recorder.watch(sample)
    return sample


@pytest.fixture
def with_submodule(sample: SampleRepository, make_repo: Callable[..., SampleRepository]) -> SampleRepository:
    """A repository with a submodule at `lib`."""
    library = make_repo("library")
    library.commit("one", {"l": "1\n"})
    sample.git("submodule", "--quiet", "add", str(library.path), "lib")
    sample.commit("with submodule", {})
    return sample


def assert_exact(sample: SampleRepository, recorder: Recorder, **lines: list[str]) -> None:
    """The hook saw the tree that was then recorded, against the commit before, with these added lines by path."""
    assert recorder.last["tree"] == sample.git("rev-parse", "HEAD^{tree}")
    assert recorder.added == lines


def test_plain_commit(watched: SampleRepository, recorder: Recorder) -> None:
    """Only what is staged is seen, not what the work tree holds besides."""
    watched.stage({"a": "a1\nstaged\na3\n"})
    watched.write("a", "a1\nstaged\na3\nunstaged\n")
    watched.write("b", "unstaged\n")
    watched.git("commit", "-m", "x")
    assert_exact(watched, recorder, a=["staged"])
    assert recorder.last["base"] == watched.git("rev-parse", "HEAD^")


def test_commit_all(watched: SampleRepository, recorder: Recorder) -> None:
    """`commit -a` commits from an index that only the environment names."""
    watched.write("a", "a1\nA\na3\n")
    watched.write("b", "b1\nB\n")
    watched.write("untracked", "x\n")
    watched.git("commit", "-a", "-m", "x")
    assert_exact(watched, recorder, a=["A"], b=["B"])


def test_commit_all_from_a_subdirectory(watched: SampleRepository, recorder: Recorder) -> None:
    """git runs hooks at the top of the work tree wherever it was called."""
    watched.commit("sub", {"sub/c": "c\n"})
    watched.write("sub/c", "c\nC\n")
    watched.git("-C", "sub", "commit", "-a", "-m", "x")
    assert recorder.added == {"sub/c": ["C"]}


def test_commit_patch(watched: SampleRepository, recorder: Recorder) -> None:
    """`commit -p`: only the hunks that were answered with yes."""
    watched.write("a", "first\na1\na2\na3\n")
    watched.write("b", "b1\nsecond\n")
    watched.git("commit", "-p", "-m", "x", feed=b"y\nn\n")
    assert_exact(watched, recorder, a=["first"])


def test_commit_include(watched: SampleRepository, recorder: Recorder) -> None:
    """`commit -i FILE`: what was staged and the file."""
    watched.stage({"a": "a1\nA\na3\n"})
    watched.write("b", "b1\nB\n")
    watched.git("commit", "-i", "b", "-m", "x")
    assert_exact(watched, recorder, a=["A"], b=["B"])


def test_commit_only(watched: SampleRepository, recorder: Recorder) -> None:
    """`commit FILE`: the file alone, as the work tree has it, without what else is staged."""
    watched.stage({"a": "a1\nA\na3\n", "b": "b1\nstaged\n"})
    watched.write("b", "b1\nB\n")
    watched.git("commit", "-m", "x", "--", "b")
    assert_exact(watched, recorder, b=["B"])


def test_amend_with_changes(watched: SampleRepository, recorder: Recorder) -> None:
    """`--amend`: the part that is new against the commit being replaced; the whole is that of the new commit."""
    watched.commit("x", {"a": "a1\nA\na3\n"})
    watched.stage({"b": "b1\nB\n"})
    watched.git("commit", "--amend", "-m", "y")
    assert_exact(watched, recorder, b=["B"])
    with Repository.discover() as repository:
        assert {file.path: added(file) for file in repository.change("HEAD").files()} == {"a": ["A"], "b": ["B"]}


def test_amend_of_the_message_only(watched: SampleRepository, recorder: Recorder) -> None:
    """Nothing to review."""
    watched.git("commit", "--amend", "-m", "y")
    assert_exact(watched, recorder)


def test_allow_empty(watched: SampleRepository, recorder: Recorder) -> None:
    """An empty commit has no files."""
    watched.git("commit", "--allow-empty", "-m", "x")
    assert_exact(watched, recorder)


def test_initial_commit(sample: SampleRepository, recorder: Recorder) -> None:
    """On an unborn branch everything that is staged is new, against the empty tree."""
    recorder.watch(sample)
    sample.stage({"a": "a\n"})
    with Repository.discover() as repository:
        assert repository.is_empty()
    sample.git("commit", "-m", "x")
    assert_exact(sample, recorder, a=["a"])
    with Repository.discover() as repository:
        assert not repository.is_empty()
        assert [added(file) for file in repository.change("HEAD").files()] == [["a"]]


def test_deletion_only_commit(watched: SampleRepository, recorder: Recorder) -> None:
    """A commit that only deletes is a change with removed lines."""
    watched.git("rm", "--quiet", "b")
    watched.git("commit", "-m", "x")
    assert_exact(watched, recorder, b=[])
    assert recorder.last["files"][0]["removed"] == ["b1"]


def test_clean_merge(watched: SampleRepository, recorder: Recorder) -> None:
    """In pre-merge-commit both parents are known, and lines that come from one of them are not new."""
    watched.git("checkout", "--quiet", "-b", "topic")
    watched.commit("theirs", {"b": "b1\ntheirs\n", "c": "c\n"})
    watched.git("checkout", "--quiet", "main")
    watched.commit("ours", {"a": "a1\nours\na3\n"})
    watched.git("merge", "--no-edit", "topic")
    assert recorder.last["hook"] == "pre-merge-commit"
    assert recorder.last["others"] == [watched.git("rev-parse", "topic")]
    assert_exact(watched, recorder)


def test_conflicted_merge(watched: SampleRepository, recorder: Recorder) -> None:
    """Concluding a merge: only what the resolution made, not the other side's files."""
    watched.git("checkout", "--quiet", "-b", "topic")
    watched.commit("theirs", {"a": "a1\ntheirs\na3\n", "c": "theirs alone\n"})
    watched.git("checkout", "--quiet", "main")
    watched.commit("ours", {"a": "a1\nours\na3\n"})
    watched.git("merge", "topic", check=False)
    watched.stage({"a": "a1\nresolved\na3\n"})
    watched.git("commit", "-m", "merged")
    assert_exact(watched, recorder, a=["resolved"])
    assert recorder.last["files"][0]["removed"] == ["ours"]
    with Repository.discover() as repository:
        change = repository.change("HEAD")
        assert change.is_merge
        assert [(file.path, added(file), removed(file)) for file in change.files()] == [("a", ["resolved"], ["ours"])]


def test_conflicted_merge_resolved_to_one_side(watched: SampleRepository, recorder: Recorder) -> None:
    """Taking one side as it is makes nothing new."""
    watched.git("checkout", "--quiet", "-b", "topic")
    watched.commit("theirs", {"a": "a1\ntheirs\na3\n"})
    watched.git("checkout", "--quiet", "main")
    watched.commit("ours", {"a": "a1\nours\na3\n"})
    watched.git("merge", "topic", check=False)
    watched.git("checkout", "--theirs", "a")
    watched.git("commit", "-a", "-m", "merged")
    assert_exact(watched, recorder)


def test_conflicted_merge_that_brings_something_of_its_own(watched: SampleRepository, recorder: Recorder) -> None:
    """A file that the resolver added while merging is seen whole."""
    watched.git("checkout", "--quiet", "-b", "topic")
    watched.commit("theirs", {"a": "a1\ntheirs\na3\n"})
    watched.git("checkout", "--quiet", "main")
    watched.commit("ours", {"a": "a1\nours\na3\n"})
    watched.git("merge", "topic", check=False)
    watched.stage({"a": "a1\nours\na3\n", "evil": "new\n"})
    watched.git("commit", "-m", "merged")
    assert_exact(watched, recorder, evil=["new"])


def test_conflicted_merge_across_a_rename(watched: SampleRepository, recorder: Recorder) -> None:
    """The other side moved the file: what we changed in it before is not new, what the resolution adds is."""
    lines = [f"line {number}\n" for number in range(30)]
    watched.commit("long", {"old": "".join(lines)})
    watched.git("checkout", "--quiet", "-b", "topic")
    (watched.path / "old").rename(watched.path / "moved")
    watched.commit("theirs", {"moved": "".join([*lines[:20], "theirs\n", *lines[21:]])})
    watched.git("checkout", "--quiet", "main")
    watched.commit("ours", {"old": "".join(["early\n", *lines[1:20], "ours\n", *lines[21:]])})
    watched.git("merge", "topic", check=False)
    watched.stage({"moved": "".join(["early\n", *lines[1:20], "resolved\n", *lines[21:]])})
    watched.git("commit", "-m", "merged")
    assert_exact(watched, recorder, moved=["resolved"])


def test_merge_of_submodule_pointers(with_submodule: SampleRepository) -> None:
    """A pointer that the resolution chose by itself is shown; one that a side had is not."""
    inner = SampleRepository(with_submodule.path / "lib", init=False)
    base = with_submodule.head
    names = [inner.commit(str(number), {"l": f"{number}\n"}) for number in range(3)]

    def pointing(name: str, *parents: str) -> str:
        with_submodule.git("update-index", "--cacheinfo", f"160000,{name},lib")
        tree = with_submodule.git("write-tree")
        return with_submodule.git("commit-tree", "-m", "m", *(f"-p{parent}" for parent in parents), tree)

    sides = [pointing(name, base) for name in names[:2]]
    with Repository.discover() as repository:
        (file,) = repository.change(pointing(names[2], *sides)).files()
        assert (file.path, file.new_blob, file.is_submodule) == ("lib", names[2], True)
        assert list(repository.change(pointing(names[1], *sides)).files()) == []


def test_unresolved_merge(sample: SampleRepository) -> None:
    """Asked in the middle of a conflict: the file is named as not readable, the rest is shown."""
    sample.conflict("a", "1\n", "2\n", "3\n")
    sample.write("evil", "new\n")
    sample.git("add", "evil")
    with Repository.discover() as repository:
        files = {file.path: file for file in repository.staged().files()}
        assert files["a"].fault and files["a"].hunks == ()
        assert added(files["evil"]) == ["new"]
        assert repository.staged().new == ""


def test_unresolved_stash(sample: SampleRepository) -> None:
    """A conflict without MERGE_HEAD: the same, against HEAD."""
    sample.commit("base", {"a": "1\n"})
    sample.write("a", "2\n")
    sample.git("stash")
    sample.commit("other", {"a": "3\n"})
    sample.git("stash", "pop", check=False)
    sample.write("b", "new\n")
    sample.git("add", "b")
    with Repository.discover() as repository:
        files = {file.path: file for file in repository.staged().files()}
    assert files["a"].fault
    assert added(files["b"]) == ["new"]


def test_squash_merge(watched: SampleRepository, recorder: Recorder) -> None:
    """`merge --squash` has one parent: all of it is new here."""
    watched.git("checkout", "--quiet", "-b", "topic")
    watched.commit("theirs", {"b": "b1\ntheirs\n"})
    watched.git("checkout", "--quiet", "main")
    watched.git("merge", "--squash", "topic")
    watched.git("commit", "-m", "squashed")
    assert_exact(watched, recorder, b=["theirs"])


def test_octopus_merge(watched: SampleRepository, recorder: Recorder) -> None:
    """More than two parents are all considered."""
    for branch in ("one", "two"):
        watched.git("checkout", "--quiet", "-b", branch, "main")
        watched.commit(branch, {branch: f"{branch}\n"})
    watched.git("checkout", "--quiet", "main")
    watched.commit("ours", {"a": "a1\nours\na3\n"})
    watched.git("merge", "--no-edit", "one", "two")
    with Repository.discover() as repository:
        change = repository.change("HEAD")
        assert len(change.others) == 2
        assert list(change.files()) == []


def conflicting_branch(sample: SampleRepository) -> None:
    """`topic` and `main` both change line 2 of `a`; `topic` has a clean commit first."""
    sample.git("checkout", "--quiet", "-b", "topic")
    sample.commit("clean", {"c": "c\n"})
    sample.commit("clashing", {"a": "a1\ntheirs\na3\n"})
    sample.git("checkout", "--quiet", "main")
    sample.commit("ours", {"a": "a1\nours\na3\n"})


def test_clean_cherry_pick(watched: SampleRepository, recorder: Recorder) -> None:
    """git runs no pre-commit hook; the commit can be reviewed afterwards."""
    conflicting_branch(watched)
    watched.git("cherry-pick", "topic~1")
    assert recorder.seen == []
    with Repository.discover() as repository:
        assert {file.path: added(file) for file in repository.change("HEAD").files()} == {"c": ["c"]}


def test_conflicted_cherry_pick(watched: SampleRepository, recorder: Recorder) -> None:
    """Concluded with `git commit`: the whole of what is picked, as resolved."""
    conflicting_branch(watched)
    watched.git("cherry-pick", "topic", check=False)
    watched.stage({"a": "a1\nresolved\na3\n"})
    watched.git("commit", "-m", "picked")
    assert_exact(watched, recorder, a=["resolved"])


def test_revert(watched: SampleRepository, recorder: Recorder) -> None:
    """A clean revert runs no pre-commit hook; afterwards it reads as the inverse change."""
    watched.commit("x", {"a": "a1\nX\na3\n"})
    watched.git("revert", "--no-edit", "HEAD")
    assert recorder.seen == []
    with Repository.discover() as repository:
        (file,) = repository.change("HEAD").files()
        assert (added(file), removed(file)) == (["a2"], ["X"])


def test_revert_without_commit(watched: SampleRepository, recorder: Recorder) -> None:
    """`revert -n` and then `commit` is a commit like any other."""
    watched.commit("x", {"a": "a1\nX\na3\n"})
    watched.git("revert", "--no-commit", "HEAD")
    watched.git("commit", "-m", "undone")
    assert_exact(watched, recorder, a=["a2"])


def test_rebase(watched: SampleRepository, recorder: Recorder) -> None:
    """A rebase with a conflict runs no pre-commit hook, and its commits read right, one by one and as a range."""
    conflicting_branch(watched)
    watched.git("checkout", "--quiet", "topic")
    watched.git("rebase", "main", check=False)
    watched.stage({"a": "a1\nresolved\na3\n"})
    watched.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert recorder.seen == []
    with Repository.discover() as repository:
        assert {file.path: added(file) for file in repository.change("HEAD").files()} == {"a": ["resolved"]}
        whole = {file.path: added(file) for file in repository.change("main..HEAD").files()}
        assert whole == {"a": ["resolved"], "c": ["c"]}


def test_commit_during_a_rebase(watched: SampleRepository, recorder: Recorder) -> None:
    """Stopped for an edit, an amend is seen like any other."""
    conflicting_branch(watched)
    watched.git("checkout", "--quiet", "topic")
    watched.git("rebase", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": "sed -i s/^pick/edit/"})
    watched.stage({"b": "b1\nmore\n"})
    watched.git("commit", "--amend", "--no-edit")
    assert_exact(watched, recorder, b=["more"])


def test_am(watched: SampleRepository, recorder: Recorder) -> None:
    """A mailed patch runs no pre-commit hook; afterwards it reads right."""
    watched.commit("x", {"a": "a1\nX\na3\n"})
    mail = watched.git("format-patch", "-1", "--stdout")
    watched.git("reset", "--hard", "--quiet", "HEAD~1")
    watched.git("am", feed=mail.encode() + b"\n")
    assert recorder.seen == []
    with Repository.discover() as repository:
        assert [added(file) for file in repository.change("HEAD").files()] == [["X"]]


def test_stash_in_play(watched: SampleRepository, recorder: Recorder) -> None:
    """What is stashed is not seen; a stash commit itself can be reviewed as the merge that it is."""
    watched.write("a", "a1\nstashed\na3\n")
    watched.git("stash")
    watched.stage({"b": "b1\nB\n"})
    watched.git("commit", "-m", "x")
    assert_exact(watched, recorder, b=["B"])
    with Repository.discover() as repository:
        assert [added(file) for file in repository.change("stash@{0}").files()] == [["stashed"]]


def test_intent_to_add(watched: SampleRepository, recorder: Recorder) -> None:
    """`add -N` announces a file without content: it is not in the commit and not in the change."""
    watched.write("announced", "x\n")
    watched.git("add", "--intent-to-add", "announced")
    watched.write("b", "b1\nB\n")
    watched.git("add", "b")
    watched.git("commit", "-m", "x")
    assert_exact(watched, recorder, b=["B"])


def test_linked_worktree(watched: SampleRepository, recorder: Recorder, tmp_path: Path) -> None:
    """In a linked worktree the hook gets GIT_DIR and that worktree's own index."""
    linked = SampleRepository(tmp_path / "linked", init=False)
    watched.git("worktree", "add", "--quiet", str(linked.path), "-b", "other")
    watched.write("a", "a1\nnot this one\na3\n")
    watched.git("add", "a")
    linked.write("b", "b1\nB\n")
    linked.git("commit", "-a", "-m", "x")
    assert_exact(linked, recorder, b=["B"])
    with Repository.discover(linked.path) as repository:
        assert repository.root == linked.path
        assert repository.common_dir == watched.path / ".git"
        assert repository.git_dir == watched.path / ".git" / "worktrees" / "linked"
        assert repository.hooks_path() == watched.path / ".git" / "hooks"


def test_inside_a_submodule(with_submodule: SampleRepository, recorder: Recorder) -> None:
    """A commit in the submodule is that of the submodule's repository."""
    inner = SampleRepository(with_submodule.path / "lib", init=False)
    recorder.watch(inner)
    inner.write("l", "1\n2\n")
    inner.git("commit", "-a", "-m", "x")
    assert_exact(inner, recorder, l=["2"])
    with Repository.discover(inner.path) as repository:
        assert repository.root == inner.path
        assert repository.git_dir == with_submodule.path / ".git" / "modules" / "lib"


@pytest.mark.parametrize("ignore", ["none", "all"])
def test_submodule_bump(with_submodule: SampleRepository, recorder: Recorder, ignore: str) -> None:
    """A moved pointer is a file without hunks whose objects are the two commits, also when told to be ignored."""
    inner = SampleRepository(with_submodule.path / "lib", init=False)
    before = inner.head
    after = inner.commit("two", {"l": "2\n"})
    with_submodule.git("config", "-f", ".gitmodules", "submodule.lib.ignore", ignore)
    with_submodule.git("config", "diff.ignoreSubmodules", ignore)
    with_submodule.git("config", "diff.submodule", "log")
    recorder.watch(with_submodule)
    with_submodule.git("update-index", "--cacheinfo", f"160000,{after},lib")
    with_submodule.git("commit", "--allow-empty", "-m", "bump")  # told to ignore it, git sees nothing to commit
    assert_exact(with_submodule, recorder, lib=[])
    assert recorder.last["files"][0]["blobs"] == [before, after]
    with Repository.discover() as repository:
        (file,) = repository.change("HEAD").files()
        assert file.is_submodule and file.hunks == ()


def test_submodule_that_replaces_files(with_submodule: SampleRepository) -> None:
    """What was a file keeps its removed lines when a pointer takes its place."""
    name = SampleRepository(with_submodule.path / "lib", init=False).head
    with_submodule.commit("file", {"x": "content\n"})
    with_submodule.git("update-index", "--cacheinfo", f"160000,{name},x")
    with Repository.discover() as repository:
        (file,) = repository.staged().files()
    assert file.is_submodule
    assert removed(file) == ["content"]


def test_detached_head(watched: SampleRepository, recorder: Recorder) -> None:
    """No branch is needed."""
    watched.git("checkout", "--quiet", "--detach")
    watched.stage({"a": "a1\nA\na3\n"})
    watched.git("commit", "-m", "x")
    assert_exact(watched, recorder, a=["A"])


def test_sparse_checkout(watched: SampleRepository, recorder: Recorder) -> None:
    """Files outside the sparse work tree are in the index and are not taken for deleted."""
    watched.commit("dirs", {"in/f": "1\n", "out/g": "1\n"})
    watched.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    assert not (watched.path / "out").exists()
    watched.write("in/f", "1\n2\n")
    watched.git("commit", "-a", "-m", "x")
    assert_exact(watched, recorder, **{"in/f": ["2"]})


def test_bare_repository_with_a_work_tree(
    make_repo: Callable[..., SampleRepository], recorder: Recorder, tmp_path: Path
) -> None:
    """`git --git-dir=… --work-tree=… commit -a`, as dotfile managers do it."""
    store = make_repo("dotfiles.git", arguments=("--bare",))
    home = SampleRepository(tmp_path / "home", init=False)
    home.write("rc", "1\n")
    where = (f"--git-dir={store.path}", f"--work-tree={home.path}")
    home.git(*where, "add", "rc")
    home.git(*where, "commit", "-m", "base")
    recorder.watch(store)
    home.write("rc", "1\n2\n")
    home.git(*where, "commit", "-a", "-m", "x")
    assert recorder.added == {"rc": ["2"]}
    assert recorder.last["tree"] == home.git(*where, "rev-parse", "HEAD^{tree}")


def test_index_named_by_a_tool(watched: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_INDEX_FILE in the environment names the index, absolute or relative to the top of the work tree."""
    watched.git("add", "a", env={"GIT_INDEX_FILE": ".git/other"})
    watched.git("read-tree", "HEAD", env={"GIT_INDEX_FILE": ".git/other"})
    watched.write("a", "a1\nother\na3\n")
    watched.git("add", "a", env={"GIT_INDEX_FILE": ".git/other"})
    watched.stage({"b": "b1\nB\n"})
    watched.write("sub/x", "")
    for name in (".git/other", str(watched.path / ".git" / "other")):
        monkeypatch.setenv("GIT_INDEX_FILE", name)
        monkeypatch.chdir(watched.path / "sub")
        with Repository.discover() as repository:
            assert [(file.path, added(file)) for file in repository.staged().files()] == [("a", ["other"])]
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/missing")
    with Repository.discover() as repository:
        assert {file.status.value for file in repository.staged().files()} == {"D"}


def test_another_repository_is_not_read_with_this_ones_environment(
    watched: SampleRepository, make_repo: Callable[..., SampleRepository], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository named by its path keeps its own index although a hook's variables name another."""
    other = make_repo("other")
    other.stage({"o": "o\n"})
    monkeypatch.setenv("GIT_DIR", str(watched.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(watched.path / ".git" / "index"))
    with Repository.discover(other.path) as repository:
        assert [file.path for file in repository.staged().files()] == ["o"]
    with Repository.discover(Path()) as repository:
        assert repository.root == watched.path, "the current directory by its name is no other repository"
        assert repository.place.git.environment["GIT_INDEX_FILE"] == str(watched.path / ".git" / "index")
    with Repository.discover() as repository:
        assert repository.root == watched.path


@pytest.mark.parametrize("unmerged", [False, True])
def test_reading_runs_no_hook(sample: SampleRepository, tmp_path: Path, unmerged: bool) -> None:
    """Also where the tree of an index is computed, with and without unmerged paths, no hook of the user's runs."""
    sample.conflict("a", "1\n", "2\n", "3\n")
    sample.write("b", "b\n")
    sample.git("add", "b" if unmerged else "--all")
    for name in ("post-index-change", "reference-transaction"):
        sample.hook(name, f"touch '{tmp_path}/ran'\n")
    with Repository.discover() as repository:
        assert "b" in {file.path for file in repository.staged().files()}
        assert bool(repository.staged().new) is not unmerged
        list(repository.change("HEAD").files())
    assert not (tmp_path / "ran").exists()
    sample.git("add", "b", "a")
    assert (tmp_path / "ran").exists(), "the hook does run when git itself writes the index"


def test_reading_in_a_hook_takes_no_lock_and_writes_nothing(watched: SampleRepository) -> None:
    """With the index locked, as during `commit -a`, everything reads; no file of the repository changes."""

    def listing() -> set[tuple[str, int, int]]:
        return {
            (str(path), path.stat().st_mtime_ns, path.stat().st_size)
            for path in (watched.path / ".git").rglob("*")
            if path.is_file()
        }

    watched.stage({"a": "a1\nA\na3\n"})
    (watched.path / ".git" / "index.lock").write_bytes((watched.path / ".git" / "index").read_bytes())
    before = listing()
    with Repository.discover() as repository:
        change = repository.staged()
        assert [added(file) for file in change.files()] == [["A"]]
        assert len(change.new) == 40
        assert repository.attributes(["a"]) == {"a": {}}
    assert listing() == before
