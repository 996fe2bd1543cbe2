"""Passwords, keys and the like written to a log or to the console."""

import re
from collections.abc import Iterator
from functools import cache

from lrc.detect.detector import Scope, finding_at
from lrc.detect.lines import code_in, fresh_lines
from lrc.diff import FileDiff, Line
from lrc.findings import Category, Finding, Severity
from lrc.language import language_of
from lrc.patterns import lazy
from lrc.syntax import is_example_path, is_test_path

_HINT = lazy(r"(?i)pass|pwd|secret|key|credential|token|card|cvv|ssn|social|auth|otp|pin_?code|jwt|bearer")
"""A word of a secret; spares nearly all lines the long patterns."""
_LOG_CALL = lazy(
    r"(?:\b(?:log(?:ger|ging)?|LOG(?:GER)?|console|slog|zap|logrus|Log|Timber|winston|syslog|Rails\.logger|tracing|structlog|_log(?:ger)?|\$this->logger)"
    r"(?:\(\))?(?:\.|->|::)(?:debug|info|warn(?:ing)?|error|err|fatal|critical|exception|trace|log|notice|print(?:f|ln)?|Debug|Info|Warn|Error|Fatal|"
    r"Print(?:f|ln)?|Trace|LogInformation|LogDebug|LogError|LogWarning|Information|d|i|e|w|v)(?:f|w|ln)?\b"
    r"|\b(?:log(?:ger|rus)?|slog|zap|zerolog)\.With\w*\(|\bzap\.[LS]\(\)\.\w+"
    r"|\bSystem\.(?:out|err)\.print(?:ln|f)?|\bfmt\.Print(?:f|ln)?|\bConsole\.Write(?:Line)?|\b(?:info|warn|error|debug|trace|e?println|print|dbg)!"
    r"|\bNSLog|\berror_log|\bvar_dump|\bstd::(?:cout|cerr|clog)\s*<<)"
    r"\s*\(?(?P<arguments>.*)"
)
_OUTPUT = {
    "python": "p?print",
    "ruby": "puts|print|printf|pp|p",
    "php": "print|printf|print_r",
    "perl": "print|printf|say",
    "c": "printf|fprintf",
    "cpp": "printf|fprintf",
    **dict.fromkeys(("kotlin", "scala", "groovy"), "print|println"),
    **dict.fromkeys(("swift", "dart", "lua", "r"), "print"),
}
"""Output by a bare name, which means something else in every other language."""


@cache
def _log_call(language: str) -> re.Pattern[str]:
    """A call that writes to a log or a console; its arguments are the group of that name."""
    bare = rf"(?<![\w.>:$])(?:{_OUTPUT[language]})\b(?!\s*[=.])\s*\(?(?P<printed>.*)" if language in _OUTPUT else ""
    return re.compile(f"{_LOG_CALL.pattern}|{bare}" if bare else _LOG_CALL.pattern)


_SENSITIVE = (
    r"(?:pass(?:word|wd|phrase)|passwd|pwd|secret(?:_?key)?|private_?key|api_?key|client_?secret|access_?key|credentials?|"
    r"credit_?card(?:_?number)?|card_?number|cvv2?|ssn|social_security(?:_number)?|auth(?:orization)?_?header|authorization|"
    r"(?:access|auth|refresh|bearer|session|id|api|csrf|reset)_?token|session_?key|encryption_?key|signing_?key|otp_?code|pin_?code)"
)
_NAME = lazy(
    rf"(?<![A-Za-z0-9])(?:[A-Za-z0-9_$]*[_.$]|[a-z]+(?=[A-Z])|)(?P<word>{_SENSITIVE})(?![A-Za-z0-9])(?P<after>[\w.\[(]*)",
    re.IGNORECASE,
)
_TOKEN = lazy(r"(?<![\w.])(?:[\w$]+\.)*(?:token|jwt|bearer)(?![\w(\[.])")
_SAYS_TOKEN = lazy(
    r"(?i)\b(?:auth|bearer|jwt|login|session|access|api|user|tok(?:en)?)"
    r"[ _-]?(?:token)?s?\s*(?:is|was|[:=])?\s*[\"'`:={%$#,]"
)
_PARSER = lazy(
    r"(?i)lex|pars|token|gramm|compil|syntax|\bast\b|nlp|llm|model|sampl|vocab|scan|highlight|format|template"
)
_ONLY_ABOUT = lazy(
    r"(?i)^(?:_?(?:len(?:gth)?|count|size|hash(?:ed)?|name|names|id|ids|type|kind|path|file|url|uri|field|policy|status|state|valid\w*|strength|expir\w+|ttl|"
    r"ref\w*|arn|version|provider|source|manager|store|service|error\w*|reset\w*|changed\w*|created\w*|updated\w*|exists?|required|enabled|env|"
    r"label|message|masked|redacted|encrypted|fingerprint|rotation\w*|class)\b|\.(?:length|size|len\(|is_\w+|Is\w+|isEmpty|isBlank|name|id|type|getId|getName|keys|count|__class__|expires?\w*)|\()"
)
_ARGUMENT = lazy(r"^\s*[\w.$>()\[\]-]+,?\s*\)?;?\s*$")
"""A line that is one argument."""
_CALL_LINES = 6
_BY_NAME = lazy(
    rf"(?:\[|\.get\(|getenv\(|(?<=ENV)\[)\s*[\"'](?P<word>(?i:authorization|\w*?{_SENSITIVE}))[\"']\s*[\])]"
)
_IN_TEXT = {
    "rust": lazy(rf"\{{(?P<word>(?i:(?:\w+_)?{_SENSITIVE}|token))(?::[^{{}}]*)?\}}"),
    "kotlin": lazy(rf"\$\{{?(?P<word>(?i:(?:\w+\.)*\w*?{_SENSITIVE}))\b(?![.\w(])"),
}
_ECHOED = lazy(
    r"^\s*(?:echo|printf)\b(?!.*(?:add-mask|[|>]))[^#]*\$\{?(?P<word>\w*(?:PASSWORD|PASSWD|SECRET|API_KEY|ACCESS_KEY|PRIVATE_KEY|_TOKEN))\b(?!:\+|:0:)"
)
_GUARDED = lazy(
    r"(?i)\b(?:len|mask\w*|redact\w*|hash\w*|bool|type|is_?set|has_\w+|sanitiz\w+|obfuscat\w+|scrub\w*|hide\w*|censor\w*|isinstance|"
    r"fingerprint|sha\d*\w*|truncate\w*|\w*_?(?:valid|exists)\w*|strlen|empty|isset|typeof|is_?none|not|no)\s*!?\(?[^()]{0,40}$"
    r"|(?:\bnot|!)\s*$|(?i:\bif|\bunless|\bis|\?)\s+[\w.$>-]*$"
)


