"""Where the repository is: work tree, git directory, the directory shared by linked worktrees."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lrc.errors import EnvironmentFault
from lrc.repo.process import Git, own_environment, reason_of

_NO_REPOSITORY = "run lrc inside a git repository, or make one with `git init`"
_QUESTIONS = (
    "--is-inside-work-tree",
    "--is-bare-repository",
    "--is-shallow-repository",
    "--show-object-format",
    "--absolute-git-dir",
    "--git-common-dir",
    "--show-toplevel",
)


@dataclass(frozen=True, slots=True)
class Place:
    """A repository found, and how git is started in it."""

    root: Path
    """Top of the work tree; of a bare repository the git directory."""
    git_dir: Path
    """The git directory of this worktree: HEAD, index and MERGE_HEAD are here."""
    common_dir: Path
    """The directory that all linked worktrees share; equal to `git_dir` in the main one."""
    bare: bool
    shallow: bool
    object_format: str
    """`sha1` or `sha256`."""
    git: Git
    """Runs in `root` with the repository named explicitly where the environment named it."""

    @property
    def index(self) -> Path:
        """The index that git would commit from: the one the environment names, else this worktree's own."""
        return self.root / self.git.environment.get("GIT_INDEX_FILE", self.git_dir / "index")

    @contextmanager
    def apart(self) -> Iterator[Git]:
        """git in an empty directory that passes for the work tree, as long as the block runs.

        For a loose blob git's diff reads the file in the work tree when its size and times are those in the index
        (diff.c, reuse_worktree_file, git 2.39), and it prefers the `.gitattributes` there. Out of reach of the work
        tree both come from what is recorded.
        """
        with scratch_directory() as directory:
            names = {"GIT_DIR": str(self.git_dir), "GIT_WORK_TREE": str(directory), "GIT_INDEX_FILE": str(self.index)}
            yield self.git.at(directory).with_environment(**names)


@contextmanager
def scratch_directory() -> Iterator[Path]:
    """An empty directory that is removed afterwards; raises `EnvironmentFault` when none can be made."""
    try:
        directory = tempfile.TemporaryDirectory(prefix="lrc-")
    except OSError as error:
        raise EnvironmentFault(
            f"no temporary directory can be made: {error.strerror}",
            "free some space, or set TMPDIR to another directory",
        ) from None
    with directory as name:
        yield Path(name)


def locate(path: Path | None) -> Place:
    """The repository of the current directory and environment, or of `path`.

    A `path` other than the current directory leaves the repository that the environment names aside. Raises
    `EnvironmentFault` when there is none, when git refuses it (safe.directory), or when git is missing.
    """
    here = _directory(path)
    environment = own_environment(os.environ, foreign=path is not None and not _is_here(here))
    git = Git.find(here, environment)
    answers = _answers(git, here)
    inside, bare, shallow, object_format, git_dir, common_dir, top = answers
    git_path = Path(git_dir)
    root = Path(top) if top and inside == "true" else git_path
    place = Place(
        root=root,
        git_dir=git_path,
        common_dir=(here / common_dir).resolve(),
        bare=inside != "true" and bare == "true",
        shallow=shallow == "true",
        object_format=object_format,
        git=git,
    )
    return replace(place, git=_settled(place, here, environment))


def _is_here(directory: Path) -> bool:
    """True for the current directory, by whatever name."""
    try:
        return directory.samefile(Path.cwd())
    except OSError:
        return False


def _directory(path: Path | None) -> Path:
    """The directory to look in; a file stands for the directory that holds it."""
    try:
        here = Path.cwd() if path is None else path.expanduser().absolute()
    except (OSError, RuntimeError):
        raise EnvironmentFault("the current directory does not exist any more", _NO_REPOSITORY) from None
    here = here.parent if here.is_file() else here
    if not here.is_dir():
        raise EnvironmentFault(f"no repository: there is no directory {here}", _NO_REPOSITORY)
    return here


def _answers(git: Git, here: Path) -> list[str]:
    """What rev-parse says to `_QUESTIONS`, in that order; the last is empty where there is no work tree."""
    done = git.ask("rev-parse", *_QUESTIONS)
    lines = os.fsdecode(done.stdout).split("\n")[:-1]
    if done.returncode == 0 and len(lines) == len(_QUESTIONS):
        return lines
    if done.returncode and len(lines) < len(_QUESTIONS) - 1:
        raise _refusal(done.stderr, here)
    # A path holds a newline, or there is no work tree: ask one by one.
    answers: list[str] = []
    for question in _QUESTIONS:
        done = git.ask("rev-parse", question)
        if done.returncode and question != "--show-toplevel":
            raise _refusal(done.stderr, here)
        answers.append(os.fsdecode(done.stdout).removesuffix("\n"))
    return answers


def _refusal(stderr: bytes, here: Path) -> EnvironmentFault:
    """git's refusal in our words, with the way out."""
    reason = reason_of(stderr)
    if "dubious ownership" in reason:
        return EnvironmentFault(
            f"git refuses the repository of {here}: it belongs to another user",
            f"if you trust it: git config --global --add safe.directory {here}",
        )
    if "not a git repository" in reason:
        return EnvironmentFault(f"no repository: {here} is not inside one", _NO_REPOSITORY)
    return EnvironmentFault(f"git cannot read the repository of {here}: {reason}", "run `git status` there")


def _settled(place: Place, here: Path, environment: dict[str, str]) -> Git:
    """git running in the root.

    A GIT_DIR without GIT_WORK_TREE makes the *current directory* the work tree, and relative names count from where
    the process started: both are made absolute before the directory changes. GIT_INDEX_FILE stays as it is, for git
    itself counts a relative one from the top of the work tree.
    """
    settled = dict(environment)
    if "GIT_DIR" in settled:
        settled["GIT_DIR"] = str(place.git_dir)
        if not place.bare:
            settled["GIT_WORK_TREE"] = str(place.root)
    elif "GIT_WORK_TREE" in settled:
        settled["GIT_WORK_TREE"] = str(place.root)
    for name in ("GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"):
        if name in settled:
            settled[name] = str(here / settled[name])
    return Git(place.root, settled, place.git.program)
