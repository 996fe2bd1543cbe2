"""Settings and where each one comes from.

Weakest first: defaults, the user's file, the repository's `lrc.toml` or `[tool.lrc]` in `pyproject.toml` (nearest to
the reviewed path wins in a monorepo), `LRC_*` environment variables, command-line flags.
"""

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path, PurePosixPath
from typing import Any

from lrc.errors import WrongUsage
from lrc.findings import Severity

DRAFTERS = ("auto", "none", "lookup", "draft", "self", "mtp", "tree")
REVIEWERS = ("measure", "prompt")
ON_ERROR = ("warn", "block")
RECORDS = ("none", "trailer", "note")


def _severity(value: object) -> Severity:
    if isinstance(value, Severity):
        return value
    if not isinstance(value, str):
        raise ValueError("is not a severity name")
    return Severity.parse(value)


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    try:
        return words[str(value).strip().lower()]
    except KeyError:
        raise ValueError("is neither true nor false") from None


def _whole(least: int, most: int) -> Callable[[object], int]:
    def parse(value: object) -> int:
        number = int(str(value)) if not isinstance(value, bool) else -1
        if not least <= number <= most:
            raise ValueError(f"is not a whole number from {least} to {most}")
        return number

    return parse


def _choice(choices: tuple[str, ...]) -> Callable[[object], str]:
    def parse(value: object) -> str:
        if value not in choices:
            raise ValueError(f"is not one of {', '.join(choices)}")
        return str(value)

    return parse


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("is not text")
    return value


def _key(default: Any, parse: Callable[[object], Any], doc: str, *, machine: bool = False) -> Any:
    """A setting: its default, how a raw value is read, what it does, and whether only the user may set it."""
    return field(default=default, metadata={"parse": parse, "doc": doc, "machine": machine})


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be configured; one field a key, the field's name is the key's name."""

    fail_on: Severity = _key(Severity.HIGH, _severity, "block at this severity and above")
    on_error: str = _key(
        "warn", _choice(ON_ERROR), "in a hook, when no review is possible: let the commit go or stop it"
    )
    max_findings: int = _key(20, _whole(1, 1000), "show at most this many findings")
    no_model: bool = _key(False, _flag, "detectors only")
    reviewer: str = _key("measure", _choice(REVIEWERS), "how the model is asked: by its probabilities, or by a prompt")
    record: str = _key(
        "none", _choice(RECORDS), "say in the commit that it was reviewed: by a trailer, or a note in `refs/notes/lrc`"
    )
    hook_budget: int = _key(60, _whole(1, 86_400), "seconds a hook may take; what is left is listed as not reviewed")
    target: str = _key("", _text, "target model file, instead of the one in use", machine=True)
    draft: str = _key("", _text, "draft model file; `none` for no draft", machine=True)
    drafter: str = _key("auto", _choice(DRAFTERS), "where draft tokens come from", machine=True)
    exact: bool = _key(False, _flag, "output identical to plain decoding to the byte, at some speed", machine=True)
    threads: int = _key(0, _whole(0, 1024), "threads for the model; 0: one a physical core", machine=True)
    context: int = _key(8192, _whole(512, 1_048_576), "context length in tokens, shared by all requests", machine=True)


KEYS: tuple[str, ...] = tuple(f.name for f in fields(Settings))
"""Every key, in the order of the documentation."""
_META: dict[str, Mapping[str, Any]] = {f.name: f.metadata for f in fields(Settings)}


def describe(key: str) -> str:
    """One line on what the key does."""
    return str(_META[key]["doc"])


def shown(value: object) -> str:
    """A value as it is written in a configuration file or variable."""
    if isinstance(value, Severity):
        return value.label
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@dataclass(frozen=True, slots=True)
class Layer:
    """One source of values, with its name for messages."""

    origin: str
    values: Mapping[str, object]
    user: bool = True
    """False for files of the repository, which may not choose what runs on this machine."""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a run and the source of each."""

    settings: Settings
    origins: Mapping[str, str]
    layers: tuple[Layer, ...]
    root: Path | None = None

    def for_path(self, path: str) -> Settings:
        """The settings for one repository path: a nearer `lrc.toml` or `[tool.lrc]` beats the one at the root.

        Raises WrongUsage when the nearer file is broken.
        """
        if self.root is None:
            return self.settings
        nested = [layer for parent in _parents(path) for layer in _repository_layers(self.root, parent)]
        if not nested:
            return self.settings
        first_override = next(
            (i for i, layer in enumerate(self.layers) if layer.origin == "environment"), len(self.layers)
        )
        return _merge((*self.layers[:first_override], *nested, *self.layers[first_override:])).settings


