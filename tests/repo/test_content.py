"""Every kind of content and name, through a real commit: what the hook sees is what git records."""

import os
import subprocess
import sys

import pytest

from lrc.diff import FileDiff, Status
from lrc.patch import FILE_CAP, raw_of
from lrc.repo import Repository
from tests.repo.conftest import Recorder
from tests.support.patching import added, removed
from tests.support.repository import SampleRepository


def staged() -> dict[str, FileDiff]:
    """The staged files of the current repository, by path."""
    with Repository.discover() as repository:
        return {file.path: file for file in repository.staged().files()}


def only(revision: str = "") -> FileDiff:
    """The only file of the staged change, or of a revision."""
    with Repository.discover() as repository:
        (file,) = (repository.change(revision) if revision else repository.staged()).files()
        return file


def test_file_mode(sample: SampleRepository) -> None:
    """A change of the executable bit alone has modes and no hunks."""
    sample.commit("base", {"run": "x\n"})
    sample.git("update-index", "--chmod=+x", "run")
    file = only()
    assert (file.old_mode, file.new_mode, file.hunks) == ("100644", "100755", ())
    assert file.old_blob == file.new_blob


def test_rename_with_changes(sample: SampleRepository) -> None:
    """A moved file keeps its old path, and only its changed lines are changed."""
    lines = [f"line {number}\n" for number in range(20)]
    sample.commit("base", {"old name": "".join(lines)})
    (sample.path / "old name").unlink()
    sample.stage({"new/name": "".join([*lines[:10], "changed\n", *lines[11:]])})
    file = only()
    assert (file.status, file.old_path, file.path) == (Status.RENAMED, "old name", "new/name")
    assert (added(file), removed(file)) == (["changed"], ["line 10"])


def test_copy(sample: SampleRepository) -> None:
    """A copy of a file that changes in the same commit is known as one."""
    lines = "".join(f"line {number}\n" for number in range(20))
    sample.commit("base", {"a": lines})
    sample.stage({"a": lines + "more\n", "b": lines + "else\n"})
    files = staged()
    assert (files["b"].status, files["b"].old_path, added(files["b"])) == (Status.COPIED, "a", ["else"])


def test_symlink(sample: SampleRepository) -> None:
    """A link's content is its target; a file that becomes a link is one change with both halves."""
    sample.commit("base", {"file": "text\n"})
    (sample.path / "link").symlink_to("/etc/passwd")
    (sample.path / "file").unlink()
    (sample.path / "file").symlink_to("elsewhere")
    sample.stage()
    files = staged()
    assert files["link"].is_symlink and added(files["link"]) == ["/etc/passwd"]
    assert files["file"].status is Status.TYPE_CHANGED
    assert (removed(files["file"]), added(files["file"])) == (["text"], ["elsewhere"])


def test_binary(sample: SampleRepository) -> None:
    """A NUL among the first bytes makes a file binary: no hunks."""
    sample.stage({"image": b"\x89PNG\0\0" + bytes(range(256))})
    file = only()
    assert file.binary and file.hunks == () and not file.truncated
    sample.commit("base")
    sample.stage({"image": b"\x89PNG\0\1"})
    assert only().binary


def test_late_nul_is_text(sample: SampleRepository) -> None:
    """As in git, a NUL behind the first 8,000 bytes does not hide a file; it is a character."""
    sample.stage({"late": b"x\n" * 5000 + b"a\0b\n"})
    assert added(only())[-1] == "a\0b"


def test_utf16(sample: SampleRepository) -> None:
    """UTF-16 is binary to git and to us, never garbage text."""
    sample.stage({"wide": "text\n".encode("utf-16")})
    assert only().binary


def test_crlf(sample: SampleRepository, recorder: Recorder) -> None:
    """A carriage return is part of the line, and a change of line ends is a change of every line."""
    recorder.watch(sample)
    sample.stage({"dos": b"a\r\nb\r\n"})
    sample.git("commit", "-m", "x")
    assert recorder.added == {"dos": ["a\r", "b\r"]}
    sample.stage({"dos": b"a\nb\n"})
    sample.git("commit", "-m", "y")
    assert recorder.added == {"dos": ["a", "b"]}


