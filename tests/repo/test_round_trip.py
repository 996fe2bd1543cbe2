"""What is parsed from real git is exactly what was committed."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lrc.diff import Kind, Status
from lrc.repo import Repository
from tests.support.patching import applied
from tests.support.repository import SampleRepository

LINE_PIECES = st.sampled_from(
    ["", "a", "b", "same", "+", "-", " ", "@@ -1 +1 @@", "--- a/x", "\\ No newline at end of file", "\r", "\f", "\v",
     "\u2028", "\x85", "\x1c", "\x1e", "é", "\t", "diff --git a/f0 b/f0", "日本", "\ufeff"]
)  # fmt: skip
LINES = st.lists(LINE_PIECES, max_size=3).map("".join)
TEXTS = st.tuples(st.lists(LINES, max_size=30), st.booleans()).map(
    lambda item: ("\n".join(item[0]) + ("\n" if item[1] else "")).encode()
)
PAIRS = st.lists(st.tuples(st.none() | TEXTS, st.none() | TEXTS), min_size=1, max_size=6)


@given(pairs=PAIRS)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_applying_the_parsed_change_gives_the_committed_content(tmp_path: Path, pairs: list) -> None:
    """For any pair of texts, the parsed hunks applied to the old one give the new one, byte for byte."""
    where = Path(tempfile.mkdtemp(dir=tmp_path))
    try:
        sample = SampleRepository(where)
        sample.commit("old", {f"f{number}": old for number, (old, _) in enumerate(pairs) if old is not None})
        for number, (old, new) in enumerate(pairs):
            if new is not None:
                sample.write(f"f{number}", new)
            elif old is not None:
                (where / f"f{number}").unlink()
        sample.stage()
        with Repository.discover(where) as repository:
            files = {file.path: file for file in repository.staged().files()}
        moved = {file.old_path for file in files.values() if file.status is Status.RENAMED}
        for number, (old, new) in enumerate(pairs):
            file = files.get(f"f{number}")
            if file is None:
                assert old == new or (new is None and f"f{number}" in moved), "what git does not name did not change"
                continue
            source = old if file.old_path is None else pairs[int(file.old_path[1:])][0]
            assert applied(source or b"", file) == (new or b"")
            assert not (file.lossy or file.truncated or file.binary or file.fault)
    finally:
        shutil.rmtree(where)


@given(texts=st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=5))
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_lines_of_a_merge_stand_where_they_say(tmp_path: Path, texts: list) -> None:
    """For any two parents and result: each line is at its number in the result and, if old, in the first parent."""
    where = Path(tempfile.mkdtemp(dir=tmp_path))
    try:
        sample = SampleRepository(where)
        parents = [
            sample.commit(str(side), {f"f{number}": each[side] for number, each in enumerate(texts)}) for side in (0, 1)
        ]
        sample.stage({f"f{number}": each[2] for number, each in enumerate(texts)})
        tree = sample.git("write-tree")
        merge = sample.git("commit-tree", "-m", "m", "-p", parents[0], "-p", parents[1], tree)
        with Repository.discover(where) as repository:
            files = {file.path: file for file in repository.change(merge).files()}
    finally:
        shutil.rmtree(where)
    for number, (ours, theirs, result) in enumerate(texts):
        file = files.get(f"f{number}")
        if file is None:
            continue
        assert result not in (ours, theirs), "what comes from one parent is no resolution"
        for line in (line for hunk in file.hunks for line in hunk.lines):
            if line.new is not None:
                assert result.split(b"\n")[line.new - 1] == line.text.encode()
            if line.old is not None:
                assert ours.split(b"\n")[line.old - 1] == line.text.encode()
            assert line.old is None or line.kind is not Kind.ADDED
            assert (line.new is None) == (line.kind is Kind.REMOVED)
    for number, (ours, theirs, result) in enumerate(texts):
        own = set(result.split(b"\n")) - set(ours.split(b"\n")) - set(theirs.split(b"\n"))
        file = files.get(f"f{number}")
        seen = {line.text.encode() for hunk in file.hunks for line in hunk.added} if file else set()
        assert own <= seen, "a line that no parent has is shown as added"
