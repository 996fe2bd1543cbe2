"""The reader of git's two-sided diffs, on texts in git's own format."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lrc.diff import FileDiff, Kind, Status
from lrc.errors import ExitCode
from lrc.patch import FILE_CAP, Feed, PatchFault, path_of, raw_of, read_files, whole_file
from tests.support.patching import added, applied, removed

OLD, NEW, NONE = "1" * 40, "2" * 40, "0" * 40
RECORD = f":100644 100644 {OLD} {NEW} M\0f\0\0"
HEADER = f"diff --git a/f b/f\nindex {OLD}..{NEW} 100644\n--- a/f\n+++ b/f\n"


def parse(text: str | bytes, cap: int = FILE_CAP) -> list[FileDiff]:
    """The files of a diff in git's format."""
    return list(read_files(io.BytesIO(text.encode() if isinstance(text, str) else text).read, cap))


def one(body: str | bytes, cap: int = FILE_CAP) -> FileDiff:
    """The only file of a diff with the given hunks."""
    text = body.encode() if isinstance(body, str) else body
    (file,) = parse((RECORD + HEADER).encode() + text, cap)
    return file


def test_nothing_gives_no_files() -> None:
    """The output for two equal sides is empty and so is the change."""
    assert parse("") == []


def test_a_modified_file() -> None:
    """Lines carry their kind, both numbers and their text; the hunk its ranges and section."""
    file = one("@@ -2,3 +2,3 @@ def f():\n a\n-b\n+B\n c\n")
    (hunk,) = file.hunks
    assert (file.path, file.status, file.old_blob, file.new_blob) == ("f", Status.MODIFIED, OLD, NEW)
    assert (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) == (2, 3, 2, 3)
    assert hunk.section == "def f():"
    assert [(line.kind, line.text, line.old, line.new) for line in hunk.lines] == [
        (Kind.CONTEXT, "a", 2, 2),
        (Kind.REMOVED, "b", 3, None),
        (Kind.ADDED, "B", None, 3),
        (Kind.CONTEXT, "c", 4, 4),
    ]


def test_omitted_counts_are_one() -> None:
    """`@@ -5 +5 @@` is one line on each side."""
    (hunk,) = one("@@ -5 +5 @@\n-a\n+b\n").hunks
    assert (hunk.old_count, hunk.new_count) == (1, 1)


def test_a_count_of_zero_stays_zero() -> None:
    """A pure deletion has no new lines, not a phantom one."""
    (hunk,) = one("@@ -1,2 +0,0 @@\n-a\n-b\n").hunks
    assert (hunk.new_start, hunk.new_count, len(hunk.lines)) == (0, 0, 2)


