"""Every way a commit happens, with our hooks installed in a real repository, and what the ledger says of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lrc.cli.log import fates_of
from lrc.install import everywhere, repository
from lrc.install.script import HOOKS, RECORDERS
from lrc.ledger.book import Book
from lrc.ledger.fate import Fate, State
from lrc.repo import Repository as Reader
from tests.support.hooked import SECRET, Repository, make, run

DETECTORS = {"LRC_NO_MODEL": "1"}
CODE = "".join(f"value{number} = {number}\n" for number in range(40))


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository whose second commit was reviewed; detectors are the reviewer, and there is no model."""
    monkeypatch.setenv("LRC_NO_MODEL", "1")
    monkeypatch.setenv("LRC_DATA_DIR", str(tmp_path / "no models"))
    made = make(tmp_path / "repo")
    repository.install(made.path)
    made.stage("code.py", CODE)
    made.commit("-q")
    return made


def fates(repo: Repository, revision: str = "HEAD") -> list[Fate]:
    """What became of the history of a revision, newest first."""
    with Reader.discover(repo.path) as reader:
        return fates_of(reader, (reader.commit(revision),))


def last(repo: Repository) -> Fate:
    """What became of HEAD."""
    return fates(repo)[0]


def change(repo: Repository, line: int, text: str, name: str = "code.py") -> None:
    """Writes and stages another text for one line."""
    lines = (repo.path / name).read_text().splitlines()
    lines[line] = text
    repo.stage(name, "\n".join(lines) + "\n")


def told(repo: Repository) -> tuple[State, str, float | None]:
    """State, how and coverage of HEAD."""
    fate = last(repo)
    return fate.state, fate.how, fate.coverage


def test_reviewed_commit(repo: Repository) -> None:
    """A plain commit was seen as a whole, once; what was there before the ledger was not."""
    fate, first = fates(repo)
    assert (fate.state, fate.how, fate.coverage, fate.iterations) == (State.REVIEWED, "", 1.0, 1)
    assert (fate.by_model, fate.model, fate.findings) == (0.0, "", {})
    assert len(fate.reviews) == 1
    assert (first.state, first.how, first.unreviewed) == (State.UNSEEN, "before the ledger began", True)


@pytest.mark.parametrize("arguments", [("-a",), ("code.py",), ("-i", "code.py"), ("-a", "--no-post-rewrite")])
def test_forms_of_a_plain_commit(arguments: tuple[str, ...], repo: Repository) -> None:
    """Whatever index git commits from, it is the one that was reviewed."""
    (repo.path / "code.py").write_text(CODE + "more = 1\n")
    repo.commit("-q", *arguments)
    assert told(repo) == (State.REVIEWED, "", 1.0)


@pytest.mark.parametrize("arguments", [("--no-verify",), ("-n",)])
def test_no_verify(arguments: tuple[str, ...], repo: Repository) -> None:
    """What `--no-verify` passes by is known to be passed by."""
    change(repo, 3, "x = 1")
    repo.commit("-q", *arguments)
    assert told(repo) == (State.BYPASSED, "--no-verify", 0.0)


@pytest.mark.parametrize(("name", "value"), [("LRC_SKIP", "1"), ("SKIP", "ruff,lrc")])
def test_skipped(name: str, value: str, repo: Repository) -> None:
    """A variable that skips the review is remembered as it was written."""
    change(repo, 3, "x = 1")
    repo.commit("-q", env={name: value})
    assert told(repo) == (State.BYPASSED, f"{name}={value}", 0.0)


def test_blocked_and_overridden(repo: Repository) -> None:
    """Blocked, then committed past the review: said so, with what was found; rebasing it does not wash it clean."""
    repo.stage("key.pem", SECRET)
    assert repo.commit(check=False).returncode == 1
    repo.commit("-q", "--no-verify")
    fate = last(repo)
    assert (fate.state, fate.how, fate.coverage, fate.iterations) == (State.OVERRIDDEN, "--no-verify", 1.0, 1)
    assert fate.findings
    assert not fate.unreviewed
    repo.git("rebase", "-q", "--no-ff", "HEAD~1")
    assert last(repo).state is State.OVERRIDDEN