def load(root: Path | None, flags: Mapping[str, object] | None = None) -> Config:
    """Reads all layers for a repository at `root` (None: outside one).

    `flags` holds the options that were really given. Raises WrongUsage that names the file and key for a broken file,
    an unknown key or a value that does not fit.
    """
    layers = [*_user_layers()]
    if root is not None:
        layers += _repository_layers(root, PurePosixPath("."))
    layers.append(Layer("environment", _from_environment()))
    layers.append(Layer("command line", {key: value for key, value in (flags or {}).items() if value is not None}))
    return replace(_merge(tuple(layers)), root=root)


def user_file() -> Path:
    """The user's own configuration file (it need not exist)."""
    if override := os.environ.get("LRC_CONFIG_FILE"):
        return Path(override)
    from platformdirs import user_config_path

    return user_config_path("lrc") / "config.toml"


def problems(root: Path | None) -> list[str]:
    """Every fault of the configuration, one line each; empty when it is sound."""
    found = []
    layers: list[Layer] = []
    sources: list[Callable[[], list[Layer]]] = [lambda: list(_user_layers())]
    if root is not None:
        sources.append(lambda: _repository_layers(root, PurePosixPath(".")))
    for source in sources:
        try:
            layers += source()
        except WrongUsage as error:
            found.append(error.message)
    layers.append(Layer("environment", _from_environment()))
    return found + [message for layer in layers for message in _faults(layer)]


def _merge(layers: tuple[Layer, ...]) -> Config:
    values: dict[str, Any] = {}
    origins = dict.fromkeys(KEYS, "default")
    for layer in layers:
        for message in _faults(layer):
            raise WrongUsage(message, "`lrc config check` lists every fault, `lrc config show` every key")
        for key, raw in layer.values.items():
            values[key] = _META[key]["parse"](raw)
            origins[key] = layer.origin
    return Config(Settings(**values), origins, layers)


def _faults(layer: Layer) -> Iterator[str]:
    for key, raw in layer.values.items():
        if key not in _META:
            yield f"{layer.origin}: unknown key `{key}`"
        elif _META[key]["machine"] and not layer.user:
            yield f"{layer.origin}: `{key}` belongs in the user's file {user_file()}, not in a repository"
        else:
            try:
                _META[key]["parse"](raw)
            except ValueError as error:
                why = str(error) if not str(error).startswith("invalid literal") else "is not a whole number"
                yield f"{layer.origin}: `{key}`: {raw!r} {why}"


def _parents(path: str) -> list[PurePosixPath]:
    """The directories above `path`, outermost first, without the root itself."""
    return [parent for parent in reversed(PurePosixPath(path).parents) if parent != PurePosixPath(".")]


def _user_layers() -> Iterator[Layer]:
    path = user_file()
    if path.is_file():
        yield Layer(str(path), _read_toml(path))


def _repository_layers(root: Path, directory: PurePosixPath) -> list[Layer]:
    layers = []
    pyproject = root / directory / "pyproject.toml"
    if pyproject.is_file():
        table = _read_toml(pyproject).get("tool", {})
        if isinstance(table, dict) and isinstance(table.get("lrc"), dict):
            layers.append(Layer(f"{directory / 'pyproject.toml'} [tool.lrc]", table["lrc"], user=False))
    own = root / directory / "lrc.toml"
    if own.is_file():
        layers.append(Layer(str(directory / "lrc.toml"), _read_toml(own), user=False))
    return layers


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: {error}", "mend the file; `lrc config check` reads it again") from None
    except OSError as error:
        raise WrongUsage(f"{path}: {error.strerror}") from None


def _from_environment() -> dict[str, object]:
    """`LRC_FAIL_ON=low` and its like; an empty variable counts as not set."""
    return {key: value for key in KEYS if (value := os.environ.get(f"LRC_{key.upper()}", "").strip())}


def write_template(path: Path, *, user: bool) -> None:
    """Writes a file in which every key stands commented out at its default; the user's file has the machine's keys too.

    The file appears whole or not at all. Raises WrongUsage when it cannot be written.
    """
    lines = ["# Settings of lrc. Every key is shown with its default; remove the # to change one.", ""]
    defaults = Settings()
    for key in KEYS:
        if _META[key]["machine"] and not user:
            continue
        value = getattr(defaults, key)
        text = (
            shown(value) if isinstance(value, (bool, int)) and not isinstance(value, Severity) else f'"{shown(value)}"'
        )
        lines += [f"# {describe(key)}", f"# {key} = {text}", ""]
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text("\n".join(lines), encoding="utf-8")
        aside.replace(path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise WrongUsage(f"{path}: {error.strerror}") from None
