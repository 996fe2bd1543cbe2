"""A finished review goes into the ledger, and what the ledger knows goes into its report."""

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from lrc.errors import LrcError

if TYPE_CHECKING:
    from lrc.cli.change import ChangeSource
    from lrc.config import Settings
    from lrc.gate import Verdict
    from lrc.repo import Repository
    from lrc.review import Report


def recorded(
    repo: "Repository",
    source: "ChangeSource",
    report: "Report",
    verdict: "Verdict",
    settings: "Settings",
    *,
    hook: bool,
    whole: bool,
    tell: Callable[[str], None],
) -> "Report":
    """The report with coverage and iteration, once the review is in the ledger of `repo`.

    `whole` False when only some paths were looked at. A ledger that cannot be read or written is told in one sentence
    and changes nothing else.
    """
    from lrc.cli.after import worktree_of
    from lrc.cli.attest import prepare, words
    from lrc.ledger.account import account, with_past
    from lrc.ledger.book import Book
    from lrc.ledger.keys import hasher

    book = Book(repo.common_dir)
    try:
        head = repo.head() or ""
        entry = account(report, verdict, hasher(repo.common_dir), whole=whole)
        entry |= {
            "worktree": worktree_of(repo.common_dir, repo.git_dir),
            "head": head,
            "hook": hook,
            "staged": source.is_staged,
            "index": source.tree() if source.is_staged else "",
            "model": _model(settings, report),
            "reviewer": "" if settings.no_model else settings.reviewer,
            "rules": _digest(source.own_rules()),
        }
        if source.is_staged and whole:
            coverage, iteration = with_past(entry, book.newest_first)
            report = replace(report, stats=replace(report.stats, coverage=coverage, iteration=iteration))
        book.append("review", **entry)
        if hook and source.is_staged:
            text = "" if report.fault else words(report, verdict.verdict.value, str(entry["model"]))
            began = time.time() - report.stats.seconds
            prepare(repo.git_dir, settings.record, text, head=head, tree=str(entry["index"]), began=began)
    except OSError as error:
        tell(f"the ledger could not be written: {error.strerror or error}")
    except LrcError as error:
        tell(f"the ledger could not be written: {error.message}")
    return report


def _model(settings: "Settings", report: "Report") -> str:
    """Who judged, by name and the first digits of the file's hash; empty when the model had no part in it."""
    if settings.no_model or not report.stats.hunks_reviewed:
        return ""
    from lrc.models.store import current

    environ = dict(os.environ)
    environ |= {f"LRC_{role.upper()}": value for role in ("target", "draft") if (value := getattr(settings, role))}
    pair = current(environ)
    return f"{pair.target.label.removesuffix('.gguf')}@{pair.target.sha256[:12]}" if pair else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12] if text else ""
