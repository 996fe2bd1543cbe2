"""The report as SARIF."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lrc.diff import Side
from lrc.gate import Policy, Verdict, decide
from lrc.render import FORMATS, RenderOptions
from lrc.review import Report

Full = tuple[Report, Verdict]


def run_of(report: Report, verdict: Verdict) -> dict[str, Any]:
    """The only run of the rendered log."""
    (run,) = json.loads(FORMATS["sarif"](report, verdict, RenderOptions()))["runs"]
    return dict(run)


def test_whole_report(full: Full, same_as_golden: Callable[[str, str], None]) -> None:
    """The log as it is, but for the version of the program."""
    text = FORMATS["sarif"](*full, RenderOptions())
    version = run_of(*full)["tool"]["driver"]["semanticVersion"]
    same_as_golden("report.sarif", text.replace(f'"{version}"', '"VERSION"'))


def test_every_finding_is_there_with_level_and_fingerprint(full: Full) -> None:
    """Shown, hidden and dismissed findings are results; readers that miss a level or a rule misread the log."""
    run = run_of(full[0], decide(full[0], Policy(max_findings=1)))
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(run["results"]) == len(full[0].findings)
    for result in run["results"]:
        assert result["level"] in ("error", "warning", "note")
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert len(result["partialFingerprints"]["lrc/v1"]) == 16


def test_dismissed_finding_is_suppressed_with_its_reason(full: Full) -> None:
    """What was set aside stays visible as suppressed."""
    reasons = [item["justification"] for result in run_of(*full)["results"] for item in result.get("suppressions", [])]
    assert sorted(reasons) == ["kept for debugging", "once a day"]


def test_removed_line_has_no_region(full: Full) -> None:
    """A line of the old version must not be pinned to the new one."""
    old = next(finding for finding in full[0].findings if finding.side is Side.OLD)
    regions = {
        result["partialFingerprints"]["lrc/v1"]: result["locations"][0]["physicalLocation"].get("region")
        for result in run_of(*full)["results"]
    }
    assert regions[old.fingerprint] is None
    assert all(region for fingerprint, region in regions.items() if fingerprint != old.fingerprint)


def test_fault_and_unreviewed_files_are_notifications(full: Full) -> None:
    """A run without its model is not a success, and what was left out is said."""
    (invocation,) = run_of(replace(full[0], fault="no model"), full[1])["invocations"]
    texts = [note["message"]["text"] for note in invocation["toolExecutionNotifications"]]
    assert not invocation["executionSuccessful"]
    assert texts[:2] == ["no model", "package-lock.json: lock file"]


def test_paths_are_uris(full: Full) -> None:
    """Blanks and bytes that are not UTF-8 are escaped as in any URI."""
    findings = (replace(full[0].findings[0], path="a b/caf\udce9.py"),)
    report = replace(full[0], findings=findings)
    (result,) = run_of(report, decide(report, Policy()))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/caf%E9.py"
