"""`lrc dismiss` and `lrc baseline`: findings that were looked at and accepted."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from lrc.cli.options import FORMATS, NoModel

if TYPE_CHECKING:
    from lrc.cli.dismissed import DismissedFile
    from lrc.gate import Verdict
    from lrc.repo import Repository
    from lrc.review import Report
    from lrc.store.known import Known
    from lrc.suppress import Dismissal

_LENGTH = 16
"""Hex digits of a whole fingerprint."""


def dismiss(
    fingerprints: Annotated[
        list[str] | None,
        typer.Argument(help="As a finding shows it, or the first digits of it.", metavar="FINGERPRINT"),
    ] = None,
    reason: Annotated[
        str | None,
        typer.Option("--reason", envvar="LRC_REASON", help="Why it is accepted; it is shown in each report."),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", envvar="LRC_LIST", help="Show what is dismissed, why, when and by whom.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", envvar="LRC_REMOVE", help="Let the finding stand again.")] = False,
    output_format: Annotated[
        str, typer.Option("--format", envvar="LRC_FORMAT", help="Of the list: terminal or json.")
    ] = "terminal",
) -> None:
    """Set findings aside: they no longer block, and each report lists them with the reason."""
    from lrc.cli.dismissed import DismissedFile
    from lrc.cli.options import checked_format
    from lrc.errors import WrongUsage
    from lrc.repo import Repository

    checked_format(output_format, FORMATS)
    wanted = fingerprints or []
    if listed and (wanted or remove or reason is not None):
        raise WrongUsage("--list stands alone", "`lrc dismiss --list` shows everything that is dismissed")
    if not listed and not wanted:
        raise WrongUsage("no fingerprint given", "copy it from a finding of `lrc review`, or use --list")
    if not (listed or remove) and not (reason or "").strip():
        raise WrongUsage("a finding is dismissed with a reason", '`lrc dismiss FINGERPRINT --reason "why it is fine"`')
    with Repository.discover() as repo:
        file = DismissedFile(repo)
        if listed:
            _list(file.entries().values(), output_format)
        elif remove:
            _remove(file, wanted)
        else:
            _add(repo, file, wanted, reason or "")


def baseline(
    revision: Annotated[
        str | None,
        typer.Argument(help="A commit, A..B or A...B. Without one: the staged change.", envvar="LRC_REVISION"),
    ] = None,
    reason: Annotated[
        str, typer.Option("--reason", envvar="LRC_REASON", help="Why they are accepted; shown in each report.")
    ] = "baseline",
    no_model: NoModel = False,
    secrets: Annotated[
        bool,
        typer.Option("--secrets", envvar="LRC_SECRETS", help="Accept secrets too; else each is dismissed on its own."),
    ] = False,
) -> None:
    """Review a change and accept all that is found in it, so that only what is new blocks."""
    from lrc.cli.boundary import emit
    from lrc.cli.dismissed import DismissedFile
    from lrc.cli.review import run_review
    from lrc.render.headline import plural
    from lrc.repo import Repository

    with Repository.discover() as repo:
        file = DismissedFile(repo)
        entries = file.entries()  # a broken file is told before minutes go into the review

    def accept(report: "Report", verdict: "Verdict") -> None:
        left = 0
        for finding in (*verdict.findings, *verdict.hidden):
            if finding.category.value == "secrets" and not secrets:
                left += 1
                continue
            entries[finding.fingerprint] = file.entry(
                finding.fingerprint, _clean(reason), finding.path, finding.message
            )
        accepted = len(verdict.findings) + len(verdict.hidden) - left
        if accepted:
            file.write(entries)
        where = f" in {file.path}; commit it to share it" if accepted else ""
        emit(f"{plural(accepted, 'finding')} accepted{where}")
        if left:
            verb = "is" if left == 1 else "are"
            emit(f"{plural(left, 'secret')} {verb} not accepted: revoke what leaked, or dismiss it by its fingerprint")

    run_review(None, revision=revision, flags={"no_model": no_model or None}, tell=accept)


def _add(repo: "Repository", file: "DismissedFile", wanted: Iterable[str], reason: str) -> None:
    from lrc.cli.boundary import emit
    from lrc.store.known import KnownFindings
    from lrc.suppress import matching

    known = KnownFindings(repo.common_dir).all()
    entries = file.entries()
    said = []
    for text in wanted:
        whole = len(text) == _LENGTH and all(digit in "0123456789abcdef" for digit in text.lower())
        # Another machine's review, a CI run's for one, may have shown it.
        fingerprint = text.lower() if whole else matching(known, text)
        finding = known.get(fingerprint)
        path, message = (finding.path, finding.message) if finding else ("", "")
        entries[fingerprint] = file.entry(fingerprint, _clean(reason), path, message)
        said.append(_told(fingerprint, finding))
    file.write(entries)
    emit("\n".join([*said, f"written to {file.path}; commit it to share it"]))


def _told(fingerprint: str, finding: "Known | None") -> str:
    from lrc.render.escape import visible

    if finding is None:
        return f"dismissed {fingerprint}, which no review on this machine has shown"
    place = visible(f"{finding.path}:{finding.line}")
    text = f"dismissed {fingerprint}: {place} {finding.severity} {finding.category}: {visible(finding.message)}"
    if finding.is_critical_secret:
        text += "\n  dismissing it does not take it back: what was committed can be read by all who have the repository"
    return text


def _remove(file: "DismissedFile", wanted: Iterable[str]) -> None:
    from lrc.cli.boundary import emit
    from lrc.suppress import matching

    entries = file.entries()
    gone = [entries.pop(matching(entries, text)) for text in wanted]
    file.write(entries)
    emit("\n".join(f"{entry.fingerprint} stands again" for entry in gone))


def _list(entries: "Iterable[Dismissal]", output_format: str) -> None:
    from dataclasses import asdict

    from lrc.cli.boundary import emit
    from lrc.render.escape import visible

    ordered = sorted(entries, key=lambda entry: (entry.date, entry.path, entry.fingerprint))
    if output_format == "json":
        import json

        emit(json.dumps([asdict(entry) for entry in ordered], indent=2))
        return
    if not ordered:
        emit("nothing is dismissed")
        return
    rows = []
    for entry in ordered:
        who = " ".join(part for part in (entry.date, entry.by) if part)
        what = ": ".join(part for part in (entry.path, entry.message) if part)
        rows += [visible(f"{entry.fingerprint}  {who}  {entry.reason}"), *([f"    {visible(what)}"] if what else [])]
    emit("\n".join(rows))


def _clean(reason: str) -> str:
    """One line, and no secret in it: the file is committed and shown in every report."""
    from lrc.detect import mask

    return mask(" ".join(reason.split()))
