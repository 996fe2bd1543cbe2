"""Insecure C#."""

from lrc.detect.rules import TLS_OFF, Rule
from lrc.findings import Severity

_CHECK = "A check of the token is switched off"
_CALL = ("invocation_expression", "object_creation_expression")


def _call(
    regex: str,
    message: str,
    hint: str,
    severity: Severity = Severity.HIGH,
    unless: str = "",
    mild: bool = False,
    inside: str = "",
) -> Rule:
    return Rule(("csharp",), _CALL, regex, message, severity, hint=hint, unless=unless, mild_names=mild, inside=inside)


def _assignment(regex: str, message: str, hint: str, severity: Severity = Severity.HIGH) -> Rule:
    return Rule(("csharp",), ("assignment_expression",), regex, message, severity, hint=hint)


RULES: tuple[Rule, ...] = (
    _assignment(
        r"[\w.]*Server(?:Certificate(?:Custom)?Validation|CertificateCustomValidation)Callback\s*\+?=\s*(?:delegate\s*)?\(?[^()]*\)?\s*(?:=>\s*true|\{\s*return\s+true;\s*\}|=>\s*\{\s*return\s+true;\s*\})$",
        TLS_OFF,
        "Callback",
    ),
    Rule(
        ("csharp",),
        ("member_access_expression",),
        r"HttpClientHandler\.DangerousAcceptAnyServerCertificateValidator$",
        TLS_OFF,
        hint="Dangerous",
    ),
    _assignment(
        r"(?:[\w.]+\.)?(?:ValidateIssuerSigningKey|ValidateLifetime|RequireSignedTokens|RequireExpirationTime|ValidateAudience|ValidateIssuer)\s*=\s*false$",
        _CHECK,
        "false",
        Severity.MEDIUM,
    ),
    _assignment(
        r"(?:[\w.]+\.)?(?:TypeNameHandling)\s*=\s*(?:[\w.]*\.)?(?:All|Auto|Objects)$",
        "The data names the types that are built: others can run code through it",
        "TypeNameHandling",
        Severity.MEDIUM,
    ),
    _assignment(
        r"(?:[\w.]+\.)?RequireHttpsMetadata\s*=\s*false$",
        "Keys are fetched without TLS",
        "RequireHttpsMetadata",
        Severity.MEDIUM,
    ),
    _assignment(
        r"(?:[\w.]+\.)?DtdProcessing\s*=\s*DtdProcessing\.Parse$",
        "External entities may be read: a document can fetch files of this machine",
        "DtdProcessing",
        Severity.MEDIUM,
    ),
    _assignment(r"(?:[\w.]+\.)?Mode\s*=\s*CipherMode\.ECB$", "ECB mode shows equal blocks as equal: use AesGcm", "ECB"),
    _call(
        r"new\s+(?:BinaryFormatter|SoapFormatter|LosFormatter|NetDataContractSerializer)\(",
        "This formatter can be made to run code by the data that it reads: use JSON",
        "new",
    ),
    _call(
        r"Process\.Start\(\s*(?:\"(?:cmd|cmd\.exe|/bin/(?:ba)?sh|powershell)\"\s*,\s*)?(?:\$\"[^\"]*\{|\"[^\"]*\"\s*\+)",
        "A command is put together from values: use ProcessStartInfo.ArgumentList",
        "Process.Start",
    ),
    _call(
        r"(?:MD5|SHA1|SHA256)\.(?:Create\(\)|HashData\()",
        "A fast hash of a password is guessed by the billion: use PBKDF2, bcrypt or Argon2",
        "MD5|SHA",
        inside=r"(?i)GetBytes\(\s*\w*passw|hash_?passw",
    ),
    _call(
        r"new\s+(?:DESCryptoServiceProvider|TripleDESCryptoServiceProvider|RC2CryptoServiceProvider|MD5CryptoServiceProvider)\(",
        "This algorithm is broken",
        "new",
        Severity.MEDIUM,
    ),
    Rule(
        ("csharp",),
        ("attribute",),
        r"(?:IgnoreAntiforgeryToken|ValidateInput\(\s*false\s*\)|RequestSizeLimit\(\s*long\.MaxValue\s*\))$",
        "A protection of this action is switched off",
        Severity.MEDIUM,
        hint=r"\[",
    ),
    _call(r"(?:[\w.]*\.)?Html\.Raw\(.*Request", "Input becomes markup of the page, scripts included", "Html.Raw"),
    Rule(
        ("csharp",),
        ("variable_declarator",),
        r"(?i)\w*(?:token|secret|password|otp|nonce|session_?id|api_?key)\w*\s*=.*\bnew\s+Random\(",
        "`Random` can be predicted: use RandomNumberGenerator",
        hint="Random",
    ),
)
"""What `lrc.detect.disabled_security` looks for in C#."""
