"""The report for people."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from lrc.errors import ExitCode
from lrc.gate import Policy, Verdict, decide
from lrc.render import FORMATS, RenderOptions
from lrc.review import NotReviewed, Report, Stats
from tests.support.changes import change

Full = tuple[Report, Verdict]
Golden = Callable[[str, str], None]
EMPTY = Report("staged change", (), (), Stats())


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("terminal.txt", RenderOptions(width=80)),
        ("terminal-color.txt", RenderOptions(width=80, color=True)),
        ("terminal-ascii-narrow.txt", RenderOptions(width=50, unicode=False)),
    ],
)
def test_whole_report(full: Full, same_as_golden: Golden, name: str, options: RenderOptions) -> None:
    """Each comment stands under its line, with numbers of both sides; the verdict is the last line."""
    same_as_golden(name, FORMATS["terminal"](*full, options))


def test_hook_report(full: Full, same_as_golden: Golden) -> None:
    """In a hook the first line is the verdict."""
    same_as_golden("hook.txt", FORMATS["hook"](*full, RenderOptions(width=80)))


def test_secret_of_the_change_is_in_no_output(full: Full) -> None:
    """The excerpt masks what the diff holds, whoever made the finding."""
    for render in FORMATS.values():
        assert "S3cr3t" not in render(*full, RenderOptions())


def test_ascii_output_is_ascii_and_within_the_width(full: Full) -> None:
    """For an output that cannot show more, everything is ASCII and code is cut to the width."""
    text = FORMATS["terminal"](*full, RenderOptions(width=60, unicode=False))
    assert text.isascii()
    assert max(len(line) for line in text.split("\n") if line.startswith("   ")) <= 60


def test_colour_changes_no_character(full: Full) -> None:
    """With colour the text is the same but for colour codes."""
    plain = FORMATS["terminal"](*full, RenderOptions())
    coloured = FORMATS["terminal"](*full, RenderOptions(color=True))
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert coloured != plain


HOSTILE = "\x1b[2J\x07 [bold]x[/bold] \u202e\u200b \x9b31m \r\x00 \udcff\ttab"


def test_hostile_text_is_spelt_out(full: Full) -> None:
    """Escape sequences, markup, bidirectional and undecodable characters from a diff reach the terminal as text."""
    report, verdict = full
    findings = tuple(
        replace(one, path=HOSTILE, message=HOSTILE, quote=HOSTILE, replacement=HOSTILE) for one in verdict.findings
    )
    skipped = (NotReviewed(HOSTILE, HOSTILE),)
    report = replace(
        report, findings=findings, not_reviewed=skipped, files=(change(HOSTILE, f"+{HOSTILE}"),), fault=HOSTILE
    )
    verdict = decide(report, Policy())
    for name in ("terminal", "hook"):
        text = FORMATS[name](report, verdict, RenderOptions())
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u200b\ud800-\udfff]", text)
        assert "[bold]x[/bold]" in text
        assert "<U+202E>" in text


@pytest.mark.parametrize("name", ["terminal", "hook"])
@pytest.mark.parametrize(
    ("report", "line"),
    [
        pytest.param(EMPTY, "lrc: pass: nothing to review", id="nothing"),
        pytest.param(
            replace(EMPTY, stats=Stats(files=2, hunks=3, hunks_reviewed=3, seconds=1.26)),
            "lrc: pass: no findings in 2 files, 3 hunks reviewed by the model, 1.3 s",
            id="clean",
        ),
        pytest.param(
            replace(EMPTY, stats=Stats(files=1, hunks=1)),
            "lrc: pass: no findings in 1 file, detectors only",
            id="no model",
        ),
        pytest.param(
            replace(EMPTY, fault="no model is installed", fault_hint="run `lrc model pull`"),
            "lrc: NOT REVIEWED: no model is installed (run `lrc model pull`)",
            id="fault",
        ),
    ],
)
def test_report_without_findings_is_one_line(report: Report, line: str, name: str) -> None:
    """Silence is success: without findings and notes there is one line, and it never claims more than was done."""
    assert FORMATS[name](report, decide(report, Policy()), RenderOptions()) == line


def test_blocked_and_faulty_says_both(full: Full) -> None:
    """A block by detectors while the model failed names both."""
    report = replace(full[0], fault="no model is installed")
    first = FORMATS["hook"](report, decide(report, Policy()), RenderOptions()).split("\n")[0]
    assert first.startswith("lrc: BLOCKED: 1 critical, 1 high findings in app.py:4, app.py:5")
    assert first.endswith("; the model did not review: no model is installed")


def test_long_list_of_files_is_collapsed_by_reason() -> None:
    """Many files that were not reviewed are counted by reason, not listed."""
    skipped = tuple(NotReviewed(f"dist/{number}.js", "minified") for number in range(20))
    report = replace(EMPTY, not_reviewed=(*skipped, NotReviewed("a.bin", "binary"), NotReviewed("b.py", "line 3: x")))
    lines = FORMATS["hook"](report, decide(report, Policy()), RenderOptions()).split("\n")
    assert lines[1:] == ["not reviewed:", "  20 x minified (dist/0.js, ...)", "  a.bin: binary", "  b.py: x"]


def test_hidden_findings_are_counted(full: Full) -> None:
    """What the cap leaves out is counted by severity, blocking ones too."""
    verdict = decide(full[0], Policy(max_findings=1))
    text = FORMATS["terminal"](full[0], verdict, RenderOptions())
    assert "3 more findings not shown (1 high, 1 medium, 1 low)" in text
    assert verdict.exit_code is ExitCode.BLOCKED
