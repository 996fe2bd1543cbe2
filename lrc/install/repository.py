"""`lrc install` and `lrc uninstall` for one repository."""

import os
from collections.abc import Mapping
from pathlib import Path

from lrc.errors import EnvironmentFault
from lrc.install import beginning, files, neighbours
from lrc.install.neighbours import Advice
from lrc.install.place import Place, ask, find
from lrc.install.script import ALL_HOOKS, HOOKS, RECORDERS, Script, interpreter


class InstallElsewhere(EnvironmentFault):
    """Another tool owns the hooks; `advice` says what to write where."""

    def __init__(self, advice: Advice) -> None:
        super().__init__(advice.why, f"add this to {advice.file}{advice.besides}:")
        self.advice = advice


def install(start: Path | None = None, *, on_error: str = "", push: bool = False) -> list[str]:
    """Puts the hooks where git looks for them in the repository around `start`; says in lines what was done.

    `push` adds the hook that reviews what a push brings; once added it stays until uninstall. `on_error`: `warn` or
    `block` to fix it in the hook, empty to leave it to the configuration. Raises InstallElsewhere when another tool
    owns the hooks, EnvironmentFault when hooks cannot be installed here.
    """
    place = find(start)
    if place.for_everyone and any(files.is_installed(place.hooks, name) for name in HOOKS):
        return ["nothing to do: `lrc install --global` reviews this repository already"]
    _check_scope(place)
    names = (*HOOKS, "pre-push") if push or files.is_installed(place.hooks, "pre-push") else HOOKS
    if elsewhere := neighbours.advice(place, names):
        if elsewhere.done:
            return [f"nothing to do: {elsewhere.file} calls lrc already"]
        raise InstallElsewhere(elsewhere)
    python = interpreter()
    tracked = [name for name in RECORDERS if neighbours.is_tracked(place, name)]
    recorders = [name for name in RECORDERS if name not in tracked]
    for name in (*names, *recorders):
        files.check(place.hooks, name)
    made = not place.hooks.exists()
    _make(place.hooks)

    def put_in(name: str) -> str:
        return files.put_in(place.hooks, Script(name, python, on_error=on_error, made_directory=made))

    lines = [put_in(name) for name in names]
    lines += _summed({name: put_in(name) for name in recorders})
    lines += [f'{place.hooks / name} is tracked by git: add `lrc hook {name} "$@"` to it' for name in tracked]
    lines += beginning.mark(place)
    if _in_work_tree(place):
        lines.append(f"{place.hooks} is inside the work tree: do not commit the hooks, they name this machine's Python")
    return lines


def uninstall(start: Path | None = None) -> list[str]:
    """Takes our hooks out of the repository around `start` and puts back what was there; says what was done.

    A line in another tool's file is only named: it is the user's to take out.
    """
    lines = take_out_files(start)
    if lines:
        lines += beginning.forget(find(start))
    elsewhere = neighbours.advice(find(start), HOOKS)
    if elsewhere and elsewhere.done:
        lines.append(f"{elsewhere.file} calls lrc; take that line out yourself")
    return lines


def is_reviewed(start: Path | None = None) -> bool:
    """Whether git runs us at a commit in the repository around `start`: by a hook file, its configuration, a tool."""
    place = find(start)
    if any(files.is_installed(place.hooks, name) for name in HOOKS):
        return True
    if ask("config", "--get", "hook.lrc-pre-commit.command", cwd=place.top):
        return True
    elsewhere = neighbours.advice(place, HOOKS)
    return bool(elsewhere and elsewhere.done)


def take_out_files(start: Path | None = None) -> list[str]:
    """Takes our hook files out of the repository around `start`; says what was done, nothing when there were none."""
    place = find(start)
    lines = []
    # core.hooksPath may have changed since: look where git looks now and where it looks by default.
    own = [] if place.for_everyone else [place.hooks]
    for directory in dict.fromkeys((*own, place.common / "hooks")):
        if not directory.is_dir():
            continue
        made = files.made_directory(directory, ALL_HOOKS)
        lines += [line for name in (*HOOKS, "pre-push") if (line := files.take_out(directory, name))]
        lines += _summed({name: line for name in RECORDERS if (line := files.take_out(directory, name))})
        if made and not any(directory.iterdir()):
            directory.rmdir()
    return lines


def _summed(lines: Mapping[str, str]) -> list[str]:
    """One line for the hooks that only record, by what was done; those with more to say keep their own."""
    found: dict[str, list[str]] = {}
    rest = []
    for name, line in lines.items():
        word = next((word for word in ("installed", "updated", "removed") if line.startswith(f"{word} ")), "")
        if word and line.endswith(f"{os.sep}{name}"):
            found.setdefault(word, []).append(name)
        elif not line.endswith("is up to date"):
            rest.append(line)
    summed = [f"{word} what records commits: {', '.join(names)}" for word, names in found.items()]
    return rest + summed


def _check_scope(place: Place) -> None:
    if place.for_everyone:
        raise EnvironmentFault(
            f"core.hooksPath is {place.hooks_path} for every repository ({place.hooks_path_scope} configuration)",
            "use `lrc install --global`, which keeps those hooks",
        )
    if place.hooks.exists() and not place.hooks.is_dir():
        raise EnvironmentFault(
            f"hooks are switched off here: core.hooksPath is {place.hooks_path or place.hooks}, which is no directory",
            "`git config --unset core.hooksPath` switches them on",
        )


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFault(f"cannot make {directory}: {error.strerror}", "check the path and its owner") from None


def _in_work_tree(place: Place) -> bool:
    """Whether `git status` would show the hooks."""
    hook = place.hooks / HOOKS[0]
    inside = hook.resolve().is_relative_to(place.top.resolve()) and not hook.resolve().is_relative_to(place.common)
    return inside and ask("check-ignore", "--quiet", "--", str(hook), cwd=place.top) is None