def test_crlf_that_git_converts(sample: SampleRepository, recorder: Recorder) -> None:
    """With `core.autocrlf` the change holds what is recorded: line feeds."""
    sample.git("config", "core.autocrlf", "true")
    recorder.watch(sample)
    sample.stage({"dos": b"a\r\nb\r\n"})
    sample.git("commit", "-m", "x")
    assert recorder.added == {"dos": ["a", "b"]}


def test_no_newline_at_the_end(sample: SampleRepository) -> None:
    """The last line knows that it has no newline."""
    sample.commit("base", {"f": "a"})
    sample.stage({"f": "a\nb"})
    (hunk,) = only().hunks
    assert [(line.text, line.ends) for line in hunk.lines] == [("a", False), ("a", True), ("b", False)]


@pytest.mark.parametrize(
    "name",
    [
        "with space",
        " leading and trailing ",
        "tab\there",
        "new\nline",
        "new\ndiff --git a/x b/x\n@@ -1 +1 @@\n+forged",
        'quo"ted',
        "'quoted'",
        "back\\slash",
        "naïve/日本語.py",
        "b/a b/x",
        "-rf",
        "--output=x",
        ":(exclude)x",
        "$(touch pwned)",
        "`id`;|&",
        "*",
        "#",
        "\x01\x7f",
        b"caf\xe9.py",
        b"\xff\xfe",
        "e\u0301",
        "a" * 250,
    ],
)
def test_hostile_names(sample: SampleRepository, recorder: Recorder, name: str | bytes) -> None:
    """Whatever a name holds, it arrives as it is, its content is readable and nothing else happens."""
    sample.commit("base", {"plain": "x\n"})
    recorder.watch(sample)
    sample.stage({name: "1\n2\n"})  # type: ignore[dict-item]
    sample.git("commit", "-m", "x")
    raw = name if isinstance(name, bytes) else name.encode()
    (seen,) = recorder.last["files"]
    assert raw_of(seen["path"]) == raw
    assert seen["added"] == ["1", "2"]
    assert recorder.last["tree"] == sample.git("rev-parse", "HEAD^{tree}")
    with Repository.discover() as repository:
        (file,) = repository.change("HEAD").files()
        assert raw_of(file.path) == raw
        assert repository.blob(file.new_blob) == b"1\n2\n"
        assert repository.file(file.path) == b"1\n2\n"
        assert file.path in repository.paths()
        assert repository.attributes([file.path]) == {file.path: {}}
    assert not (sample.path / "pwned").exists()


def test_non_utf8_content(sample: SampleRepository) -> None:
    """Latin-1 text is shown as far as it goes and marked."""
    sample.stage({"latin": "café\nplain\n".encode("latin-1")})
    file = only()
    assert file.lossy and added(file) == ["caf�", "plain"]


def test_line_separators_of_unicode(sample: SampleRepository) -> None:
    """Line numbers are git's: form feed, vertical tab and U+2028 do not count."""
    sample.stage({"f": "a\fb\vc\u2028d\u0085e\x1cf\nsecond\n"})
    (hunk,) = only().hunks
    assert [line.new for line in hunk.lines] == [1, 2]


def test_diff_attribute_off(sample: SampleRepository) -> None:
    """`-diff` hides a text from git's own diff; here it keeps its hunks and the attribute is reported."""
    sample.commit(
        "base", {".gitattributes": "*.lock -diff\nhidden.py binary\n", "a.lock": "1\n", "hidden.py": "x = 1\n"}
    )
    sample.stage({"a.lock": "1\n2\n", "hidden.py": "x = 2\n", "new.lock": "n\n"})
    files = staged()
    assert added(files["a.lock"]) == ["2"] and not files["a.lock"].binary
    assert (removed(files["hidden.py"]), added(files["hidden.py"])) == (["x = 1"], ["x = 2"])
    assert added(files["new.lock"]) == ["n"]
    with Repository.discover() as repository:
        attributes = repository.attributes(files)
    assert attributes["a.lock"] == {"diff": "unset"}
    assert attributes["hidden.py"] == {"diff": "unset", "binary": "set"}


