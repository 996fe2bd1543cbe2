"""Tests switched off, and assertions taken out of tests that stay."""

import re
from collections.abc import Iterator
from itertools import islice, takewhile

from lrc.detect.detector import Scope, finding_at
from lrc.detect.lines import code_in, fresh_lines, is_code
from lrc.diff import FileDiff, Hunk, Kind, Line, Status
from lrc.findings import Category, Finding, Severity
from lrc.language import language_of
from lrc.patterns import lazy
from lrc.syntax import code_of, is_test_path

_JAVASCRIPT_SKIP = r"\b(?:describe|it|test|context|suite)\.(?:skip|todo)\s*\(|^\s*(?:xit|xdescribe|xtest|xcontext)\s*\("
_SKIPS = {
    "python": r"^\s*@(?:pytest\.mark\.)?(?:unittest\.)?skip\b(?!if|\.(?:if|unless))"
    r"|^\s*(?:pytest\.skip|self\.skipTest)\("
    r"|^\s*@pytest\.mark\.xfail\b|^\s*pytestmark\s*=\s*pytest\.mark\.skip\b(?!if)",
    "javascript": _JAVASCRIPT_SKIP,
    "typescript": _JAVASCRIPT_SKIP,
    "tsx": _JAVASCRIPT_SKIP,
    "go": r"^\s*t\.Skip(?:f|Now)?\(",
    "java": r"^\s*@(?:Disabled|Ignore)\b(?!If|Unless|On|For)",
    "kotlin": r"^\s*@(?:Disabled|Ignore)\b(?!If|Unless|On|For)",
    "ruby": r"^\s*(?:xit|xdescribe|xcontext|xspecify|pending|skip)\b\s*[\"'(]|^\s*(?:skip|pending)\s*$",
    "php": r"\bmarkTest(?:Skipped|Incomplete)\(",
    "csharp": r"\[(?:Fact|Theory)\(\s*Skip\s*=|^\s*\[(?:Ignore|Explicit)\b",
    "rust": r"^\s*#\[ignore\b",
    "cpp": r"\bGTEST_SKIP\(\)|\bTEST(?:_F|_P)?\(\s*\w+\s*,\s*DISABLED_",
    "c": r"\bcmocka_skip\(\)",
}
_ASSERTION = lazy(
    r"(?:\bassert\b|self\.assert\w+\(|(?:t|require|assert|is|c)\.(?:Equal|Error|NoError|True|False|Nil|NotNil|Contains|Len|ErrorIs|Empty|JSONEq)\w*\("
    r"|expect\(.*\)\s*\.|expect\(|assert(?:That|Equals?|True|False|NotNull|Null|Throws|Same|Count|Contains|_eq|_ne|_raises)\w*!?\s*\(|assert!\("
    r"|\$this->assert\w+\(|Assert\.\w+\(|\w+\.(?:should|must_equal|must_be)\b"
    r"|(?:EXPECT|ASSERT|REQUIRE|CHECK)(?:_\w+)?\(|with pytest\.raises\("
    r"|t\.(?:Errorf?|Fatalf?)\()"
)
_TEST_HEAD = lazy(
    r"^\s*(?:async\s+)?def\s+test|^\s*func\s+(?:\([^)]*\)\s*)?Test|^\s*(?:it|test|describe|specify|context)\b[.(\s]|^\s*@Test\b|^\s*#\[(?:tokio::)?test\]"
    r"|^\s*\[(?:Fact|Theory|Test|TestMethod)\b|^\s*(?:public\s+)?(?:async\s+)?(?:void|function|Task)\s+\w*[tT]est\w*\s*\(|^\s*TEST(?:_F|_P)?\(|^\s*class\s+\w*Test|^\s*fn\s+\w+\(|^\s*(?:static\s+)?(?:void|int)\s+\w+\("
)
_TITLE = lazy(r"(?:\.(?:skip|todo)|\bx(?:it|test|describe|context|specify))\W+[\"'`][^\"'`]*[\"'`]|DISABLED_\w+")
_ALWAYS_TRUE = lazy(
    r"(?i)^assert(?:\s+|\s*\(\s*)(?:true|1)\b\s*\)?|assertTrue\(\s*true\s*[,)]|expect\(\s*true\s*\)\.to(?:Be(?:Truthy)?|Equal)\(\s*(?:true)?\s*\)|"
    r"assert!\(\s*true\s*\)|Assert\.(?:True|IsTrue)\(\s*true\s*[,)]|expect\(true\)\.to\s+(?:eq|be)"
)
_RUBY_TEST = lazy(
    r"\s*(?:def\b|(?:f|x)?(?:it|test|specify|scenario|example|should|describe|context|feature|before|setup|around)\b)"
)
_PRESENCE = lazy(r"assert\s+(?P<what>[A-Za-z_][\w.]*)(?:\s+is\s+not\s+None)?$")
_NEAR = 20
"""Lines below an assertion in which what it is about is used."""
_DECORATORS = 12
"""Lines that the decorators of one test may take."""
_NOTHING = lazy(r"^(?:pass|\.\.\.|print\(.*|console\.log\(.*|fmt\.Print.*|_\s*=\s*\w+|;)$")
"""Lines that stand where an assertion stood and check nothing."""
_FRAME = lazy(r"^\s*(?:if\b.*\{|\}|\{|\)|\);?)\s*$")
"""What encloses an assertion that is spelled out over several lines."""
_RUN = lazy(r"(?:def\s+test\w*|func\s+Test\w*|@Test\b|\[(?:Fact|Theory|Test|TestMethod)\]|#\[test\])")
"""What makes a runner take a function for a test."""
_TITLED = frozenset({"javascript", "typescript", "tsx", "ruby", "cpp"})
"""Languages where a test's title stands in the line that skips it."""
_REASON = lazy(r"(?i)https?://|#\d+|\b(?:GH|JIRA|issue|bug|ticket)[-_ #]?\d+|[A-Z]{2,}-\d+|reason\s*=")


