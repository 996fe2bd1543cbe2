"""Conflicts that a test is about, and those that somebody left."""

import pytest

from lrc.detect.conflict_markers import ConflictMarkers
from lrc.diff import Status
from tests.support.changes import change, new_text

CONFLICT = "+<<<<<<< HEAD\n+a\n+=======\n+b\n+>>>>>>> other"


@pytest.mark.parametrize(
    ("path", "status", "found"),
    [
        ("tests/resources/merged/one.txt", Status.ADDED, 0),
        ("tests/resources/merged/one.txt", Status.MODIFIED, 1),
        ("tests/resources/other/one.txt", Status.ADDED, 1),
        ("tests/merge_test.py", Status.ADDED, 1),
        ("src/merge.txt", Status.ADDED, 1),
    ],
)
def test_only_new_data_called_after_merges_passes(path: str, status: Status, found: int) -> None:
    """A new file of that name was not left by a merge; code, and files that were there before, may have been."""
    file = change(path, CONFLICT, status=status)
    assert len(list(ConflictMarkers().scan(file, new_text(file)))) == found
