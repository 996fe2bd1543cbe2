"""`lrc review --unreviewed`: the commits of which the ledger knows no review, each reviewed for itself."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lrc.errors import ExitCode, WrongUsage

if TYPE_CHECKING:
    from lrc.config import Config
    from lrc.gate import Verdict
    from lrc.ledger.fate import Fate
    from lrc.repo import Repository
    from lrc.review import Listener, Report

_FORMATS = ("terminal", "json")


def review_unreviewed(
    revision: str | None,
    *,
    flags: Mapping[str, object],
    output_format: str,
    output: Path | None,
    paths: Sequence[str] = (),
) -> int:
    """Reviews each commit of `revision` (None: since the ledger began, not on a remote yet) that needs it.

    Shows them oldest first and gives the worst exit code: findings that block before a review that was not possible.
    Raises WrongUsage for a format that holds one review only.
    """
    from lrc import config
    from lrc.cli.boundary import say
    from lrc.cli.options import checked_format
    from lrc.ledger.fate import unreviewed
    from lrc.render.progress import progress_for
    from lrc.repo import Repository

    if output_format not in _FORMATS:
        raise WrongUsage(f"--unreviewed has no format {output_format!r}", "choose from terminal, json")
    checked_format(output_format)
    with Repository.discover() as repo:
        todo = unreviewed(_asked_for(repo, revision))
        if not todo:
            say("every commit was read by a review; `lrc log` lists them")
        loaded = config.load(repo.root, flags)
        with progress_for(hook=False) as listener:
            done = list(_reviews(repo, loaded, todo, listener, paths))
    _show(todo, done, output_format, output)
    codes = {verdict.exit_code for _, verdict in done}
    return next((code for code in (ExitCode.BLOCKED, *sorted(codes, reverse=True)) if code in codes), ExitCode.PASS)


def _asked_for(repo: "Repository", revision: str | None) -> "list[Fate]":
    from lrc.cli.log import fates_of, spelled
    from lrc.ledger.book import Book

    if revision is not None:
        # One revision is that commit alone, as everywhere in `lrc review`; a range is all of its commits.
        names = spelled(repo, revision)
        return fates_of(repo, names, None if ".." in names[0] else 1)
    entries = Book(repo.common_dir).entries()
    if not entries:
        raise WrongUsage("there is no ledger here yet", "name a range, or run `lrc install`: it begins one")
    start = next((str(entry.get("head", "")) for entry in entries if entry.get("head")), "")
    known = repo.place.git.ask("cat-file", "-e", f"{start}^{{commit}}").returncode == 0 if start else False
    return fates_of(repo, (repo.commit("HEAD"), "--not", *((start,) if known else ()), "--remotes"))


def _reviews(
    repo: "Repository", loaded: "Config", todo: "Sequence[Fate]", listener: "Listener", paths: Sequence[str]
) -> "Iterator[tuple[Report, Verdict]]":
    """One report and verdict a commit; the model is loaded once for all of them."""
    from lrc.cli.boundary import say
    from lrc.cli.change import change_source
    from lrc.cli.recording import recorded
    from lrc.cli.review import model_for
    from lrc.gate import decide
    from lrc.pipeline import conduct

    with ExitStack() as stack:
        shared = _Shared(stack)
        for fate in todo:
            source = change_source(repo, fate.commit.name)
            opener, unsuited = model_for(loaded.settings, listener, source, False, say)
            report = conduct(
                source,
                source.rules(paths),
                shared.opener(opener, source.own_rules()) if opener else None,
                unsuited=unsuited,
                listener=listener,
            )
            verdict = decide(report, source.policy(loaded))
            settings = loaded.settings
            yield (
                recorded(repo, source, report, verdict, settings, hook=False, whole=not paths, tell=say),
                verdict,
            )


class _Shared:
    """One reviewer for several changes, for as long as the rules that it was given are theirs too."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._rules: str | None = None
        self._reviewer: Any = None

    def opener(self, opener: Any, rules: str) -> Any:
        """What gives the reviewer that is open, or opens one."""

        @contextmanager
        def opened() -> Iterator[Any]:
            if self._reviewer is None or rules != self._rules:
                self._reviewer = None
                self._stack.close()
                self._reviewer, self._rules = self._stack.enter_context(opener()), rules
            yield self._reviewer

        return opened


def _show(
    todo: "Sequence[Fate]", done: "Sequence[tuple[Report, Verdict]]", output_format: str, output: Path | None
) -> None:
    import json
    import sys

    from lrc.cli.log import show
    from lrc.render import options_for, terminal
    from lrc.render.escape import visible
    from lrc.render.jsonout import document

    if output_format == "json":
        show(
            json.dumps(
                {"version": 1, "reviews": [document(report, verdict) for report, verdict in done]},
                indent=2,
                default=str,
            ),
            output,
        )
        return
    options = options_for(None if output else sys.stdout)
    parts = [
        f"{fate.commit.name[:9]} {visible(fate.commit.subject)}\n{terminal.render(report, verdict, options)}\n"
        for fate, (report, verdict) in zip(todo, done, strict=True)
    ]
    show("\n".join(parts), output)