def test_blocked_overridden_with_more(repo: Repository) -> None:
    """Something else was added before `--no-verify`: the lines that blocked are still known."""
    repo.stage("key.pem", SECRET)
    repo.commit("-q", check=False)
    change(repo, 3, "x = 1")
    repo.commit("-q", "-n")
    fate = last(repo)
    assert fate.state is State.OVERRIDDEN
    assert fate.unreviewed
    assert fate.coverage == pytest.approx(3 / 5)


def test_blocked_and_mended(repo: Repository) -> None:
    """What was blocked and then mended is a reviewed commit, of the second iteration."""
    repo.stage("key.pem", SECRET)
    repo.commit("-q", check=False)
    repo.stage("key.pem", "see the vault\n")
    repo.commit("-q")
    assert told(repo) == (State.REVIEWED, "", 1.0)
    assert last(repo).iterations == 2


def test_failed_open(repo: Repository) -> None:
    """No model: the commit went through, and the reason is kept; a later review makes up for it."""
    change(repo, 3, "def f(a): return a")
    repo.commit("-q", env={"LRC_NO_MODEL": "0"})
    assert told(repo) == (State.FAILED, "no model is installed", 0.0)
    run(sys.executable, "-m", "lrc", "review", "HEAD", cwd=repo.path)
    assert last(repo).state is State.REVIEWED
    assert last(repo).coverage == 1.0


def test_amend(repo: Repository) -> None:
    """Amended with and without a change, the parts that each review saw add up; also beside a line seen before."""
    change(repo, 3, "x = 1")
    repo.commit("-q")
    change(repo, 2, "y = 1")
    repo.commit("-q", "--amend")
    assert told(repo) == (State.REVIEWED, "", 1.0)
    repo.commit("-q", "--amend", "-m", "only another message")
    assert told(repo) == (State.REVIEWED, "", 1.0)
    repo.commit("-q", "--amend", "-n", "-m", "and again")
    assert told(repo) == (State.REVIEWED, "", 1.0)


def test_amend_of_what_was_bypassed(repo: Repository) -> None:
    """The review of the amended part does not make the rest reviewed."""
    change(repo, 3, "x = 1")
    repo.commit("-q", "-n")
    repo.commit("-q", "--amend", "-m", "another message")
    assert told(repo)[::2] == (State.BYPASSED, 0.0)
    change(repo, 30, "y = 1")
    repo.commit("-q", "--amend")
    state, how, coverage = told(repo)
    assert (state, coverage) == (State.BYPASSED, 0.5)
    assert how.startswith("--no-verify")


def test_amend_past_the_review(repo: Repository) -> None:
    """`--amend --no-verify` with a change is passed by in that part."""
    change(repo, 3, "x = 1")
    repo.commit("-q")
    change(repo, 30, "y = 1")
    repo.commit("-q", "--amend", "-n")
    assert told(repo) == (State.BYPASSED, "--no-verify", 0.5)


def test_part_of_what_was_reviewed(repo: Repository) -> None:
    """Reviewed whole, committed in two parts past the hook: every line of both was seen."""
    change(repo, 3, "x = 1")
    change(repo, 30, "y = 1")
    run(sys.executable, "-m", "lrc", "review", cwd=repo.path)
    both = (repo.path / "code.py").read_text()
    repo.git("reset", "-q")
    (repo.path / "code.py").write_text(CODE)
    change(repo, 3, "x = 1")
    repo.commit("-q", "-n")
    assert told(repo) == (State.REVIEWED, "--no-verify, but another review read it", 1.0)
    repo.stage("code.py", both)
    repo.commit("-q", "-n")
    assert told(repo)[::2] == (State.REVIEWED, 1.0)


def test_indentation_is_another_state(repo: Repository) -> None:
    """A line that was re-indented since its review has not been seen as it is."""
    change(repo, 3, "if x:")
    run(sys.executable, "-m", "lrc", "review", cwd=repo.path)
    change(repo, 3, "    if x:")
    repo.commit("-q", "-n")
    assert told(repo) == (State.BYPASSED, "--no-verify", 0.5)  # the removed line was seen


