"""Which cases of a repository are tried, in which order: clean and planted in turn, so that any beginning serves."""

import random
from collections.abc import Iterator, Sequence

from lrc.language import language_of
from lrc.quality.cases import Case, Planter, Way, clean_commits
from lrc.quality.scratch import scratch_beside
from lrc.repo.repository import Repository
from lrc.reviewer.measure import MEASURED
from lrc.syntax import is_example_path, is_test_path

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
    paths = [
        path
        for path in repository.paths(at=head)
        if language_of(path) in MEASURED and not is_test_path(path) and not is_example_path(path)
    ]
    random.Random(seed).shuffle(paths)  # noqa: S311 - a repeatable choice, no secret
    while paths:
        for path in paths:
            content = repository.file(path, head)
            if content and len(content) < _MOST_BYTES:
                yield path, content.decode("utf-8", "replace")
