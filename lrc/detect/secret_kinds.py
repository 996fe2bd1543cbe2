"""What secrets look like: one row a kind, each with the text that must be in a line before its pattern is tried.

The patterns are our own, written from the issuers' published token formats. Each names the secret itself `secret`.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from lrc.patterns import lazy

_END = r"(?![A-Za-z0-9_/+=-])"


@dataclass(frozen=True)
class SecretKind:
    """A secret that its own shape gives away."""

    name: str
    """How it is called in messages and masks: `GitHub token`."""
    hint: str
    """Lower-case text without which no line holds one; saves nearly all pattern matching."""
    pattern: str
    certain: bool = True
    """False when the same shape is also used for harmless things, so that it is reported one level lower."""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern compiled, on first need: most are never needed."""
        return re.compile(self.pattern)


def _token(body: str, before: str = r"(?<![A-Za-z0-9_-])") -> str:
    return rf"{before}(?P<secret>{body}){_END}"


def _near(word: str, body: str) -> str:
    """`body` as a quoted or assigned value on a line that names `word` before it."""
    return rf"(?i:{word})[^\n]{{0,40}}?[\"'=:\s](?P<secret>{body}){_END}"


SECRET_KINDS: tuple[SecretKind, ...] = (
    SecretKind("AWS access key", "a", _token(r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}")),
    SecretKind("AWS secret key", "aws", _near(r"aws[\w.-]{0,20}(?:secret|sk)[\w.-]{0,20}", r"[A-Za-z0-9/+]{40}")),
    SecretKind("GitHub token", "gh", _token(r"gh[pousr]_[A-Za-z0-9]{36,255}")),
    SecretKind("GitHub token", "github_pat_", _token(r"github_pat_[A-Za-z0-9_]{50,255}")),
    SecretKind("GitLab token", "gl", _token(r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_-]{20,255}")),
    SecretKind("Slack token", "xox", _token(r"xox[abeoprs]-(?:\d+-)?[A-Za-z0-9-]{20,255}")),
    SecretKind("Slack token", "xapp-", _token(r"xapp-\d-[A-Z0-9]{8,}-\d+-[a-z0-9]{32,}")),
    SecretKind("Slack webhook", "hooks.slack.com", r"(?P<secret>hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{16,})"),
    SecretKind(
        "Discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{15,}/(?P<secret>[\w-]{50,})"
    ),
    SecretKind("Discord bot token", ".", _token(r"[MNO][A-Za-z\d]{23,25}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,38}")),
    SecretKind("Telegram bot token", ":aa", _token(r"\d{8,10}:AA[A-Za-z0-9_-]{32,34}")),
    SecretKind("Stripe key", "k_live_", _token(r"[sr]k_live_[A-Za-z0-9]{16,247}")),
    SecretKind("Stripe test key", "k_test_", _token(r"[sr]k_test_[A-Za-z0-9]{20,247}"), certain=False),
    SecretKind("Stripe webhook secret", "whsec_", _token(r"whsec_[A-Za-z0-9+/]{32,}={0,2}")),
    SecretKind("Google API key", "aiza", _token(r"AIza[A-Za-z0-9_-]{35}"), certain=False),
    SecretKind("Google OAuth secret", "gocspx-", _token(r"GOCSPX-[A-Za-z0-9_-]{28}")),
    SecretKind("OpenAI key", "sk-", _token(r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,}")),
    SecretKind("OpenAI key", "t3blbkfj", _token(r"sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}")),
    SecretKind("OpenAI-style key", "sk-", _token(r"sk-[A-Za-z0-9]{48}")),
    SecretKind(
        "OpenAI-style key", "sk-", _token(r"sk-(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{24,47}"), certain=False
    ),
    SecretKind("Anthropic key", "sk-ant-", _token(r"sk-ant-[a-z0-9]{3,8}-[A-Za-z0-9_-]{60,}")),
    SecretKind("Anthropic key", "sk-ant-", _token(r"sk-ant-[a-z0-9]{3,8}-[A-Za-z0-9_-]{12,59}"), certain=False),
    SecretKind("OpenRouter key", "sk-or-", _token(r"sk-or-v1-[0-9a-f]{64}")),
    SecretKind("Groq key", "gsk_", _token(r"gsk_[A-Za-z0-9]{48,56}")),
    SecretKind("Hugging Face token", "hf_", _token(r"hf_[A-Za-z]{34,40}")),
    SecretKind("npm token", "npm_", _token(r"npm_[A-Za-z0-9]{36}")),
    SecretKind("PyPI token", "pypi-", _token(r"pypi-[A-Za-z0-9_-]{60,}")),
    SecretKind("RubyGems key", "rubygems_", _token(r"rubygems_[0-9a-f]{48}")),
    SecretKind("crates.io token", "cio", _token(r"cio[A-Za-z0-9]{32}")),
    SecretKind("Docker Hub token", "dckr_", _token(r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,}")),
    SecretKind("SendGrid key", "sg.", _token(r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}")),
    SecretKind("Mailgun key", "key-", _near(r"mailgun[\w.-]{0,20}", r"key-[0-9a-zA-Z]{32}")),
    SecretKind("Mailchimp key", "-us", _token(r"[0-9a-f]{32}-us\d{1,2}")),
    SecretKind("Twilio key", "sk", _near(r"twilio[\w.-]{0,20}", r"SK[0-9a-fA-F]{32}")),
    SecretKind("Twilio auth token", "twilio", _near(r"twilio[\w.-]{0,12}(?:auth|token)[\w.-]{0,12}", r"[0-9a-f]{32}")),
    SecretKind("Twilio auth token", "ac", r"[\"']AC[0-9a-f]{32}[\"']\s*,\s*[\"'](?P<secret>[0-9a-f]{32})[\"']"),
    SecretKind("DigitalOcean token", "_v1_", _token(r"do[oprt]_v1_[a-f0-9]{64}")),
    SecretKind("Heroku key", "hrku-", _token(r"HRKU-[A-Za-z0-9_-]{36,64}")),
    SecretKind("Shopify token", "shp", _token(r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}")),
    SecretKind("Square token", "sq0", _token(r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,43}")),
    SecretKind("Databricks token", "dapi", _token(r"dapi[a-f0-9]{32}(?:-\d)?")),
    SecretKind("Vault token", "hvs.", _token(r"hvs\.[A-Za-z0-9_-]{24,}")),
    SecretKind("Terraform Cloud token", ".atlasv1.", _token(r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}")),
    SecretKind("Azure storage key", "accountkey=", r"AccountKey=(?P<secret>[A-Za-z0-9+/]{86}==)"),
    SecretKind("Azure client secret", "q~", _token(r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}")),
    SecretKind("Atlassian token", "atatt3", _token(r"ATATT3[A-Za-z0-9_=-]{60,}")),
    SecretKind("Bitbucket token", "atctt3", _token(r"ATCTT3[A-Za-z0-9_=-]{60,}")),
    SecretKind("Grafana token", "gl", _token(r"glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,}={0,2}")),
    SecretKind("New Relic key", "nrak-", _token(r"NRAK-[A-Z0-9]{27}")),
    SecretKind("Sentry token", "sntry", _token(r"sntry[su]_[A-Za-z0-9_=+/-]{40,}")),
    SecretKind("Linear key", "lin_api_", _token(r"lin_api_[A-Za-z0-9]{32,48}")),
    SecretKind("Notion token", "ntn_", _token(r"ntn_[A-Za-z0-9]{40,50}")),
    SecretKind("Postman key", "pmak-", _token(r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}")),
    SecretKind("Figma token", "figd_", _token(r"figd_[A-Za-z0-9_-]{38,}")),
    SecretKind("Dropbox token", "sl.", _token(r"sl\.(?:u\.)?[A-Za-z0-9_-]{130,}")),
    SecretKind("Facebook token", "eaa", _token(r"EAA[A-Za-z0-9]{100,}")),
    SecretKind("age secret key", "age-secret-key-1", _token(r"AGE-SECRET-KEY-1[0-9A-Z]{58}")),
    SecretKind(
        "key of a client",
        "client(",
        r"\b\w*[cC]lient\(\s*[\w.]+\s*,\s*[\"'](?P<secret>(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{32,64})[\"']\s*\)",
        certain=False,
    ),
    SecretKind(
        "registry token", "_authtoken", r"_authToken\s*=\s*[\"']?(?P<secret>[A-Za-z0-9][\w.+/=-]{15,})", certain=False
    ),
    SecretKind(
        "password on a command line",
        "-p",
        r"\b(?:mysql\w*|mariadb\w*)\s(?:.*\s)?-p(?P<secret>(?=\S*\d)[^\s\"'$`{}<>-][^\s\"'$`{}<>]{5,})",
        certain=False,
    ),
    SecretKind(
        "password on a command line",
        "login",
        r"\b(?:docker|podman|oc|az)\s+login\b.*\s(?:-p|--password)[ =][\"']?"
        r"(?P<secret>(?=\S*\d)[^\s\"'$`{}<>-][^\s\"'$`{}<>]{5,})",
        certain=False,
    ),
    SecretKind(
        "password of a database user",
        "'",
        r"(?i)\b(?:create|alter)\s+(?:user|role|login)\b[^\n]*?\b(?:identified\s+(?:with\s+\S+\s+)?by|password)\s*=?\s*"
        r"'(?P<secret>(?=[^']*\d)[^'\s$%{}<>]{6,})'",
        certain=False,
    ),
    SecretKind(
        "password on a command line",
        "sshpass",
        r"\bsshpass\s+-p\s*[\"']?(?P<secret>[^\s\"'$`{}<>]{6,})",
        certain=False,
    ),
    SecretKind(
        "password on a command line",
        "curl",
        r"\bcurl\b(?!.*(?:localhost|127\.0\.0\.1)).*\s(?:-u|--user)[ =]*[\"']?[\w.@-]+:(?P<secret>[^\s\"'$:{}<>]{6,})",
        certain=False,
    ),
    SecretKind(
        "password of a login",
        "auth",
        r"\bauth\s*=\s*\(\s*[\"'][^\"']+[\"']\s*,\s*[\"'](?P<secret>(?=[^\"']*\d)(?=[^\"']*[A-Za-z])[^\s\"'{}$<>]{8,})[\"']",
        certain=False,
    ),
    SecretKind(
        "JSON web token",
        "eyj",
        _token(r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}"),
        certain=False,
    ),
    SecretKind(
        "authorization header",
        "authorization",
        r"(?i:authorization)[\"']?\s*(?:[:=,]\s*|\s)[\"'`]?(?i:bearer|basic|token)\s+(?P<secret>[A-Za-z0-9+/=._~-]{20,})",
        certain=False,
    ),
)

URL_PASSWORD = lazy(
    r"(?P<scheme>[a-z][a-z0-9+.-]{1,20})://(?P<user>[^\s/:@\"'<>`]{0,60}):(?P<secret>[^\s/@\"'<>`]{3,120})@(?P<host>[\w.-]+)"
)
"""A password inside a URL: `scheme://user:password@host`."""
DSN_PASSWORD = lazy(r"(?P<user>[\w.-]{1,60}):(?P<secret>[^\s/:@\"'<>`]{3,120})@(?:tcp|unix)\((?P<host>[\w./-]*)")
"""The same as Go's database drivers write it: `user:password@tcp(host:3306)/name`."""

PRIVATE_KEY_BEGIN = lazy(
    r"-----BEGIN (?:(?:RSA|EC|DSA|OPENSSH|ENCRYPTED|SSH2 ENCRYPTED) )?PRIVATE KEY(?: BLOCK)?-----"
    r"|-----BEGIN PGP PRIVATE KEY BLOCK-----|PuTTY-User-Key-File-\d:"
)
PRIVATE_KEY_END = lazy(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|Private-MAC:")
