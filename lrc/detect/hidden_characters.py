"""Characters that make code read differently from how it runs (Boucher and Anderson, Trojan Source, 2021)."""

from collections.abc import Iterator

from lrc.detect.detector import Scope, added_lines, finding_at
from lrc.diff import FileDiff, Line, Side, Status
from lrc.findings import Category, Finding, Severity
from lrc.ignore import SOURCE
from lrc.language import language_of
from lrc.patterns import lazy
from lrc.syntax import PROSE, code_of, is_test_path

_BIDI_OPEN = "\u202a\u202b\u202d\u202e\u2066\u2067\u2068"
_BIDI_CLOSE = "\u202c\u2069"
_BIDI = lazy(f"[{_BIDI_OPEN}{_BIDI_CLOSE}]")
_RIGHT_TO_LEFT = lazy("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_INVISIBLE = lazy(
    "[\u200b\u2060-\u2064\u180e\u115f\u1160\u3164\uffa0]|(?<=[A-Za-z0-9_])[\u200c\u200d\ufeff](?=[A-Za-z0-9_])"
)
_JOINER = lazy("(?<=[A-Za-z0-9_])[\u200c\u200d\ufeff]|(?<!^)[\u200c\u200d\ufeff](?=[A-Za-z0-9_])")
_OVERRIDE = lazy("[\u202d\u202e]")
"""Turns round whatever follows, letters of any script."""
_HOST = lazy(r"https?://([^\s/\"'<>]+)")
_WRITTEN_BY_HAND = 1_000
"""Characters of a line above which a tool wrote it."""
_PAYLOAD = lazy(
    "[\u200b-\u200d\u2060-\u2064\ufeff]{8,}|(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0001-\U000e007f]{2,}|[\U000e0100-\U000e01ef]{4,}"
)
_TRANSLATIONS = lazy(r"(?:^|/)(?:lang|locales?|i18n|l10n|translations?)/")
"""Translation tools leave zero-width spaces in their texts; in code they would be reported all the same."""
_STRING = lazy(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|/\*.*?\*/")
_WORD = lazy(r"\w+")
# Cyrillic and Greek letters that look like an ASCII letter in most fonts.
_LOOKALIKES = frozenset("аеорсухіјѕһԁԛԝьвнкмтАВЕКМНОРСТУХІЈЅԌοΟΑΒΕΖΗΙΚΜΝΡΤΥΧνϲ")
_MARKUP = PROSE | {"html", "xml", "json", "yaml", "ini", "css", "scss", ""}


class HiddenCharacters:
    """Bidirectional controls, invisible characters and look-alike letters in added lines.

    Emoji, accents, identifiers in another script and right-to-left text in strings are none of these.
    """

    name = "hidden-characters"
    scope = Scope.ANY_TEXT

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """At most one finding a line, the gravest."""
        language = language_of(file.path)
        if file.binary and file.status is not Status.DELETED and language in SOURCE and not is_test_path(file.path):
            yield self._unreadable(file)
        for line in added_lines(file):
            if line.text.isascii():
                continue
            verdict = _judge(line, language)
            mild = verdict is not None and verdict[0] < Severity.HIGH
            if mild and language in _MARKUP and is_test_path(file.path):
                continue  # data that a test is about
            if verdict is not None and not (mild and _TRANSLATIONS.search(file.path)):
                severity, message = verdict
                if is_test_path(file.path) and severity is Severity.LOW:
                    continue  # the data of a test that is about such characters
                if is_test_path(file.path):
                    severity = min(severity, Severity.LOW)
                yield finding_at(file, line, self, severity, Category.SECURITY, message, confidence=0.9)

    def _unreadable(self, file: FileDiff) -> Finding:
        """The one finding that has no line: there is none to show."""
        message = "git takes this source file for binary, so no diff shows what is in it: save it as UTF-8 without NUL"
        where = (file.path, 1, 1, Side.NEW, Severity.MEDIUM, Category.SECURITY)
        return Finding(*where, 0.9, message, f"detector:{self.name}")


def _judge(line: Line, language: str) -> tuple[Severity, str] | None:
    text = line.text
    if payload := _PAYLOAD.search(text):
        return Severity.HIGH, f"{len(payload[0])} invisible characters in a row ({_name(payload[0][0])}) can hide text"
    if fake := next((letter for host in _HOST.findall(text) if (letter := _lookalike_in(host))), ""):
        return Severity.HIGH, f"This address has a letter that only looks like an ASCII one ({_name(fake)})"
    if len(text) > _WRITTEN_BY_HAND:
        return None
    if language in _MARKUP:
        if (control := _OVERRIDE.search(text)) and not _RIGHT_TO_LEFT.search(text):
            return Severity.MEDIUM, f"A control character ({_name(control[0])}) shows this text in another order"
        return None
    if (control := _BIDI.search(text)) and not _is_harmless_bidi(text):
        return (
            Severity.HIGH,
            f"A bidirectional control character ({_name(control[0])}) shows this line in another order than it runs",
        )
    bare = _STRING.sub(" ", code_of(text, language))
    if hidden := _INVISIBLE.search(bare) or _JOINER.search(bare):
        return Severity.HIGH, f"An invisible character ({_name(hidden[0])}) stands in the code"
    for word in _WORD.findall(bare):
        if fake := _lookalike(word):
            return Severity.HIGH, f"`{_spelled(word)}` has a letter that only looks like an ASCII one ({_name(fake)})"
    if hidden := _INVISIBLE.search(text):
        return Severity.LOW, f"An invisible character ({_name(hidden[0])}) stands in a string or comment"
    return None


def _is_harmless_bidi(text: str) -> bool:
    """True when each control is closed inside the same string, and the string holds right-to-left text."""
    outside = _STRING.sub("", text)
    if _BIDI.search(outside):
        return False
    for string in _STRING.findall(text):
        opened = sum(char in _BIDI_OPEN for char in string)
        if opened != sum(char in _BIDI_CLOSE for char in string) or (opened and not _RIGHT_TO_LEFT.search(string)):
            return False
    return True


def _lookalike(word: str) -> str:
    """The first look-alike of a word that is otherwise ASCII; a word with other foreign letters is just foreign."""
    foreign = [char for char in word if not char.isascii()]
    ascii_letters = any(char.isascii() and char.isalpha() for char in word)
    return foreign[0] if foreign and ascii_letters and all(char in _LOOKALIKES for char in foreign) else ""


def _lookalike_in(host: str) -> str:
    """The first look-alike among the words of a host name."""
    return next((fake for word in _WORD.findall(host) if (fake := _lookalike(word))), "")


def _spelled(word: str) -> str:
    return "".join(char if char.isascii() else f"\\u{ord(char):04x}" for char in word)


def _name(char: str) -> str:
    return f"U+{ord(char):04X}"
