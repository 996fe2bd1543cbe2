"""Drafts that were made on this machine out of models that are here; beside the models, and never to be chosen by hand.

They are named by the hash of what they were made from: when that changes, they are no longer found.
"""

from pathlib import Path

from lrc.models.checked import Model
from lrc.models.faults import ModelFault
from lrc.models.store import Store

FOLDER = "made"


def pruned_path(target: Model, models: Path) -> Path:
    """Where the copy of `target` with blocks left out lies, once it is made."""
    return _named(target, models, "pruned")


def slim_path(draft: Model, models: Path) -> Path:
    """Where the copy of `draft` with fewer bits a weight lies, once it is made."""
    return _named(draft, models, "slim")


def made(path: Path, store: Store) -> Model | None:
    """The made model at `path`; None when it is not there or cannot be read."""
    if not path.is_file():
        return None
    try:
        return store.checked.model(path, hashed=False)
    except ModelFault:
        return None


def made_files(models: Path) -> list[Path]:
    """All that was made, of models that are still here or not."""
    return sorted((models / FOLDER).glob("*.gguf"))


def _named(source: Model, models: Path, way: str) -> Path:
    return models / FOLDER / f"{source.path.stem[:80]}-{way}-{source.sha256[:12]}.gguf"
