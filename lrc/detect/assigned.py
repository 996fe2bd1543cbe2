"""Secrets without a shape of their own: a value given to something that is called a password, a key or a token."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from lrc.patterns import lazy

_WORD = (
    r"(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|"
    r"(?:auth|encryption|signing|master|account|jwt|hmac|session|cookie|crypto|app)[_-]?key|credentials?|"
    r"(?<![\w-])pass|(?<![a-z])(?:db|database|smtp|e?mail|ftp|ssh|user|admin|root|login|auth|mysql|pg|postgres|redis|mongo|amqp|"
    r"ldap|http|proxy|basic|service|sudo|wifi)[_-]?pass)"
)
_NAME_END = rf"(?P<called>\w{{0,40}}?{_WORD})"
_NAME = rf"(?P<name>[\w.$-]{{0,60}}?{_WORD})"
_TYPE = r"(?:\s*:\s*[\w.\[\]<>| &]{1,40}?|\s+[\w.]+)?"
QUOTED = lazy(
    rf"(?i:{_NAME})(?:[\"']\]?|{_TYPE})\s*(?:===?|!==?|:=|=>|=|:)\s*(?:[bru@$]|String\.raw|\[\]byte\(|Buffer\.from\()?"
    r"(?P<quote>[\"'`])(?P<value>[^\"'`\n]{6,200})(?P=quote)"
)
"""`name = "value"`, `"name": "value"`, `["name"] = "value"`, `name: str = "value"`."""
IN_CALL = lazy(
    rf"(?i:\b(?:define|setenv|putenv|set\w*|put|property|option|env|environ)\(\s*[\"']{_NAME}[\"'])\s*,\s*"
    r"(?P<quote>[\"'])(?P<value>[^\"'\n]{6,200})(?P=quote)"
)
"""`define("NAME", "value")`, `setenv("NAME", "value")`; without the call two strings are a list of words."""
BARE = lazy(
    rf"^[+ -]?\s*(?:export\s+|set\s+|ENV\s+|ARG\s+|-\s+)?(?i:{_NAME})(?:\s*[:=]\s*|(?<=[A-Z])\s+)"
    r"(?P<value>[^\s\"'`#]{6,200})\s*(?:#.*)?$"
)
"""`NAME=value` and `name: value` as settings files and shell scripts write them."""
IN_TEXT = lazy(
    rf"(?i:{_NAME})(?:=(?P<value>[^\s;&\"'<>`,]{{6,200}})(?=[;&\"'`])|>(?P<element>[^\s<>]{{6,200}})</)"
    rf"|(?i:[\"']--[\w-]{{0,40}}?{_WORD}[\"'][^\n]{{0,80}}?\bdefault\s*=\s*)(?P<q>[\"'])(?P<fallback>[^\"'\n]{{6,200}})(?P=q)"
    rf"|(?i:(?:\.(?:set|with)?|\b(?:set|with)_?){_NAME_END})\(\s*(?P<quote>[\"'])(?P<argument>[^\"'\n]{{6,200}})(?P=quote)\s*\)"
)
"""`Password=value;` in a connection string, `<password>value</password>`, `.setPassword("value")`."""
IN_COMMAND = lazy(
    rf"(?:^|\s)(?:(?i:{_NAME})=|--(?i:(?P<option>[\w-]*{_WORD}))\s+)(?P<value>[^\s\"'`#;&|<>]{{6,200}})(?=\s+[^\s=:]|\s*$)"
)
"""`NAME=value command`, `docker run -e NAME=value image`, `--password value`."""
IN_LOGIN = lazy(
    r"(?:HTTPBasicAuth|\.login|getConnection|\bmysqli(?:_connect)?|(?:MySQLdb|pymysql|psycopg2)\.connect|[bB]asic_?[aA]uth|"
    r"NetworkCredential|UsernamePasswordCredentials|Credentials\.basic)\([^()]*?[\"'][^\"'\n]*[\"']\s*,\s*"
    r"(?P<quote>[\"'])(?P<value>(?=[^\"']*\d)(?=[^\"']*[A-Za-z])[^\"'\n]{6,200})(?P=quote)"
)
"""A user and a password side by side: `HTTPBasicAuth("user", "value")`."""
TOKEN_KEY = lazy(
    r"\bjwt\.(?:sign|verify|encode|decode)\(\s*(?:\{[^{}]*\}|[^\"',]+),\s*(?P<quote>[\"'])(?P<value>[^\"'\s]{6,200})(?P=quote)"
)
"""The key with which tokens are signed, written beside them."""
COMMAND_LANGUAGES = frozenset({"bash", "dockerfile", "makefile", "powershell"})
"""Where a line is a command with its arguments."""
BARE_LANGUAGES = frozenset({"ini", "yaml", "bash", "dockerfile", ""})
"""Where an unquoted value is text and not an expression; the empty one stands for files of no known language."""

_HINT = lazy(r"pass|pwd|secret|token|key|credential", re.IGNORECASE)
_LOGIN_HINT = lazy(r"Auth|\.login|Connection|mysqli|\.connect|Credential|basic", re.IGNORECASE)
_NOT_ITSELF = lazy(r"(?i)hash|encrypted|cipher|masked|redacted|digest|checksum|fingerprint|public")
"""Names of what is made from a secret and may be known."""
_PASSWORD = lazy(r"(?:password|passwd|passphrase|pwd|pass)$", re.IGNORECASE)
_GUESSED_FIRST = lazy(r"(?i)^(?:letmein|qwerty\w*|iloveyou|trustno1|hunter2)$")
"""Words that nobody writes behind a password's name but as a password."""
_STAND_IN = lazy(
    r"example|change[-_ ]?(?:me|it)|place[-_ ]?holder|your[-_ ]?|dummy|fake|redacted|masked_|insert|replace|xxxx|"
    r"\*\*\*|\.\.\.|…|<[^>]*>|(.)\1{5,}|^Eby8vdM02xN",
    re.IGNORECASE,
)
"""What stands for a secret; the last is the key of Azure's storage emulator, printed in its manual."""
_LABEL = lazy(
    r"sample|to[-_ ]?do\b|xxx|\bnone\b|\bnull\b|undefined|default|foo|bar\b|baz|lorem|mock|test|not[-_ ]?a[-_ ]?real|"
    r"deadbeef|hello",
    re.IGNORECASE,
)
_INDIRECT = lazy(
    r"[$#%]\{|\{\{|\$\(|%\(|%[sdv]|^\{[\w.:-]*\}$|\{[a-z_][\w.]*\}|^[$@&#%!?:.]\w|^(?:env|vault|arn|ref|secret|file|op|ssm|aws|kms|"
    r"enc|sops)[:.(]|process\.env|os\.environ|getenv|System\.|secrets\.|config[.\[(]|settings[.\[(]|\w+\(|://|^[./~]|\\[dwsbnu]"
    r"|\.(?:json|ya?ml|pem|key|txt|crt|env|com|org|io|net|html|js|ts|py)$|[\[\]|^<>]|^\w+(?:\.\w+)+$",
    re.IGNORECASE,
)
_UUID = lazy(r"^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$", re.IGNORECASE)
_WORDS = lazy(r"^(?:[A-Za-z]*[a-z]{2,}[A-Za-z]*\d{0,2}|[A-Z]{2,}\d{0,2}|v?\d{1,4}|[a-z])$")
_LAST_LATIN = 0x24F
_RANDOM_LENGTH, _RANDOM_ENTROPY = 40, 4.4
"""Text of this length and entropy (bits a character) was drawn at random, whatever signs are in it."""
_WEAK = lazy(r"passw|secret|admin|1234|qwerty|letmein|welcome", re.IGNORECASE)


