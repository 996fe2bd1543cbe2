"""Objects by name, and files by path."""

import os

import pytest

from lrc.repo import BlobTooLarge, MissingObject, Repository
from tests.support.repository import SampleRepository


def test_blobs_of_all_sizes(sample: SampleRepository) -> None:
    """Content comes byte for byte, also empty, binary, and after one another from one process."""
    contents = [b"", b"\n", b"x", b"\0" * 100, bytes(range(256)) * 1000, b"no newline", b"missing\n"]
    names = [sample.git("hash-object", "-w", "--stdin", feed=content) for content in contents]
    with Repository.discover() as repository:
        for _ in range(2):
            assert [repository.blob(name) for name in names] == contents
        assert repository.objects.size(names[4]) == 256_000


def test_a_missing_blob(sample: SampleRepository) -> None:
    """It is named, with the way out, and the reader goes on."""
    name = sample.git("hash-object", "-w", "--stdin", feed=b"here")
    with Repository.discover() as repository:
        with pytest.raises(MissingObject) as fault:
            repository.blob("f" * 40)
        assert fault.value.hint
        assert repository.blob(name) == b"here"


def test_a_blob_above_the_limit(sample: SampleRepository) -> None:
    """It is refused before it is read, and the reader goes on."""
    name = sample.git("hash-object", "-w", "--stdin", feed=b"12345")
    with Repository.discover() as repository:
        with pytest.raises(BlobTooLarge) as fault:
            repository.blob(name, limit=4)
        assert fault.value.size == 5
        assert repository.blob(name, limit=5) == b"12345"


@pytest.mark.parametrize("name", ["", "HEAD", "HEAD:f", "abc\nHEAD", "-x", "../x", "F" * 40])
def test_only_object_names_are_asked_for(sample: SampleRepository, name: str) -> None:
    """Anything else would put question and answer out of step."""
    with Repository.discover() as repository, pytest.raises(ValueError, match="object name"):
        repository.blob(name)


def test_a_reader_that_died_is_started_again(sample: SampleRepository) -> None:
    """Killing git between two reads costs nothing."""
    name = sample.git("hash-object", "-w", "--stdin", feed=b"here")
    with Repository.discover() as repository:
        assert repository.blob(name) == b"here"
        for child in repository.objects._children.values():
            child.kill()
            child.wait()
        assert repository.blob(name) == b"here"


def test_closing_ends_the_processes(sample: SampleRepository) -> None:
    """No child is left; a later read starts a new one."""
    name = sample.git("hash-object", "-w", "--stdin", feed=b"here")
    with Repository.discover() as repository:
        repository.blob(name)
        repository.close()
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
        assert repository.blob(name) == b"here"
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_files_of_the_index_and_of_commits(sample: SampleRepository) -> None:
    """A path is read from the index, or from the commit named; None when it is not there."""
    first = sample.commit("one", {"f": "1\n", "dir/g": "g\n", "0:x": "zero\n"})
    sample.stage({"f": "2\n"})
    sample.write("f", "unstaged\n")
    with Repository.discover() as repository:
        assert repository.file("f") == b"2\n"
        assert repository.file("f", first) == b"1\n"
        assert repository.file("0:x") == b"zero\n"
        assert repository.file("missing") is None
        assert repository.file("missing", first) is None
        assert repository.paths() == repository.paths(at=first) == ["0:x", "dir/g", "f"]
        assert repository.paths("dir") == repository.paths("dir", first) == ["dir/g"]
        assert repository.paths("*") == []


def test_many_attributes_at_once(sample: SampleRepository) -> None:
    """Thousands of paths go through one process without a deadlock."""
    sample.stage({".gitattributes": "*.gen linguist-generated\n"})
    paths = [f"directory/{'x' * 100}{number}.gen" for number in range(5000)]
    with Repository.discover() as repository:
        found = repository.attributes(paths)
    assert len(found) == 5000
    assert set(map(str, found.values())) == {"{'linguist-generated': 'set'}"}


def test_attributes_of_nothing(sample: SampleRepository) -> None:
    """No paths, no attributes."""
    with Repository.discover() as repository:
        assert repository.attributes([]) == {}
