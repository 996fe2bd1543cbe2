"""`lrc install` and `lrc uninstall` for one repository."""

from pathlib import Path

from lrc.errors import EnvironmentFault
from lrc.install import files, neighbours
from lrc.install.neighbours import Advice
from lrc.install.place import Place, ask, find
from lrc.install.script import ALL_HOOKS, HOOKS, Script, interpreter


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
    names = ALL_HOOKS if push or files.is_installed(place.hooks, "pre-push") else HOOKS
    if elsewhere := neighbours.advice(place, names):
        if elsewhere.done:
            return [f"nothing to do: {elsewhere.file} calls lrc already"]
        raise InstallElsewhere(elsewhere)
    python = interpreter()
    for name in names:
        files.check(place.hooks, name)
    made = not place.hooks.exists()
    _make(place.hooks)
    lines = [files.put_in(place.hooks, Script(name, python, on_error=on_error, made_directory=made)) for name in names]
    if _in_work_tree(place):
        lines.append(f"{place.hooks} is inside the work tree: do not commit the hooks, they name this machine's Python")
    return lines


def uninstall(start: Path | None = None) -> list[str]:
    """Takes our hooks out of the repository around `start` and puts back what was there; says what was done.

    A line in another tool's file is only named: it is the user's to take out.
    """
    lines = take_out_files(start)
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
        lines += [line for name in ALL_HOOKS if (line := files.take_out(directory, name))]
        if made and not any(directory.iterdir()):
            directory.rmdir()
    return lines


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