def entropy(text: str) -> float:
    """Shannon entropy of the characters, in bits a character; 0 for the empty text."""
    counts = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())


def is_placeholder(text: str) -> bool:
    """True for values that stand for a secret without being one: `changeme`, `xxxx`, `your-key`, `AKIA…EXAMPLE`."""
    return _STAND_IN.search(text) is not None or (len(set(text)) < 5 and len(text) > 8) or _counts_up(text)


def _counts_up(text: str) -> bool:
    """True for text that is mostly the alphabet or the digits in order, as nobody draws it."""
    steps = sum(ord(after) - ord(before) == 1 for before, after in pairwise(text))
    return len(text) >= 16 and 2 * steps > len(text)


def is_weak(value: str) -> bool:
    """True for a password that anybody would guess: worth a word, more likely a stand-in."""
    return _WEAK.search(value) is not None


def assigned(line: str, language: str) -> Iterator[tuple[int, int, str]]:
    """The secrets that `line` gives a name to: first and last column (exclusive) of the value, and its name."""
    yield from _beside(line)
    if not _HINT.search(line):
        return
    bare = (BARE,) if language in BARE_LANGUAGES else ()
    command = (IN_COMMAND,) if language in COMMAND_LANGUAGES else ()
    for pattern in (QUOTED, *bare, *command, IN_CALL, IN_TEXT):
        for match in pattern.finditer(line):
            groups = match.groupdict()
            group = next(group for group in ("value", "element", "argument", "fallback") if groups.get(group))
            name = match["name"] or groups.get("called") or groups.get("option") or ""
            if is_secret(name, match[group]):
                yield *match.span(group), name


