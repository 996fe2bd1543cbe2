"""What the model said of a hunk, kept so that the same hunk is never judged twice by the same model.

Amending, rebasing, or committing again after a block costs nothing for what did not change. The key holds everything
that an answer depends on and no line number, so a hunk that only moved is found too. Answers hold no secrets: text is
masked before a model sees it.
"""

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lrc.diff import Side
from lrc.findings import Category, Finding, Severity
from lrc.review import Answer, Unit

MOST = 20_000
"""Answers kept; the longest unused go first."""
_BUSY_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Judge:
    """Who answers: two answers may be exchanged only when all of this is equal."""

    target: str
    """Hash of the target's file."""
    reviewer: str
    """Name and version of the way the model is asked, its calibration included."""
    rules: str = ""
    """The repository's own rules, as the model reads them."""


class Verdicts:
    """Answers by key in one SQLite file, shared by all repositories and processes of the user.

    A file that cannot be used (read-only, damaged, locked for long) makes reviews slower, never wrong: every method
    then behaves as if nothing were kept.
    """

    def __init__(self, path: Path, judge: Judge) -> None:
        self._path = path
        self._judge = judge

    def known(self, units: Sequence[Unit]) -> dict[int, Answer]:
        """The kept answers, by the unit's place in `units`."""
        found: dict[int, Answer] = {}
        try:
            with closing(self._open()) as database, database:
                for place, unit in enumerate(units):
                    key = self._key(unit)
                    row = database.execute("SELECT answer FROM verdicts WHERE key = ?", (key,)).fetchone()
                    if row is not None:
                        found[place] = _answer(unit, json.loads(row[0]))
                        database.execute("UPDATE verdicts SET used = ? WHERE key = ?", (int(time.time()), key))
        except (sqlite3.Error, OSError, ValueError, KeyError, TypeError):
            return found
        return found

    def keep(self, answers: Iterable[Answer]) -> None:
        """Keeps answers that were given by the model; those that could not be given are left out."""
        rows = [
            (self._key(answer.unit), json.dumps(_plain(answer)), int(time.time()))
            for answer in answers
            if not answer.not_reviewed and not answer.cached
        ]
        if not rows:
            return
        try:
            with closing(self._open()) as database, database:
                database.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", rows)
                database.execute(
                    "DELETE FROM verdicts WHERE key IN (SELECT key FROM verdicts ORDER BY used DESC LIMIT -1 OFFSET ?)",
                    (MOST,),
                )
        except (sqlite3.Error, OSError):
            return

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            return self._prepared()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            self._path.unlink(missing_ok=True)  # damaged: nothing in it can be trusted, and all can be made again
            return self._prepared()

    def _prepared(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._path, timeout=_BUSY_SECONDS)
        try:
            database.execute("CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, answer TEXT, used INTEGER)")
        except sqlite3.Error:
            database.close()
            raise
        return database

    def _key(self, unit: Unit) -> str:
        what: dict[str, Any] = {
            "judge": asdict(self._judge),
            "path": unit.file.path,
            "lines": [(line.kind.value, line.text) for line in unit.hunk.lines],
            "before": unit.before,
            "after": unit.after,
            "header": unit.enclosing.header if unit.enclosing else "",
            "language": unit.language,
        }
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()


class Remembering:
    """A reviewer that answers from what is kept and asks another one, opened only then, about the rest."""

    def __init__(self, verdicts: Verdicts, open_reviewer: Any) -> None:
        self._verdicts = verdicts
        self._open = open_reviewer
        self._inner: Any = None

    def review(self, units: Sequence[Unit]) -> Iterator[Answer]:
        """One answer a unit: the kept ones first."""
        known = self._verdicts.known(units)
        yield from known.values()
        rest = [unit for place, unit in enumerate(units) if place not in known]
        if not rest:
            return
        if self._inner is None:  # asked again, about another change: the engine is there already
            self._inner = self._open()
        for answer in self._inner.review(rest):
            self._verdicts.keep([answer])
            yield answer

    def described(self) -> dict[str, object]:
        """What the asked reviewer says of itself; nothing when none was needed."""
        return dict(self._inner.described()) if self._inner is not None else {}


def _plain(answer: Answer) -> dict[str, Any]:
    starts = {Side.NEW: answer.unit.hunk.new_start, Side.OLD: answer.unit.hunk.old_start}
    findings = []
    for found in answer.findings:
        plain = asdict(found)
        del plain["path"], plain["fingerprint"]
        plain |= {"line": found.line - starts[found.side], "end_line": found.end_line - starts[found.side]}
        findings.append(plain | {"severity": found.severity.label})
    return {"findings": findings, "dropped": answer.dropped}


def _answer(unit: Unit, plain: dict[str, Any]) -> Answer:
    starts = {Side.NEW: unit.hunk.new_start, Side.OLD: unit.hunk.old_start}
    findings = []
    for entry in plain["findings"]:
        side = Side(entry["side"])
        fields = entry | {
            "path": unit.file.path,
            "side": side,
            "line": entry["line"] + starts[side],
            "end_line": entry["end_line"] + starts[side],
            "severity": Severity.parse(entry["severity"]),
            "category": Category(entry["category"]),
        }
        findings.append(Finding(**fields))
    return Answer(unit, tuple(findings), int(plain["dropped"]), cached=True)
