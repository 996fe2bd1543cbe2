"""Keys of lines: known again where they are the same, unknown where they are not, and no help for guessing."""

import re
import stat
from pathlib import Path

import pytest

from lrc.diff import FileDiff, Kind
from lrc.ledger import keys
from lrc.ledger.keys import Hasher, packed, unpacked
from tests.support.changes import change

HASHER = Hasher(b"k" * 32)


def _keys(file: FileDiff, hasher: Hasher = HASHER) -> list[str]:
    return [key for hunk in file.hunks for key in hasher.changed(file, hunk)]


def test_a_moved_hunk_is_known() -> None:
    """Line numbers and the unchanged lines further off are no part of a key."""
    there = change("a.py", " def f():\n+    x = 1\n+    y = 2\n     return x")
    elsewhere = change("a.py", " import os\n def f():\n+    x = 1\n+    y = 2\n     return y\n z")
    assert _keys(there) == _keys(elsewhere)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("b.py", " def f():\n+    x = 1"),
        ("a.py", " def f():\n+    x = 2"),
        ("a.py", " def f():\n+     x = 1"),
        ("a.py", " def g():\n+    x = 1"),
        ("a.py", " def f():\n-    x = 1"),
    ],
    ids=["path", "text", "indentation", "line above", "side"],
)
def test_another_line_is_another_key(path: str, body: str) -> None:
    """Each thing that makes a line what it is, changes its key."""
    assert not set(_keys(change("a.py", " def f():\n+    x = 1"))) & set(_keys(change(path, body)))


def test_a_bracket_is_not_known_everywhere() -> None:
    """A line that says little is told apart by the line above it."""
    one, other = change("a.c", "+  a();\n+}"), change("a.c", "+  b();\n+}")
    assert not set(_keys(one)) & set(_keys(other))


def test_blank_lines_between_change_nothing_for_those_below() -> None:
    """The line above is the last one that is not blank."""
    assert _keys(change("a.py", " a\n+b"))[0] == _keys(change("a.py", " a\n+\n+b"))[1]


def test_line_below_a_change_keeps_its_old_key_too() -> None:
    """An unchanged line that got another line above it comes with the key it had and the one it has."""
    first = change("a.py", " a\n+b\n c")
    second = change("a.py", " a\n+new\n b\n c")
    (old, new), *more = zip(*[iter(HASHER.renamed(second, second.hunks[0]))] * 2, strict=True)
    assert more == []
    assert old == _keys(first)[0]
    assert new == _keys(change("a.py", " new\n+b"))[0]


def test_keys_of_lines_by_number() -> None:
    """The lines of a finding are found by their side and numbers."""
    file = change("a.py", " a\n-b\n+c\n+d\n e")
    every = _keys(file)
    assert HASHER.at(file, Kind.REMOVED, 2, 2) == every[:1]
    assert HASHER.at(file, Kind.ADDED, 2, 3) == every[1:]
    assert HASHER.at(file, Kind.ADDED, 4, 9) == []


def test_packing_is_without_loss_and_forgiving() -> None:
    """Keys come back from one string; a rest that is no key is left out."""
    found = _keys(change("a.py", "+a\n+b\n+c"))
    assert unpacked(packed(found)) == found
    assert unpacked(packed(found) + "tail") == found
    assert unpacked("") == []


def test_another_repository_has_other_keys(tmp_path: Path) -> None:
    """The secret is made once, for the user alone, and differs; a key tells nothing of the line without it."""
    one, other = keys.hasher(tmp_path / "one"), keys.hasher(tmp_path / "two")
    file = change("a.py", "+password = 'hunter2'")
    assert _keys(file, one) == _keys(file, keys.hasher(tmp_path / "one"))
    assert not set(_keys(file, one)) & set(_keys(file, other))
    assert re.fullmatch(r"[A-Za-z0-9+/]{12}", _keys(file, one)[0])
    secret = tmp_path / "one" / "lrc" / keys.KEY_FILE
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert [path.name for path in secret.parent.iterdir()] == [keys.KEY_FILE]


def test_damaged_secret_is_an_error(tmp_path: Path) -> None:
    """A cut secret is not replaced in silence: the old keys would be lost."""
    keys.hasher(tmp_path)
    (tmp_path / "lrc" / keys.KEY_FILE).write_bytes(b"short")
    with pytest.raises(OSError, match="damaged"):
        keys.hasher(tmp_path)
