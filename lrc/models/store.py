"""Which pair is in use: the environment's, the user's choice, or the default pair once it is there."""

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lrc.models.catalogue import DRAFT, TARGET, Entry, entry_named
from lrc.models.checked import Checked, Model, read_json, write_json
from lrc.models.faults import PULL_AGAIN, DamagedModel, ModelFault
from lrc.models.location import data_dir
from lrc.models.progress import SILENT, Listener
from lrc.models.sources import ollama

Origin = Literal["environment", "choice", "default"]
"""Who chose a pair: `LRC_TARGET`/`LRC_DRAFT`, `lrc model use`, or nobody."""

NO_DRAFT = "none"
"""What `LRC_DRAFT` and `--draft` take for: no draft model."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A target that can be loaded, and its draft when there is one that fits."""

    target: Model
    """Decides every token."""
    draft: Model | None
    """Guesses ahead; None when none was chosen or the chosen one does not fit."""
    note: str
    """Why the chosen draft is left out, one line; else empty."""
    origin: Origin
    """Who chose it."""


@dataclass(frozen=True, slots=True)
class Installed:
    """One model that the store knows: a file in the models directory, or a chosen one elsewhere."""

    path: Path
    """The file."""
    model: Model | None
    """What is known of it (its hash may be empty: not checked yet); None when it cannot be read."""
    fault: str
    """Why it cannot be read, or empty."""
    used_as: Literal["target", "draft", ""]
    """Its place in the pair in use."""


@dataclass(frozen=True, slots=True)
class _Named:
    """A pair by name, before anybody looked at the files."""

    origin: Origin
    target: str
    draft: str | None
    hashes: Mapping[str, str]