def test_diff_attribute_on_for_a_binary(sample: SampleRepository) -> None:
    """`diff` set on a binary file makes git print it as text; the reader holds."""
    sample.stage({".gitattributes": "*.bin diff\n", "x.bin": b"a\0b\nc\n"})
    assert added(staged()["x.bin"]) == ["a\0b", "c"]


def test_linguist_generated(sample: SampleRepository) -> None:
    """The attribute is read from the index, which is what will be recorded, not from the work tree."""
    sample.stage({".gitattributes": "gen/** linguist-generated\n", "gen/x": "x\n", "hand": "x\n"})
    sample.write(".gitattributes", "hand linguist-generated=true\n")
    with Repository.discover() as repository:
        assert repository.attributes(["gen/x", "hand"]) == {"gen/x": {"linguist-generated": "set"}, "hand": {}}
        assert repository.attributes(["hand"], cached=False) == {"hand": {"linguist-generated": "true"}}


def test_textconv(sample: SampleRepository) -> None:
    """A text conversion in place is not run: it is a program, and it shows other text than is recorded."""
    sample.git("config", "diff.upper.textconv", "touch ran; tr a-z A-Z <")
    sample.commit("base", {".gitattributes": "* diff=upper\n", "f": "a\n"})
    sample.stage({"f": "b\n"})
    assert added(staged()["f"]) == ["b"]
    assert not (sample.path / "ran").exists()


