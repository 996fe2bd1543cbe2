"""One review from start to end: files are chosen, detectors read them, the model judges what is left.

Pure composition: git, the disk and the model come in as values and seams; nothing here prints or exits.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Protocol

from lrc.context import unit_for
from lrc.detect import DETECTORS, Detector, Scope
from lrc.detect.moved import Moves
from lrc.diff import FileDiff
from lrc.errors import EnvironmentFault, ExitCode
from lrc.findings import Finding
from lrc.ignore import Choice, Reach, Rules, choose
from lrc.review import Answer, Listener, Look, NotReviewed, Report, Reviewer, Seen, Silent, Stats, Unit
from lrc.risk import riskiest_first

ReviewerOpener = Callable[[], AbstractContextManager[Reviewer]]
"""Loads the model when it is first needed; raises EnvironmentFault when that cannot be."""


class Source(Protocol):
    """Where a change comes from."""

    @property
    def label(self) -> str:
        """The change in words."""

    def files(self) -> Iterable[FileDiff]:
        """What changed."""

    def text(self, file: FileDiff) -> str | None:
        """The new content of a changed file; None when there is none or it cannot be read."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking the model."""

    answers: tuple[Answer, ...] = ()
    wanted: int = 0
    """Units that the model was to judge."""
    model: dict[str, object] | None = None
    fault: EnvironmentFault | None = None
    refused: frozenset[int] = frozenset()
    """Identities of the units that the model was not asked about, for it could make nothing of them."""

    @property
    def judged(self) -> list[Answer]:
        """What it did judge."""
        return [answer for answer in self.answers if not answer.not_reviewed]


def conduct(
    source: Source,
    rules: Rules,
    open_reviewer: ReviewerOpener | None,
    *,
    unsuited: Callable[[Unit], str] = lambda unit: "",
    detectors: Sequence[Detector] = DETECTORS,
    listener: Listener | None = None,
) -> Report:
    """Reviews the change that `source` holds and gives the finished report.

    `open_reviewer` None leaves the model out. `unsuited` says why the model can make nothing of a unit, before it is
    loaded; empty when it can. A model that cannot be had does not end the review: the report names
    the fault and holds what the detectors found.
    """
    listener = listener or Silent()
    started = time.monotonic()
    listener.stage("reading the change", 0)
    files = tuple(source.files())
    choices = tuple(choose(files, rules, source.text))
    listener.stage("detectors", len(choices))
    detected = tuple(_told(_detect(choices, source, detectors, listener), listener))
    # When time runs out, what is left is what matters least.
    units = tuple(riskiest_first(tuple(_units(choices, source)), detected)) if open_reviewer else ()
    asked = _ask(units, open_reviewer, unsuited, listener) if units and open_reviewer else Asked()
    return _report(source.label, files, choices, detected, units, asked, time.monotonic() - started)


def _told(findings: Iterable[Finding], listener: Listener) -> Iterator[Finding]:
    for finding in findings:
        listener.finding(finding)
        yield finding


def _detect(
    choices: Sequence[Choice], source: Source, detectors: Sequence[Detector], listener: Listener
) -> Iterator[Finding]:
    moves = Moves(choice.file for choice in choices)
    for choice in choices:
        for detector in detectors:
            if choice.reach >= (Reach.SURFACE if detector.scope is Scope.ANY_TEXT else Reach.DETECT):
                yield from moves.without(detector.scan(choice.file, source.text(choice.file)), choice.file)
        listener.advance()


def _units(choices: Sequence[Choice], source: Source) -> Iterator[Unit]:
    for choice in choices:
        if choice.for_model is not None:
            text = source.text(choice.file)
            for hunk in choice.for_model.hunks:
                yield unit_for(choice.file, hunk, text or "")


def _ask(
    units: Sequence[Unit], open_reviewer: ReviewerOpener, unsuited: Callable[[Unit], str], listener: Listener
) -> Asked:
    answers = [Answer(unit, not_reviewed=reason) for unit in units if (reason := unsuited(unit))]
    refused = frozenset(id(answer.unit) for answer in answers)
    suited = [unit for unit in units if id(unit) not in refused]
    if not suited:
        return Asked(tuple(answers), refused=refused)
    try:
        listener.stage("loading the model", 0)
        with open_reviewer() as reviewer:
            listener.stage("reviewing", len(suited))
            for answer in reviewer.review(suited):
                answers.append(answer)
                tuple(_told(answer.findings, listener))
                listener.advance()
            asked = Asked(tuple(answers), len(suited), reviewer.described(), refused=refused)
    except EnvironmentFault as fault:
        # What was answered before the fault stands.
        return Asked(tuple(answers), len(suited), None, fault, refused)
    if asked.judged:
        return asked
    # Nothing at all was judged: that is no pass with a remark, it is a review that did not take place.
    reason = answers[-1].not_reviewed if answers else "the model gave no answer"
    return replace(
        asked, fault=EnvironmentFault(f"{reason} before anything was judged", "`lrc review` has no time limit")
    )


