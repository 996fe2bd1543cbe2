"""The reader of combined diffs, on texts in git's own format."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lrc.combined import read_combined, unquote
from lrc.diff import FileDiff, Kind, Status
from lrc.patch import PatchFault
from tests.support.patching import added, removed

ONE, TWO, RESULT = "1" * 40, "2" * 40, "3" * 40
RECORD = f"::100644 100644 100644 {ONE} {TWO} {RESULT} MM\0f\0\0"
HEADER = f"diff --cc f\nindex {ONE},{TWO}..{RESULT}\n--- a/f\n+++ b/f\n"


def parse(text: str, cap: int = 10_000) -> list[FileDiff]:
    """The files of a combined diff in git's format."""
    return list(read_combined(io.BytesIO(text.encode()).read, cap))


def test_lines_of_the_resolution() -> None:
    """New in the result: added; from the other parent: context; lost from the first parent: removed."""
    body = "@@@ -1,3 -1,4 +1,4 @@@ def f():\n  a\n- x1\n -x2\n++x3\n+ theirs\n  c\n"
    (file,) = parse(RECORD + HEADER + body)
    (hunk,) = file.hunks
    assert [(line.kind, line.text, line.old, line.new) for line in hunk.lines] == [
        (Kind.CONTEXT, "a", 1, 1),
        (Kind.REMOVED, "x1", 2, None),
        (Kind.ADDED, "x3", None, 2),
        (Kind.CONTEXT, "theirs", None, 3),
        (Kind.CONTEXT, "c", 3, 4),
    ]
    assert (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) == (1, 3, 1, 4)
    assert (hunk.section, file.status, file.old_blob, file.new_blob) == ("def f():", Status.MODIFIED, ONE, RESULT)


def test_files_without_a_resolution_are_left_out() -> None:
    """A record without a patch means that every line comes from some parent."""
    assert parse(RECORD) == []


def test_three_parents() -> None:
    """An octopus merge has a marker column for each parent."""
    record = f":::100644 100644 100644 100644 {ONE} {TWO} {TWO} {RESULT} MMM\0f\0\0"
    header = f"diff --cc f\nindex {ONE},{TWO},{TWO}..{RESULT}\n--- a/f\n+++ b/f\n"
    (file,) = parse(record + header + "@@@@ -1,1 -1,1 -1,1 +1,2 @@@@\n   a\n+++new\n")
    assert added(file) == ["new"]


def test_lines_that_every_parent_lost() -> None:
    """A resolution that only deletes is seen."""
    (file,) = parse(RECORD + HEADER + "@@@ -1,2 -1,2 +1,1 @@@\n  a\n--guard\n")
    assert (removed(file), added(file)) == (["guard"], [])


def test_a_binary_merge() -> None:
    """git's line for it marks the file."""
    (file,) = parse(RECORD + f"diff --cc f\nindex {ONE},{TWO}..{RESULT}\nBinary files differ\n")
    assert file.binary


def test_quoted_names() -> None:
    """Names in headers are C-quoted when they hold a control character, a quote or a backslash."""
    assert unquote(b"plain name") == b"plain name"
    assert unquote(b'"a\\nb\\t\\"\\\\\\303\\251"') == b'a\nb\t"\\\xc3\xa9'
    record = f"::100644 100644 100644 {ONE} {TWO} {RESULT} MM\0we\nird\0\0"
    header = f'diff --cc "we\\nird"\nindex {ONE},{TWO}..{RESULT}\n'
    (file,) = parse(record + header + "@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n")
    assert file.path == "we\nird"


def test_a_large_resolution_is_truncated() -> None:
    """The cap counts for combined diffs too."""
    (file,) = parse(RECORD + HEADER + "@@@ -0,0 -0,0 +1,3 @@@\n" + "++xxxxxxxxxxxxxxxxxxxx\n" * 3, cap=50)
    assert file.truncated and file.hunks == ()


SEED = (RECORD + HEADER + "@@@ -1,3 -1,4 +1,4 @@@ f\n  a\n- x1\n -x2\n++x3\n+ theirs\n  c\n").encode()


@given(
    at=st.integers(0, len(SEED)),
    cut=st.integers(0, 40),
    new=st.binary(max_size=8) | st.sampled_from([b"9" * 5000, b"@@@", b"\n", b"\0", b"++", b"- "]),
)
def test_damaged_output_never_crashes(at: int, cut: int, new: bytes) -> None:
    """Whatever bytes are lost or put in, the reader gives files or its own fault."""
    try:
        list(read_combined(io.BytesIO(SEED[:at] + new + SEED[at + cut :]).read))
    except PatchFault as fault:
        assert fault.hint


@pytest.mark.parametrize(
    "text",
    [
        "::100644 100644 x\0f\0\0",
        RECORD + "diff --cc other\n",
        RECORD + "something\n",
        RECORD + HEADER + "@@@ -1,1 +1,1 @@@\n  a\n",
        RECORD + HEADER + "@@@ -1,1 -1,1 +1,2 @@@\n  a\n",
        RECORD + HEADER + "@@@ -1,1 -1,0 +1,1 @@@\n  a\n",
        RECORD + HEADER + "@@@ -1,1 -1,1 +1,1 @@@\nxxa\n",
    ],
)
def test_what_is_no_combined_diff_is_a_named_fault(text: str) -> None:
    """Counts that do not fit and missing headers are one clear error."""
    with pytest.raises(PatchFault):
        parse(text)
