"""The report for programs: one stable schema, described in `schema.json` beside this file."""

import json
from importlib import resources
from typing import Any

from lrc.findings import Finding
from lrc.gate import Verdict
from lrc.render.escape import decodable
from lrc.render.options import RenderOptions
from lrc.review import Report, Stats
from lrc.suppress import Dismissed

SCHEMA_VERSION = 1
"""Raised when a field changes its meaning or goes; a new field does not raise it."""


def render(report: Report, verdict: Verdict, options: RenderOptions) -> str:
    """The report as JSON in ASCII, so that it survives every stream; `options` change nothing.

    A byte of a file name that is not UTF-8 is written `\\xNN`, so that the output is valid Unicode.
    """
    return json.dumps(document(report, verdict), indent=2, ensure_ascii=True, default=str)


def document(report: Report, verdict: Verdict) -> dict[str, Any]:
    """The same as a value."""
    return {
        "version": SCHEMA_VERSION,
        "verdict": verdict.verdict.value,
        "exit_code": int(verdict.exit_code),
        "subject": decodable(report.subject),
        "fail_on": verdict.fail_on.label,
        "fault": decodable(report.fault),
        "fault_hint": decodable(report.fault_hint),
        "findings": [_finding(finding) for finding in verdict.findings],
        "hidden": verdict.hidden_counts,
        "dismissed": [_dismissed(gone) for gone in verdict.dismissed],
        "not_reviewed": [
            {"path": decodable(item.path), "reason": decodable(item.reason)} for item in report.not_reviewed
        ],
        "stats": _stats(report.stats, verdict),
    }


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the document."""
    text = resources.files("lrc.render").joinpath("schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "path": decodable(finding.path),
        "line": finding.line,
        "end_line": finding.end_line,
        "side": finding.side.value,
        "severity": finding.severity.label,
        "category": finding.category.value,
        "confidence": round(finding.confidence, 4),
        "message": decodable(finding.message),
        "replacement": None if finding.replacement is None else decodable(finding.replacement),
        "source": decodable(finding.source),
        "quote": decodable(finding.quote),
        "fingerprint": finding.fingerprint,
    }


def _dismissed(gone: Dismissed) -> dict[str, Any]:
    return {
        **_finding(gone.finding),
        "reason": decodable(gone.reason),
        "origin": decodable(gone.origin),
        "added_here": gone.added_here,
    }


def _stats(stats: Stats, verdict: Verdict) -> dict[str, Any]:
    return {
        "files": stats.files,
        "hunks": stats.hunks,
        "hunks_reviewed": stats.hunks_reviewed,
        "hunks_cached": stats.hunks_cached,
        "hunks_left": stats.hunks_left,
        "added": stats.added,
        "removed": stats.removed,
        "dropped": stats.dropped,
        "dismissed": len(verdict.dismissed),
        "coverage": None if stats.coverage is None else round(stats.coverage, 4),
        "iteration": stats.iteration,
        "seconds": round(stats.seconds, 3),
        "model": stats.model,
    }
