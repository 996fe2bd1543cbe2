"""`lrc hook NAME`: what git runs. Decides first whether there is anything to review, with nothing heavy imported.

Everything it says goes to standard error, and the first line carries the verdict: that is all that some graphical
clients show.
"""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lrc.cli import after, boundary
from lrc.cli.pushed import framework_range, ranges
from lrc.errors import EnvironmentFault, ExitCode, LrcError, WrongUsage

TYPE_CHECKING = False  # importing `typing` for this takes a tenth of what a hook with nothing to review may take
if TYPE_CHECKING:
    from typing import TextIO

HOOKS = ("pre-commit", "pre-merge-commit", "pre-push")
"""The hooks that review; `lrc.cli.after` has those that write down what happened."""
PROBE = "lrc hook 1"
"""The answer to `lrc hook --probe`, by which the hook file knows us from other programs of the same name."""
_AGENT_LIMIT = 4_000_000
"""Bytes of an agent's question that are read; a longer one is no command that anybody writes."""
_OFF = ("", "0", "false", "no", "off")
_LEGACY = ("PRE_COMMIT_RUNNING_LEGACY", "PREK_RUNNING_LEGACY")
_FRAMEWORK_FILES = (".pre-commit-config.yaml", ".pre-commit-config.yml", "prek.toml")
_OWN_ID = re.compile(r"""^[^#\n]*\bid\s*[:=]\s*['"]?lrc(?:-system)?['"]?\s*(?:[,}#]|$)""", re.MULTILINE)


class _Unheard:
    """Standard error whose reader may have gone: a graphical client that stops listening must not fail a commit."""

    def __init__(self, stream: "TextIO") -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> object:
        answer: object = getattr(self._stream, name)
        return answer


def run(arguments: Sequence[str]) -> int:
    """Does what the hook named by the first argument has to do and returns the exit code for git.

    Hooks that only record always give 0. For the others 0 lets git go on; 1 (findings), 2 (broken configuration) and
    130 (interrupted) stop it. What makes a review impossible (3 and 4) stops it only with `on_error = "block"`. Raises
    WrongUsage for an unknown hook, and EnvironmentFault outside a repository, where there is no commit to let go.
    """
    if list(arguments) == ["--probe"]:
        boundary.emit(PROBE)
        return ExitCode.PASS
    if list(arguments) == ["agent"]:
        return check_agent(sys.stdin.buffer.read(_AGENT_LIMIT).decode("utf-8", "replace"))
    name = arguments[0] if arguments else ""
    if name not in (*HOOKS, *after.RECORDERS):
        raise WrongUsage(f"no hook named {name!r}", f"git runs `lrc hook` with {', '.join((*HOOKS, *after.RECORDERS))}")
    if sys.stderr is not None and not isinstance(sys.stderr, _Unheard):
        sys.stderr = _Unheard(sys.stderr)
    environment = os.environ
    if name in after.RECORDERS:
        after.record(name, arguments[1:], _git)
        return ExitCode.PASS
    if reason := skip_reason(environment):
        boundary.say(f"skipped, not reviewed ({reason})")
        if name != "pre-push":
            after.passed_by(reason, _git)
        return ExitCode.PASS
    # Read only, and never over the network: a partial clone must not fetch in the middle of a commit.
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    environment["GIT_NO_LAZY_FETCH"] = "1"
    if name == "pre-push":
        return _pushed(environment)
    revision = framework_range(environment)
    if revision is None and not _anything_staged():
        if "PRE_COMMIT" in environment:
            boundary.say("nothing staged, nothing to review")
        return ExitCode.PASS
    if reason := duplicate_reason(name, environment):
        boundary.say(reason)
        return ExitCode.PASS
    return _reviewed(lambda: _review(revision))


def check_agent(question: str) -> int:
    """Whether a coding agent may run a shell command: its tool's question is JSON, as the tools document it.

    0 and `{}` on standard output let it go on; 2 and the reason on standard error stop it, in Claude Code, Codex and
    Cursor alike. Only a commit past the review is stopped; whatever cannot be read is let go.
    """
    import json

    from lrc.install.bypass import bypass

    try:
        data = json.loads(question)
        command = data["command"] if "command" in data else data["tool_input"]["command"]
        found = bypass(command) if isinstance(command, str) else ""
    except (ValueError, KeyError, TypeError):
        found = ""
    if found:
        boundary.say(
            f"`{found}` would commit without the review that this repository asks for",
            "commit without it; `lrc review --format json` lists what to mend. Only the user may skip a review.",
        )
        return ExitCode.USAGE
    boundary.emit("{}")
    return ExitCode.PASS


