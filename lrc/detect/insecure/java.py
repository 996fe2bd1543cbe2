"""Insecure Java."""

from lrc.detect.rules import TLS_OFF, Rule
from lrc.findings import Severity

_CALL = ("method_invocation", "object_creation_expression")
_FAST = "A fast hash of a password is guessed by the billion: use BCrypt, SCrypt or Argon2"


def _call(
    regex: str,
    message: str,
    hint: str,
    severity: Severity = Severity.HIGH,
    unless: str = "",
    mild: bool = False,
    inside: str = "",
) -> Rule:
    return Rule(("java",), _CALL, regex, message, severity, hint=hint, unless=unless, mild_names=mild, inside=inside)


RULES: tuple[Rule, ...] = (
    _call(
        r"(?:Runtime\.getRuntime\(\)|\w*[rR]untime|rt)\.exec\(\s*(?i:\w*(?:user|input|param|request|query|host|name)\w*)",
        "Input reaches a command: use ProcessBuilder with a list",
        "exec",
    ),
    _call(
        r"(?:Runtime\.getRuntime\(\)|\w*[rR]untime|rt)\.exec\(\s*[a-z]\w*\s*\)",
        "A command held in a variable is run: make sure that no input reaches it",
        "exec",
        Severity.MEDIUM,
        unless=r"(?i)(?:user|input|param|request|query|host|name)\w*\s*\)$",
    ),
    Rule(
        ("java",),
        ("field_access", "identifier"),
        r"(?:NoopHostnameVerifier|[\w.]*ALLOW_ALL_HOSTNAME_VERIFIER|NoopHostnameVerifier\.INSTANCE)$",
        TLS_OFF,
        hint="erif",
    ),
    _call(
        r"new\s+(?:TrustAllStrategy|TrustSelfSignedStrategy|AllowAllHostnameVerifier|NullHostnameVerifier)\(",
        TLS_OFF,
        "new",
    ),
    _call(r"[\w.]*set(?:Default)?HostnameVerifier\(\s*\(?[\w\s,]*\)?\s*->\s*true\s*\)", TLS_OFF, "HostnameVerifier"),
    Rule(
        ("java",),
        ("method_declaration",),
        r"(?:@Override\s+)?public\s+void\s+check(?:Server|Client)Trusted\([^)]*\)[^{]*\{\s*(?://[^\n]*\s*)?\}$",
        "This trust manager accepts every certificate",
        hint="Trusted",
    ),
    Rule(
        ("java",),
        ("method_declaration",),
        r"(?:@Override\s+)?public\s+boolean\s+verify\(\s*(?:final\s+)?String\s+\w+,\s*(?:final\s+)?SSLSession\s+\w+\s*\)\s*\{\s*return\s+true;\s*\}$",
        "This verifier accepts every host name",
        hint="verify",
    ),
    _call(
        r"(?:Runtime\.getRuntime\(\)|\w*[rR]untime|rt)\.exec\(\s*(?:\"[^\"]*\"\s*\+|\w[\w.]*\s*\+|String\.format\()",
        "A command is put together from values: use ProcessBuilder with a list",
        "exec",
        mild=True,
    ),
    _call(
        r"new\s+ProcessBuilder\(\s*\"(?:/bin/)?(?:ba)?sh\"\s*,\s*\"-c\"\s*,\s*(?:\"[^\"]*\"\s*\+|\w[\w.]*\s*\+|String\.format\()",
        "A shell runs a command that is put together from values",
        "ProcessBuilder",
    ),
    _call(
        r"MessageDigest\.getInstance\(\s*\"(?:MD5|SHA-?1|SHA-?256)\"\s*\)",
        _FAST,
        "MessageDigest",
        inside=r"(?i)\b\w*(?:passw(?:or)?d|passphrase)\w*\s*\.\s*getBytes|hash_?passw|passw\w*hash",
    ),
    _call(
        r"new\s+(?:File|FileInputStream|FileReader|RandomAccessFile)\(.*\w*[rR]equest\.getParameter\(|(?:Paths\.get|Path\.of)\(.*\w*[rR]equest\.getParameter\(",
        "The request chooses which file is read: check it against a list",
        "getParameter",
    ),
    _call(
        r"[\w.]*\.eval\(.*\w*[rR]equest\.getParameter\(",
        "Input is run as code",
        "getParameter",
    ),
    _call(
        r"new\s+Yaml\(\s*\)",
        "`new Yaml()` builds any object that the text names: give it a SafeConstructor",
        "Yaml",
        Severity.MEDIUM,
        inside=r"\.load(?:All|As)?\(",
    ),
    _call(
        r"(?:DocumentBuilderFactory|SAXParserFactory|XMLInputFactory)\.newInstance\(\)",
        "External entities may be read: a document can fetch files of this machine",
        "newInstance",
        Severity.MEDIUM,
        inside=r"^(?!.*(?:setFeature|setExpandEntityReferences|setProperty|setAttribute|FEATURE_SECURE)).*(?i:request|getInputStream\(|upload|body|socket)",
    ),
    _call(r"DigestUtils\.(?:md5|sha1|sha256)\w*\(\s*[\w.()]*(?i:passw|passphrase|pwd)", _FAST, "DigestUtils"),
    _call(
        r"new\s+ObjectInputStream\(.*(?:request|getInputStream\(|socket)",
        "Reading objects from outside can run code: use a data format, or an ObjectInputFilter",
        "ObjectInputStream",
    ),
    _call(
        r"Cipher\.getInstance\(\s*\"(?:DES|DESede|RC4|RC2|Blowfish|AES/ECB)[/\"\w]*",
        "This cipher or mode is broken: use AES/GCM/NoPadding",
        "Cipher",
    ),
    _call(
        r"Cipher\.getInstance\(\s*\"AES\"\s*\)",
        "`AES` alone means ECB mode, which shows equal blocks as equal: use AES/GCM/NoPadding",
        "Cipher",
        Severity.MEDIUM,
    ),
    _call(
        r"(?:http|[\w.]+\(\))?[\w.()\s]*\.?csrf\(\)\s*\.disable\(\)$",
        "Requests forged by other sites are accepted",
        "csrf",
        Severity.MEDIUM,
    ),
    _call(
        r"(?:[\w.()\s]*\.)?csrf\(\s*(?:AbstractHttpConfigurer::disable|\(?\w+\)?\s*->\s*\w+\.disable\(\))\s*\)$",
        "Requests forged by other sites are accepted",
        "csrf",
        Severity.MEDIUM,
    ),
    _call(r".*\.anyRequest\(\)\s*\.permitAll\(\)$", "Every request is let through without a login", "permitAll"),
    _call(
        r"[\w.]*\.setFeature\(\s*\"[^\"]*(?:disallow-doctype-decl\"\s*,\s*false|external-(?:general|parameter)-entities\"\s*,\s*true)",
        "External entities are read: a document can fetch files of this machine",
        "setFeature",
    ),
    _call(
        r"(?:PasswordEncoder|NoOpPasswordEncoder)\.getInstance\(\)$|NoOpPasswordEncoder\.",
        "Passwords are kept as they are",
        "NoOpPasswordEncoder",
    ),
    _call(
        r"[\w.]*\.(?:println|print|write|append)\(.*<.*\"\s*\+\s*\w*request\.getParameter\(",
        "Input becomes markup of the page, scripts included",
        "getParameter",
    ),
    _call(
        r"[\w.]*\.sendRedirect\(\s*\w*request\.getParameter\(",
        "Whoever writes the link chooses where this redirects to",
        "sendRedirect",
        Severity.MEDIUM,
    ),
    Rule(
        ("java",),
        ("variable_declarator",),
        r"(?i)\w*(?:token|secret|password|otp|nonce|session_?id|api_?key)\w*\s*=.*\bnew\s+Random\(\)|^(?i:\w*(?:token|otp|nonce))\s*=.*Math\.random\(",
        "`Random` can be predicted: use SecureRandom",
        hint="andom",
    ),
)
"""What `lrc.detect.disabled_security` looks for in Java."""
