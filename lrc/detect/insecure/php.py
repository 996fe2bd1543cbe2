"""Insecure PHP."""

from lrc.detect.rules import TLS_OFF, Rule
from lrc.findings import Severity

_CALL = ("function_call_expression", "member_call_expression", "scoped_call_expression")
_INPUT = r"\$_(?:GET|POST|REQUEST|COOKIE|SERVER|FILES)\b|\$request->(?:input|query|get|all)\b|\$argv"


def _call(
    regex: str, message: str, hint: str, severity: Severity = Severity.HIGH, unless: str = "", mild: bool = False
) -> Rule:
    return Rule(("php",), _CALL, regex, message, severity, hint=hint, unless=unless, mild_names=mild)


RULES: tuple[Rule, ...] = (
    _call(
        r"(?:shell_exec|exec|system|passthru|popen)\(\s*(?:[\"'][^\"']*[\"']\s*\.\s*\$|\"[^\"]*\$|\$\w+\s*\.)",
        "A shell runs a command that is put together from values: use `escapeshellarg`",
        r"\$",
        unless=r"escapeshell|\$_|\$request|\$argv",
        mild=True,
    ),
    _call(
        r"unserialize\(\s*\$(?i:\w*(?:data|input|payload|cookie|body|request|state)\w*)\s*\)",
        "Unserialising data from outside can run code: use JSON",
        "unserialize",
        Severity.MEDIUM,
    ),
    _call(r"eval\(\s*\$(?!_)\w+", "Text held in a variable is run as code", "eval", Severity.MEDIUM),
    _call(
        r"(?:md5|sha1)\(\s*(?:\$_(?:POST|GET|REQUEST)\[|[\w$>:()-]+(?:->|::)\w+\()[\"'](?i:\w*passw\w*|pwd|pass)[\"']",
        "A fast hash of a password is guessed by the billion: use `password_hash`",
        "md5|sha1",
    ),
    _call(r"curl_setopt\(.*CURLOPT_SSL_VERIFY(?:PEER|HOST)\s*,\s*(?:false|0)\s*\)", TLS_OFF, "CURLOPT_SSL"),
    Rule(
        ("php",),
        ("array_element_initializer",),
        r"CURLOPT_SSL_VERIFY(?:PEER|HOST)\s*=>\s*(?:false|0)$",
        TLS_OFF,
        hint="CURLOPT_SSL",
    ),
    Rule(
        ("php",),
        ("array_element_initializer",),
        r"[\"'](?:verify|verify_peer|verify_peer_name)[\"']\s*=>\s*false$",
        TLS_OFF,
        hint="verify",
    ),
    Rule(
        ("php",),
        ("array_element_initializer",),
        r"[\"']allow_self_signed[\"']\s*=>\s*true$",
        TLS_OFF,
        hint="allow_self_signed",
    ),
    _call(r"[\w$>()-]*withoutVerifying\(\)", TLS_OFF, "withoutVerifying"),
    _call(
        rf"(?:shell_exec|exec|system|passthru|popen|proc_open)\(.*(?:{_INPUT})",
        "Input of a request reaches a shell",
        r"\$",
        unless=r"escapeshell",
    ),
    _call(
        rf"(?:unserialize)\(.*(?:{_INPUT}|base64_decode)",
        "Unserialising input can run code: use JSON",
        "unserialize",
        unless=r"allowed_classes.*false",
    ),
    _call(
        r"(?:md5|sha1)\(\s*[^)]*\$\w*(?i:passw|passphrase|pwd)|hash\(\s*['\"](?:md5|sha1|sha256)['\"]\s*,\s*[^)]*\$\w*(?i:passw|passphrase)",
        "A fast hash of a password is guessed by the billion: use `password_hash`",
        r"\$",
    ),
    _call(rf"(?:eval|assert|create_function)\(.*(?:{_INPUT})", "Input is run as code", r"\("),
    _call(rf"(?:extract|parse_str)\(\s*(?:{_INPUT})", "The request can set any variable", r"\$_"),
    _call(
        rf"(?:file_get_contents|readfile|fopen|unlink|include|require)\(.*(?:{_INPUT})",
        "The request chooses which file or address is read",
        r"\$_",
        unless=r"basename|realpath",
    ),
    Rule(
        ("php",),
        ("include_expression", "require_expression", "include_once_expression", "require_once_expression"),
        rf".*(?:{_INPUT})",
        "The request chooses which file is run",
        hint=r"\$_",
    ),
    Rule(
        ("php",),
        ("echo_statement", "print_intrinsic"),
        rf".*(?:{_INPUT})",
        "Input becomes markup of the page, scripts included: use `htmlspecialchars`",
        hint=r"\$",
        unless=r"htmlspecialchars|htmlentities|intval|\(int\)|json_encode|urlencode|esc_|REQUEST_TIME|REQUEST_METHOD",
    ),
    _call(
        rf"header\(\s*[\"']Location:[^\"']*[\"']\s*\.\s*(?:{_INPUT})",
        "Whoever writes the link chooses where this redirects to",
        "Location",
        Severity.MEDIUM,
    ),
    Rule(
        ("php",),
        ("assignment_expression",),
        r"(?i)\$\w*(?:token|secret|password|otp|nonce|session_?id|api_?key)\w*\s*=.*\b(?:mt_rand|rand|uniqid)\(",
        "This value can be predicted: use `random_bytes`",
        hint="rand|uniqid",
        unless=r"random_",
    ),
)
"""What `lrc.detect.disabled_security` looks for in PHP."""
