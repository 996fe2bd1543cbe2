"""Insecure Go."""

from lrc.detect.rules import TLS_OFF, Rule
from lrc.findings import Severity


def _call(
    regex: str,
    message: str,
    hint: str,
    severity: Severity = Severity.HIGH,
    unless: str = "",
    mild: bool = False,
    inside: str = "",
) -> Rule:
    return Rule(
        ("go",),
        ("call_expression",),
        regex,
        message,
        severity,
        hint=hint,
        unless=unless,
        mild_names=mild,
        inside=inside,
    )


_SHELL = "A shell runs a command that is put together from values: call the program itself with its arguments"

RULES: tuple[Rule, ...] = (
    _call(
        r"exec\.Command(?:Context)?\((?:\s*\w+\s*,)?\s*\"(?:/bin/)?(?:ba|z|k)?sh\"\s*,\s*\"-l?c\"\s*,\s*(?i:\w*(?:user|input|query|param|request|name|host)\w*)\s*\)",
        _SHELL,
        r"exec\.Command",
    ),
    _call(
        r"exec\.Command(?:Context)?\((?:\s*\w+\s*,)?\s*\"(?:/bin/)?(?:ba|z|k)?sh\"\s*,\s*\"-l?c\"\s*,\s*[a-z][\w.]*\s*\)",
        "A shell runs a command held in a variable: make sure that no input reaches it",
        r"exec\.Command",
        Severity.MEDIUM,
        unless=r"(?i)(?:user|input|query|param|request|name|host)\w*\s*\)$",
    ),
    _call(
        r"template\.(?:HTML|JS|URL)\(\s*(?i:\w*(?:user|input|comment|query|param)\w*)\s*\)",
        "Input becomes markup of the page, scripts included",
        r"template\.",
        Severity.MEDIUM,
    ),
    Rule(("go",), ("keyed_element",), r"InsecureSkipVerify\s*:\s*true$", TLS_OFF, hint="InsecureSkipVerify"),
    Rule(
        ("go",),
        ("assignment_statement",),
        r"[\w.]+\.InsecureSkipVerify\s*=\s*true$",
        TLS_OFF,
        hint="InsecureSkipVerify",
    ),
    Rule(
        ("go",),
        ("keyed_element", "assignment_statement"),
        r"(?:[\w.]+\.)?MinVersion\s*[:=]\s*tls\.Version(?:SSL30|TLS10|TLS11)$",
        "Versions of TLS with known faults are accepted",
        Severity.MEDIUM,
        hint="MinVersion",
    ),
    _call(
        r"ssh\.InsecureIgnoreHostKey\(\)",
        "Any host key is accepted: anybody on the way can play the server",
        "InsecureIgnoreHostKey",
    ),
    _call(
        r"exec\.Command(?:Context)?\((?:\s*\w+\s*,)?\s*\"(?:/bin/)?(?:ba|z|k)?sh\"\s*,\s*\"-l?c\"\s*,\s*(?:fmt\.Sprintf\(|\"[^\"]*\"\s*\+|`[^`]*`\s*\+|\w[\w.]*\s*\+)",
        _SHELL,
        "exec.Command",
        unless=r"[qQ]uote\(",
        mild=True,
    ),
    _call(
        r"(?:md5|sha1|sha256)\.(?:Sum|Sum256|New)\(.*(?i:passw|passphrase|\bpwd\b)",
        "A fast hash of a password is guessed by the billion: use bcrypt, scrypt or Argon2",
        r"\.",
    ),
    _call(
        r"\w+\.Write\(\s*\[\]byte\(\s*\w*(?i:passw|passphrase|pwd)\w*\s*\)",
        "A fast hash of a password is guessed by the billion: use bcrypt, scrypt or Argon2",
        "Write",
        inside=r"^(?!.*(?i:hmac|pbkdf2|bcrypt|scrypt|argon)).*(?:md5|sha1|sha256)\.New\(\)",
    ),
    _call(
        r"(?:os|ioutil)\.(?:Open|OpenFile|ReadFile|Remove|Create)\(.*(?:\.FormValue\(|\.URL\.Query\(\)\.Get\()|http\.ServeFile\(.*(?:\.FormValue\(|\.URL\.Query\(\)\.Get\()",
        "The request chooses which file is read: check it against a list",
        r"FormValue|Query",
        unless=r"filepath\.Base\(|path\.Base\(",
    ),
    _call(
        r"grpc\.WithInsecure\(\)",
        "This connection is not encrypted",
        "WithInsecure",
        Severity.LOW,
    ),
    _call(
        r"template\.(?:HTML|JS|URL|HTMLAttr)\(.*(?:\.FormValue\(|\.URL\.Query\(|\.PostForm|\.Query\(|\.Param\()",
        "Input becomes markup of the page, scripts included",
        r"template\.",
    ),
    _call(
        r"fmt\.Fprint(?:f|ln)?\(\s*w\s*,.*<.*(?:\.FormValue\(|\.URL\.Query\()",
        "Input becomes markup of the page, scripts included: use `html/template`",
        "Fprint",
    ),
    Rule(
        ("go",),
        ("selector_expression",),
        r"jwt\.(?:SigningMethodNone|UnsafeAllowNoneSignatureType)$",
        "Tokens without a signature: anybody can write one",
        hint="None",
    ),
    Rule(
        ("go",),
        ("short_var_declaration", "assignment_statement"),
        r"(?i)\w*(?:token|secret|password|otp|nonce|session_?id|api_?key)\w*\s*:?=.*\brand\.(?:Intn?|Int63|Int31n?|Uint32|Read)\(",
        "`math/rand` can be predicted: use `crypto/rand`",
        hint=r"rand\.",
        unless=r"cryptorand|crand\.",
    ),
    _call(
        r"http\.(?:Get|Post)\(.*(?:\.FormValue\(|\.URL\.Query\(\)\.Get\()",
        "Whoever sends the request chooses what this server fetches",
        r"http\.",
        Severity.MEDIUM,
    ),
)
"""What `lrc.detect.disabled_security` looks for in Go."""
