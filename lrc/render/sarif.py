"""The report as SARIF 2.1.0, which code hosts and editors read (OASIS standard of 2020, with errata 01)."""

import json
from typing import Any
from urllib.parse import quote

from lrc import __version__
from lrc.diff import Side
from lrc.findings import Finding, Severity
from lrc.gate import Verdict
from lrc.render.escape import decodable
from lrc.render.options import RenderOptions
from lrc.review import Report

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {
    Severity.CRITICAL: ("error", "9.5"),
    Severity.HIGH: ("error", "8.0"),
    Severity.MEDIUM: ("warning", "5.0"),
    Severity.LOW: ("note", "2.0"),
    Severity.INFO: ("note", "0.1"),
}
"""SARIF's level, and the score by which GitHub sorts findings on security."""
FINGERPRINT = "lrc/v1"
"""The name under which a finding's fingerprint is written."""


def render(report: Report, verdict: Verdict, options: RenderOptions) -> str:
    """One run with every finding, hidden and dismissed ones included: the reader of SARIF filters for itself."""
    findings = [(finding, "") for finding in (*verdict.findings, *verdict.hidden)]
    findings += [(gone.finding, gone.reason) for gone in verdict.dismissed]
    rules = sorted({_rule_id(finding) for finding, _ in findings})
    notes = [{"level": "note", "message": {"text": f"{item.path}: {item.reason}"}} for item in report.not_reviewed]
    if report.fault:
        notes.insert(0, {"level": "error", "message": {"text": report.fault}})
    run = {
        "tool": {"driver": {"name": "lrc", "semanticVersion": __version__, "rules": [{"id": rule} for rule in rules]}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not report.fault, "toolExecutionNotifications": notes}],
        "results": [_result(finding, reason, rules) for finding, reason in findings],
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=True)


def _rule_id(finding: Finding) -> str:
    """What GitHub groups by: the category, and for a detector its name."""
    kind, _, name = finding.source.partition(":")
    return f"{finding.category.value}/{name if kind == 'detector' else 'model'}"


def _result(finding: Finding, reason: str, rules: list[str]) -> dict[str, Any]:
    level, score = _LEVELS[finding.severity]
    result: dict[str, Any] = {
        "ruleId": _rule_id(finding),
        "ruleIndex": rules.index(_rule_id(finding)),
        "level": level,
        "message": {"text": decodable(finding.message)},
        "locations": [_location(finding)],
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
        "properties": {
            "severity": finding.severity.label,
            "security-severity": score,
            "confidence": round(finding.confidence, 4),
            "source": decodable(finding.source),
        },
    }
    if reason:
        result["suppressions"] = [{"kind": "external", "justification": decodable(reason)}]
    if finding.replacement is not None and finding.side is Side.NEW:
        result["fixes"] = [_fix(finding)]
    return result


def _uri(finding: Finding) -> str:
    return quote(finding.path.encode("utf-8", "surrogateescape"))


def _location(finding: Finding) -> dict[str, Any]:
    """A removed line has no place in the new version: the file is named without a region."""
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding), "uriBaseId": "%SRCROOT%"}}
    if finding.side is Side.NEW:
        physical["region"] = {"startLine": finding.line, "endLine": finding.end_line}
    return {"physicalLocation": physical}


def _fix(finding: Finding) -> dict[str, Any]:
    text = finding.replacement or ""
    replacement = {
        "deletedRegion": {"startLine": finding.line, "endLine": finding.end_line},
        "insertedContent": {"text": decodable(text)},
    }
    change = {"artifactLocation": {"uri": _uri(finding), "uriBaseId": "%SRCROOT%"}, "replacements": [replacement]}
    return {"description": {"text": "Suggested replacement"}, "artifactChanges": [change]}
