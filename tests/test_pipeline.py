"""One review as a flow: who is asked about what, and what the report says of the rest."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

import pytest

from lrc.diff import FileDiff, Side
from lrc.errors import EnvironmentFault
from lrc.findings import Category, Finding, Severity
from lrc.ignore import Rules
from lrc.pipeline import conduct
from lrc.review import Answer, NotReviewed, Report, Reviewer, Silent, Unit
from tests.support.changes import change, new_text


@dataclass
class Texts:
    """A change that is only values."""

    changed: Sequence[FileDiff]
    label: str = "a test"
    read: list[str] = field(default_factory=list)

    def files(self) -> Sequence[FileDiff]:
        """What changed."""
        return self.changed

    def text(self, file: FileDiff) -> str:
        """The new version that the hunks show."""
        return new_text(file)


def finding(unit: Unit, line: int = 1) -> Finding:
    """A finding of the model on a unit."""
    quote = unit.hunk.added[0].text
    return Finding(
        unit.file.path, line, line, Side.NEW, Severity.HIGH, Category.CORRECTNESS, 0.9, "Wrong.", "model:test", quote
    )


class Scripted:
    """A reviewer with one finding for each unit; fails at the unit whose file is named `fault.py`."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.open = False

    def review(self, units: Sequence[Unit]) -> Iterator[Answer]:
        """One finding a unit."""
        for unit in units:
            if unit.file.path == "fault.py":
                raise EnvironmentFault("the model went away", "bring it back")
            self.asked.append(unit.file.path)
            yield Answer(unit, (finding(unit),), dropped=1)

    def described(self) -> dict[str, object]:
        """A word of its own."""
        return {"target": "scripted"}

    @contextmanager
    def opened(self) -> Iterator[Reviewer]:
        """Loads and closes."""
        self.open = True
        try:
            yield self
        finally:
            self.open = False


class Noting(Silent):
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int]] = []
        self.steps = 0
        self.found: list[str] = []

    def stage(self, name: str, total: int) -> None:
        """Keeps the stage."""
        self.stages.append((name, total))

    def advance(self, steps: int = 1) -> None:
        """Counts."""
        self.steps += steps

    def finding(self, finding: Finding) -> None:
        """Keeps the path."""
        self.found.append(finding.path)


def opener_must_not_run() -> AbstractContextManager[Reviewer]:
    """Fails the test when the model is loaded."""
    pytest.fail("the model was loaded for nothing")


def reviewed(*files: FileDiff, scripted: Scripted | None = None, **more: object) -> Report:
    """The report on a change, by a scripted reviewer."""
    return conduct(Texts(files), Rules(), (scripted or Scripted()).opened, **more)  # type: ignore[arg-type]


def test_every_hunk_is_asked_about_and_counted() -> None:
    """Files, hunks, lines, dropped comments and the engine's words are in the report."""
    scripted = Scripted()
    report = reviewed(change("a.py", "+x = 1", "-y = 1\n+y = 2"), change("b.py", "+z = 1"), scripted=scripted)
    assert scripted.asked == ["a.py", "a.py", "b.py"]
    assert not scripted.open
    stats = report.stats
    assert (stats.files, stats.hunks, stats.hunks_reviewed, stats.added, stats.removed) == (2, 3, 3, 3, 1)
    assert (stats.dropped, stats.model) == (3, {"target": "scripted"})
    assert report.not_reviewed == ()


@pytest.mark.parametrize(
    "files",
    [
        [],
        [change("a.py", "-# old\n+# new")],
        [change("poetry.lock", "+x = 1")],
        [change("a.py", "-x = 1\n+x = 1  ")],
    ],
)
def test_nothing_for_the_model_loads_no_model(files: list[FileDiff]) -> None:
    """An empty change, comments, a lock file, white space: decided without a model."""
    report = conduct(Texts(files), Rules(), opener_must_not_run)
    assert (report.fault, report.stats.hunks_reviewed) == ("", 0)
    assert len(report.not_reviewed) == len(files)


def test_what_the_model_cannot_judge_is_listed_and_loads_nothing() -> None:
    """A reviewer may refuse units beforehand, with its reason, once for a whole file."""
    report = conduct(
        Texts([change("a.yaml", "+x: 1", "+y: 1")]), Rules(), opener_must_not_run, unsuited=lambda unit: "no code"
    )
    assert report.not_reviewed == (NotReviewed("a.yaml", "no code"),)


