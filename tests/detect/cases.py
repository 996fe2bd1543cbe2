"""Case files: one a detector, plain text, so that a new case is no Python edit."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CASES = Path(__file__).parent / "cases"
HEADER = re.compile(r"^## (?P<verdict>clean|flagged(?: (?P<severity>\w+))?): (?P<title>.+) @ (?P<path>\S+)$")


class Case(NamedTuple):
    """One change and what a detector has to say about it."""

    title: str
    path: str
    body: str
    severity: str
    """Expected label; empty for any."""

    @property
    def marked(self) -> list[tuple[str, int]]:
        """Side and line number of each line that has to be flagged, in order."""
        found, old, new = [], 1, 1
        for line in self.body.split("\n"):
            mark = line[:1]
            if mark in "!~" and mark:
                found.append(("old", old) if mark == "~" else ("new", new))
            old += mark in "-~ " or not mark
            new += mark in "+! " or not mark
        return found


def read_cases(detector: str) -> Iterator[Case]:
    """The cases of `cases/<detector>.txt`, those that must not be flagged first."""
    header: re.Match[str] | None = None
    body: list[str] = []
    found: list[Case] = []

    def close() -> None:
        if header:
            while body and not body[-1].strip():
                body.pop()
            found.append(Case(header["title"], header["path"], "\n".join(body), header["severity"] or ""))

    for line in (CASES / f"{detector}.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("## "):
            close()
            header, body = HEADER.match(line), []
            assert header, f"not a case header: {line}"
        elif header:
            body.append(line)
    close()
    return iter(sorted(found, key=lambda case: bool(case.marked)))
