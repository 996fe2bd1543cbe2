"""Insecure Ruby."""

from lrc.detect.rules import TLS_OFF, Rule
from lrc.findings import Severity

_INPUT = r"(?:params\b|request\.|cookies\b|ARGV\b|gets\b)"


def _call(
    regex: str, message: str, hint: str, severity: Severity = Severity.HIGH, unless: str = "", mild: bool = False
) -> Rule:
    return Rule(("ruby",), ("call",), regex, message, severity, hint=hint, unless=unless, mild_names=mild)


_USER = r"(?:user_input|untrusted\w*|user_params|input)\b"

_FIXED = r"^(?:(?!#\{).)*(?:#\{\w*(?:dir|__dir__|root|shared|home|base|prefix|version|tmp|[A-Z_]{3,})\}(?:(?!#\{).)*)+$"
"""All that is spliced in is called like a constant of the project."""

RULES: tuple[Rule, ...] = (
    Rule(
        ("ruby",),
        ("subshell",),
        r"(?:`|%x.).*#\{",
        "Backticks run a command that is put together from values in a shell: give the arguments one by one",
        Severity.MEDIUM,
        hint=r"#\{",
        unless=r"shellescape|Shellwords|" + _INPUT + r"|" + _FIXED,
    ),
    _call(
        r"(?:instance_|class_)?eval\(\s*[a-z_]\w*\s*\)$",
        "Text held in a variable is run as code",
        "eval",
        Severity.MEDIUM,
    ),
    _call(
        r"Marshal\.(?:load|restore)\(?\s*(?i:\w*(?:data|payload|input|body|message|blob|string|value))\b",
        "Reading marshalled data can run code: make sure that nobody else can write it, or use JSON",
        "Marshal",
        Severity.MEDIUM,
    ),
    _call(
        r"(?:Kernel\.|URI\.)?open\(\s*params\[|(?:Net::HTTP\.get\w*|HTTParty\.get|Faraday\.get)\(?\s*(?:URI(?:\.parse)?\()?\s*params\[",
        "The request chooses what is opened: a file of this machine, an address inside, or a command after `|`",
        "params",
    ),
    Rule(
        ("ruby",),
        ("assignment",),
        r"(?i)\w*(?:token|secret|password|otp|nonce|session_?id|api_?key)\w*\s*=.*(?<![\w.])(?:Random\.)?rand\(",
        "`rand` can be predicted: use `SecureRandom`",
        hint="rand",
        unless=r"SecureRandom",
    ),
    _call(
        rf"(?:eval|instance_eval|class_eval|system|exec|send|public_send)\(?\s*{_USER}",
        "Input is run as code or as a command",
        "input|untrusted|params",
    ),
    _call(
        rf"(?:YAML|Psych|Marshal)\.(?:load|unsafe_load)\(?\s*{_USER}",
        "Data from outside can build any object: use `YAML.safe_load` or JSON",
        "load",
    ),
    Rule(("ruby",), ("assignment", "pair"), r".*OpenSSL::SSL::VERIFY_NONE$", TLS_OFF, hint="VERIFY_NONE"),
    Rule(
        ("ruby",),
        ("pair",),
        r":?[\"']?(?:verify_ssl|ssl_verify|verify_peer|verify_certificate)[\"']?\s*(?::|=>)\s*false$",
        TLS_OFF,
        hint="false",
    ),
    Rule(
        ("ruby",),
        ("pair",),
        r":?verify(?::|\s*=>)\s*false$",
        TLS_OFF,
        hint="verify",
        inside=r"(?:HTTParty|Faraday|Excon|HTTP|Typhoeus|RestClient|ssl)",
    ),
    _call(
        r"(?:Kernel\.)?(?:system|exec|spawn|IO\.popen|Open3\.\w+)\(?\s*\"[^\"]*#\{",
        "A shell runs a command that is put together from values: give the arguments one by one",
        r"#\{",
        unless=r"shellescape|Shellwords|^\w+\(?\s*\"[^\"]*\"\s*,\s*(?!\w+:\s)|" + _FIXED,
        mild=True,
    ),
    Rule(
        ("ruby",),
        ("subshell",),
        r"`.*#\{.*" + _INPUT,
        "Input reaches a shell: give the arguments one by one",
        hint=r"#\{",
        unless=r"shellescape|Shellwords",
    ),
    _call(
        r"(?:eval|instance_eval|class_eval|send|public_send|constantize)\(?\s*[^\n]*" + _INPUT,
        "Input is run as code",
        "eval|send|constantize",
        unless=r"permit|\.require\(|^public_send\(:|^send\(:|^send\(\"",
    ),
    _call(
        r"[^\n]*\bparams\[[^\]]*\]\.(?:constantize|html_safe)$",
        "Input is trusted as a class name or as markup",
        "params",
    ),
    _call(
        r"(?:YAML|Psych)\.(?:load|unsafe_load)\(?\s*[^\n]*" + _INPUT,
        "YAML from outside can build any object: use `safe_load`",
        "oad",
    ),
    _call(
        r"Marshal\.(?:load|restore)\(?\s*[^\n]*(?:" + _INPUT + r"|Base64|\bbody\b|read\b|socket|redis)",
        "Reading marshalled data from outside can run code: use JSON",
        "Marshal",
    ),
    _call(
        r"Digest::(?:MD5|SHA1|SHA256)\.\w+\(?\s*[^\n]*(?i:passw|passphrase)",
        "A fast hash of a password is guessed by the billion: use bcrypt",
        "Digest",
    ),
    _call(
        r"skip_before_action\s+:verify_authenticity_token",
        "Requests forged by other sites are accepted",
        "verify_authenticity_token",
        Severity.MEDIUM,
    ),
    _call(
        r"[\w.]*\.permit!$",
        "Every parameter of the request is accepted, those that nobody thought of included",
        "permit!",
        Severity.MEDIUM,
    ),
    _call(r"(?:raw|html_safe)\(?\s*params", "Input becomes markup of the page, scripts included", "params"),
    _call(
        r"redirect_to\(?\s*params\[",
        "Whoever writes the link chooses where this redirects to",
        "redirect_to",
        Severity.MEDIUM,
    ),
    _call(
        r"(?:File\.(?:open|read|delete)|send_file|IO\.read)\(?\s*[^\n]*\bparams\[",
        "The request chooses which file is read: check it against a list",
        "params",
        unless=r"basename",
    ),
)
"""What `lrc.detect.disabled_security` looks for in Ruby."""
