"""`lrc install --agent`: coding agents that run the review, read its findings, and do not commit past it.

Each tool gets two things in its own documented files of the repository: a rule that tells how to run the review and
what its answer means, and a hook that stops a shell command which would keep the commit from being reviewed. The
commit itself is reviewed by git's hook, whoever makes it.

Documented places: Claude Code reads `.claude/settings.json` (hooks) and `.claude/rules/`; Codex `.codex/hooks.json`
and `AGENTS.md`; Cursor `.cursor/hooks.json` and `.cursor/rules/*.mdc`.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lrc.errors import EnvironmentFault
from lrc.install import jsonhooks, section
from lrc.install.place import find

COMMAND = "if command -v lrc >/dev/null 2>&1; then lrc hook agent; else echo '{}'; fi"
"""Found on PATH: these files may be shared, and a colleague without lrc must not be stopped. `{}` means go on."""
RULE = """\
# Commits are reviewed by lrc

Every commit of this repository is reviewed on this machine before it lands.

- Before you commit, stage the change and run `lrc review --format json`. Standard output is one JSON document:
  `verdict`, `exit_code`, and in `findings` the `path`, `line`, `severity`, `message` and, where one is known, a
  `replacement` for each.
- Exit code 0: nothing stands in the way. 1: mend the findings that block, stage, and run it again. 4: no review was
  possible; tell the user the reason it gives.
- When you think that a finding is wrong, say so to the user and leave the decision to them.
- Never commit with `--no-verify`, `LRC_SKIP` or `SKIP=lrc`. Only the user may skip a review.
"""


@dataclass(frozen=True, slots=True)
class Agent:
    """Where one tool looks."""

    hooks: str
    """Path of the JSON file with hooks."""
    event: str
    """The hook event before a shell command runs."""
    entry: dict[str, object]
    """What stands in the list of that event."""
    skeleton: dict[str, object]
    """What the JSON file holds besides hooks when we make it."""
    rule: str
    """Path of the file with the rule."""
    shared: bool
    """Whether that file holds rules of others as well."""
    heading: str = ""
    """What must stand above the rule in a file of its own."""

    @property
    def own_rule(self) -> bytes:
        """The whole of a rule file that is ours alone."""
        return (self.heading + RULE).encode()

    def with_entry(self, content: bytes | None) -> bytes:
        """The JSON file (None: there is none) with our hook in it."""
        return jsonhooks.add(content, self.event, self.entry, self.skeleton)

    def without_entry(self, content: bytes | None) -> bytes | None:
        """The JSON file without our hook; None when nothing is left."""
        return jsonhooks.remove(content, self.event, self.entry, self.skeleton)

    def with_rule(self, content: bytes | None) -> bytes:
        """The rule's file (None: there is none) with the rule in it."""
        return section.add(content, RULE) if self.shared else self.own_rule


_NESTED: dict[str, object] = {
    "matcher": "Bash",
    "hooks": [{"type": "command", "command": COMMAND, "timeout": 30}],
}
AGENTS = {
    "claude": Agent(".claude/settings.json", "PreToolUse", _NESTED, {}, ".claude/rules/lrc.md", shared=False),
    "codex": Agent(".codex/hooks.json", "PreToolUse", _NESTED, {}, "AGENTS.md", shared=True),
    "cursor": Agent(
        ".cursor/hooks.json",
        "beforeShellExecution",
        {"command": COMMAND},
        {"version": 1},
        ".cursor/rules/lrc.mdc",
        shared=False,
        heading="---\ndescription: How commits are reviewed here\nalwaysApply: true\n---\n\n",
    ),
}


def install(name: str, start: Path | None = None) -> list[str]:
    """Writes hook and rule of the agent `name` into the repository around `start`; says in lines what was done.

    Other entries of the files stay. Doing it twice is the same as once. Raises EnvironmentFault when a file cannot be
    written, or is not what the tool documents.
    """
    agent, top = AGENTS[name], find(start).top
    hooks, rule = top / agent.hooks, top / agent.rule
    settings = _changed(hooks, agent.with_entry)
    text = _changed(rule, agent.with_rule)
    _write(hooks, settings)
    _write(rule, text)
    return [f"{name} checks shell commands for skipped reviews: {hooks}", f"{name} knows how to run a review: {rule}"]


def uninstall(names: tuple[str, ...] = tuple(AGENTS), start: Path | None = None) -> list[str]:
    """Takes hook and rule of these agents out again; says what was done, nothing when there were none."""
    top = find(start).top
    lines = []
    for name in names:
        agent = AGENTS[name]
        hooks, rule = top / agent.hooks, top / agent.rule
        if hooks.is_file():
            lines += _replaced(hooks, _changed(hooks, agent.without_entry), top)
        if rule.is_file():
            if agent.shared:
                lines += _replaced(rule, section.remove(rule.read_bytes()), top)
            elif rule.read_bytes() == agent.own_rule:
                lines += _replaced(rule, None, top)
            else:
                lines.append(f"{rule} was edited and stays")
    return lines


def _changed(path: Path, change: Callable[[bytes | None], bytes | None]) -> bytes | None:
    """What `change` makes of the file's content (None: no file)."""
    try:
        return change(path.read_bytes() if path.exists() else None)
    except OSError as error:
        raise EnvironmentFault(f"cannot read {path}: {error.strerror}") from None
    except jsonhooks.UnknownShape as error:
        raise EnvironmentFault(f"{path}: {error}", f"put this into it by hand: {COMMAND}") from None


def _replaced(path: Path, content: bytes | None, top: Path) -> list[str]:
    """Writes the content that is left, or removes the file and the directories that are empty without it."""
    if content is None:
        path.unlink()
        with contextlib.suppress(OSError):
            for parent in path.relative_to(top).parents:
                if parent != Path():
                    (top / parent).rmdir()
        return [f"removed {path}"]
    if content == path.read_bytes():
        return []
    _write(path, content)
    return [f"took our part out of {path}"]


def _write(path: Path, content: bytes | None) -> None:
    if content is None:
        return
    # Through a symbolic link: AGENTS.md is often one.
    real = path.resolve()
    aside = real.with_name(f".{real.name}.lrc")
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(content)
        if real.exists():
            aside.chmod(real.stat().st_mode & 0o7777)
        aside.replace(real)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise EnvironmentFault(f"cannot write {path}: {error.strerror}") from None