def test_a_fault_keeps_what_was_answered_and_names_the_rest() -> None:
    """When the model goes away half way, its findings so far stand and the other files are listed."""
    report = reviewed(change("a.py", "+x = 1"), change("fault.py", "+y = 1"), change("z.py", "+z = 1"))
    assert [found.path for found in report.findings] == ["a.py"]
    assert (report.fault, report.fault_hint) == ("the model went away", "bring it back")
    assert [entry.path for entry in report.not_reviewed] == ["fault.py", "z.py"]


class Late(Scripted):
    """A reviewer that runs out of time after the first `done` units."""

    def __init__(self, done: int) -> None:
        super().__init__()
        self.done = done

    def review(self, units: Sequence[Unit]) -> Iterator[Answer]:
        """Answers, then none."""
        for place, unit in enumerate(units):
            yield Answer(unit) if place < self.done else Answer(unit, not_reviewed="out of time")


def test_running_out_of_time_is_listed_and_counted() -> None:
    """What was judged counts; what was not is listed and told in the counts."""
    report = reviewed(change("a.py", "+x = 1", "+y = 1", "+z = 1"), scripted=Late(2))
    assert (report.fault, report.stats.hunks_reviewed, report.stats.hunks_left) == ("", 2, 1)
    assert report.not_reviewed == (NotReviewed("a.py", "line 201: out of time"),)


def test_a_review_that_judged_nothing_is_no_pass() -> None:
    """When time ran out before the first answer there was no review, and the report says so."""
    report = reviewed(change("a.py", "+x = 1"), scripted=Late(0))
    assert report.fault == "out of time before anything was judged"
    assert report.fault_hint
    assert report.stats.hunks_left == 1


def test_without_a_model_detectors_run() -> None:
    """`--no-model` leaves the rest of the review as it is, and is no fault."""
    report = conduct(Texts([change("a.py", "+<<<<<<< HEAD\n+x = 1\n+=======\n+>>>>>>> topic")]), Rules(), None)
    assert {found.source for found in report.findings} == {"detector:conflict-markers"}
    assert report.fault == ""


def test_equal_findings_on_equal_text_are_told_apart() -> None:
    """Two pasted copies of one fault are two findings, with fingerprints of their own, in a stable order."""
    report = reviewed(change("a.py", "+x = 1", "+x = 1"))
    one, other = report.findings
    assert (one.occurrence, other.occurrence) == (0, 1)
    assert one.fingerprint != other.fingerprint


def test_the_listener_is_told_as_it_goes() -> None:
    """Stages come with their size, every step is counted, findings are passed on when they are known."""
    listener = Noting()
    reviewed(change("a.py", "+x = 1", "+y = 1"), listener=listener)
    assert ("reviewing", 2) in listener.stages
    assert listener.found == ["a.py", "a.py"]
    assert listener.steps == 1 + 2


def test_what_matters_most_is_judged_before_time_runs_out() -> None:
    """The model meets the riskiest hunks first, and what it did not come to is listed."""

    class Hurried(Scripted):
        def review(self, units: Sequence[Unit]) -> Iterator[Answer]:
            for place, unit in enumerate(units):
                self.asked.append(unit.file.path)
                yield Answer(unit, not_reviewed="out of time") if place else Answer(unit)

    scripted = Hurried()
    report = reviewed(
        change("docs/a.md", "-Old words.\n+New words."),
        change("tests/test_a.py", "+x = 1"),
        change("src/a.py", "-if user is None:\n-    raise Denied\n+run(user)"),
        scripted=scripted,
    )
    assert scripted.asked == ["src/a.py", "tests/test_a.py", "docs/a.md"]
    assert set(report.not_reviewed) == {NotReviewed(path, "out of time") for path in ("tests/test_a.py", "docs/a.md")}
    assert report.stats.hunks_left == 2


def test_copies_are_told_apart_by_their_place_not_by_when_they_were_found() -> None:
    """A fingerprint must not depend on which hunk the model met first."""

    class Backwards(Scripted):
        def review(self, units: Sequence[Unit]) -> Iterator[Answer]:
            for unit in reversed(units):
                yield Answer(unit, (finding(unit, unit.hunk.new_start),))

    forth = reviewed(change("a.py", "+x = 1", "+x = 1"), scripted=Backwards()).findings
    assert [(f.line, f.occurrence) for f in forth] == [(101, 1), (1, 0)]
    assert len({f.fingerprint for f in forth}) == 2
