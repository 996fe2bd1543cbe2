"""The findings that reviews have shown."""

from pathlib import Path

import pytest

from lrc.diff import Side
from lrc.findings import Category, Finding, Severity
from lrc.store import known
from lrc.store.known import KnownFindings


def finding(path: str = "app.py", category: Category = Category.SECRETS) -> Finding:
    """A critical finding."""
    return Finding(path, 3, 3, Side.NEW, Severity.CRITICAL, category, 0.9, "MASKED", "detector:secrets", "quote")


def test_nothing_is_known_at_first(tmp_path: Path) -> None:
    """A repository without reviews knows no finding, and asking writes nothing."""
    assert KnownFindings(tmp_path).all() == {}
    KnownFindings(tmp_path).add([])
    assert list(tmp_path.iterdir()) == []


def test_findings_of_several_reviews_are_kept(tmp_path: Path) -> None:
    """A later review adds to an earlier one, and its findings come first."""
    first, second = finding(), finding("other\udcff.py", Category.CORRECTNESS)
    KnownFindings(tmp_path).add([first])
    KnownFindings(tmp_path).add([second])
    found = KnownFindings(tmp_path).all()
    assert list(found) == [second.fingerprint, first.fingerprint]
    assert found[first.fingerprint].is_critical_secret and not found[second.fingerprint].is_critical_secret
    assert found[second.fingerprint].path == "other\\udcff.py"


def test_the_longest_unseen_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file does not grow without bound."""
    monkeypatch.setattr(known, "MOST", 2)
    for name in "abc":
        KnownFindings(tmp_path).add([finding(name)])
    assert [entry.path for entry in KnownFindings(tmp_path).all().values()] == ["c", "b"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"v": 99, "findings": []}', '{"v": 1, "findings": [{}]}'])
def test_a_file_that_cannot_be_read_knows_nothing(tmp_path: Path, content: str) -> None:
    """A torn or foreign file costs the memory of earlier reviews, nothing else."""
    store = KnownFindings(tmp_path)
    store.path.parent.mkdir()
    store.path.write_text(content)
    assert store.all() == {}
    store.add([finding()])
    assert len(store.all()) == 1
