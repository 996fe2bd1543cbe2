"""Which cases of a repository are tried, in which order: clean and planted in turn, so that any beginning serves."""

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lrc.quality.cases import Case, Planter, Way, clean_commits, is_product, reversed_fixes
from lrc.quality.scratch import scratch_alone, scratch_beside
from lrc.repo.repository import Repository

_TURNS = (Way.MODIFIED, Way.ADDED, Way.REMOVED)
_MOST_BYTES = 200_000


def cases_of(
    repository: Repository, *, seed: int = 1, most: int = 1000, ways: Sequence[Way] = tuple(Way), skip: int = 0
) -> Iterator[Case]:
    """For each ordinary commit of the history, newest first: the commit itself, then a defect planted in it, and one
    in the code at hand in each other way. `ways` are those wanted; `skip` leaves out the newest commits."""
    head = repository.head()
    if head is None:
        return
    with scratch_beside(repository) as scratch:
        planter = Planter(repository, scratch, seed)
        sources = _sources(repository, head, seed)
        fixes = reversed_fixes(repository, scratch, most)
        for number, clean in enumerate(clean_commits(repository, most + skip)):
            if number < skip:
                continue
            if Way.CLEAN in ways:
                yield clean
            if Way.ADDED in ways and (planted := planter.in_commit(clean.origin)) is not None:
                yield planted
            for way in _TURNS:
                if way in ways and (case := _in_function(planter, sources, way)) is not None:
                    yield case
            if Way.REVERSED in ways and (case := next(fixes, None)) is not None:
                yield case


def cases_of_files(directory: Path, *, seed: int = 1) -> Iterator[Case]:
    """Defects planted in the product code below a directory that is no repository, such as an installed package's, in
    every way that needs no history; without end as long as there is a function to plant in."""
    texts = {
        path.relative_to(directory.parent).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(directory.rglob("*"))
        if path.is_file() and is_product(path.as_posix()) and path.stat().st_size < _MOST_BYTES
    }
    with scratch_alone() as scratch:
        planter = Planter(None, scratch, seed)
        sources = _shuffled(texts, seed)
        while True:
            planted = [case for way in _TURNS if (case := _in_function(planter, sources, way)) is not None]
            if not planted:
                return
            yield from planted


def _in_function(planter: Planter, sources: Iterator[tuple[str, str]], way: Way) -> Case | None:
    for _ in range(6):
        source = next(sources, None)
        if source is None:
            return None
        if (case := planter.in_function(*source, way)) is not None:
            return case
    return None


def _sources(repository: Repository, head: str, seed: int) -> Iterator[tuple[str, str]]:
    """Path and text of the product code at hand, in an order by chance, again and again."""
    paths = [path for path in repository.paths(at=head) if is_product(path)]
    random.Random(seed).shuffle(paths)  # noqa: S311 - a repeatable choice, no secret
    while paths:
        for path in paths:
            content = repository.file(path, head)
            if content and len(content) < _MOST_BYTES:
                yield path, content.decode("utf-8", "replace")


def _shuffled(texts: Mapping[str, str], seed: int) -> Iterator[tuple[str, str]]:
    paths = list(texts)
    random.Random(seed).shuffle(paths)  # noqa: S311 - a repeatable choice, no secret
    while paths:
        yield from ((path, texts[path]) for path in paths)
