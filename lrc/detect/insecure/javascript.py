"""Insecure JavaScript and TypeScript."""

# ruff: noqa: E501 - a rule is read as one line

from lrc.detect.rules import TLS_OFF, Rule
from lrc.findings import Severity

_LANGUAGES = ("javascript", "typescript", "tsx")
_INPUT = r"(?:req(?:uest)?\.(?:body|query|params|cookies|headers)|location\.(?:hash|search|href)|document\.(?:URL|cookie|referrer)|event\.data|process\.argv|searchParams)"


def _call(
    regex: str, message: str, hint: str, severity: Severity = Severity.HIGH, unless: str = "", mild: bool = False
) -> Rule:
    return Rule(
        _LANGUAGES,
        ("call_expression", "new_expression"),
        regex,
        message,
        severity,
        hint=hint,
        unless=unless,
        mild_names=mild,
    )


def _pair(regex: str, message: str, hint: str, severity: Severity = Severity.HIGH) -> Rule:
    return Rule(_LANGUAGES, ("pair",), regex, message, severity, hint=hint)


def _assignment(regex: str, message: str, hint: str, severity: Severity = Severity.HIGH, unless: str = "") -> Rule:
    return Rule(_LANGUAGES, ("assignment_expression",), regex, message, severity, hint=hint, unless=unless)


_USER = r"(?i:[\w.]*(?:user_?input|userinput|untrusted|user\.|comment|query|params|input)\w*)"

