"""Insecure Rust."""

from lrc.detect.rules import TLS_OFF, Rule
from lrc.findings import Severity


def _call(regex: str, message: str, hint: str, severity: Severity = Severity.HIGH, unless: str = "") -> Rule:
    return Rule(("rust",), ("call_expression",), regex, message, severity, hint=hint, unless=unless)


RULES: tuple[Rule, ...] = (
    _call(r".*\.?danger_accept_invalid_(?:certs|hostnames)\(\s*true\s*\)$", TLS_OFF, "danger_accept_invalid"),
    _call(r".*\.set_verify\(\s*(?:\w+::)*SslVerifyMode::NONE\s*\)$", TLS_OFF, "SslVerifyMode"),
    _call(
        r".*\.with_custom_certificate_verifier\(.*(?i:noverif|danger|insecure|acceptall|skip)",
        TLS_OFF,
        "with_custom_certificate_verifier",
    ),
    _call(
        r"(?:\w+::)*Command::new\(\s*\"(?:/bin/)?(?:ba|z)?sh\"\s*\)\s*\.arg\(\s*\"-c\"\s*\)\s*\.arg\(\s*&?format!\(",
        "A shell runs a command that is put together from values: call the program itself",
        "format!",
        unless=r"escape|quote",
    ),
    _call(
        r"(?:\w+::)*(?:md5::compute|Md5::digest|Sha1::digest|Sha256::digest)\(.*(?i:passw|passphrase)",
        "A fast hash of a password is guessed by the billion: use argon2, scrypt or bcrypt",
        r"\(",
    ),
    _call(
        r".*\.insecure_disable_signature_validation\(\)$",
        "The token's signature is not checked: anybody can write one",
        "insecure_disable",
    ),
    _call(
        r"(?:std::)?mem::transmute(?:::<[^>]*>)?\(",
        "`transmute` takes any bytes for the new type: say why they are valid",
        "transmute",
        Severity.LOW,
    ),
)
"""What `lrc.detect.disabled_security` looks for in Rust."""
