"""Breakpoints, and tests that run alone: what a debugging session leaves behind."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lrc.detect.detector import Scope, finding_at
from lrc.detect.lines import code_in, fresh_lines, is_code
from lrc.diff import FileDiff
from lrc.findings import Category, Finding, Severity
from lrc.language import language_of
from lrc.patterns import lazy
from lrc.syntax import is_test_path


@dataclass(frozen=True, slots=True)
class _Leftover:
    pattern: str
    severity: Severity
    message: str
    only_tests: bool = False


_STOP = "A breakpoint is left in: the program stops here and waits for somebody at the keyboard"
_PRINT = "Debugging output is left in"
_ONLY = "Only this test runs: every other test of the file is skipped in silence"
_JAVASCRIPT = (
    _Leftover(r"^\s*debugger\s*;?\s*$|[;{]\s*debugger\s*;", Severity.HIGH, _STOP),
    _Leftover(r"\b(?:describe|it|test|context|suite|specify|bench)\.only\s*\(", Severity.HIGH, _ONLY),
    _Leftover(r"^\s*(?:fit|fdescribe|fcontext)\s*\(\s*[\"'`]", Severity.HIGH, _ONLY, only_tests=True),
)
_LEFTOVERS = {
    "python": (
        _Leftover(r"^\s*(?:.*[;:]\s*)?breakpoint\(\s*\)", Severity.HIGH, _STOP),
        _Leftover(
            r"\b(?:i?pdb|pudb|wdb|pytest|rpdb|web_pdb|bdb|epdb)\.(?:set_trace|post_mortem)\(", Severity.HIGH, _STOP
        ),
        _Leftover(r"^\s*(?:import|from)\s+(?:ipdb|pudb|wdb|rpdb|web_pdb)\b", Severity.MEDIUM, "A debugger is imported"),
        _Leftover(r"\bIPython\.embed\(|^\s*embed\(\)\s*$", Severity.HIGH, _STOP),
        _Leftover(r"\bdebugpy\.(?:wait_for_client|breakpoint)\(", Severity.HIGH, _STOP),
    ),
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "ruby": (
        _Leftover(r"\bbinding\.(?:pry|irb|break|b)\b|^\s*(?:byebug|debugger)\s*$", Severity.HIGH, _STOP),
        _Leftover(r"^\s*(?:fit|fdescribe|fcontext)\s+[\"']", Severity.HIGH, _ONLY, only_tests=True),
        _Leftover(
            r"^\s*(?:it|describe|context)\b.*(?:focus:\s*true|,\s*:focus\b)", Severity.HIGH, _ONLY, only_tests=True
        ),
    ),
    "go": (
        _Leftover(
            r"^\s*(?:FIt|FDescribe|FContext|FWhen|FDescribeTable|FEntry)\(", Severity.HIGH, _ONLY, only_tests=True
        ),
        _Leftover(r"\bspew\.Dump\(", Severity.MEDIUM, _PRINT),
        _Leftover(r"\bruntime\.Breakpoint\(\)", Severity.HIGH, _STOP),
    ),
    "php": (
        _Leftover(
            r"(?<![\w>:$\\])(?:var_dump|dd|dump|xdebug_break|ddd)\s*\((?!.*\bfunction\b)", Severity.MEDIUM, _PRINT
        ),
        _Leftover(r"(?<![\w>:$\\])(?:eval\(\\?Psy|xdebug_break)", Severity.HIGH, _STOP),
    ),
    "csharp": (_Leftover(r"\bDebugger\.(?:Break|Launch)\(\)", Severity.HIGH, _STOP),),
    "rust": (_Leftover(r"(?<![\w!])dbg!\s*\(", Severity.MEDIUM, _PRINT),),
    "elixir": (_Leftover(r"\bIEx\.pry\b|\bdbg\(\)", Severity.HIGH, _STOP),),
    "java": (_Leftover(r"\bThread\.dumpStack\(\)", Severity.MEDIUM, _PRINT),),
    "cpp": (_Leftover(r"\b(?:__debugbreak|DebugBreak|__builtin_debugtrap)\(\)", Severity.MEDIUM, _STOP),),
    "c": (_Leftover(r"\b(?:__debugbreak|DebugBreak|__builtin_debugtrap)\(\)", Severity.MEDIUM, _STOP),),
    "swift": (_Leftover(r"\braise\(SIGINT\)", Severity.HIGH, _STOP),),
}
_DEFINES = lazy(
    r"\b(?:def|func|function|fn|macro_rules!|alias|class)\s+(?:breakpoint|debugger|byebug|dd|dump|var_dump|dbg)\b"
)


class DebugLeftovers:
    """Breakpoints, dumps and focused tests in added code. Ordinary output is a matter of taste and is not reported."""

    name = "debug-leftovers"
    scope = Scope.CODE

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a line."""
        leftovers = _LEFTOVERS.get(language_of(file.path, text or ""), ())
        for line in fresh_lines(file) if leftovers else ():
            hits = [(item, match) for item in leftovers if (match := re.search(item.pattern, line.text))]
            code = code_in(line, file.path, text) if hits else ""
            for item, match in hits:
                if _DEFINES.search(code) or (item.only_tests and not is_test_path(file.path)):
                    continue
                if is_code(match, code):
                    category = Category.REMOVED_CHECK if item.message == _ONLY else Category.RELIABILITY
                    yield finding_at(file, line, self, item.severity, category, item.message)
                    break
