"""What was found out about model files, remembered so that it is found out once: hash, facts, which pairs fit.

A file is the same while its path, size and modification time are. The record is a cache: deleting it costs seconds.
"""

import contextlib
import dataclasses
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lrc.models.checksum import sha256_of
from lrc.models.compatibility import REVIEW_CONTEXT, mismatch
from lrc.models.facts import Facts, read_facts
from lrc.models.faults import ModelFault
from lrc.models.progress import SILENT, Listener

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Model:
    """One model file, looked at."""

    path: Path
    """Where it is, absolute."""
    sha256: str
    """Hash of the file; empty when it was not asked for and is not known."""
    bytes: int
    """Size of the file."""
    facts: Facts
    """What its header says."""

    @property
    def label(self) -> str:
        """What to call it: the file's name, but for one of Ollama's blobs the name inside the file."""
        if not self.path.name.startswith("sha256-"):
            return self.path.name
        return self.facts.name or self.path.name[: len("sha256-") + 12]


class Checked:
    """The record, at the file `record` (read now, written after each new finding; a read-only place is tolerated)."""

    def __init__(self, record: Path) -> None:
        self._record = record
        self._known: dict[str, Any] = _read(record)

    def model(self, path: Path, hashed: bool = True, anew: bool = False, listener: Listener = SILENT) -> Model:
        """The model at `path`, from the record while the file is the same.

        With `hashed` false an unknown hash stays empty; with `anew` the file is hashed whatever the record says.
        Raises `ModelFault` and `DamagedModel`.
        """
        path = path.absolute()
        try:
            status = path.stat()
        except (OSError, ValueError):
            read_facts(path)  # says what is wrong with it
            raise ModelFault(f"no model at {path}") from None
        stamp = _stamp(status)
        entry = self._files.get(str(path), {})
        facts = _facts(entry) if entry.get("stamp") == stamp and not anew else None
        sha256 = str(entry.get("sha256", "")) if facts is not None else ""
        if facts is not None and (sha256 or not hashed):
            return Model(path, sha256, status.st_size, facts)
        facts = facts or read_facts(path)
        if hashed and not sha256:
            sha256 = sha256_of(path, listener)
        self._note(path, stamp, sha256, facts)
        return Model(path, sha256, status.st_size, facts)

    def trust(self, path: Path, sha256: str) -> None:
        """Remember the hash of a file that was just checked, so that it is not hashed twice. Raises `ModelFault`."""
        path = path.absolute()
        self._note(path, _stamp(path.stat()), sha256, read_facts(path))

    def mismatch(self, target: Model, draft: Model) -> str:
        """Why `draft` cannot guess for `target`, empty when it can. Both hashed. Raises what reading a GGUF raises."""
        key = f"{target.sha256} {draft.sha256} {REVIEW_CONTEXT}"
        known = self._pairs.get(key)
        if isinstance(known, str):
            return known
        found = mismatch(target.facts, draft.facts, target.path, draft.path)
        self._pairs[key] = found
        self._save()
        return found

    def _note(self, path: Path, stamp: list[int], sha256: str, facts: Facts) -> None:
        self._files[str(path)] = {"stamp": stamp, "sha256": sha256, "facts": dataclasses.asdict(facts)}
        self._save()

    @property
    def _files(self) -> dict[str, Any]:
        files: dict[str, Any] = self._known.setdefault("files", {})
        return files

    @property
    def _pairs(self) -> dict[str, Any]:
        pairs: dict[str, Any] = self._known.setdefault("pairs", {})
        return pairs

    def _save(self) -> None:
        with contextlib.suppress(OSError):
            write_json(self._record, {**self._known, "version": _VERSION})


def _stamp(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns]


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write `content` aside, then rename: a reader sees the old or the new file. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object at `path`; empty when there is none or it is not one (it is then written anew)."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _read(record: Path) -> dict[str, Any]:
    known = read_json(record)
    sound = known.get("version") == _VERSION and all(isinstance(known.get(key, {}), dict) for key in ("files", "pairs"))
    return known if sound else {}


def _facts(entry: dict[str, Any]) -> Facts | None:
    """The facts of a recorded file, or None when the record was written by another version of `Facts`."""
    try:
        return Facts(**entry["facts"])
    except (KeyError, TypeError):
        return None