def _report(
    label: str,
    files: tuple[FileDiff, ...],
    choices: tuple[Choice, ...],
    detected: tuple[Finding, ...],
    units: tuple[Unit, ...],
    asked: Asked,
    seconds: float,
) -> Report:
    skipped = [NotReviewed(choice.file.path, note) for choice in choices for note in choice.notes]
    skipped += _unanswered(asked.answers)
    judged = asked.judged
    if asked.fault is not None:
        seen = {id(answer.unit) for answer in asked.answers}
        left = dict.fromkeys(unit.file.path for unit in units if id(unit) not in seen)
        skipped += [NotReviewed(path, "no model review") for path in left]
    stats = Stats(
        files=len(files),
        hunks=sum(len(file.hunks) for file in files),
        hunks_reviewed=len(judged),
        hunks_cached=sum(answer.cached for answer in judged),
        hunks_left=asked.wanted - len(judged),
        added=sum(len(hunk.added) for file in files for hunk in file.hunks),
        removed=sum(len(hunk.removed) for file in files for hunk in file.hunks),
        dropped=sum(answer.dropped for answer in asked.answers),
        seconds=seconds,
        model=asked.model or {},
    )
    findings = (*detected, *(finding for answer in judged for finding in answer.findings))
    return Report(
        subject=label,
        findings=_numbered(findings),
        not_reviewed=tuple(skipped),
        stats=stats,
        files=files,
        looks=tuple(_looks(choices, units, asked)),
        fault=asked.fault.message if asked.fault else "",
        fault_hint=asked.fault.hint if asked.fault else "",
        fault_code=ExitCode.ENVIRONMENT,
    )


def _looks(choices: Sequence[Choice], units: Sequence[Unit], asked: Asked) -> Iterator[Look]:
    """Every hunk with who looked at it. A hunk that is not among the units needed no model."""
    answers = {id(answer.unit): answer for answer in asked.answers}
    by_model: dict[int, Seen] = {}
    for unit in units:
        answer = answers.get(id(unit))
        if answer is not None and not answer.not_reviewed:
            by_model[id(unit.hunk)] = Seen.MODEL
        elif id(unit) in asked.refused or (answer is None and asked.fault is None):
            by_model[id(unit.hunk)] = Seen.DETECTORS
        else:
            by_model[id(unit.hunk)] = Seen.LEFT
    for choice in choices:
        other = Seen.DETECTORS if choice.reach > Reach.NOTHING else Seen.ASIDE
        for hunk in choice.file.hunks:
            yield Look(choice.file, hunk, by_model.get(id(hunk), other))


def _unanswered(answers: Sequence[Answer]) -> Iterator[NotReviewed]:
    """What the model did not judge: a file once when one reason holds for all its hunks, else by line."""
    left = [answer for answer in answers if answer.not_reviewed]
    reasons: dict[str, set[str]] = {}
    for answer in answers:
        reasons.setdefault(answer.unit.file.path, set()).add(answer.not_reviewed)
    for path in dict.fromkeys(answer.unit.file.path for answer in left if len(reasons[answer.unit.file.path]) == 1):
        yield NotReviewed(path, next(iter(reasons[path])))
    for answer in left:
        if len(reasons[answer.unit.file.path]) > 1:
            yield NotReviewed(answer.unit.file.path, f"line {answer.unit.hunk.new_start}: {answer.not_reviewed}")


def _numbered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The same findings, each told apart from others of its kind on equal text (two pasted copies of one fault).

    Counted from the top of the file, whatever the order in which they became known.
    """
    listed = list(findings)
    places = sorted(range(len(listed)), key=lambda place: (listed[place].path, listed[place].side, listed[place].line))
    seen: dict[str, int] = {}
    for place in places:
        base = replace(listed[place], occurrence=0)
        count = seen.get(base.fingerprint, 0)
        seen[base.fingerprint] = count + 1
        listed[place] = replace(base, occurrence=count) if count else base
    return tuple(listed)
