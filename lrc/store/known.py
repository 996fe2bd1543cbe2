"""The findings that reviews of this repository have shown, so that `lrc dismiss` knows what a fingerprint stands for.

`<common git directory>/lrc/findings.json`. Holds what the output showed and nothing more: messages are masked.
"""

import json
import os
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lrc.findings import Finding, Severity

MOST = 2_000
"""Findings kept; the longest unseen go first."""
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Known:
    """One finding as a review showed it."""

    fingerprint: str
    path: str
    line: int
    severity: str
    category: str
    source: str
    message: str
    seen: int
    """Seconds since the epoch of the last review that had it."""

    @property
    def is_critical_secret(self) -> bool:
        """True when what was found opens something, wherever the finding is filed."""
        return self.category == "secrets" and self.severity == Severity.CRITICAL.label


class KnownFindings:
    """The findings shown for the repository whose common git directory is `common`."""

    def __init__(self, common: Path) -> None:
        self.path = common / "lrc" / "findings.json"

    def all(self) -> dict[str, Known]:
        """By fingerprint, last seen first; none when nothing was kept or it cannot be read."""
        try:
            content = json.loads(self.path.read_text(encoding="utf-8", errors="replace"))
            rows = content["findings"] if content["v"] == _VERSION else []
            return {row["fingerprint"]: Known(**row) for row in rows}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def add(self, findings: Iterable[Finding]) -> None:
        """Keeps these too; raises OSError when that cannot be."""
        now = int(time.time())
        fresh = {finding.fingerprint: _known(finding, now) for finding in findings}
        if not fresh:
            return
        kept = {**fresh, **{key: known for key, known in self.all().items() if key not in fresh}}
        rows = [asdict(known) for known in list(kept.values())[:MOST]]
        self._write({"v": _VERSION, "findings": rows})

    def _write(self, content: dict[str, Any]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                json.dump(content, file)
            aside.replace(self.path)
        finally:
            aside.unlink(missing_ok=True)


def _known(finding: Finding, seen: int) -> Known:
    return Known(
        finding.fingerprint,
        finding.path.encode("utf-8", "backslashreplace").decode("utf-8"),
        finding.line,
        finding.severity.label,
        finding.category.value,
        finding.source,
        finding.message,
        seen,
    )
