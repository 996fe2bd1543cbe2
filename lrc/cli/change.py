"""A repository's change as the pipeline wants it, with the rules and dismissals that apply to it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from lrc.diff import FileDiff
from lrc.errors import LrcError
from lrc.gate import Policy
from lrc.ignore import ATTRIBUTES, IGNORE_FILE, Rules
from lrc.suppress import DISMISSED_FILE, Dismissal, parse_dismissals

if TYPE_CHECKING:
    from lrc.config import Config
    from lrc.repo import Change, Repository

RULES_DIRECTORY = ".lrc/rules"
MOST_RULES = 6000
"""Characters of rules that the model is given; more would crowd out the change."""

_TEXTS_HELD = 8
"""Contents kept for the stages that follow each other on one file; a change may hold thousands."""


class ChangeSource:
    """`lrc.pipeline.Source` over a git change."""

    def __init__(self, repo: "Repository", change: "Change") -> None:
        self._repo = repo
        self._change = change
        self._files: tuple[FileDiff, ...] | None = None
        self._text = lru_cache(maxsize=_TEXTS_HELD)(self._read)

    @property
    def label(self) -> str:
        """The change in words."""
        return self._change.label

    @property
    def is_staged(self) -> bool:
        """True for the change that `git commit` would record now."""
        return self._change.is_staged

    def tree(self) -> str:
        """Object name of the tree that would be recorded, or of the commit under review; empty with a conflict."""
        return self._change.new

    def files(self) -> tuple[FileDiff, ...]:
        """What changed; git is asked once."""
        if self._files is None:
            self._files = tuple(self._change.files())
        return self._files

    def text(self, file: FileDiff) -> str | None:
        """The new content of `file`, undecodable bytes shown as U+FFFD; None when there is none to read."""
        if not file.new_blob or file.is_submodule or file.truncated or file.binary:
            return None
        return self._text(file.new_blob)

    def _read(self, blob: str) -> str | None:
        try:
            return self._repo.blob(blob).decode("utf-8", "replace")
        except LrcError:
            return None  # too large or not in this clone: the file's own reason is reported

    def rules(self, selected: Sequence[str]) -> Rules:
        """Which paths are reviewed: the ignore file and attributes of the reviewed side, and `selected` globs."""
        return Rules(
            ignored=self._own_file(IGNORE_FILE).splitlines(),
            selected=tuple(selected),
            attributes=self._repo.attributes([file.path for file in self.files()], ATTRIBUTES),
        )

    def own_rules(self) -> str:
        """The repository's rules for reviewers, `.lrc/rules/*.md` of the reviewed side in order, as one text."""
        paths = [path for path in self._repo.paths(RULES_DIRECTORY, self._change.tip) if path.endswith(".md")]
        return "\n\n".join(self._own_file(path).strip() for path in sorted(paths))[:MOST_RULES]

    def policy(self, loaded: "Config") -> Policy:
        """The gate's rules: the strictest threshold of the settings, nearest file by path, and known dismissals."""
        settings = loaded.settings
        nearest = {file.path: loaded.for_path(file.path).fail_on for file in self.files()}
        return Policy(
            fail_on=settings.fail_on,
            max_findings=settings.max_findings,
            dismissals=self._dismissals(),
            fresh_dismissals=self._fresh(),
            fail_on_by_path={path: level for path, level in nearest.items() if level != settings.fail_on},
        )

    def _dismissals(self) -> dict[str, Dismissal]:
        """From the work tree when there is one: `lrc dismiss` counts at once, not only when its file is committed."""
        if self._change.is_staged:
            return self._dismissed_now()
        return self._dismissed_at(self._change.tip) | self._dismissed_now()

    def _fresh(self) -> frozenset[str]:
        """The dismissals that the change brings, or that no commit has: who reads the verdict should see them."""
        before = self._dismissed_before(self._change.base)
        brought = frozenset(self._dismissals()) - frozenset(before)
        if self._change.is_staged or not brought:
            return brought
        tip, head = self._dismissed_at(self._change.tip), self._repo.head()
        committed = self._dismissed_before(head) if head else {}
        return frozenset(key for key in brought if key in tip or key not in committed)

    def _dismissed_now(self) -> dict[str, Dismissal]:
        path = self._repo.root / DISMISSED_FILE
        if self._repo.is_bare or not path.is_file():
            return {}
        return parse_dismissals(path.read_text(encoding="utf-8", errors="replace"))

    def _dismissed_before(self, commit: str) -> dict[str, Dismissal]:
        """As `_dismissed_at`; nothing where the file was broken, for that is what a change may mend."""
        try:
            return self._dismissed_at(commit)
        except LrcError:
            return {}

    def _dismissed_at(self, commit: str) -> dict[str, Dismissal]:
        """The entries as a commit has them; WrongUsage when its file is broken."""
        content = self._repo.file(DISMISSED_FILE, commit)
        return parse_dismissals(content.decode("utf-8", "replace")) if content else {}

    def _own_file(self, path: str) -> str:
        """A settings file as the reviewed side holds it: an unstaged edit must not change a review."""
        content = self._repo.file(path, self._change.tip)
        return content.decode("utf-8", "replace") if content else ""


def change_source(repo: "Repository", revision: str | None) -> ChangeSource:
    """The staged change (`revision` None), or the one that the revision stands for."""
    return ChangeSource(repo, repo.staged() if revision is None else repo.change(revision))