class Store:
    """The data directory `root`: `models/`, the choice, and what was checked."""

    def __init__(self, root: Path, environ: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.models = root / "models"
        self._choice = root / "choice.json"
        self._environ = os.environ if environ is None else environ
        self.checked = Checked(root / "checked.json")

    def current(self, listener: Listener = SILENT, target: str | None = None, draft: str | None = None) -> Pair | None:
        """The pair in use, or None when there is no model at all.

        `target` and `draft` stand in for `LRC_TARGET` and `LRC_DRAFT` when given: a path, a file name in the store,
        `ollama:NAME`, for the draft also `none`; empty for the choice. A target named this way has no draft of its own.

        Costs two stats while nothing changed; a file seen for the first time is read and hashed (seconds, told to
        `listener`). Raises `ModelFault` when the chosen target cannot be used; a draft that cannot is left out, and
        `note` says why.
        """
        named = self._named(target, draft)
        return self._pair(named, listener) if named is not None else None

    def use(self, target: str, draft: str | None, listener: Listener = SILENT) -> Pair:
        """Choose a pair from now on: each a path or `ollama:NAME`; `draft` None or `none` for no draft.

        Both are read and hashed. Raises `ModelFault` when the target or the draft cannot be read, and nothing changes
        then; a draft that does not fit is remembered but left out (`Pair.note`).
        """
        chosen = self._locate(target)
        guesser = None if draft in (None, "", NO_DRAFT) else self._locate(str(draft))
        if guesser is not None:
            self.checked.model(guesser, anew=True, listener=listener)
        self.checked.model(chosen, anew=True, listener=listener)
        pair = self._pair(_Named("choice", str(chosen), str(guesser) if guesser else None, {}), listener)
        hashes = {str(m.path): m.sha256 for m in (pair.target, pair.draft) if m is not None}
        self._remember({"target": str(chosen), "draft": str(guesser) if guesser else None, "sha256": hashes})
        return pair

    def use_default(self, listener: Listener = SILENT) -> Pair:
        """Forget the user's choice: the default pair is in use again. Raises `ModelFault` when it is not there."""
        pair = self._pair(self._default(), listener)
        self._choice.unlink(missing_ok=True)
        return pair

    def in_place(self, entry: Entry, listener: Listener = SILENT) -> bool:
        """Whether the catalogue's file is there and hashes right (from the record while it is the same file)."""
        path = self.models / entry.file
        try:
            return path.exists() and self.checked.model(path, listener=listener).sha256 == entry.sha256
        except ModelFault:
            return False

    def has_choice(self) -> bool:
        """Whether the user chose a pair of their own."""
        return bool(read_json(self._choice).get("target"))

    def expected_sha256(self, path: Path) -> str:
        """What the file at `path` must hash to: the catalogue's word, or the hash when it was chosen; else empty."""
        entry = entry_named(path.name) if path.parent == self.models else None
        if entry is not None:
            return entry.sha256
        hashes = read_json(self._choice).get("sha256", {})
        return str(hashes.get(str(path), "")) if isinstance(hashes, dict) else ""

    def installed(self) -> list[Installed]:
        """Every model that the store knows, by name; headers are read, nothing is hashed."""
        used = self._in_use()
        files = {path.absolute() for path in self.models.glob("*.gguf")} | set(used)
        return [self._installed(path, used.get(path, "")) for path in sorted(files)]

    def _installed(self, path: Path, used_as: Literal["target", "draft", ""]) -> Installed:
        try:
            return Installed(path, self.checked.model(path, hashed=False), "", used_as)
        except ModelFault as fault:
            return Installed(path, None, fault.message, used_as)

    def _in_use(self) -> dict[Path, Literal["target", "draft", ""]]:
        used: dict[Path, Literal["target", "draft", ""]] = {}
        named = self._named()
        with contextlib.suppress(ModelFault):  # a name that leads nowhere is told by `current`
            if named is not None and named.draft is not None:
                used[self._locate(named.draft)] = "draft"
        with contextlib.suppress(ModelFault):
            if named is not None:
                used[self._locate(named.target)] = "target"
        return used

    def _named(self, target: str | None = None, draft: str | None = None) -> _Named | None:
        """Who chose which pair; None when there is nothing to choose."""
        target = self._environ.get("LRC_TARGET", "") if target is None else target
        draft = self._environ.get("LRC_DRAFT", "") if draft is None else draft
        guesser = draft if draft != NO_DRAFT else None
        if target:
            return _Named("environment", target, guesser or None, {})
        base = self._chosen() or (self._default() if (self.models / TARGET.file).exists() else None)
        if not draft or base is None:
            return base
        return _Named("environment", base.target, guesser, base.hashes)

    def _chosen(self) -> _Named | None:
        choice = read_json(self._choice)
        target, draft, hashes = choice.get("target"), choice.get("draft"), choice.get("sha256")
        if not isinstance(target, str):
            return None
        known = {str(key): str(value) for key, value in hashes.items()} if isinstance(hashes, dict) else {}
        return _Named("choice", target, draft if isinstance(draft, str) else None, known)

    def _default(self) -> _Named:
        target, draft = (self.models / TARGET.file).absolute(), (self.models / DRAFT.file).absolute()
        return _Named("default", str(target), str(draft) if draft.exists() else None, {})

    def _pair(self, named: _Named, listener: Listener) -> Pair:
        chosen = self._genuine(self._locate(named.target), named.hashes, listener)
        if named.draft is None:
            return Pair(chosen, None, "", named.origin)
        try:
            guesser = self._genuine(self._locate(named.draft), named.hashes, listener)
            misfit = self.checked.mismatch(chosen, guesser)
        except ModelFault as fault:
            return Pair(chosen, None, f"going on without the draft model: {fault.message}", named.origin)
        if misfit:
            names = f"{guesser.label} does not fit {chosen.label}"
            return Pair(chosen, None, f"going on without the draft model: {names}: {misfit}", named.origin)
        return Pair(chosen, guesser, "", named.origin)

    def _genuine(self, path: Path, hashes: Mapping[str, str], listener: Listener) -> Model:
        """The model at `path`; a file of the default pair must have the published hash. Raises `ModelFault`."""
        model = self.checked.model(path, listener=listener)
        expected = self.expected_sha256(path)
        if entry_named(path.name) and path.parent == self.models and model.sha256 != expected:
            raise DamagedModel(f"{path} is not the published file: it is damaged or was changed", PULL_AGAIN)
        if hashes.get(str(path), model.sha256) != model.sha256:
            raise DamagedModel(
                f"{path} has changed since it was chosen",
                "`lrc model use` takes it again, `lrc model list` shows others",
            )
        return model

    def _locate(self, name: str) -> Path:
        """The file that a user means by `name`. Raises `ModelFault` for an Ollama model that is not here."""
        if name.startswith(ollama.PREFIX):
            return ollama.resolve(name, self._environ).absolute()
        path = Path(name).expanduser()
        inside = self.models / name
        # A bare file name may mean one of the store's own.
        return (inside if not path.exists() and inside.exists() else path).absolute()

    def _remember(self, choice: dict[str, Any]) -> None:
        try:
            write_json(self._choice, choice)
        except OSError as fault:
            raise ModelFault(
                f"cannot write {self._choice}: {fault.strerror}", "LRC_DATA_DIR names another place"
            ) from fault


def store(environ: Mapping[str, str] | None = None) -> Store:
    """The user's store, where `LRC_DATA_DIR` or the platform puts it."""
    return Store(data_dir(environ), environ)


def current(
    environ: Mapping[str, str] | None = None,
    listener: Listener = SILENT,
    target: str | None = None,
    draft: str | None = None,
) -> Pair | None:
    """The pair in use, or None when there is none; see `Store.current`."""
    return store(environ).current(listener, target, draft)


def installed(environ: Mapping[str, str] | None = None) -> list[Installed]:
    """Every model that the user's store knows; see `Store.installed`."""
    return store(environ).installed()


def use(target: str, draft: str | None, listener: Listener = SILENT) -> Pair:
    """Choose a pair from now on; see `Store.use`."""
    return store().use(target, draft, listener)