def test_external_diff(sample: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """An external diff, by setting, by attribute or by environment, is not run."""
    program = sample.write("../external", "#!/bin/sh\ntouch ran\necho external\n")
    program.chmod(0o755)
    sample.git("config", "diff.external", str(program))
    sample.git("config", "diff.mine.command", str(program))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    sample.commit("base", {".gitattributes": "g diff=mine\n", "f": "a\n", "g": "a\n"})
    sample.stage({"f": "b\n", "g": "b\n"})
    assert {path: added(file) for path, file in staged().items()} == {"f": ["b"], "g": ["b"]}
    sample.commit("x")
    with Repository.discover() as repository:
        assert len(list(repository.change("HEAD").files())) == 2
    assert not (sample.path / "ran").exists()


def test_clean_filter(sample: SampleRepository, recorder: Recorder) -> None:
    """A filter changes what is recorded; that is what is seen, and the filter is not run by reading."""
    sample.git("config", "filter.hide.clean", "echo run >> ../log; sed s/secret/hidden/")
    sample.git("config", "filter.hide.smudge", "echo run >> ../log; cat")
    recorder.watch(sample)
    sample.stage({".gitattributes": "f filter=hide\n", "f": "my secret\n"})
    log = sample.path.parent / "log"
    before = log.read_text()
    assert added(staged()["f"]) == ["my hidden"]
    assert log.read_text() == before
    sample.git("commit", "-m", "x")
    assert recorder.added["f"] == ["my hidden"]
    with Repository.discover() as repository:
        assert repository.attributes(["f"])["f"] == {"filter": "hide"}


def test_lfs_pointer(sample: SampleRepository) -> None:
    """Large-file storage records a pointer text; the pointer is what is seen, and the attribute says so."""
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12345\n"
    sample.stage({".gitattributes": "*.psd filter=lfs diff=lfs merge=lfs -text\n"})
    name = sample.git("hash-object", "-w", "--stdin", feed=pointer.encode())
    sample.git("update-index", "--add", "--cacheinfo", f"100644,{name},big.psd")
    assert added(staged()["big.psd"]) == pointer.splitlines()
    with Repository.discover() as repository:
        assert repository.attributes(["big.psd"])["big.psd"]["filter"] == "lfs"


def test_working_tree_encoding(sample: SampleRepository) -> None:
    """A file that the work tree keeps in UTF-16 is recorded as UTF-8 and read so."""
    sample.stage({".gitattributes": "*.txt working-tree-encoding=UTF-16\n", "f.txt": "é\n".encode("utf-16")})
    assert added(staged()["f.txt"]) == ["é"]


HOSTILE = {
    "color.ui": "always",
    "color.diff": "always",
    "core.quotePath": "true",
    "core.pager": "false",
    "core.whitespace": "tab-in-indent,trailing-space",
    "core.abbrev": "4",
    "core.fsmonitor": "touch ran",
    "core.commentChar": "@",
    "diff.algorithm": "patience",
    "diff.colorMoved": "zebra",
    "diff.colorMovedWS": "ignore-all-space",
    "diff.context": "0",
    "diff.dirstat": "lines",
    "diff.interHunkContext": "100",
    "diff.mnemonicPrefix": "true",
    "diff.noprefix": "true",
    "diff.relative": "true",
    "diff.renames": "false",
    "diff.renameLimit": "1",
    "diff.statGraphWidth": "1",
    "diff.submodule": "log",
    "diff.suppressBlankEmpty": "true",
    "diff.wordRegex": ".",
    "diff.wsErrorHighlight": "all",
    "diff.indentHeuristic": "false",
    "diff.ignoreSubmodules": "all",
    "diff.external": "false",
    "diff.tool": "false",
    "pager.diff": "false",
    "alias.diff-index": "!touch ran",
    "log.showSignature": "true",
    "i18n.logOutputEncoding": "latin1",
    "submodule.recurse": "true",
    "grep.lineNumber": "true",
}


def forms(repository: Repository) -> list[object]:
    """Everything that is read from diffs: staged, a commit, a range, a merge."""
    changes = [repository.staged(), repository.change("HEAD"), repository.change("HEAD~1..HEAD")]
    changes.append(repository.change("merged"))
    return [[(file, change.base) for file in change.files()] for change in changes]


def test_hostile_settings(sample: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under every setting that changes what git prints, the same values come out; no program is run."""
    monkeypatch.setenv("LC_ALL", "C")
    lines = [f"line {number}\n\n" for number in range(30)]
    sample.conflict("clash", "1\n", "2\n", "3\n")
    sample.commit("merged", {"clash": "4\n"})
    sample.git("tag", "merged")
    sample.commit("base", {"sub/f": "".join(lines), "moved": "m\n" * 20, "é": "x\n"})
    sample.commit("more", {"sub/f": "".join([*lines[:9], "x \t\n", *lines[10:]])})
    sample.commit("masked", {".gitattributes": "masked -diff\n", "masked": "1\n\n2\n"})
    (sample.path / "moved").unlink()
    sample.write("masked", "1\n\n3\n")
    sample.stage({"sub/f": "".join([*lines[:3], "y\n", *lines[4:]]), "é": "", "to": "m\n" * 20 + "n\n"})
    with Repository.discover() as repository:
        plain = forms(repository)
    assert all(plain) and len(plain[0]) == 4
    for key, value in HOSTILE.items():
        sample.git("config", "--global", key, value)
    orders = sample.write("../order", "z*\n")
    sample.git("config", "--global", "diff.orderFile", str(orders))
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=0")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'diff.noprefix'='true' 'core.quotepath'='true'")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "diff.srcPrefix")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "x/")
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    monkeypatch.setenv("GIT_PAGER", "false")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    monkeypatch.chdir(sample.path / "sub")
    said = sample.git("diff", "--no-ext-diff", "--cached")
    assert "\x1b[" in said and "diff --git a/" not in said, "the settings are in force"
    (sample.path / "ran").unlink()
    with Repository.discover() as repository:
        assert forms(repository) == plain
    assert not (sample.path / "ran").exists() and not (sample.path / "sub" / "ran").exists()


def test_a_locale_with_another_encoding(sample: SampleRepository) -> None:
    """Where file names are Latin-1 to Python, names go to git and come from it as the bytes that they are."""
    sample.conflict("é.py", "1\n", "2\n", "3\n")
    sample.stage({"é.py": "4\n"})
    script = (
        "import os, sys; from lrc.repo import Repository; assert sys.getfilesystemencoding() != 'utf-8';"
        "r = Repository.discover(); f, = r.staged().files();"
        "print(ascii(f.path), r.file(f.path), os.fsencode(r.root) == sys.argv[1].encode())"
    )
    latin = {**os.environ, "LC_ALL": "en_US.ISO-8859-1", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-c", script, str(sample.path)]
    done = subprocess.run(command, cwd=sample.path, env=latin, capture_output=True, text=True, check=False)
    if "AssertionError" in done.stderr:
        pytest.skip("this machine has no locale with another encoding")
    assert done.stdout == "'\\xe9.py' b'4\\n' True\n", done.stderr


def test_replaced_objects(sample: SampleRepository) -> None:
    """A local replacement of a commit does not change what is reviewed."""
    first = sample.commit("one", {"f": "1\n"})
    second = sample.commit("two", {"f": "1\n2\n"})
    sample.git("replace", second, first)
    assert added(only(second)) == ["2"]


def test_the_work_tree_is_not_taken_for_the_index(sample: SampleRepository) -> None:
    """A file changed after staging, with size and times as before, does not stand in for what is staged."""
    sample.git("config", "core.trustctime", "false")
    sample.git("config", "core.checkStat", "minimal")
    sample.commit("base", {"f": "zero\n"})
    path = sample.write("f", "evil\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    sample.git("add", "f")
    path.write_text("good\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert sample.git("diff", "--cached").endswith("+good"), "git itself is deceived"
    assert added(only()) == ["evil"]


def test_attributes_of_the_work_tree_do_not_count(sample: SampleRepository) -> None:
    """An attribute that is not going to be recorded changes nothing."""
    sample.stage({"f.txt": "x\n"})
    sample.write(".gitattributes", "* -diff filter=none\n")
    assert added(only()) == ["x"]


def test_attributes_of_the_user_do_not_count(sample: SampleRepository) -> None:
    """Neither the user's attributes file nor the repository's private one hides a change."""
    sample.commit("base", {"f.txt": "x\n", "g.txt": "x\n"})
    sample.git("config", "--global", "core.attributesFile", str(sample.write("../attributes", "f.txt -diff\n")))
    sample.write(".git/info/attributes", "g.txt binary\n")
    sample.stage({"f.txt": "y\n", "g.txt": "y\n"})
    assert {path: added(file) for path, file in staged().items()} == {"f.txt": ["y"], "g.txt": ["y"]}


def test_a_large_file_is_cut_off_not_loaded(sample: SampleRepository) -> None:
    """A blob above the cap comes out `truncated`, without hunks, whether text or not."""
    sample.stage({"large": b"x" * (FILE_CAP + 1), "small": "s\n"})
    files = staged()
    assert files["large"].truncated and files["large"].hunks == () and not files["large"].binary
    assert added(files["small"]) == ["s"]


def test_memory_stays_flat_over_many_large_files(sample: SampleRepository) -> None:
    """Files are read one at a time: the lines of a few are ever held, not those of all."""
    import tracemalloc

    def peak(files: int) -> int:
        """Bytes held at most while a change of that many files is read."""
        sample.stage({f"f{number}": b"0123456789abcde\n" * 1000 + b"%d" % number for number in range(files)})
        tracemalloc.start()
        with Repository.discover() as repository:
            assert sum(len(hunk.lines) for file in repository.staged().files() for hunk in file.hunks) == files * 1001
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return held

    few = peak(3)
    assert peak(18) < 2 * few


def test_stopping_early_ends_git(sample: SampleRepository) -> None:
    """Whoever takes only the first file leaves no process behind."""
    sample.stage({f"f{number}": "x\n" * 10_000 for number in range(50)})
    with Repository.discover() as repository:
        files = repository.staged().files()
        next(files)
        files.close()  # type: ignore[attr-defined]
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