class SensitiveLogs:
    """Values of names that say secret, handed to a logger. A message that only talks about passwords is fine."""

    name = "sensitive-logs"
    scope = Scope.CODE

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a line."""
        language = language_of(file.path, text or "")
        if is_test_path(file.path) or is_example_path(file.path) or not language:
            return
        lines = (text or "").split("\n")
        for line in fresh_lines(file):
            if not _HINT.search(line.text) or not any(name.search(line.text) for name in (_NAME, _TOKEN, _BY_NAME)):
                continue
            log_call = _log_call(language)
            if not log_call.search(line.text):
                word = _secret_in(code_in(line, file.path, text)) if _is_argument(lines, line, log_call) else ""
                if word:
                    yield self._written(file, line, word)
                elif language == "bash" and (echoed := _ECHOED.search(line.text)):
                    yield self._written(file, line, echoed["word"])
                continue
            code = code_in(line, file.path, text)
            call = log_call.search(code)
            arguments = (call["arguments"] or call.groupdict().get("printed") or "") if call else ""
            word = (_secret_in(arguments) or _named_secret(line.text, code, call.start())) if call else ""
            if call and not word:
                word = _inlined(line.text, language)
            if not word and call and _is_logged_token(arguments, line.text, file.path):
                message = "What is called a token is written to the log: mask it, if it opens anything"
                yield finding_at(file, line, self, Severity.MEDIUM, Category.SECURITY, message, confidence=0.6)
            if word:
                yield self._written(file, line, word)

    def _written(self, file: FileDiff, line: Line, word: str) -> Finding:
        message = f"`{word}` is written to the log, where more people and systems can read it than may"
        severity = Severity.MEDIUM if language_of(file.path) == "bash" else Severity.HIGH
        return finding_at(file, line, self, severity, Category.SECURITY, message, confidence=0.85)


def _is_argument(lines: list[str], line: Line, log_call: re.Pattern[str]) -> bool:
    """True for a line of its own between the brackets of a log call that opened above."""
    number = (line.new or 1) - 1
    if number >= len(lines) or not _ARGUMENT.match(lines[number]):
        return False
    depth = 0
    for above in reversed(lines[max(0, number - _CALL_LINES) : number]):
        depth += above.count("(") - above.count(")")
        if depth > 0:
            return log_call.search(above) is not None and above.rstrip().endswith("(")
    return False


def _named_secret(text: str, code: str, start: int) -> str:
    """A secret taken out of a collection by its name: `headers["Authorization"]`, `environ["API_KEY"]`."""
    match = _BY_NAME.search(text, start)
    return match["word"] if match and code[match.start() : match.start() + 1] == text[match.start()] else ""


def _inlined(text: str, language: str) -> str:
    """A secret put into a text by its name, where the grammar shows no code inside the text."""
    match = _IN_TEXT[language].search(text) if language in _IN_TEXT else None
    return match["word"] if match else ""


def _is_logged_token(arguments: str, line: str, path: str) -> bool:
    """Parsers and language models have tokens of another kind: their files are left alone; the text must say token."""
    match = _TOKEN.search(arguments)
    if match is None or _PARSER.search(path) or _GUARDED.search(arguments[: match.start()]):
        return False
    return _SAYS_TOKEN.search(line) is not None


def _secret_in(arguments: str) -> str:
    """The secret whose value is among the arguments, or the empty string."""
    for match in _NAME.finditer(arguments):
        before = arguments[: match.start("word")]
        after = arguments[match.end("word") :]
        is_getter = re.search(r"(?i)get$", before) is not None and after.startswith("()")
        if (
            (_ONLY_ABOUT.match(after) and not is_getter)
            or _GUARDED.search(before)
            or re.match(r"\s*(?:=[^=]|:\s)", after)
        ):
            continue
        if re.search(r"(?i)(?:errors?|labels?|messages?|touched|i18n|translations?|strings|fields?)[.\[\"']+$", before):
            continue
        if re.match(r"\s*(?:is|==|!=|===|!==|in|not in|\?)\s", after):
            continue
        return match[0][: len(match[0]) - len(match["after"])]
    return ""