def skip_reason(environment: Mapping[str, str]) -> str:
    """Why the user wants no review this time; empty when they want one. `SKIP` is the pre-commit framework's."""
    if environment.get("LRC_SKIP", "").strip().lower() not in _OFF:
        return f"LRC_SKIP={environment['LRC_SKIP']}"
    if "lrc" in {part.strip() for part in environment.get("SKIP", "").split(",")}:
        return f"SKIP={environment['SKIP']}"
    return ""


def duplicate_reason(name: str, environment: Mapping[str, str]) -> str:
    """Why another `lrc` hook reviews this very commit, so that this one need not; empty when none does.

    Happens when `lrc install` and the pre-commit framework with our id are both in place: either our hook file runs
    the framework, which runs us again, or the framework first runs our file, which it had moved aside.
    """
    if (
        "PRE_COMMIT" in environment
        and f"/{name}" in environment.get("LRC_HOOK_ACTIVE", "")
        and _active_here(environment)
    ):
        return "left to the installed hook, which runs after this one"
    if any(name in environment for name in _LEGACY) and _framework_lists_us():
        return "left to the pre-commit framework, whose configuration lists lrc"
    return ""


def _pushed(environment: Mapping[str, str]) -> int:
    """Reviews what is pushed, range by range; the first exit code that stops the push."""
    revisions, without_base = [], ["this push"]
    if revision := framework_range(environment):
        revisions, without_base = [revision], []
    elif "PRE_COMMIT" not in environment:
        revisions, without_base = ranges(os.fsdecode(sys.stdin.buffer.read()), _git)
    for ref in without_base:
        boundary.say(f"NOT REVIEWED: the remote has nothing yet that {ref} could be compared with")
    codes = [_reviewed(lambda revision=revision: _review(revision)) for revision in revisions]  # type: ignore[misc]
    return next((code for code in codes if code), ExitCode.PASS)


def _active_here(environment: Mapping[str, str]) -> bool:
    """Whether a running hook file of ours is of this repository: it names its own directory, or the default one."""
    answer = _git("rev-parse", "--git-path", "hooks", "--git-common-dir").stdout
    own, _, common = os.fsdecode(answer).removesuffix("\n").partition("\n")
    here = {Path(own).resolve(), (Path(common) / "hooks").resolve()}
    active = (line.partition(":")[2] for line in environment["LRC_HOOK_ACTIVE"].splitlines())
    return any(Path(entry).parent.resolve() in here for entry in active if entry)


def _framework_lists_us() -> bool:
    texts = (
        file.read_text(encoding="utf-8", errors="replace")
        for name in _FRAMEWORK_FILES
        if (file := Path(name)).is_file()
    )
    return any(_OWN_ID.search(text) for text in texts)


def _anything_staged() -> bool:
    """Whether the index that git is about to commit (the environment names it) differs from HEAD."""
    answer = _git("diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
    if answer.returncode in (0, 1):
        return answer.returncode == 1
    reason = (answer.stderr.decode("utf-8", "replace").strip().splitlines() or ["it gives no reason"])[0]
    if "not a git repository" in reason.lower() or _git("rev-parse", "--git-dir").returncode != 0:
        raise EnvironmentFault(f"not a git repository: {Path.cwd()}", "this command is run by git, inside a repository")
    raise EnvironmentFault(f"git cannot read the staged change: {reason.removeprefix('fatal: ')}")


def _git(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(
            ("git", *arguments),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )
    except OSError as error:
        raise EnvironmentFault(f"git cannot be run: {error.strerror}", "put git on PATH") from None


def _review(revision: str | None) -> int:
    from lrc.cli.review import run_review

    return run_review(None, hook=True, revision=revision)


def _reviewed(review: Callable[[], int]) -> int:
    """The review's exit code; when there could be none, what `on_error` makes of that."""
    try:
        return review()
    except LrcError as error:
        if error.exit_code not in (ExitCode.UNEXPECTED, ExitCode.ENVIRONMENT):
            raise
        why, hint, code = error.message, error.hint, error.exit_code
    except MemoryError:
        why, hint, code = "not enough memory", "`lrc doctor` tells what the model needs", ExitCode.ENVIRONMENT
    except Exception as error:
        log = boundary.write_log(error)
        why, hint = f"unexpected {type(error).__name__}", f"this is a fault of lrc; details in {log}" if log else ""
        code = ExitCode.UNEXPECTED
    boundary.say(f"NOT REVIEWED: {why}", hint)
    after.failed(why, code, _git)
    return code if _on_error() == "block" else ExitCode.PASS


def _on_error() -> str:
    from lrc.config import load

    try:
        return load(Path.cwd()).settings.on_error
    except LrcError:
        return "warn"
