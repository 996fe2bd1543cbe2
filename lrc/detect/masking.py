"""Secrets found in text, and taken out of it before it reaches a prompt, a cache, a log or a report."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lrc.detect.assigned import assigned, is_placeholder
from lrc.detect.secret_kinds import DSN_PASSWORD, PRIVATE_KEY_BEGIN, PRIVATE_KEY_END, SECRET_KINDS, URL_PASSWORD
from lrc.language import language_of
from lrc.patterns import lazy

_KEY_BODY = lazy(r"[A-Za-z0-9+/=]{16,}")
_KEY_LINE = lazy(
    r"[+ -]?[\s\"'#/*>|]*(?:[A-Za-z0-9+/=]{1,80}(?:\\n)?|(?:Proc-Type|DEK-Info|Version|Comment):.*)[\"'\s\\n+,.;]*$"
)
_KEY_ALONE = lazy(
    r"^[+ -]?[\s\"'#/*>|]*(?=[^\s]*\d)(?=[^\s]*[a-z])(?=[^\s]*[A-Z])[A-Za-z0-9+/]{40,80}={0,2}[\"'\s\\n+,.;]*$"
)
"""A line that is one block of base64: a private key's, when whoever masks has but that line."""
_PUBLIC = "pass passwd password pwd secret postgres root admin user mysql guest token x-oauth-basic"
_PUBLIC_PASSWORDS = frozenset(_PUBLIC.split())
_LOCAL_HOST = lazy(r"^(?:localhost|127\.|0\.0\.0\.0|\[?::1|host\.docker\.internal)|^[\w-]+$|\.(?:test|local|invalid)$")
_LONG = 20


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret's place in one line."""

    start: int
    end: int
    kind: str
    certain: bool
    named: str = ""
    """What it is assigned to, for secrets known by their name only."""


def secrets_in(line: str, language: str = "") -> list[Secret]:
    """The secrets of one line, left to right, without overlaps; a shape that is certain wins over a name."""
    found = sorted(
        _candidates(line, language), key=lambda secret: (bool(secret.named), not secret.certain, secret.start)
    )
    kept: list[Secret] = []
    for secret in found:
        if all(secret.end <= other.start or secret.start >= other.end for other in kept):
            kept.append(secret)
    return sorted(kept, key=lambda secret: secret.start)


def mask(text: str, path: str = "") -> str:
    """The text with each secret replaced by a word that says its kind; lines keep their number.

    `path` tells the language: in a settings file unquoted values count too. Without one they do everywhere.

    Equal secrets get equal words and different ones, nearly always, different words, so that a dismissed finding
    comes back when the secret changes. Masking twice changes nothing.
    """
    inside = False
    language = language_of(path)
    lines = []
    for line in text.split("\n"):
        masked, inside = _mask_line(line, language, inside)
        lines.append(masked)
    return "\n".join(lines)


def masked_word(secret: str, kind: str) -> str:
    """What stands in place of `secret`.

    It ends in a few bits of a hash: too few to check a guess against, enough to notice a change. Short secrets are
    guessable, so they give away only 8 bits.
    """
    digits = 4 if len(secret) >= _LONG else 2
    digest = hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()[:digits]
    return f"MASKED_{re.sub(r'[^A-Za-z]+', '_', kind).strip('_').upper()}_{digest}"


def _mask_line(line: str, language: str, inside: bool) -> tuple[str, bool]:
    """The line masked, and whether a private key goes on in the next."""
    begin, end = PRIVATE_KEY_BEGIN.search(line), PRIVATE_KEY_END.search(line)
    if begin:
        stop = end.start() if end and end.start() > begin.end() else len(line)
        body = _KEY_BODY.sub(lambda match: masked_word(match[0], "private key"), line[begin.end() : stop])
        return line[: begin.end()] + body + line[stop:], stop == len(line)
    if inside and not end:
        if _KEY_LINE.match(line) and line.strip():
            return _KEY_BODY.sub(lambda match: masked_word(match[0], "private key"), line), True
        if not line.strip(" +-\t"):
            return line, True
    if _KEY_ALONE.match(line):
        return _KEY_BODY.sub(lambda match: masked_word(match[0], "base64"), line), False
    masked = line
    for secret in reversed(secrets_in(line, language)):
        masked = (
            masked[: secret.start] + masked_word(line[secret.start : secret.end], secret.kind) + masked[secret.end :]
        )
    return masked, False


def _candidates(line: str, language: str) -> Iterator[Secret]:
    lowered = line.lower()
    for kind in SECRET_KINDS:
        if kind.hint in lowered:
            for match in kind.regex.finditer(line):
                if not is_placeholder(match["secret"]):
                    yield Secret(*match.span("secret"), kind.name, kind.certain)
    for sign, pattern in (("://", URL_PASSWORD), ("@", DSN_PASSWORD)):
        for match in pattern.finditer(line) if sign in line else ():
            if _is_url_password(match):
                yield Secret(*match.span("secret"), "password in a URL", False)
    for start, end, name in assigned(line, language):
        yield Secret(start, end, "hard-coded credential", False, name)


_RESERVED_HOST = lazy(r"(?i)(?:^|\.)(?:example(?:\.(?:com|org|net))?|test|invalid)(?::\d+)?$")
"""Hosts that no one can own."""
_NAMED_AS = lazy(r"(?i)^(?:[a-z]+[-_])*(?:secret|token|passw(?:or)?d|pass)(?:[-_][a-z]+)*$")
"""A password that says of itself what it stands for."""


def _is_url_password(match: re.Match[str]) -> bool:
    secret, user = match["secret"], match["user"]
    if secret.lower() in _PUBLIC_PASSWORDS or secret == user or is_placeholder(secret):
        return False
    if _RESERVED_HOST.search(match["host"]) and _NAMED_AS.search(secret):
        return False
    return not re.search(r"[${}%()\[\]*]|^[.:]", secret) and not _LOCAL_HOST.search(match["host"])