def test_merges(repo: Repository) -> None:
    """A clean merge brings nothing of its own; a conflicted one what its resolution made, unless passed by."""
    repo.git("checkout", "-q", "-b", "topic")
    change(repo, 3, "theirs = 1")
    repo.commit("-q")
    repo.git("checkout", "-q", "main")
    repo.stage("other.txt")
    repo.commit("-q")
    repo.git("merge", "-q", "--no-edit", "topic")
    assert last(repo).state is State.EMPTY
    assert not last(repo).unreviewed
    repo.git("reset", "-q", "--hard", "HEAD~1")
    change(repo, 3, "ours = 1")
    repo.commit("-q")
    for arguments, expected in (
        ((), (State.REVIEWED, "", 1.0)),
        (("-n",), (State.BYPASSED, "--no-verify", 0.5)),  # its removed line was seen the first time
    ):
        repo.git("merge", "-q", "topic", check=False)
        repo.stage("code.py", CODE.replace("value3 = 3", f"both = {len(arguments)}"))
        repo.commit("-q", *arguments)
        assert told(repo) == expected
        repo.git("reset", "-q", "--hard", "HEAD~1")


def test_fast_forward_records_nothing(repo: Repository) -> None:
    """A fast-forward makes no commit, and the one it brings keeps its own story."""
    repo.git("checkout", "-q", "-b", "topic")
    change(repo, 3, "x = 1")
    repo.commit("-q", env={"LRC_SKIP": "1"})
    repo.git("checkout", "-q", "main")
    then = Book(repo.path / ".git").entries()
    repo.git("merge", "-q", "topic")
    assert Book(repo.path / ".git").entries() == then
    assert told(repo) == (State.BYPASSED, "LRC_SKIP=1", 0.0)


def test_squash_merge_is_known_by_its_lines(repo: Repository) -> None:
    """`git merge --squash`, then `commit -n`: the lines were seen on the branch."""
    repo.git("checkout", "-q", "-b", "topic")
    change(repo, 3, "x = 1")
    repo.commit("-q")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "topic")
    repo.commit("-q", "-n")
    assert told(repo)[::2] == (State.REVIEWED, 1.0)


def _topic(repo: Repository, *arguments: str) -> None:
    """A branch with one commit made with these arguments; back on main, which has moved on."""
    repo.git("checkout", "-q", "-b", "topic")
    change(repo, 3, "x = 1")
    repo.commit("-q", *arguments)
    repo.git("checkout", "-q", "main")
    repo.stage("code.py", "above = 0\n" + CODE)
    repo.commit("-q")


MOVES = {
    "cherry-pick": (("cherry-pick", "topic"), "cherry-pick"),
    "rebase": (("rebase", "-q", "main", "topic"), "rebase (pick)"),
}


@pytest.mark.parametrize("move", MOVES)
def test_moved_commit_keeps_what_was_seen(move: str, repo: Repository) -> None:
    """No review hook runs, but the lines are those that were reviewed, though their numbers are others."""
    _topic(repo)
    command, action = MOVES[move]
    repo.git(*command)
    assert told(repo) == (State.REVIEWED, f"read before, then {action}", 1.0)


def test_rebased_bypass_stays_one(repo: Repository) -> None:
    """Rebasing a commit that went past the review does not hide how it came."""
    _topic(repo, "-n")
    repo.git("rebase", "-q", "main", "topic")
    assert told(repo) == (State.BYPASSED, "--no-verify, then rebase (pick)", 0.0)


def test_cherry_pick_of_what_nobody_saw(repo: Repository) -> None:
    """What no review saw anywhere is never seen, with what made it."""
    _topic(repo, "-n")
    repo.git("cherry-pick", "topic")
    assert told(repo) == (State.UNSEEN, "made by cherry-pick", 0.0)


def test_revert(repo: Repository) -> None:
    """A revert runs no review hook, and its lines are new ones in their place."""
    change(repo, 3, "x = 1")
    repo.commit("-q")
    repo.git("revert", "--no-edit", "HEAD")
    state, how, _ = told(repo)
    assert (state, how) == (State.UNSEEN, "made by revert")


def test_conflicted_cherry_pick_is_a_commit(repo: Repository) -> None:
    """Concluded after a conflict, git runs the review hook: reviewed."""
    _topic(repo)
    change(repo, 4, "ours = 1")
    repo.commit("-q")
    repo.git("cherry-pick", "topic", check=False)
    repo.stage("code.py", "above = 0\n" + CODE.replace("value3 = 3", "both = 1"))
    repo.git("-c", "core.editor=true", "cherry-pick", "--continue")
    assert told(repo) == (State.REVIEWED, "", 1.0)