RULES: tuple[Rule, ...] = (
    _call(rf"(?:eval|Function|new\s+Function)\(\s*{_USER}\s*\)", "Input is run as code", r"eval|Function"),
    _call(
        r"(?:eval|new\s+Function)\(\s*[a-zA-Z_$][\w.$]*\s*\)",
        "Text held in a variable is run as code",
        r"eval|Function",
        Severity.MEDIUM,
        unless=_USER + r"\s*\)$",
    ),
    _call(
        rf"(?:child_process\.|cp\.)?(?:exec|execSync)\(\s*{_USER}\s*[,)]",
        "Input reaches a shell: use `execFile` with a list",
        "exec",
        unless=r"^(?!(?:child_process|childProcess|cp)\.)\w+\.exec\(",
    ),
    _assignment(
        rf"[\w.\[\]()\"'$#-]+\.(?:innerHTML|outerHTML)\s*\+?=\s*(?:`[^`]*\$\{{\s*)?(?:[\"'][^\"']*[\"']\s*\+\s*)?{_USER}",
        "Input becomes markup of the page, scripts included: use `textContent`",
        "HTML",
        Severity.MEDIUM,
        unless=r"(?i)sanit|purify|escape",
    ),
    _assignment(
        r"[\w.\[\]()\"'$#-]+\.(?:innerHTML|outerHTML)\s*\+?=\s*(?:`[^`]*<[^`]*\$\{\s*|[\"'][^\"']*<[^\"']*[\"']\s*\+\s*)[\w.]*(?i:name|title|text|message|label|description|content|value|url)\w*\s*[}+;]",
        "A value becomes markup of the page: use `textContent`, or escape it",
        "HTML",
        Severity.LOW,
        unless=r"(?i)sanit|purify|escape|encode|__?\(|i18n|\bt\(",
    ),
    _pair(
        r"__html\s*:\s*(?:props\.|this\.props\.|user|comment|data\.|post\.|message|content|html\b|body)[\w.]*$",
        "Text becomes markup of the page, scripts included: clean it first",
        "__html",
        Severity.MEDIUM,
    ),
    _pair(r"[\"']?rejectUnauthorized[\"']?\s*:\s*false$", TLS_OFF, "rejectUnauthorized"),
    _pair(r"[\"']?(?:strictSSL|strictSsl|checkServerCertificate)[\"']?\s*:\s*false$", TLS_OFF, "strict"),
    _pair(r"[\"']?insecureSkipVerify[\"']?\s*:\s*true$", TLS_OFF, "insecureSkipVerify"),
    _pair(
        r"[\"']?checkServerIdentity[\"']?\s*:\s*\(?[^()]*\)?\s*=>\s*(?:undefined|null|true|\{\s*\})$",
        TLS_OFF,
        "checkServerIdentity",
    ),
    _assignment(
        r"process\.env(?:\.|\[[\"'])NODE_TLS_REJECT_UNAUTHORIZED(?:[\"']\])?\s*=\s*[\"'`]?0",
        TLS_OFF,
        "NODE_TLS_REJECT_UNAUTHORIZED",
    ),
    _call(
        r"(?:child_process\.|cp\.)?(?:exec|execSync)\(\s*(?:`[^`]*\$\{|[\"'][^\"']*[\"']\s*\+|\w[\w.]*\s*\+\s*[\"'`])",
        "A shell runs a command that is put together from values: use `execFile` with a list",
        "exec",
        unless=r"^(?!(?:child_process|childProcess|cp)\.)\w+\.exec\(|quote\(|escape",
        mild=True,
    ),
    _call(
        r"(?:child_process\.|cp\.)?(?:exec|execSync|spawn|spawnSync)\(.*" + _INPUT,
        "Input of a request reaches a command",
        r"\(",
        # Whoever starts a program may tell it what to start; only a shell reads more into it.
        unless=r"^(?:\w+\.)?spawn(?:Sync)?\((?!.*\bshell\s*:\s*true)(?!.*"
        + _INPUT.replace(r"|process\.argv", "")
        + ")",
    ),
    _call(r"(?:eval|Function|setTimeout|setInterval|vm\.runIn\w+)\(\s*[^,)]*" + _INPUT, "Input is run as code", r"\("),
    _call(
        r"(?:eval|(?:new\s+)?Function|set(?:Timeout|Interval))\(\s*(?:[\"'][\w, ]*[\"']\s*,\s*)*(?:`[^`]*\$\{|[\"'][^\"']*[\"']\s*\+)",
        "Text put together from values is run as code",
        "eval|Function|setTimeout|setInterval",
        Severity.MEDIUM,
    ),
    _assignment(
        r"[\w.\[\]]+\.(?:innerHTML|outerHTML)\s*\+?=.*" + _INPUT,
        "Input becomes markup of the page, scripts included: use `textContent`",
        "HTML",
    ),
    _call(
        r"require\(\s*[\"'](?:node:)?child_process[\"']\s*\)\.(?:exec|execSync)\(\s*(?:`[^`]*\$\{|[\"'][^\"']*[\"']\s*\+)"
        r"|(?:child_process\.|cp\.)?spawn(?:Sync)?\(\s*[\"'](?:/bin/)?(?:ba|z)?sh[\"']\s*,\s*\[\s*[\"']-l?c[\"']\s*,\s*(?:`[^`]*\$\{|[\"'][^\"']*[\"']\s*\+)",
        "A shell runs a command that is put together from values: use `execFile` with a list",
        "exec|spawn",
        mild=True,
    ),
    _call(
        r"(?:fs\.(?:promises\.)?)?(?:readFile|readFileSync|createReadStream|unlink|unlinkSync|writeFile|sendFile)\(.*(?:req|request)\.(?:query|params|body)\b|res\.(?:sendFile|download)\(.*(?:req|request)\.(?:query|params|body)\b",
        "The request chooses which file is read: check it against a list",
        r"req",
        unless=r"basename",
    ),
    _call(
        rf"(?:\$|jQuery)\([^()]*\)\.(?:html|append|prepend|after|before)\(\s*{_USER}\s*\)|[\w.]+\.insertAdjacentHTML\(\s*[\"']\w+[\"']\s*,\s*{_USER}\s*\)",
        "Input becomes markup of the page, scripts included: use `textContent`",
        r"html|append|prepend|after|before|HTML",
        Severity.MEDIUM,
        unless=r"(?i)sanit|purify|escape",
    ),
    _call(
        r"document\.write(?:ln)?\(.*" + _INPUT, "Input becomes markup of the page, scripts included", "document.write"
    ),
    _call(
        r"(?:res|response|reply)\.(?:send|write|end)\(\s*(?:`[^`]*<[^`]*\$\{[^}]*"
        + _INPUT
        + r"|[\"'][^\"']*<[^\"']*[\"']\s*\+\s*"
        + _INPUT
        + ")",
        "Input becomes markup of the page, scripts included: escape it",
        "re",
    ),
    _call(
        r"(?:res|response|reply)\.redirect\(\s*" + _INPUT,
        "Whoever writes the link chooses where this redirects to",
        "redirect",
        Severity.MEDIUM,
    ),
    _call(
        r"(?:[\w.]*\.)?createHash\(\s*[\"'](?:md5|sha1|sha256)[\"']\s*\)(?:\.\w+\([^)]*\))*\.update\([^)]*(?i:passw|passphrase|\bpwd\b)",
        "A fast hash of a password is guessed by the billion: use scrypt, bcrypt or Argon2",
        "createHash",
    ),
    _call(
        r"(?i)(?:md5|sha1)\(\s*[\w.]*(?:passw|passphrase)",
        "A fast hash of a password is guessed by the billion: use scrypt, bcrypt or Argon2",
        r"\(",
    ),
    _pair(
        r"[\"']?algorithms?[\"']?\s*:\s*\[?\s*[\"']none[\"']",
        "A token without a signature is accepted: anybody can write one",
        "none",
    ),
    _pair(
        r"[\"']?(?:ignoreExpiration)[\"']?\s*:\s*true$",
        "Tokens are accepted after they expired",
        "ignoreExpiration",
        Severity.MEDIUM,
    ),
    _pair(
        r"[\"']?httpOnly[\"']?\s*:\s*false$", "Scripts of the page can read this cookie", "httpOnly", Severity.MEDIUM
    ),
    _pair(
        r"[\"']?(?:contentSecurityPolicy|xssFilter|csrfProtection|csrf)[\"']?\s*:\s*false$",
        "A protection of the page is switched off",
        "false",
        Severity.MEDIUM,
    ),
    _pair(r"[\"']?webSecurity[\"']?\s*:\s*false$", "The browser window gives up the same-origin rule", "webSecurity"),
    _pair(
        r"[\"']?(?:nodeIntegration)[\"']?\s*:\s*true$",
        "Pages in this window can use Node: a script in one owns the machine",
        "nodeIntegration",
        Severity.MEDIUM,
    ),
    _pair(
        r"[\"']?contextIsolation[\"']?\s*:\s*false$",
        "Pages in this window share the preload script's context",
        "contextIsolation",
        Severity.MEDIUM,
    ),
    Rule(
        _LANGUAGES,
        ("variable_declarator", "assignment_expression"),
        r"(?i)[\w.]*(?:secret|password|otp|session_?id|api_?key|(?:auth|access|reset|session|csrf|login|user)_?token)\w*(?:\s*:\s*\w+)?\s*=.*Math\.random\(",
        "`Math.random` can be predicted: use `crypto.randomBytes` or `crypto.getRandomValues`",
        hint="Math.random",
    ),
    Rule(
        _LANGUAGES,
        ("variable_declarator", "assignment_expression"),
        r"(?i)[\w.]*(?:token|nonce)\w*(?:\s*:\s*\w+)?\s*=.*Math\.random\(",
        "`Math.random` can be predicted: if this opens anything, use `crypto.randomBytes` or `crypto.getRandomValues`",
        Severity.MEDIUM,
        hint="Math.random",
    ),
    _call(
        r"(?:serialize|nodeSerialize)\.unserialize\(",
        "`unserialize` runs functions that the data holds: use JSON",
        "unserialize",
    ),
    _call(
        r"(?:\w+\.)?createCipher\(",
        "`createCipher` derives its key without a salt: use `createCipheriv`",
        "createCipher",
        Severity.MEDIUM,
    ),
    _call(
        r"(?:\w+\.)?createCipheriv\(\s*[\"'][\w-]*-ecb[\"']",
        "ECB mode shows equal blocks as equal: use an authenticated mode such as GCM",
        "ecb",
    ),
)
"""What `lrc.detect.disabled_security` looks for in JavaScript, TypeScript and TSX."""
