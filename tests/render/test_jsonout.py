"""The report for programs, held against its schema."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from lrc.findings import Category, Severity
from lrc.gate import Outcome, Policy, Verdict, decide
from lrc.render import FORMATS, RenderOptions
from lrc.render.jsonout import schema
from lrc.review import NotReviewed, Report, Stats

TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


def faults(value: Any, rule: dict[str, Any], place: str = "$") -> list[str]:
    """What in `value` breaks `rule`: the part of JSON Schema that our schema uses."""
    found = []
    known = {"type", "enum", "pattern", "minimum", "maximum", "required", "properties", "additionalProperties", "items"}
    unknown = set(rule) - known - {"description", "title", "$schema"}
    if unknown:
        found.append(f"{place}: this test does not know {unknown}")
    kinds = rule.get("type", [])
    allowed = [TYPES[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    if allowed and not any(isinstance(value, kind) for kind in allowed):
        return [f"{place}: {value!r} is no {kinds}"]
    if "enum" in rule and value not in rule["enum"]:
        found.append(f"{place}: {value!r} is none of {rule['enum']}")
    if "pattern" in rule and not re.search(rule["pattern"], value):
        found.append(f"{place}: {value!r} does not match {rule['pattern']}")
    if isinstance(value, (int, float)) and (rule.get("minimum", value) > value or rule.get("maximum", value) < value):
        found.append(f"{place}: {value!r} is out of range")
    if isinstance(value, dict):
        properties = rule.get("properties", {})
        found += [f"{place}: no {name}" for name in rule.get("required", []) if name not in value]
        for name, item in value.items():
            other = rule.get("additionalProperties", True)
            if name in properties:
                found += faults(item, properties[name], f"{place}.{name}")
            elif other is False:
                found.append(f"{place}: {name} is not in the schema")
            elif isinstance(other, dict):
                found += faults(item, other, f"{place}.{name}")
    if isinstance(value, list):
        found += [
            fault for index, item in enumerate(value) for fault in faults(item, rule["items"], f"{place}[{index}]")
        ]
    return found


def rendered(report: Report, verdict: Verdict) -> dict[str, Any]:
    """The JSON read back."""
    value: dict[str, Any] = json.loads(FORMATS["json"](report, verdict, RenderOptions(width=40, color=True)))
    return value


def test_whole_report(full: tuple[Report, Verdict], same_as_golden: Callable[[str, str], None]) -> None:
    """The document as it is; options of the terminal change nothing."""
    same_as_golden("report.json", FORMATS["json"](*full, RenderOptions(width=40, color=True)))


@pytest.mark.parametrize("policy", [Policy(), Policy(max_findings=1), Policy(fail_on=Severity.CRITICAL)])
def test_output_obeys_the_schema(full: tuple[Report, Verdict], policy: Policy) -> None:
    """What is written is what the schema promises, field by field."""
    assert faults(rendered(full[0], decide(full[0], policy)), schema()) == []


def test_empty_and_faulty_reports_obey_the_schema() -> None:
    """So are a pass with nothing in it and an error."""
    empty = Report("staged change", (), (), Stats())
    for report, outcome in ((empty, "pass"), (replace(empty, fault="x"), "error")):
        document = rendered(report, decide(report, Policy()))
        assert faults(document, schema()) == []
        assert document["verdict"] == outcome


def test_schema_names_every_value_of_the_closed_lists() -> None:
    """A new severity, category or outcome must reach the schema."""
    properties = schema()["properties"]
    finding = properties["findings"]["items"]["properties"]
    assert set(finding["severity"]["enum"]) == {severity.label for severity in Severity}
    assert set(finding["category"]["enum"]) == {category.value for category in Category}
    assert set(properties["verdict"]["enum"]) == {outcome.value for outcome in Outcome}


def test_validator_sees_faults() -> None:
    """The small validator of this test is not blind."""
    broken = {"version": 2, "verdict": "ok", "findings": [{"line": 0}], "extra": 1}
    found = " ".join(faults(broken, schema()))
    assert all(text in found for text in ("2 is none of", "no exit_code", "extra is not in", "0 is out of range"))


def test_names_that_are_not_utf8_stay_distinct_and_valid() -> None:
    """Undecodable bytes are spelt out, so that the output is valid Unicode and two files are never taken for one."""
    skipped = (NotReviewed("a\udce9", "binary"), NotReviewed("a\udcea", "binary"))
    report = Report("x", (), skipped, Stats())
    text = FORMATS["json"](report, decide(report, Policy()), RenderOptions())
    assert text.isascii()
    assert [item["path"] for item in json.loads(text)["not_reviewed"]] == ["a\\xe9", "a\\xea"]
