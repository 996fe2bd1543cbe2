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
from lrc.syntax import is_build_path, is_example_path, is_test_path


@dataclass(frozen=True, slots=True)
class _Leftover:
    pattern: str
    severity: Severity
    message: str
    only_tests: bool = False
    only_product: bool = False


_STOP = "A breakpoint is left in: the program stops here and waits for somebody at the keyboard"
_PRINT = "Debugging output is left in"
_ONLY = "Only this test runs: every other test of the file is skipped in silence"
_TRACE = _Leftover(
    r"(?<![\w.>$])(?:print|println|puts|echo|alert|console\.(?:log|debug|warn|error)|System\.(?:out|err)\.println|"
    r"Console\.WriteLine|fmt\.Print(?:ln|f)|printf|NSLog|e?println!)\s*\(?\s*[\"'`]"
    r"(?i:[^\w\"'`]*(?:(?:debug(?:ging)?|(?:got |i am |i'm )?here|xxx+|asdf\w*|wtf|test(?:ing)?)(?!\w)[^A-Za-z\"'`]*)+)"
    r"(?:%\w)?[\"'`]\s*(?:[,)+.;]|$)",
    Severity.LOW,
    _PRINT,
    only_product=True,
)
"""Output that says nothing to anybody but its author, at the moment when it was written."""
_JAVASCRIPT = (
    _Leftover(r"(?:^|[;{})])\s*debugger\s*(?:;|$|\})", Severity.HIGH, _STOP),
    _Leftover(
        r"\b(?:describe|it|test|context|suite|specify|bench)(?:\.\w+(?:\([^()]*\)|`[^`]*`)?)*\.only\b(?:\.each)?\s*[(`]",
        Severity.HIGH,
        _ONLY,
    ),
    _Leftover(r"^\s*(?:fit|fdescribe|fcontext)\s*\(\s*[\"'`]", Severity.HIGH, _ONLY, only_tests=True),
    _TRACE,
)
_NATIVE = (
    _Leftover(
        r"\b(?:__debugbreak|DebugBreak|__builtin_debugtrap)\(\)|\braise\(\s*SIGTRAP\s*\)|\b_*asm_*\b.*\bint\s*\$?3\b",
        Severity.MEDIUM,
        _STOP,
    ),
    _TRACE,
)
_LEFTOVERS = {
    "python": (
        _Leftover(r"^\s*(?:.*[;:]\s*)?breakpoint\(\s*\)", Severity.HIGH, _STOP),
        _Leftover(
            r"\b(?:i?pdb|pudb|wdb|pytest|rpdb|web_pdb|bdb|epdb)\.(?:set_trace|post_mortem)\(", Severity.HIGH, _STOP
        ),
        _Leftover(
            r"^\s*from\s+(?:pdb|ipdb|pudb)\s+import\s+.*\bset_trace\b|(?:^|;)\s*set_trace\(\s*\)", Severity.HIGH, _STOP
        ),
        _Leftover(r"__import__\(\s*[\"']i?pdb[\"']\s*\)|\bcode\.interact\(", Severity.HIGH, _STOP),
        _Leftover(
            r"^\s*(?:import|from)\s+(?:ipdb|pudb|wdb|rpdb|web_pdb)\b(?!.*#\s*noqa:.*\bT10)",
            Severity.MEDIUM,
            "A debugger is imported",
        ),
        _Leftover(r"\bIPython\.embed\(|(?:^|;)\s*embed\(\)\s*$", Severity.HIGH, _STOP),
        _Leftover(r"\bdebugpy\.(?:wait_for_client|breakpoint)\(", Severity.HIGH, _STOP),
        _TRACE,
    ),
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "vue": _JAVASCRIPT,
    "svelte": _JAVASCRIPT,
    "ruby": (
        _Leftover(r"\bbinding\.(?:pry|irb|break|b)\b|(?:^|;)\s*(?:byebug|debugger)\s*$", Severity.HIGH, _STOP),
        _Leftover(
            r"^\s*(?:RSpec\.)?(?:fit|fdescribe|fcontext|fspecify|fexample)\s+[\"'A-Z:]",
            Severity.HIGH,
            _ONLY,
            only_tests=True,
        ),
        _Leftover(
            r"^\s*(?:it|describe|context)\b.*(?:focus:\s*true|,\s*:focus\b)", Severity.HIGH, _ONLY, only_tests=True
        ),
        _TRACE,
    ),
    "go": (
        _Leftover(
            r"^\s*(?:var\s+_\s*=\s*)?(?:\w+\.)?(?:FIt|FDescribe|FContext|FWhen|FDescribeTable|FEntry)\(",
            Severity.HIGH,
            _ONLY,
            only_tests=True,
        ),
        _Leftover(r"\bspew\.Dump\(", Severity.MEDIUM, _PRINT),
        _Leftover(r"\bruntime\.Breakpoint\(\)", Severity.HIGH, _STOP),
        _TRACE,
    ),
    "php": (
        _Leftover(
            r"(?<![\w>:$\\])(?:var_dump|dd|dump|xdebug_break|ddd)\s*\((?!.*\bfunction\b)", Severity.MEDIUM, _PRINT
        ),
        _Leftover(r"(?<![\w>:$\\])(?:eval\(\\?Psy|xdebug_break)", Severity.HIGH, _STOP),
        _Leftover(r"^\s*print_r\s*\((?!.*,\s*(?:true|1)\b)", Severity.LOW, _PRINT, only_product=True),
        _TRACE,
    ),
    "csharp": (_Leftover(r"\bDebugger\.(?:Break|Launch)\(\)", Severity.HIGH, _STOP), _TRACE),
    "rust": (_Leftover(r"(?<![\w!])dbg!\s*\(", Severity.MEDIUM, _PRINT), _TRACE),
    "elixir": (_Leftover(r"\bIEx\.pry\b|\bdbg\(\)", Severity.HIGH, _STOP),),
    "java": (
        _Leftover(r"\bThread\.dumpStack\(\)", Severity.MEDIUM, _PRINT),
        _Leftover(
            r"^\s*\w+\.printStackTrace\(\s*\)",
            Severity.LOW,
            "This error goes to the console alone, where nobody looks: log it",
            only_product=True,
        ),
        _TRACE,
    ),
    "kotlin": (_TRACE,),
    "cpp": _NATIVE,
    "c": _NATIVE,
    "swift": (_Leftover(r"\braise\(SIGINT\)", Severity.HIGH, _STOP),),
}
_DEFINES = lazy(
    r"\b(?:def|func|function|fn|macro_rules!|alias|class)\s+(?:breakpoint|debugger|byebug|dd|dump|var_dump|dbg)\b"
)


class DebugLeftovers:
    """Breakpoints, dumps, focused tests and output that says only "here". Other output is not reported."""

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
                if item.only_product and not _is_product(file.path):
                    continue
                if is_code(match, code):
                    category = Category.REMOVED_CHECK if item.message == _ONLY else Category.RELIABILITY
                    yield finding_at(file, line, self, item.severity, category, item.message)
                    break


def _is_product(path: str) -> bool:
    """True for code that runs for users: tests, examples and tools print what they like."""
    return not (is_test_path(path) or is_example_path(path) or is_build_path(path))