class WeakenedTests:
    """Skips added to tests, and tests that lose assertions without getting others."""

    name = "weakened-tests"
    scope = Scope.CODE

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """Skips on the new side, lost assertions on the old."""
        if language_of(file.path) == "rust" and not is_test_path(file.path):
            yield from self._skips(file, text)  # unit tests of Rust stand beside the code
        if not is_test_path(file.path):
            return
        yield from self._skips(file, text)
        yield from self._renamed(file)
        rewritten = any(_TEST_HEAD.search(line.text) for hunk in file.hunks for line in hunk.added)
        if file.status is not Status.DELETED and not rewritten and _balance(file) < 0:
            # One is enough: a file that loses many is one decision.
            yield from islice((lost for hunk in file.hunks for lost in self._lost(file, hunk, text or "")), 1)

    def _skips(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        language = language_of(file.path, text or "")
        pattern = _SKIPS.get(language)
        if pattern is None or file.status is Status.ADDED:
            return
        new_tests = {line.new for line in fresh_lines(file) if _TEST_HEAD.search(line.text)}
        added = {line.new for line in fresh_lines(file)}
        before = "\n".join(line.text for hunk in file.hunks for line in hunk.removed)
        for line in fresh_lines(file):
            match = re.search(pattern, line.text)
            if not match or not is_code(match, code_in(line, file.path, text)):
                continue
            if _is_born_skipped(line, new_tests, added, before, language, text or "") or _is_conditional(
                line, text or ""
            ):
                continue
            if _was_skipped(line, file, pattern) or (language == "ruby" and not _is_in_test(line, text or "")):
                continue
            explained = _is_explained(line, text or "", language)
            severity = Severity.LOW if explained else Severity.MEDIUM
            message = ("This test may fail from now on" if "xfail" in match[0] else "This test no longer runs") + (
                "" if explained else ": say why, and where its return is tracked"
            )
            yield finding_at(file, line, self, severity, Category.REMOVED_CHECK, message, confidence=0.85)

    def _lost(self, file: FileDiff, hunk: Hunk, text: str) -> Iterator[Finding]:
        language = language_of(file.path)
        if any(_replaces(line, language) for line in hunk.added):
            return  # what was tested changed too: no check is dropped to make a test pass
        gone = [line for line in hunk.removed if line.text.strip() and not _FRAME.match(line.text)]
        gone = [line for line in gone if not _ALWAYS_TRUE.search(code_of(line.text, language).strip())]
        lost = [line for line in gone if _ASSERTION.match(code_of(line.text, language).lstrip())]
        if not lost or len(lost) < len(gone):
            return
        lost = [
            line
            for line in lost
            if not (_is_kept(line, hunk) or _is_outdated(line, file, text) or _is_implied(line, hunk, text))
        ]
        if lost:
            silenced = any(_ASSERTION.search(line.text) for line in hunk.added)
            count = f"{len(lost)} assertions are" if len(lost) > 1 else "An assertion is"
            how = "made to hold always, or turned into a comment" if silenced else "removed and none takes its place"
            explained = any(_REASON.search(line.text) for line in hunk.added)
            severity = Severity.MEDIUM if silenced and not explained else Severity.LOW
            message = f"{count} {how}: the test stays, and checks less"
            yield finding_at(file, lost[0], self, severity, Category.REMOVED_CHECK, message, confidence=0.6)

    def _renamed(self, file: FileDiff) -> Iterator[Finding]:
        """Tests that their runner no longer finds: commented out, or called so that it passes them by."""
        heads = {
            match[0].strip(): line for hunk in file.hunks for line in hunk.removed if (match := _RUN.search(line.text))
        }
        for line in fresh_lines(file):
            for head, _ in heads.items():
                name = head.split()[-1]
                commented = not code_of(line.text, language_of(file.path)).strip() and re.match(
                    rf"\s*(?:#|//|--|/\*)\s*(?:async\s+)?{re.escape(head)}(?!\w)", line.text
                )
                hidden = re.match(
                    rf"\s*(?:async\s+)?(?:def|func)\s+(?:_|x|x_|no_?|skip_?|disabled?_?|off_?){name}\b", line.text
                )
                if commented or hidden:
                    message = "This test no longer runs: say why, and where its return is tracked"
                    yield finding_at(
                        file, line, self, Severity.MEDIUM, Category.REMOVED_CHECK, message, confidence=0.85
                    )


def _replaces(line: Line, language: str) -> bool:
    """True for added code that may check something in place of what went."""
    code = code_of(line.text, language).strip()
    return bool(code) and not (_NOTHING.match(code) or _ALWAYS_TRUE.search(code))


def _is_explained(line: Line, text: str, language: str) -> bool:
    """True when the skip says why, in its line or the arguments below; a test's title is no reason."""
    said = line.text
    if said.rstrip().endswith("("):
        said = " ".join(text.split("\n")[(line.new or 1) - 1 : (line.new or 1) + 3])
    if _REASON.search(said):
        return True
    titled = language in _TITLED and _TITLE.search(said)
    return not titled and re.search(r"[\"'][^\"']{8,}[\"']", said) is not None


def _is_kept(line: Line, hunk: Hunk) -> bool:
    """True when the same assertion still stands beside the gap: a duplicate was removed."""
    return any(other.new is not None and other.text.strip() == line.text.strip() for other in hunk.lines)


def _is_implied(line: Line, hunk: Hunk, text: str) -> bool:
    """True for `assert x` above lines that use `x`: for the checker of types, since without it they fail themselves."""
    asserted = _PRESENCE.match(line.text.strip())
    place = max((each.new or 0 for each in hunk.lines[: hunk.lines.index(line)]), default=hunk.new_start - 1)
    below = text.split("\n")[place : place + _NEAR]
    return asserted is not None and any(
        re.search(rf"(?<![\w.]){re.escape(asserted['what'])}(?:[.\[(),]|\s*$)", each) for each in below
    )


def _is_outdated(line: Line, file: FileDiff, text: str) -> bool:
    """True when what is asserted about left the test in other lines too: there is nothing to check any more."""
    names = set(re.findall(r"\b[A-Za-z_]\w{3,}\b", line.text))
    gone = {name for name in names if text and not re.search(rf"\b{name}\b", text)}
    others = [
        other.text
        for hunk in file.hunks
        for other in hunk.removed
        if other is not line and not _ASSERTION.search(other.text)
    ]
    return any(re.search(rf"\b{name}\b", other) for name in gone for other in others)


def _is_outer_def(text: str, indent: int) -> bool:
    """True for the head of a Python function that holds a line indented by `indent`."""
    return re.match(r"\s*(?:async\s+)?def\s", text) is not None and len(text) - len(text.lstrip()) < indent


def _is_born_skipped(
    line: Line, new_tests: set[int | None], added: set[int | None], before: str, language: str, text: str
) -> bool:
    """True when the test itself is new: nothing that ran before is lost."""
    if language == "python" and line.text.lstrip().startswith("@"):
        below = enumerate(text.split("\n")[line.new or 0 :][:_DECORATORS], (line.new or 0) + 1)
        return next((number for number, each in below if _TEST_HEAD.search(each)), 0) in new_tests
    title = _TITLE.search(line.text) if language in _TITLED else None
    if title:
        return title[0].split(title[0][-1])[-2] not in before if title[0][-1] in "\"'`" else False
    if language == "python" and line.new:
        indent = len(line.text) - len(line.text.lstrip())
        above = list(enumerate(text.split("\n")[: line.new - 1], 1))
        head = next((n for n, each in reversed(above) if _is_outer_def(each, indent)), None)
        if head in added:
            return True
    own = re.search(r"^\s*\[(?:Fact|Theory)\]", before, re.MULTILINE) is not None
    return any((line.new or 0) + step in new_tests and not (own and step == 0) for step in range(-3, 4))


def _was_skipped(line: Line, file: FileDiff, pattern: str) -> bool:
    """True when a skip was there before and is only worded anew."""
    hunk = next(hunk for hunk in file.hunks if line in hunk.lines)
    before = hunk.lines[: hunk.lines.index(line)]
    run = list(takewhile(lambda each: each.kind is not Kind.CONTEXT, reversed(before)))
    return any(each.kind is Kind.REMOVED and re.search(pattern, each.text) for each in run)


def _is_in_test(line: Line, text: str) -> bool:
    """True when a block of a test, or what is done before each, encloses a line: a tool's settings may say `skip`."""
    indent = len(line.text) - len(line.text.lstrip())
    for above in reversed(text.split("\n")[: (line.new or 1) - 1]):
        depth = len(above) - len(above.lstrip())
        if above.strip() and depth < indent:
            if _RUBY_TEST.match(above):
                return True
            indent = depth
    return False


def _is_conditional(line: Line, text: str) -> bool:
    """True for a skip that depends on the machine: `skip if …`, its `condition`, or a call below an `if`."""
    if re.search(r"\s(?:if|unless)\s", line.text):
        return True
    if line.text.rstrip().endswith("("):
        inner = "\n".join(text.split("\n")[line.new or 0 :][:_DECORATORS]).partition("\n)")[0]
        if re.match(r"\s*(?:condition\s*=|[^\s\"'=]+(?:\.\w+)*(?:\(.*?\))?\s*(?:[=!<>]=|<|>|,))", inner):
            return True
    indent = len(line.text) - len(line.text.lstrip())
    for above in reversed(text.split("\n")[: (line.new or 1) - 1]):
        if above.strip() and len(above) - len(above.lstrip()) < indent:
            return (
                re.match(r"\s*\}?\s*(?:if|elif|else|unless|when|case|except|catch|switch|default)\b", above) is not None
            )
    return False


def _balance(file: FileDiff) -> int:
    """Assertions added minus assertions removed: a test that is rewritten or moved has none to miss."""
    count, language = 0, language_of(file.path)
    for hunk in file.hunks:
        count += sum(
            _ASSERTION.search(code) is not None and not _ALWAYS_TRUE.search(code.strip())
            for code in (code_of(line.text, language) for line in hunk.added)
        )
        count -= sum(_ASSERTION.search(line.text) is not None for line in hunk.removed)
    return count
