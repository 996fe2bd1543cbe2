"""Insecure commands and variables, read line by line: in scripts, images, workflows and settings."""

import re
from typing import NamedTuple

from lrc.detect.rules import TLS_OFF
from lrc.findings import Severity
from lrc.patterns import lazy


class Command(NamedTuple):
    """One kind of trouble in a line."""

    pattern: re.Pattern[str]
    message: str
    severity: Severity = Severity.MEDIUM


LANGUAGES = frozenset({"bash", "dockerfile", "makefile", "yaml", "ini", "powershell", "groovy"})
"""Where a line may be a command or set a variable for one."""

_LOCAL = r"(?!.*(?:localhost|127\.0\.0\.1|0\.0\.0\.0|host\.docker\.internal))"

COMMANDS: tuple[Command, ...] = (
    Command(lazy(rf"\bcurl\s{_LOCAL}(?:.*\s)?(?:-[a-zA-Z]*k[a-zA-Z]*|--insecure)(?=\s|$)"), TLS_OFF),
    Command(lazy(rf"\bwget\s{_LOCAL}.*--no-check-certificate\b"), TLS_OFF),
    Command(lazy(r"\bhttp\.sslVerify[\"']?[ =]+[\"']?false\b"), TLS_OFF),
    Command(lazy(r"\bGIT_SSL_NO_VERIFY[\"']?\s*[=:]\s*[\"']?(?:1|true)\b"), TLS_OFF),
    Command(lazy(r"\b(?:NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY)[\"']?\s*[=: ]\s*[\"']?0\b"), TLS_OFF),
    Command(lazy(r"\bstrict-ssl(?:\s*=\s*|\s+)false\b"), TLS_OFF),
    Command(lazy(r"\bpip3?\s+install\b.*--trusted-host\b"), TLS_OFF),
    Command(
        lazy(r"\bStrictHostKeyChecking[= ]no\b"),
        "Any host key is accepted: anybody on the way can play the server",
        Severity.LOW,
    ),
    Command(
        lazy(r"\b(?:curl|wget)\b[^|]*\bhttp://[^|]*\|\s*(?:sudo\s+)?(?:-\w+\s+)*(?:ba|z|da)?sh\b"),
        "A script that anybody on the way can change is run unseen",
        Severity.HIGH,
    ),
    Command(
        lazy(
            r"\b(?:curl|wget)\b[^|]*\|\s*(?:sudo\s+)?(?:-\w+\s+)*(?:ba|z|da)?sh\b|\b(?:ba|z)?sh\s+(?:-c\s+)?[\"']?(?:<\(|\$\()\s*(?:curl|wget)\b"
        ),
        "A script from the network is run unseen: pin its version and check its hash",
        Severity.LOW,
    ),
    Command(
        lazy(r"^\s*eval\s+[\"']?\$(?:[1-9@*]|\{[1-9@*]\}|\{?(?:INPUT|input|user_input|USER_INPUT)\b)"),
        "An argument is run as a command",
    ),
)
"""What `lrc.detect.disabled_security` looks for there, gravest first where two fit one line."""

HINT = lazy(r"curl|wget|ssl|SSL|TLS|HTTPSVERIFY|trusted-host|StrictHostKey|\beval\b")
"""Without one of these no line is in question."""
