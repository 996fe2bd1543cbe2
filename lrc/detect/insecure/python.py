"""Insecure Python."""

# ruff: noqa: E501 - a rule is read as one line

from lrc.detect.rules import TLS_OFF, Rule
from lrc.findings import Severity

_INPUT = r"(?:request|\breq\b|recv|input\(|argv|payload|\bbody\b|cookie|b64decode|\bform\b|socket|\bsock\b|user_data|untrusted|redis|message\.(?:data|body|value))"


def _call(
    regex: str, message: str, hint: str, severity: Severity = Severity.HIGH, unless: str = "", mild: bool = False
) -> Rule:
    return Rule(("python",), ("call",), regex, message, severity, hint=hint, unless=unless, mild_names=mild)


def _keyword(regex: str, message: str, hint: str, severity: Severity = Severity.HIGH) -> Rule:
    return Rule(("python",), ("keyword_argument",), regex, message, severity, hint=hint)


def _statement(regex: str, message: str, hint: str, severity: Severity = Severity.HIGH, unless: str = "") -> Rule:
    return Rule(("python",), ("assignment",), regex, message, severity, hint=hint, unless=unless)


_SHELL = "A shell runs a command that is put together from values: quotes and `;` in them become commands. Pass a list"
_HTTP_CALL = (
    r"[\w.]*?(?:\.|\b)(?:get|post|put|patch|delete|head|options|request|stream|send|Session|Client|AsyncClient)\("
)

_USER = r"(?i:\w*(?:user|input|request|argv|query|param|untrusted|host|filename|expr)\w*)"