def _beside(line: str) -> Iterator[tuple[int, int, str]]:
    """Secrets that their place in a call gives away."""
    if "(" not in line or ("jwt." not in line and not _LOGIN_HINT.search(line)):
        return
    for match in IN_LOGIN.finditer(line):
        if is_secret("password", match["value"]):
            yield *match.span("value"), "password"
    for match in TOKEN_KEY.finditer(line):
        if not is_placeholder(match["value"]) and not _INDIRECT.search(match["value"]):
            yield *match.span("value"), "jwt key"


def is_secret(name: str, value: str) -> bool:
    """True when a value that is called `name` is worth keeping to oneself, and no stand-in or name of one."""
    if _PASSWORD.search(name) and _GUESSED_FIRST.search(value):
        return True
    if is_placeholder(value) or _LABEL.search(value) or _UUID.match(value) or any(char.isspace() for char in value):
        return False
    if any(ord(char) > _LAST_LATIN for char in value):
        return False  # words of another script, for people to read
    if _INDIRECT.search(value) and not (len(value) >= _RANDOM_LENGTH and entropy(value) >= _RANDOM_ENTROPY):
        return False
    if _NOT_ITSELF.search(name):
        return False
    if value.lower().replace("-", "_") in name.lower().replace("-", "_"):
        return False
    digits = any(char.isdigit() for char in value)
    letters = any(char.isalpha() for char in value)
    if _PASSWORD.search(name):
        # A mark at the end is punctuation: "Forgot?".
        odd = any(char in "!@#$%^&*+=?~" for char in value.rstrip("?!"))
        return letters and (digits or odd) and (odd or not _is_words(value) or _ends_in_digit(value))
    return len(value) >= 12 and digits and letters and entropy(value) >= 3.0 and not _is_words(value)


def _ends_in_digit(value: str) -> bool:
    """`hunter2` is a password, `step_2` and `oauth2-password` are names."""
    return value[-1].isdigit() and "_" not in value and "-" not in value


def _is_words(value: str) -> bool:
    """True when the value is made of words, as names and labels are: `user-token-v2`, `OAuth2ClientSecret`."""
    return all(_WORDS.match(part) for part in re.split(r"[-_.:/ ]+", value) if part)