@pytest.mark.parametrize(("how", "expected"), [("squash", 1.0), ("fixup", 1.0)])
def test_squashed_by_a_rebase(how: str, expected: float, repo: Repository) -> None:
    """Two reviewed commits made one: seen; with one that was passed by among them, that one decides."""
    for line, arguments in ((3, ()), (20, ()), (30, ("-n",))):
        change(repo, line, f"x{line} = 1")
        repo.commit("-q", *arguments)
    for most, state in ((2, State.REVIEWED), (3, State.BYPASSED)):
        repo.git("checkout", "-q", "--detach", f"main~{3 - most}")
        editor = {"GIT_SEQUENCE_EDITOR": f"sed -i -e '2,$s/^pick/{how}/'", "GIT_EDITOR": "true"}
        repo.git("rebase", "-q", "-i", f"HEAD~{most}", env=editor)
        fate = last(repo)
        assert fate.state is state
        assert fate.coverage == (expected if most == 2 else pytest.approx(2 / 3))


def test_reword_and_exec_within_a_rebase(repo: Repository) -> None:
    """A reworded commit keeps its story; one that a rebase's `exec` makes runs the hook."""
    change(repo, 3, "x = 1")
    repo.commit("-q")
    editor = {"GIT_SEQUENCE_EDITOR": "sed -i -e '1s/^pick/reword/'", "GIT_EDITOR": "sed -i -e 1s/^/new:/"}
    repo.git("rebase", "-q", "-i", "HEAD~1", env=editor)
    assert repo.git("log", "-1", "--format=%s").stdout.startswith("new:")
    assert told(repo)[::2] == (State.REVIEWED, 1.0)
    made = "echo y = 1 >> code.py; git commit -q -a -m made"
    repo.git("rebase", "-q", "-x", made, "HEAD~1")
    assert told(repo) == (State.REVIEWED, "", 1.0)


@pytest.mark.parametrize(("way", "how"), [("--rebase", "made by rebase (pick)"), ("--no-rebase", None)])
def test_pull(way: str, how: str | None, repo: Repository, tmp_path: Path) -> None:
    """Rebased by a pull, a commit was not made past the hook; merged by one, the merge brings nothing of its own."""
    run("git", "clone", "-q", "--bare", str(repo.path), str(tmp_path / "remote"), cwd=tmp_path)
    repo.git("remote", "add", "origin", str(tmp_path / "remote"))
    repo.git("checkout", "-q", "-b", "theirs")
    repo.stage("theirs.txt")
    repo.commit("-q")
    repo.git("push", "-q", "origin", "theirs:main")
    repo.git("checkout", "-q", "main")
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "away")
    change(repo, 3, "x = 1")
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "away")
    repo.git("pull", "-q", "--no-edit", way, "origin", "main")
    fate = last(repo)
    assert (fate.state, fate.how) == ((State.UNSEEN, how) if how else (State.EMPTY, ""))


def test_applied_mail(repo: Repository) -> None:
    """`git am` runs none of our hooks: known by its lines, else never seen, with what the reflog says."""
    change(repo, 3, "x = 1")
    repo.commit("-q")
    repo.git("format-patch", "-q", "-1", "-o", "..")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    mail = next(repo.path.parent.glob("*.patch"))
    repo.git("am", "-q", str(mail))
    assert told(repo)[::2] == (State.REVIEWED, 1.0)
    repo.git("reset", "-q", "--hard", "HEAD~1")
    mail.write_text(mail.read_text().replace("x = 1", "x = 2"))
    repo.git("am", "-q", str(mail))
    state, how, coverage = told(repo)
    assert (state, coverage) == (State.UNSEEN, 0.5)
    assert how == "made by am"


