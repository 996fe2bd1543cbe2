"""Insecure C and C++."""

from lrc.detect.rules import TLS_OFF, Rule
from lrc.findings import Category, Severity

_LENGTH = "Nothing bounds how much is written: longer input overwrites what lies behind the buffer"


def _call(regex: str, message: str, hint: str, severity: Severity = Severity.HIGH, unless: str = "") -> Rule:
    return Rule(("c", "cpp"), ("call_expression",), regex, message, severity, hint=hint, unless=unless)


RULES: tuple[Rule, ...] = (
    _call(
        r"(?:strcpy|strcat|stpcpy)\(\s*[^,]+,(?!\s*[\"'])(?!\s*(?:argv|getenv\(|optarg|\w*(?:input|line|request|user)\w*))",
        _LENGTH,
        r"st(?:r|p)c",
        Severity.MEDIUM,
        unless=r"(?:STR|_STRING|_NAME|[A-Z]{4,})\s*\)$",
    ),
    _call(r"(?:std::)?gets\(", _LENGTH + ". Use `fgets`", "gets"),
    _call(r"(?:f|s)?scanf\(\s*(?:\w[\w.>-]*\s*,\s*)?\"[^\"]*%s", _LENGTH + ". Give %s a width", "scanf"),
    _call(
        r"(?:strcpy|strcat|stpcpy)\(\s*[^,]+,\s*(?:argv|getenv\(|optarg|\w*(?:input|line|request|user)\w*)",
        _LENGTH,
        "st",
    ),
    _call(
        r"sprintf\(\s*[^,]+,\s*\"[^\"]*%s[^\"]*\".*(?:argv|getenv\(|optarg|\w*(?:input|request|user)\w*)",
        _LENGTH + ". Use `snprintf`",
        "sprintf",
    ),
    Rule(
        ("c", "cpp"),
        ("init_declarator", "assignment_expression"),
        r"(?i)\w*(?:token|secret|password|otp|nonce|session_?id|api_?key)\w*\s*=[^;]*(?<![\w.])(?:rand|random)\(\)",
        "`rand` can be predicted: use the system's random numbers",
        Severity.MEDIUM,
        hint="rand",
    ),
    _call(
        r"sprintf\(\s*[^,]+,\s*\"[^\"]*%s[^\"]*\"",
        _LENGTH + ". Use `snprintf`",
        "sprintf",
        Severity.LOW,
        unless=r"(?:argv|getenv\(|optarg|\w*(?:input|request|user)\w*)|(?:STR|_STRING|_NAME|[A-Z]{4,})\s*\)$",
    ),
    _call(
        r"(?:std::)?(?:system|popen)\(\s*(?:argv|getenv\(|\w+\.c_str\(\)|\(.*\+.*\)\.c_str\(\)|\w*(?:cmd|command|buf|buffer|input)\w*\s*[,)])",
        "A shell runs a command that is put together from values: use `execv` with a list",
        r"\(",
        Severity.MEDIUM,
    ),
    _call(
        r"(?:printf|vprintf|syslog)\(\s*(?:LOG_\w+\s*,\s*)?(?:argv\[\w+\]|\w*(?:input|line|buf|buffer|msg|message|str|user)\w*)\s*\)",
        'Text that may hold `%n` or `%s` is used as the format: write `printf("%s", …)`',
        r"\(",
    ),
    _call(
        r"fprintf\(\s*\w+\s*,\s*(?:argv\[\w+\]|\w*(?:input|line|buf|buffer|msg|message|str|user)\w*)\s*\)",
        'Text that may hold `%n` or `%s` is used as the format: write `fprintf(f, "%s", …)`',
        "fprintf",
    ),
    _call(
        r"curl_easy_setopt\(.*CURLOPT_SSL_VERIFY(?:PEER|HOST)\s*,\s*(?:0L?|false|FALSE)\s*\)", TLS_OFF, "CURLOPT_SSL"
    ),
    _call(r"SSL_(?:CTX_)?set_verify\([^,]+,\s*SSL_VERIFY_NONE", TLS_OFF, "SSL_VERIFY_NONE", Severity.MEDIUM),
    _call(
        r"(?:mktemp|tmpnam|tempnam)\(",
        "Between choosing the name and opening the file somebody else can create it: use `mkstemp`",
        r"\(",
        Severity.MEDIUM,
    ),
    _call(
        r"(?:MD5|SHA1|SHA256)\(.*(?i:passw|passphrase)",
        "A fast hash of a password is guessed by the billion: use Argon2 or scrypt",
        r"\(",
    ),
    Rule(
        ("c", "cpp"),
        ("call_expression",),
        r"memcpy\(\s*[^,]+,\s*[^,]+,\s*strlen\(",
        "The closing zero is not copied, and nothing checks that the target is large enough",
        Severity.LOW,
        Category.RELIABILITY,
        hint="memcpy",
        unless=r"strlen\([^)]*\)\s*\+\s*1",
    ),
)
"""What `lrc.detect.disabled_security` looks for in C and C++."""
