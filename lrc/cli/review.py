"""`lrc review`, and the way in for the hook: one composition of git, detectors, model, gate and output."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lrc.cli.options import Drafter, Exact, FailOn, MaxFindings, NoModel, Output, Paths
from lrc.errors import ExitCode

if TYPE_CHECKING:
    from lrc.cli.change import ChangeSource
    from lrc.config import Settings
    from lrc.gate import Verdict
    from lrc.repo import Repository
    from lrc.review import Listener, Report


def review(
    revision: Annotated[
        str | None,
        typer.Argument(help="A commit, A..B or A...B. Without one: the staged change.", envvar="LRC_REVISION"),
    ] = None,
    staged: Annotated[
        bool, typer.Option("--staged", envvar="LRC_STAGED", help="The staged change (the default).")
    ] = False,
    unreviewed: Annotated[
        bool,
        typer.Option(
            "--unreviewed", envvar="LRC_UNREVIEWED", help="Each commit that no review has read; see `lrc log`."
        ),
    ] = False,
    fail_on: FailOn = None,
    output_format: Annotated[
        str, typer.Option("--format", envvar="LRC_FORMAT", help="terminal, json, sarif or annotations.")
    ] = "terminal",
    output: Output = None,
    path: Paths = None,
    max_findings: MaxFindings = None,
    no_model: NoModel = False,
    reviewer: Annotated[
        str | None, typer.Option("--reviewer", envvar="LRC_REVIEWER", help="How the model is asked: measure or prompt.")
    ] = None,
    drafter: Drafter = None,
    exact: Exact = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", envvar="LRC_VERBOSE", help="Say how the engine did, on standard error.")
    ] = False,
) -> None:
    """Review the staged change, a commit or a range. Exit 1 when a finding blocks."""
    from lrc.errors import WrongUsage

    if staged and revision is not None:
        raise WrongUsage("--staged and a revision exclude each other", "give one of them")
    flags = {
        "fail_on": fail_on,
        "max_findings": max_findings,
        "no_model": no_model or None,
        "reviewer": reviewer,
        "drafter": drafter,
        "exact": exact or None,
    }
    if unreviewed:
        if staged:
            raise WrongUsage("--staged and --unreviewed exclude each other", "give one of them")
        from lrc.cli.unreviewed import review_unreviewed

        raise typer.Exit(
            review_unreviewed(
                revision, flags=flags, output_format=output_format, output=output, paths=tuple(path or ())
            )
        )
    code = run_review(
        None,
        revision=revision,
        flags=flags,
        output_format=output_format,
        output=output,
        paths=tuple(path or ()),
        verbose=verbose,
    )
    raise typer.Exit(code)


def run_review(
    where: Path | None,
    *,
    hook: bool = False,
    revision: str | None = None,
    flags: Mapping[str, object] | None = None,
    output_format: str = "terminal",
    output: Path | None = None,
    paths: Sequence[str] = (),
    verbose: bool = False,
    record: bool = True,
    tell: "Callable[[Report, Verdict], None] | None" = None,
) -> int:
    """Reviews a change of the repository at `where`, shows the result and gives the exit code.

    None is the repository of the current directory and environment, as git gave it to a hook: a path given stands for
    another repository, for which the index and directories that the environment names do not count.

    `revision` None is the staged change. In a `hook` everything goes to standard error, the verdict first, the time
    is limited by `hook_budget`, and a model that cannot be had stops the commit only with `on_error = "block"`.
    `tell` is told the outcome once it is shown; `record` False keeps it out of the ledger.
    """
    import sys

    from lrc import config
    from lrc.cli.boundary import say
    from lrc.cli.change import change_source
    from lrc.cli.options import REVIEW_FORMATS, checked_format
    from lrc.cli.recording import recorded
    from lrc.gate import decide
    from lrc.pipeline import conduct
    from lrc.repo import Repository

    checked_format(output_format, REVIEW_FORMATS)
    # Some clients show a hook's first line only, and that one is the verdict's; on a terminal nobody waits in the dark.
    notes: list[str] = []
    watched = not hook or sys.stderr.isatty()
    with Repository.discover(where) as repo:
        loaded = config.load(repo.root, flags)
        settings = loaded.settings
        source = change_source(repo, revision)
        with _listener(hook) as listener:
            opener, unsuited = model_for(settings, listener, source, hook, say if watched else notes.append)
            report = conduct(source, source.rules(paths), opener, unsuited=unsuited, listener=listener)
        verdict = decide(report, source.policy(loaded))
        _remember(repo, verdict)
        if record:
            report = recorded(repo, source, report, verdict, settings, hook=hook, whole=not paths, tell=notes.append)
    _show(report, verdict, hook, output_format, output)
    for note in notes:
        say(note)
    if tell is not None:
        tell(report, verdict)
    if verbose:
        _explain(report)
    code = verdict.exit_code
    if hook and code in (ExitCode.UNEXPECTED, ExitCode.ENVIRONMENT) and settings.on_error == "warn":
        return ExitCode.PASS
    return code


def _remember(repo: "Repository", verdict: "Verdict") -> None:
    """Keeps what is shown, for `lrc dismiss`. Where nothing can be written, that command takes whole fingerprints."""
    import contextlib

    from lrc.store.known import KnownFindings

    with contextlib.suppress(OSError):
        KnownFindings(repo.common_dir).add((*verdict.findings, *verdict.hidden))


def model_for(
    settings: "Settings", listener: "Listener", source: "ChangeSource", hook: bool, note: Callable[[str], None]
) -> tuple[Any, Any]:
    """What loads the model when it is first needed (None when the user wants none), and what it cannot judge."""
    if settings.no_model:
        return None, lambda unit: ""
    from lrc.cli.reviewer import opener
    from lrc.reviewer.measure import unmeasurable

    budget = settings.hook_budget if hook else None
    if settings.reviewer == "prompt":
        return opener(settings, listener, rules=source.own_rules(), budget=budget, tell=note), lambda unit: ""
    return opener(settings, listener, budget=budget, tell=note), unmeasurable


def _listener(hook: bool) -> Any:
    """Live progress on a real terminal, nothing anywhere else."""
    from lrc.render.progress import progress_for

    return progress_for(hook=hook)


def _show(report: "Report", verdict: "Verdict", hook: bool, output_format: str, output: Path | None) -> None:
    import sys

    from lrc.cli.boundary import emit
    from lrc.render import FORMATS, options_for

    if output is not None:
        write_aside(output, FORMATS[output_format](report, verdict, options_for(None)))
        return
    stream = sys.stderr if hook else sys.stdout
    text = FORMATS["hook" if hook else output_format](report, verdict, options_for(stream))
    if hook:
        print(text, file=sys.stderr)
    else:
        emit(text)


def write_aside(path: Path, text: str) -> None:
    """Writes `text` to `path`, whole or not at all; WrongUsage when that cannot be."""
    import os

    from lrc.errors import WrongUsage

    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        aside.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8", errors="backslashreplace")
        aside.replace(path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise WrongUsage(f"cannot write {path}: {error.strerror}", "give --output another place") from None


def _explain(report: "Report") -> None:
    """What the engine did, for `--verbose`: tokens, rates, acceptance by drafter."""
    import json
    import sys

    stats = report.stats
    print(
        f"lrc: {stats.hunks_reviewed} hunks judged ({stats.hunks_cached} from cache), "
        f"{stats.dropped} comments dropped, {stats.seconds:.1f} s",
        file=sys.stderr,
    )
    for key, value in stats.model.items():
        print(f"     {key}: {json.dumps(value) if isinstance(value, (dict, list)) else value}", file=sys.stderr)