def test_commit_that_no_porcelain_made(repo: Repository) -> None:
    """A tool that writes commits by itself runs no hook: never seen."""
    (repo.path / "code.py").write_text(CODE + "more = 1\n")
    repo.git("add", "-A")
    tree = repo.git("write-tree").stdout.strip()
    commit = repo.git("commit-tree", tree, "-p", "HEAD", "-m", "plumbed").stdout.strip()
    repo.git("-c", "core.logAllRefUpdates=false", "update-ref", "HEAD", commit)
    state, _, coverage = told(repo)
    assert (state, coverage) == (State.UNSEEN, 0.0)


def test_empty_commit_and_binary(repo: Repository) -> None:
    """An empty commit has nothing to review; a binary file is reviewed as far as it can be, or passed by."""
    repo.commit("-q", "--allow-empty")
    assert told(repo) == (State.EMPTY, "", None)
    (repo.path / "x.bin").write_bytes(b"\0\1\2")
    repo.git("add", "x.bin")
    repo.commit("-q")
    assert told(repo) == (State.REVIEWED, "", None)
    (repo.path / "x.bin").write_bytes(b"\0\1\3")
    repo.commit("-q", "-a", "-n")
    assert told(repo) == (State.BYPASSED, "--no-verify", None)
    assert last(repo).unreviewed


def test_ignored_files_are_no_part_of_the_share(repo: Repository) -> None:
    """What the repository keeps from the review counts neither as seen nor as missing."""
    repo.stage(".lrc/ignore", "*.gen\n")
    repo.commit("-q")
    repo.stage("x.gen", "a\nb\nc\n")
    change(repo, 3, "x = 1")
    repo.commit("-q")
    assert told(repo) == (State.REVIEWED, "", 1.0)
    repo.git("rebase", "-q", "--no-ff", "HEAD~1")
    assert told(repo)[::2] == (State.REVIEWED, 1.0)


def test_foreign_hook_that_amends(repo: Repository) -> None:
    """A post-commit hook that commits again is not mistaken for a loop, and its commit is reviewed and known."""
    repository.uninstall(repo.path)
    repo.hook(
        "post-commit", "git log -1 --format=%s | grep -q stamped || { echo s >>code.py; git commit -qam stamped; }"
    )
    repository.install(repo.path)
    change(repo, 3, "x = 1")
    repo.commit("-q")
    assert [fate.state for fate in fates(repo)[:2]] == [State.REVIEWED, State.REVIEWED]
    assert repo.git("log", "-1", "--format=%s").stdout == "stamped\n"


