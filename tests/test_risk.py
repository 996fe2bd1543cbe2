"""Which hunks are judged first."""

import pytest

from lrc.context import unit_for
from lrc.diff import Side
from lrc.findings import Category, Finding, Severity
from lrc.review import Unit
from lrc.risk import risk, riskiest_first
from tests.support.changes import change, new_text


def unit(body: str, path: str = "src/app.py") -> Unit:
    """The only unit of a change."""
    file = change(path, body)
    return unit_for(file, file.hunks[0], new_text(file))


PLAIN = " def f():\n-    name = 1\n+    name = 2\n     return name"
"""A modified line that decides nothing."""


@pytest.mark.parametrize(
    ("riskier", "other"),
    [
        pytest.param(unit(" a()\n-if x < 1:\n+if x <= 1:\n     b()"), unit(PLAIN), id="a condition modified"),
        pytest.param(unit(" a()\n-    check(x)\n b()"), unit(" a()\n-    name = x\n b()"), id="a guard removed"),
        pytest.param(
            unit("-if user is None:\n-    return\n+a()"),
            unit("+if user is None:\n+    return\n-a()"),
            id="gone, not added",
        ),
        pytest.param(unit(PLAIN), unit(PLAIN, "tests/test_app.py"), id="code before tests"),
        pytest.param(unit("+if x: y()", "tests/test_a.py"), unit("+if x: y()", "docs/a.md"), id="tests before prose"),
        pytest.param(unit(PLAIN, "src/auth/login.py"), unit(PLAIN), id="a sensitive place"),
        pytest.param(unit(PLAIN), unit("-name: 1\n+name: 2", "values.yaml"), id="code before data"),
        pytest.param(unit("+a = 1\n" * 20 + "+b = 2"), unit("+a = 1"), id="more before less"),
        pytest.param(
            unit("-if a: b()\n+if c: b()"), unit("-if a: b()\n+x = 1\n+if a: b()"), id="changed, not only moved"
        ),
        pytest.param(unit("-if a: b()\n+if c: b()"), unit("-x = 1  # if a\n+y = 1  # or c"), id="code, not comments"),
    ],
)
def test_more_risk(riskier: Unit, other: Unit) -> None:
    """What makes changes go wrong weighs more."""
    assert risk(riskier) > risk(other)
    assert riskiest_first([other, riskier]) == [riskier, other]


@pytest.mark.parametrize("severity", list(Severity))
def test_evidence_of_a_detector_comes_before_everything_alike(severity: Severity) -> None:
    """A finding inside the hunk counts, one elsewhere in the file or on the other side does not."""
    first, second = unit(PLAIN), unit(PLAIN, "src/other.py")

    def found(line: int, side: Side = Side.NEW) -> Finding:
        return Finding("src/other.py", line, line, side, severity, Category.SECURITY, 0.9, "m", "detector:d")

    assert riskiest_first([first, second], [found(2)]) == [second, first]
    assert riskiest_first([first, second], [found(99)]) == [first, second]


def test_equals_keep_their_order() -> None:
    """The order is git's where nothing speaks for another."""
    units = [unit(PLAIN, f"src/m{number}.py") for number in range(20)]
    assert riskiest_first(units) == units
    assert riskiest_first([]) == []