@pytest.mark.parametrize("char", ["\r", "\f", "\v", "\0", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_a_line_feed_ends_a_line(char: str) -> None:
    """Other separators that Python knows are data inside a line."""
    file = one(f"@@ -0,0 +1,2 @@\n+a{char}b\n+c{char}\n")
    assert added(file) == [f"a{char}b", f"c{char}"]


def test_content_that_looks_like_headers() -> None:
    """A hunk ends by its counts, so lines that look like headers are lines."""
    text = "@@ -1,2 +1,3 @@\n--- a/f\n-@@ -1 +1 @@\n+++ b/f\n+diff --git a/x b/x\n+\n"
    file = one(text)
    assert removed(file) == ["-- a/f", "@@ -1 +1 @@"]
    assert added(file) == ["++ b/f", "diff --git a/x b/x", ""]


@pytest.mark.parametrize(
    ("body", "ends"),
    [
        ("-a\n\\ No newline at end of file\n+b\n", [False, True]),
        ("-a\n+b\n\\ No newline at end of file\n", [True, False]),
        ("-a\n\\ Kein Zeilenumbruch am Dateiende.\n+b\n\\ Kein Zeilenumbruch am Dateiende.\n", [False, False]),
    ],
)
def test_no_newline_at_the_end(body: str, ends: list[bool]) -> None:
    """The marker belongs to the line above it, in any language, and is no line itself."""
    (hunk,) = one("@@ -1 +1 @@\n" + body).hunks
    assert [line.ends for line in hunk.lines] == ends


def test_invalid_utf8_is_shown_as_replacement_and_marked() -> None:
    """Latin-1 text is readable where it can be, and the file is `lossy`."""
    file = one(b"@@ -1 +1 @@\n-a\n+caf\xe9\n")
    assert added(file) == ["caf�"]
    assert file.lossy


def test_valid_text_is_not_lossy() -> None:
    """A U+FFFD that the author wrote is text."""
    assert not one("@@ -1 +1 @@\n-a\n+�\n").lossy


def test_an_empty_context_line_without_its_blank() -> None:
    """What `diff.suppressBlankEmpty` would print is understood too."""
    (hunk,) = one("@@ -1,2 +1,2 @@\n-a\n+b\n\n").hunks
    assert (hunk.lines[-1].kind, hunk.lines[-1].text) == (Kind.CONTEXT, "")


def test_a_rename_without_change_has_no_hunks() -> None:
    """Old and new path come from the record, quotes in the header do not matter."""
    record = f":100644 100644 {OLD} {OLD} R100\0old name\0new\nname\0\0"
    (file,) = parse(record + 'diff --git a/old name "b/new\\nname"\nsimilarity index 100%\nrename from old name\n')
    assert (file.status, file.old_path, file.path, file.hunks) == (Status.RENAMED, "old name", "new\nname", ())


def test_a_type_change_is_one_file_with_both_halves() -> None:
    """git prints a deletion and a creation for it."""
    record = f":100644 120000 {OLD} {NEW} T\0f\0\0"
    text = (
        f"diff --git a/f b/f\ndeleted file mode 100644\nindex {OLD}..{NONE}\n"
        "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        f"diff --git a/f b/f\nnew file mode 120000\nindex {NONE}..{NEW}\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+t\n"
        "\\ No newline at end of file\n"
    )
    (file,) = parse(record + text)
    assert (removed(file), added(file), file.is_symlink) == (["x"], ["t"], True)


def test_a_submodule_has_no_hunks() -> None:
    """Its two commits are in the record; the line that git prints for them is nobody's text."""
    record = f":160000 160000 {OLD} {NEW} M\0sub\0\0"
    text = (
        f"diff --git a/sub b/sub\nindex {OLD}..{NEW} 160000\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n"
    )
    (file,) = parse(record + text)
    assert file.is_submodule and file.hunks == ()
    assert (file.old_blob, file.new_blob) == (OLD, NEW)


def test_a_binary_file() -> None:
    """git's line for it marks the file."""
    (file,) = parse(RECORD + f"diff --git a/f b/f\nindex {OLD}..{NEW} 100644\nBinary files a/f and b/f differ\n")
    assert file.binary and file.hunks == ()


def test_paths_that_are_not_utf8_survive() -> None:
    """Bytes of a name come back as they were."""
    record = f":100644 100644 {OLD} {NEW} M\0caf".encode() + b"\xe9\0\0"
    (file,) = parse(record + HEADER.encode() + b"@@ -1 +1 @@\n-a\n+b\n")
    assert raw_of(file.path) == b"caf\xe9"
    assert path_of(b"caf\xe9") == file.path


def test_a_file_above_the_cap_is_truncated_and_the_next_is_not() -> None:
    """Only the large file loses its hunks."""
    large = RECORD[:-1] + f":100644 100644 {OLD} {NEW} M\0g\0\0"
    text = HEADER + "@@ -1 +1,3 @@\n-a\n" + "+" + "x" * 90 + "\n+y\n+z\n" + HEADER + "@@ -1 +1 @@\n-a\n+b\n"
    first, second = parse(large + text, cap=80)
    assert first.truncated and first.hunks == ()
    assert not second.truncated and added(second) == ["b"]


def test_a_line_longer_than_the_cap_does_not_fill_memory() -> None:
    """The tail of an endless line is thrown away as it arrives."""
    sizes: list[int] = []

    def endless(count: int) -> bytes:
        sizes.append(count)
        if len(sizes) > 100:
            return b"\nnext\n" if len(sizes) == 101 else b""
        return b"x" * count

    feed = Feed(endless, keep=2 << 20)
    assert len(feed.line() or b"") == 2 << 20
    assert feed.cut
    assert feed.line() == b"next"


@pytest.mark.parametrize(
    "text",
    [
        "garbage\0",
        ":100644 100644 a b\0f\0\0",
        f":100644 100644 {OLD} {NEW} Z\0f\0\0",
        f":100644 100644 {OLD} {NEW} M\0",
        f":100644 100644 {OLD} {NEW} R50\0old\0",
        RECORD,
        RECORD + "@@ -1 +1 @@\n-a\n+b\n",
        RECORD + HEADER + "@@ -1,2 +1 @@\n-a\n+b\n",
        RECORD + HEADER + "@@ -1 +1,0 @@\n-a\n+b\n",
        RECORD + HEADER + "@@ -1 +1 @@\n a\n+b\n+c\n@@ x @@\n",
        RECORD + HEADER + "@@ -x +1 @@\n-a\n+b\n",
        RECORD + HEADER + "@@ -1 +1 @@\n*a\n+b\n",
        RECORD + HEADER + "@@ -1 +1 @@\n-a\n+b\n" + HEADER,
        RECORD + HEADER.replace(NEW, "3" * 40) + "@@ -1 +1 @@\n-a\n+b\n",
    ],
)
def test_what_is_no_diff_is_a_named_fault(text: str) -> None:
    """Malformed output is one clear error, never a crash and never a wrong review."""
    with pytest.raises(PatchFault) as fault:
        parse(text)
    assert fault.value.exit_code is ExitCode.UNEXPECTED
    assert fault.value.hint and "\n" not in fault.value.message


SEED = (RECORD + HEADER + "@@ -1,2 +1,2 @@ f\n a\n-b\n+c\n\\ No newline at end of file\n").encode()


@given(
    at=st.integers(0, len(SEED)),
    cut=st.integers(0, 40),
    new=st.binary(max_size=8) | st.sampled_from([b"9" * 5000, b"@@", b"\n", b"\0", b"+", b"-0,0"]),
)
def test_damaged_output_never_crashes(at: int, cut: int, new: bytes) -> None:
    """Whatever bytes are lost or put in, the reader gives files or its own fault."""
    try:
        files = parse(SEED[:at] + new + SEED[at + cut :])
    except PatchFault:
        return
    for hunk in (hunk for file in files for hunk in file.hunks):
        assert sum(line.old is not None for line in hunk.lines) == hunk.old_count
        assert sum(line.new is not None for line in hunk.lines) == hunk.new_count


@pytest.mark.parametrize("content", [b"", b"a", b"a\n", b"\n", b"a\n\nb", b"\r\n", b"a\x0cb\n"])
def test_a_whole_file_as_one_hunk(content: bytes) -> None:
    """Hunks made from a blob read like git's own: applied, they give the blob."""
    file = whole_file(FileDiff("f", Status.ADDED), None, content)
    assert applied(b"", file) == content
    gone = whole_file(FileDiff("f", Status.DELETED), content, None)
    assert applied(content, gone) == b""


def test_a_whole_file_above_the_cap_is_truncated() -> None:
    """The cap counts for hunks made from blobs too."""
    assert whole_file(FileDiff("f", Status.ADDED), None, b"abc\n" * 100, cap=50).truncated
