"""Single lines as people write them, against all detectors at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lrc.detect import DETECTORS
from lrc.findings import Finding
from tests.support.changes import change, new_text

HERE = Path(__file__).parent


def rows(name: str) -> list[list[str]]:
    """The rows of a table, without its comment."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [
        line.split(" | ", line.count(" | ") and (2 if "flagged" in name else 1)) for line in lines if line[:1] != "#"
    ]


def found(path: str, text: str) -> Iterator[Finding]:
    """What any detector says about a file to which these lines are added."""
    file = change(path, "\n".join(f"+{line}" for line in text.split("⏎")))
    for detector in DETECTORS:
        yield from detector.scan(file, new_text(file))


@pytest.mark.parametrize(("path", "text"), rows("clean_lines.txt"))
def test_ordinary_line_is_not_flagged(path: str, text: str) -> None:
    """Lines that look like trouble and are none."""
    assert [(finding.source, finding.message) for finding in found(path, text)] == []


@pytest.mark.parametrize(("detector", "path", "text"), rows("flagged_lines.txt"))
def test_line_is_flagged(detector: str, path: str, text: str) -> None:
    """Lines that are trouble, in the forms in which it comes."""
    assert f"detector:{detector}" in {finding.source for finding in found(path, text)}
