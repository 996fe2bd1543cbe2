"""How `lrc` reads git: the repository of a hook or a path, its changes, its objects. Nothing here writes or fetches."""

from lrc.repo.change import Change
from lrc.repo.objects import BlobTooLarge, MissingObject
from lrc.repo.process import GitFailure
from lrc.repo.repository import Repository

__all__ = ["BlobTooLarge", "Change", "GitFailure", "MissingObject", "Repository"]
