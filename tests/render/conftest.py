"""One report that has everything in it, and the comparison with golden files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lrc.diff import Side
from lrc.findings import Category, Finding, Severity
from lrc.gate import Policy, Verdict, decide
from lrc.review import NotReviewed, Report, Stats
from lrc.suppress import Dismissal
from tests.support.changes import change

GOLDEN = Path(__file__).parent / "golden"

BODY = """ import db
+
 def save(path, data):
-    if not data:
-        return
+    password = "S3cr3t!pass"
+    query = "insert into t values ('" + data + "')"
+    db.run(query)  # lrc: ignore[performance] once a day
+
 def load(path):
     return db.all()"""


def finding(line: int, severity: Severity, category: Category, message: str, **more: object) -> Finding:
    """A finding in app.py."""
    given: dict[str, object] = {"path": "app.py", "end_line": line, "side": Side.NEW, "confidence": 0.8} | more
    return Finding(
        line=line,
        severity=severity,
        category=category,
        message=message,
        **{"source": "model:toy", **given},  # type: ignore[arg-type]
    )


@pytest.fixture
def full() -> tuple[Report, Verdict]:
    """Findings of every kind on a change with both sides, a dismissed one, files left out, a model that worked."""
    query = '    query = "insert into t values (\'" + data + "\')"'
    old = finding(
        1,
        Severity.LOW,
        Category.MAINTAINABILITY,
        "Known.",
        path="lib/old.py",
        source="detector:debug",
        quote="print(1)",
    )
    findings = (
        finding(6, Severity.MEDIUM, Category.PERFORMANCE, "Slow.", quote="db.run(query)"),
        finding(
            5,
            Severity.HIGH,
            Category.SECURITY,
            "The statement is built from `data`: a quote in it ends the string, and what follows runs as SQL. Pass it "
            "as a parameter instead, so that the database keeps text and statement apart.",
            quote=query,
            replacement='    query = "insert into t values (?)"',
        ),
        finding(
            4,
            Severity.CRITICAL,
            Category.SECRETS,
            "A credential.",
            source="detector:secrets",
            quote="password = MASKED",
        ),
        finding(
            3,
            Severity.MEDIUM,
            Category.REMOVED_CHECK,
            "Nothing stops empty data any more.",
            side=Side.OLD,
            end_line=4,
            quote="if not data:",
        ),
        old,
    )
    report = Report(
        subject="staged change",
        findings=findings,
        not_reviewed=(NotReviewed("package-lock.json", "lock file"), NotReviewed("caf\udce9.bin", "binary")),
        stats=Stats(
            files=4,
            hunks=6,
            hunks_reviewed=5,
            hunks_cached=1,
            hunks_left=1,
            added=3,
            removed=2,
            seconds=3.21,
            model={"target": "toy"},
        ),
        files=(change("app.py", BODY),),
    )
    return report, decide(
        report, Policy(dismissals={old.fingerprint: Dismissal(old.fingerprint, "kept for debugging")})
    )


@pytest.fixture
def same_as_golden(update_golden: bool) -> Callable[[str, str], None]:
    """Compares a text with a golden file, or rewrites it with `--update-golden`."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if update_golden:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        assert text + "\n" == path.read_text(encoding="utf-8")

    return compare
