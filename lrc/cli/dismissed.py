"""The dismissed file of the work tree: read, changed and put back whole."""

import datetime
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lrc.errors import EnvironmentFault
from lrc.suppress import DISMISSED_FILE, Dismissal, format_dismissals, parse_dismissals

if TYPE_CHECKING:
    from lrc.repo import Repository


class DismissedFile:
    """`.lrc/dismissed.toml` in the work tree of `repo`; EnvironmentFault when it has none."""

    def __init__(self, repo: "Repository") -> None:
        if repo.is_bare:
            raise EnvironmentFault(
                f"a bare repository has no {DISMISSED_FILE}", "dismiss in a clone, and commit the file"
            )
        self.path: Path = repo.root / DISMISSED_FILE
        ident = repo.place.git.ask("var", "GIT_AUTHOR_IDENT", pins=()).stdout
        self._name = ident.decode("utf-8", "replace").partition(" <")[0]

    def entries(self) -> dict[str, Dismissal]:
        """What is dismissed, by fingerprint; WrongUsage when the file is broken."""
        if not self.path.is_file():
            return {}
        return parse_dismissals(self.path.read_text(encoding="utf-8", errors="replace"))

    def entry(self, fingerprint: str, reason: str, path: str = "", message: str = "") -> Dismissal:
        """A new entry, made today by whom git knows."""
        return Dismissal(fingerprint, reason, datetime.date.today().isoformat(), self._name, path, message)

    def write(self, entries: Mapping[str, Dismissal]) -> None:
        """Puts the entries in place of what is there, whole or not at all; without any the file goes."""
        if not entries:
            self.path.unlink(missing_ok=True)
            return
        aside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            aside.write_text(format_dismissals(entries.values()), encoding="utf-8")
            aside.replace(self.path)
        except OSError as error:
            raise EnvironmentFault(f"cannot write {self.path}: {error.strerror}", "make it writable") from None
        finally:
            aside.unlink(missing_ok=True)