RULES: tuple[Rule, ...] = (
    _call(
        rf"(?:subprocess\.)?(?:run|call|check_call|check_output|Popen)\(\s*{_USER}[\w.\[\]\"']*\s*,.*\bshell\s*=\s*True\b|os\.(?:system|popen)\(\s*{_USER}\s*\)",
        _SHELL,
        "shell|os",
    ),
    _call(
        r"os\.(?:system|popen)\(\s*[a-z_][\w.]*\s*\)",
        "A shell runs a command held in a variable: make sure that no input reaches it, or pass a list",
        r"os\.",
        Severity.MEDIUM,
        unless=_USER[:-1] + r"\s*\))",
    ),
    _call(rf"(?:eval|exec)\(\s*{_USER}\s*[,)]", "Input is run as code", r"eval|exec"),
    _call(
        r"urllib3\.disable_warnings\(|requests\.packages\.urllib3\.disable_warnings\(",
        "Warnings about unchecked certificates are silenced",
        "disable_warnings",
        Severity.MEDIUM,
    ),
    _call(rf"{_HTTP_CALL}.*\bverify\s*=\s*False\b", TLS_OFF, "verify"),
    _call(r"[\w.]*(?:boto3|session)\.(?:client|resource)\(.*\bverify\s*=\s*False\b", TLS_OFF, "verify"),
    _statement(r"[\w.]*(?:session|client|s)\.verify\s*=\s*False$", TLS_OFF, "verify"),
    _keyword(
        r"(?:verify_ssl|ssl_verify|verify_certs|validate_certs?|tls_verify|check_hostname|assert_hostname)\s*=\s*False$",
        TLS_OFF,
        "False",
    ),
    _keyword(r"(?:cert_reqs|verify_mode)\s*=\s*(?:[\"']CERT_NONE[\"']|ssl\.CERT_NONE)$", TLS_OFF, "CERT_NONE"),
    _statement(r"[\w.]+\.verify_mode\s*=\s*ssl\.CERT_NONE$", TLS_OFF, "CERT_NONE"),
    _statement(r"[\w.]+\.check_hostname\s*=\s*False$", TLS_OFF, "check_hostname"),
    _statement(r"ssl\._create_default_https_context\s*=", TLS_OFF, "_create_default_https_context"),
    _call(r"ssl\._create_unverified_context\(", TLS_OFF, "_create_unverified_context"),
    _call(
        r"(?:subprocess\.)?(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)\(\s*(?:[rb]?f[\"']|[^,]*?[\"']\s*(?:\+|%\s|\.format\()|\w[\w.]*\s*\+).*\bshell\s*=\s*True\b",
        _SHELL,
        "shell",
        unless=r"shlex\.(?:quote|join)|list2cmdline",
        mild=True,
    ),
    _call(
        r"(?:subprocess\.)?(?:run|call|check_call|check_output|Popen)\(\s*\w[\w.\[\]]*\s*,.*\bshell\s*=\s*True\b",
        "A shell runs a command held in a variable: make sure that no input reaches it, or pass a list",
        "shell",
        Severity.MEDIUM,
    ),
    _call(
        r"os\.(?:system|popen)\(\s*(?:[rb]?f[\"'].*\{|[^,]*?[\"']\s*(?:\+|%\s|\.format\()|\w[\w.]*\s*\+)",
        _SHELL,
        r"os\.",
        unless=r"shlex\.quote",
        mild=True,
    ),
    _call(
        r"(?:yaml)\.load(?:_all)?\((?!.*(?:SafeLoader|CSafeLoader|BaseLoader|FullLoader|safe|Loader\s*=\s*\w*(?:Safe|loader)))",
        "`yaml.load` without a safe loader builds any object that the text names: use `yaml.safe_load`",
        r"yaml\.",
    ),
    _call(
        r"yaml\.unsafe_load(?:_all)?\(|yaml\.load(?:_all)?\(.*\b(?:Unsafe)Loader\b",
        "This loader builds any object that the text names: use `yaml.safe_load`",
        r"yaml\.",
    ),
    _call(
        r"(?:c?[pP]ickle|dill|cloudpickle|marshal|jsonpickle)\.(?:loads?|decode)\(.*" + _INPUT,
        "Unpickling runs code that the data names, and this data comes from outside: use JSON or sign it",
        "oad|decode",
    ),
    _call(
        r"marshal\.loads\(",
        "This format runs code that the data names: make sure that nobody else can write it",
        "marshal",
        Severity.LOW,
        unless=_INPUT,
    ),
    _call(
        r"(?:(?:subprocess|commands)\.)?(?:getoutput|getstatusoutput)\(\s*(?:[rb]?f[\"'].*\{|[^,]*?[\"']\s*(?:\+|%\s|\.format\()|\w[\w.]*\s*\+)|(?:asyncio\.)?create_subprocess_shell\(\s*(?:[rb]?f[\"'].*\{|[^,]*?[\"']\s*(?:\+|%\s|\.format\())",
        _SHELL,
        "getoutput|getstatusoutput|subprocess_shell",
        unless=r"shlex\.quote",
        mild=True,
    ),
    _call(
        r"(?:pd|pandas|joblib|shelve|torch)\.(?:read_pickle|load|open)\(.*request",
        "Unpickling runs code that the data names, and this data comes from outside: use JSON or sign it",
        "pickle|load|open",
    ),
    _call(
        r"(?:open|send_file|FileResponse|send_from_directory)\(.*\brequest\.(?:args|form|GET|POST|values|params|query_params|json)\b",
        "The request chooses which file is read: check it against a list",
        "request",
        unless=r"secure_filename|basename",
    ),
    _call(
        r"(?:requests|httpx|urllib\.request)\.(?:get|post|put|head|request|urlopen)\(\s*(?:[\"'][A-Z]+[\"'],\s*)?request\.(?:args|form|GET|POST|values|params|query_params|json)\b",
        "Whoever sends the request chooses what this server fetches",
        "request",
        Severity.MEDIUM,
    ),
    _call(
        r"(?:HttpResponse|make_response|Response|HTMLResponse)\(\s*(?:f[\"'][^\"']*<[^\"']*\{[^}]*request\.|[\"'][^\"']*<[^\"']*[\"']\s*(?:\+|%)\s*request\.)",
        "Input becomes markup of the page, scripts included: escape it",
        "request",
        unless=r"escape",
    ),
    _call(
        r"(?:redirect|HttpResponseRedirect|RedirectResponse)\(\s*request\.(?:args|form|GET|POST|values|params|query_params)\b",
        "Whoever writes the link chooses where this redirects to",
        "request",
        Severity.MEDIUM,
    ),
    _call(
        r"exec\(\s*[a-z_][\w.]*\s*[,)]",
        "Text held in a variable is run as code",
        r"\bexec\(",
        Severity.MEDIUM,
        unless=_USER + r"\s*[,)]",
    ),
    _call(
        r"(?:[\w.]*TCPConnector|[\w.]*session\.(?:get|post|put|patch|delete|request|ws_connect))\(.*\bssl\s*=\s*False\b",
        TLS_OFF,
        "ssl",
    ),
    Rule(
        ("python",),
        ("pair",),
        r"[\"'](?:verify|verify_ssl|ssl_verify|verify_certs)[\"']\s*:\s*False$",
        TLS_OFF,
        Severity.MEDIUM,
        hint="verif",
        inside=r"requests|httpx|urllib|session|https?:|ssl",
    ),
    _keyword(
        r"resolve_entities\s*=\s*True$",
        "External entities are read: a document can fetch files of this machine",
        "resolve_entities",
        Severity.MEDIUM,
    ),
    _statement(
        r"(?:SESSION_COOKIE_SECURE|CSRF_COOKIE_SECURE|SESSION_COOKIE_HTTPONLY|SECURE_SSL_REDIRECT|WTF_CSRF_ENABLED)\s*=\s*False$"
        r"|[\w.]*config\[[\"'](?:SESSION_COOKIE_SECURE|SESSION_COOKIE_HTTPONLY|WTF_CSRF_ENABLED)[\"']\]\s*=\s*False$",
        "A protection of the site's sessions is switched off",
        "False",
        Severity.MEDIUM,
    ),
    Rule(
        ("python",),
        ("call",),
        r"hashlib\.(?:md5|sha1|sha224|sha256)\(",
        "A fast hash of a password is guessed by the billion: use scrypt, bcrypt or Argon2",
        hint="hashlib",
        unless=r"(?i)passw|\bpwd\b|\bpw\b",
        inside=r"^(?!.*(?i:pbkdf2|bcrypt|scrypt|argon|hmac|pwned)).*(?:def\s+\w*(?i:hash_?(?:passw|pw)|passw\w*_hash)\w*\(|\.update\(\s*\w*(?i:passw|pwd))",
    ),
    Rule(
        ("python",),
        ("call",),
        r"random\.(?:choices?|randint|random|randrange|getrandbits|sample)\(",
        "`random` can be predicted from its output: use `secrets`",
        hint=r"random\.",
        inside=r"def\s+_?(?:generate|make|create|new|gen|random)_\w*(?:token|password|secret|otp|nonce|api_?key|session_?id)\b",
    ),
    _call(
        r"pickle\.loads\(",
        "Unpickling runs code that the data names: make sure that nobody else can write it, or use JSON",
        "loads",
        Severity.MEDIUM,
        unless=r"pickle\.dumps|" + _INPUT,
    ),
    _call(
        r"hashlib\.(?:md5|sha1|sha224|sha256|new)\(.*(?i:passw|passphrase|\bpwd\b|\bpw\b)",
        "A fast hash of a password is guessed by the billion: use scrypt, bcrypt or Argon2",
        "hashlib",
        unless=r"(?i)hmac|pbkdf2|usedforsecurity\s*=\s*False|passw\w*_?hash|hashed_?passw",
    ),
    _call(
        r"(?:eval|exec)\(.*(?:request\.|\binput\(|argv|\bparams\b|\bpayload\b|\.body\b|\.form\b|cookies?\b|recv\()",
        "Input is run as code",
        r"\(",
    ),
    _call(
        r"jwt\.decode\(.*(?:verify\s*=\s*False|algorithms?\s*=\s*\[\s*[\"']none[\"'])",
        "The token's signature is not checked: anybody can write one",
        "jwt",
    ),
    Rule(
        ("python",),
        ("pair",),
        r"[\"']verify_(?:signature|exp)[\"']\s*:\s*False$",
        "The token's signature or expiry is not checked",
        hint="verify_",
    ),
    _call(
        r"[\w.]*set_missing_host_key_policy\(.*(?:AutoAddPolicy|WarningPolicy)",
        "Unknown host keys are accepted: anybody on the way can play the server",
        "Policy",
        Severity.MEDIUM,
    ),
    _call(
        r"tempfile\.mktemp\(",
        "Between `mktemp` and opening the file somebody else can create it: use `mkstemp` or `NamedTemporaryFile`",
        "mktemp",
        Severity.MEDIUM,
    ),
    _call(
        r"(?:\w+\.)?(?:Environment|Template)\(.*\bautoescape\s*=\s*False\b",
        "Templates are filled in without escaping: input in them becomes markup",
        "autoescape",
        Severity.MEDIUM,
    ),
    _call(
        r"(?:[\w.]*\.)?run\(.*\bdebug\s*=\s*True\b",
        "The debugger is on: whoever reaches this server can run code in it",
        "debug",
        Severity.MEDIUM,
        unless=r"asyncio|^(?!.*app)",
    ),
    _call(
        r"(?:AES|DES3?|Blowfish|\w+)\.new\(.*\bMODE_ECB\b",
        "ECB mode shows equal blocks as equal: use an authenticated mode such as GCM",
        "MODE_ECB",
    ),
    _call(
        r"mark_safe\(.*(?:request|\.format\(|\bf[\"']|%\s|\+)",
        "Text put together from values is marked as safe markup: use `format_html`",
        "mark_safe",
        Severity.MEDIUM,
    ),
    _call(
        r"render_template_string\(.*(?:request|\.format\(|\bf[\"'].*\{|%\s|\+)",
        "Input becomes part of the template and is run by it: pass it as a variable",
        "render_template_string",
    ),
    Rule(
        ("python",),
        ("decorator",),
        r"@(?:[\w.]*\.)?csrf_exempt$",
        "This view accepts requests forged by other sites",
        Severity.MEDIUM,
        hint="csrf_exempt",
    ),
    _statement(
        r"(?i)\w*(?:token|secret|password|otp|nonce|salt|session_?id|api_?key)\w*\s*=.*\brandom\.(?:choices?|randint|random|randrange|getrandbits|sample)\(",
        "`random` can be predicted from its output: use `secrets`",
        r"random\.",
        Severity.HIGH,
        unless=r"SystemRandom|secrets\.|num_tokens|token_?ids?\b|tokens\b|next_token|n_tokens",
    ),
)
"""What `lrc.detect.disabled_security` looks for in Python."""
