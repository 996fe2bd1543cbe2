"""Hook tools that own the place where git looks for hooks, and the line or snippet that lets `lrc` live in theirs.

Facts, checked against the tools: husky 9 points `core.hooksPath` at `.husky/_`, generates what lies there, and runs
`.husky/NAME`; lefthook 2 generates every hook, moves others to `NAME.old` and does not run them.
"""

from dataclasses import dataclass
from pathlib import Path

from lrc.install.place import Place, ask
from lrc.install.script import HOOKS, RECORDERS

_CALLED = RECORDERS[1:]
"""The first of them is the hook file's own affair: it starts no lrc."""
_HUSKY = "_"
_LEFTHOOK_FILES = tuple(
    f"{prefix}{extension}"
    for prefix in ("lefthook", ".lefthook", ".config/lefthook", "lefthook-local", ".lefthook-local")
    for extension in (".yml", ".yaml", ".toml", ".json", ".jsonc")
)


@dataclass(frozen=True, slots=True)
class Advice:
    """Why no hook file of ours can stand here, and what to write where instead."""

    why: str
    """One line."""
    file: Path
    """The file of the other tool to edit."""
    snippet: str
    """The lines to add to it."""
    done: bool
    """Whether the file already calls `lrc hook`."""
    besides: str = ""
    """What else to do, in words; empty when the snippet is all."""


def advice(place: Place, names: tuple[str, ...]) -> Advice | None:
    """The way to live with the tool that owns the hooks of this repository; None when the place is free for us."""
    return _husky(place) or _lefthook(place) or _tracked(place, names)


def _husky(place: Place) -> Advice | None:
    generated = place.hooks.name == _HUSKY and (
        place.hooks.parent.name == ".husky" or (place.hooks / "husky.sh").is_file() or (place.hooks / "h").is_file()
    )
    if not generated:
        return None
    file = place.hooks.parent / "pre-commit"
    return Advice(
        f"husky owns the hooks here ({place.hooks_path}) and writes them anew",
        file,
        'lrc hook pre-commit "$@"',
        _calls_us(file),
        f", and the same for {', '.join((*HOOKS[1:], *_CALLED))} beside it",
    )


def _lefthook(place: Place) -> Advice | None:
    file = next((place.top / name for name in _LEFTHOOK_FILES if (place.top / name).is_file()), None)
    if file is None:
        if not _mentions(place.hooks / "pre-commit", b"lefthook"):
            return None
        file = place.top / "lefthook.yml"
    snippet = "\n".join(line for name in (*HOOKS, *_CALLED) for line in _lefthook_lines(name))
    return Advice("lefthook owns the hooks here and moves others aside", file, snippet, _calls_us(file))


def _lefthook_lines(name: str) -> list[str]:
    """One hook in lefthook's file: `{0}` stands for git's arguments, and standard input comes when it is asked for."""
    lines = [f"{name}:", "  commands:", "    lrc:"]
    if name not in RECORDERS:
        return [*lines, f"      run: lrc hook {name}"]
    fed = ["      use_stdin: true"] if name == "post-rewrite" else []
    return [*lines, f"      run: lrc hook {name} {{0}}", *fed]


def is_tracked(place: Place, name: str) -> bool:
    """Whether the hook is a file that git tracks."""
    path = place.hooks / name
    return path.is_file() and ask("ls-files", "--error-unmatch", "--", str(path), cwd=place.top) is not None


def _tracked(place: Place, names: tuple[str, ...]) -> Advice | None:
    """A hook that git tracks: moving it, or writing a path of this machine into it, would be a change to commit."""
    for name in names:
        path = place.hooks / name
        if is_tracked(place, name):
            line = f'lrc hook {name} "$@" || exit $?'
            return Advice(f"{path} is tracked by git, so installing would change it", path, line, _calls_us(path))
    return None


def _calls_us(file: Path) -> bool:
    return _mentions(file, b"lrc hook")


def _mentions(file: Path, text: bytes) -> bool:
    return file.is_file() and text in file.read_bytes()