def test_two_work_trees_do_not_mix(repo: Repository, tmp_path: Path) -> None:
    """Reviews and commits of linked work trees, all at once, end in one ledger and are told apart."""
    trees = [repo]
    for number in range(3):
        run("git", "worktree", "add", "-q", str(tmp_path / f"t{number}"), "-b", f"b{number}", cwd=repo.path)
        trees.append(Repository(tmp_path / f"t{number}"))
    for number, tree in enumerate(trees):
        tree.stage(f"f{number}.txt", f"{number}\n")
    running = [
        subprocess.Popen(
            ("git", "commit", "-q", "-m", "message", *(("-n",) if number % 2 else ())),
            cwd=tree.path,
            env={**os.environ, **DETECTORS},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for number, tree in enumerate(trees)
    ]
    assert [process.wait(timeout=60) for process in running] == [0] * 4
    states = [last(tree).state for tree in trees]
    assert states == [State.REVIEWED, State.BYPASSED, State.REVIEWED, State.BYPASSED]
    assert {entry["worktree"] for entry in Book(repo.path / ".git").entries() if "worktree" in entry} == {
        "",
        "t0",
        "t1",
        "t2",
    }


def _broken(repo: Repository) -> None:
    book = Book(repo.path / ".git")
    book.path.unlink()
    book.path.mkdir()


def test_ledger_that_cannot_be_written_breaks_no_commit(repo: Repository) -> None:
    """The commit goes through; the review says it in one line, and so does each hook that had something to record."""
    _broken(repo)
    change(repo, 3, "x = 1")
    done = repo.commit()
    assert repo.commits() == 3
    assert done.stderr.splitlines()[0].startswith("lrc: pass")
    assert "the ledger could not be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert repo.commit("--allow-empty", env={"LRC_SKIP": "1"}).returncode == 0


def test_nothing_of_the_code_is_in_the_ledger(repo: Repository) -> None:
    """Neither a line, a path, a message nor a secret: whatever was reviewed, blocked or skipped."""
    repo.stage("notable_name.py", f"wondrous_word = 1\n{SECRET}")
    repo.commit("-q", check=False)
    repo.commit("-q", env={"LRC_SKIP": "1"})
    text = Book(repo.path / ".git").path.read_text()
    for word in ("notable", "wondrous", "MIIE", "PRIVATE", "message", "pem"):
        assert word not in text


def test_recorded_in_every_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`lrc install --global` records too, beside a repository's own hooks and in linked work trees, once each."""
    monkeypatch.setenv("LRC_NO_MODEL", "1")
    monkeypatch.setenv("LRC_DATA_DIR", str(tmp_path / "data"))
    made = make(tmp_path / "repo")
    repository.install(made.path)
    everywhere.install()
    for tree in (made, make(tmp_path / "other")):
        tree.stage()
        tree.commit("-q")
        tree.stage("file.txt", "more\n")
        tree.commit("-q", "-n")
        assert [fate.state for fate in fates(tree)[:2]] == [State.BYPASSED, State.REVIEWED]
        events = [entry["event"] for entry in Book(tree.path / ".git").entries()]
        assert events[-3:] == ["review", "commit", "commit"]


RUNS = {
    "plain": ("commit -q -m x", ["pre-commit", "post-commit"]),
    "no-verify": ("commit -q -n -m x", ["post-commit"]),
    "amend": ("commit -q --amend -m x", ["pre-commit", "post-commit", "post-rewrite amend"]),
    "merge": ("merge -q --no-edit topic", ["pre-merge-commit", "post-merge 0"]),
    "merge --no-verify": ("merge -q --no-verify --no-edit topic", ["post-merge 0"]),
    "fast-forward": ("merge -q ahead", ["post-merge 0"]),
    "squash": ("merge -q --squash topic", ["post-merge 1"]),
    "cherry-pick": ("cherry-pick topic", ["post-commit"]),
    "revert": ("revert --no-edit HEAD", ["post-commit"]),
    "rebase": ("rebase -q topic", ["post-commit", "post-rewrite rebase"]),
    "am": ("am -q ../mail", []),
    "stash": ("stash -q", []),
}


@pytest.mark.parametrize("form", RUNS)
def test_hooks_that_git_runs(form: str, tmp_path: Path) -> None:
    """The facts that the ledger stands on: which hooks git runs for which command (the table in hooks/README.md)."""
    made = make(tmp_path / "repo")
    for branch in ("topic", "main"):
        made.git("checkout", "-q", "-B", branch)
        made.stage(f"{branch}.txt")
        made.git("commit", "-q", "-m", branch)
        made.git("checkout", "-q", "-B", "main", *(("HEAD~1",) if branch == "topic" else ()))
    made.git("checkout", "-q", "-b", "ahead")
    made.stage("ahead.txt")
    made.git("commit", "-q", "-m", "ahead")
    (tmp_path / "mail").write_text(made.git("format-patch", "-1", "--stdout").stdout)
    made.git("checkout", "-q", "main")
    if form in ("plain", "no-verify", "stash"):
        made.stage("staged.txt")
    log = tmp_path / "log"
    for name in (*HOOKS, *RECORDERS, "post-applypatch"):
        made.hook(name, f"echo {name} ${{1-}} >>'{log}'")
    command, expected = RUNS[form]
    made.git(*command.split())
    ran = log.read_text().splitlines() if log.exists() else []
    assert [line.strip() for line in ran if "-msg" not in line and "applypatch" not in line] == expected


def test_hooks_are_silent_and_quick_to_import(repo: Repository) -> None:
    """What runs after every commit says nothing and loads none of the slow packages."""
    program = (
        "import sys; sys.argv = ['lrc', 'hook', 'post-commit']\nfrom lrc.__main__ import main\n"
        "try: main()\nexcept SystemExit as end: print(end.code, *sorted(sys.modules))"
    )
    done = run(sys.executable, "-c", program, cwd=repo.path)
    code, *modules = done.stdout.split()
    assert (code, done.stderr) == ("0", "")
    assert not {"typer", "rich", "git", "numpy", "llama_cpp", "pathspec", "tomllib", "sqlite3"} & set(modules)
