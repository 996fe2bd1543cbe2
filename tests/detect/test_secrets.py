"""Tokens by their issuer's format. They are made up here, so that the repository holds none."""

import json
import random
import string

import pytest

from lrc.detect.detector import Detector
from lrc.detect.masking import mask, secrets_in
from lrc.detect.secrets import Secrets
from lrc.findings import Severity
from tests.support.changes import change

LETTERS = string.ascii_letters
ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "_-"


def made(prefix: str, alphabet: str, length: int, suffix: str = "") -> str:
    """A made-up token, the same in every run."""
    chance = random.Random(prefix + alphabet)
    return prefix + "".join(chance.choice(alphabet) for _ in range(length)) + suffix


TOKENS = {
    "AWS access key": made("AKIA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    "GitHub token": made("ghp_", ALNUM, 36),
    "GitHub token, fine-grained": made("github_pat_", ALNUM, 22, "_" + made("", ALNUM, 59)),
    "GitLab token": made("glpat-", URLSAFE[:-2], 20),
    "Slack token": "xoxb-" + made("", string.digits, 12) + "-" + made("", ALNUM, 24),
    "Slack webhook": "https://hooks.slack.com/services/"
    + made("T", ALNUM, 9)
    + "/"
    + made("B", ALNUM, 9)
    + made("/", ALNUM, 24),
    "Discord bot token": made("M", ALNUM, 23) + "." + made("G", ALNUM, 5) + "." + made("", ALNUM, 30),
    "Telegram bot token": made("", "123456789", 10) + ":AA" + made("x", ALNUM, 32),
    "Stripe key": made("sk_" + "live_", ALNUM, 24),
    "Stripe webhook secret": made("whsec_", ALNUM, 32),
    "Google OAuth secret": made("GOCSPX-", ALNUM, 28),
    "OpenAI key": made("sk-proj-", URLSAFE[:-2], 64),
    "OpenAI key, older": made("sk-", ALNUM, 20) + "T3BlbkFJ" + made("q", ALNUM, 19),
    "Anthropic key": made("sk-ant-api03-", ALNUM, 95),
    "Hugging Face token": made("hf_", LETTERS, 34),
    "npm token": made("npm_", ALNUM, 36),
    "PyPI token": made("pypi-AgEIcHlwaS5vcmc", ALNUM, 80),
    "Docker Hub token": made("dckr_pat_", ALNUM, 27),
    "SendGrid key": made("SG.", ALNUM, 22) + "." + made("", ALNUM, 43),
    "Mailchimp key": made("", HEX, 32, "-us12"),
    "DigitalOcean token": made("dop_v1_", HEX, 64),
    "Shopify token": made("shpat_", HEX, 32),
    "Databricks token": made("dapi", HEX, 32),
    "Vault token": made("hvs.", ALNUM, 90),
    "Azure storage key": "AccountKey=" + made("", ALNUM, 86, "=="),
    "Azure client secret": made("abc8Q~", ALNUM, 34),
    "Atlassian token": made("ATATT3xFfGF0", ALNUM, 100),
    "Grafana token": made("glsa_", ALNUM, 32) + "_" + made("", HEX, 8),
    "New Relic key": made("NRAK-", string.ascii_uppercase + string.digits, 27),
    "Sentry token": made("sntrys_", ALNUM, 60),
    "Linear key": made("lin_api_", ALNUM, 40),
    "age secret key": made("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
}
KEY_LINES = [made(str(number), ALNUM + "+/", 63) for number in range(3)]
PRIVATE_KEY = ["-----BEGIN RSA " + "PRIVATE KEY-----", *KEY_LINES, "-----END RSA " + "PRIVATE KEY-----"]


@pytest.fixture
def detector() -> Detector:
    """The detector under test."""
    return Secrets()


@pytest.mark.parametrize("kind", TOKENS)
def test_provider_token_is_critical_and_shown_nowhere(detector: Detector, kind: str) -> None:
    """A token of a known issuer is found whatever it is called, and no field of the finding holds it."""
    secret = TOKENS[kind]
    (finding,) = detector.scan(change("app.py", f'+x = 1\n+value = "{secret}"'), None)
    assert finding.severity is Severity.CRITICAL
    assert finding.line == 2
    assert kind.split(",")[0] in finding.message
    shown = json.dumps([finding.message, finding.quote, finding.evidence])
    assert all(secret[start : start + 12] not in shown for start in range(6, len(secret) - 12, 6))


@pytest.mark.parametrize("kind", TOKENS)
def test_mask_takes_every_token_out(kind: str) -> None:
    """What is masked holds no secret, keeps the rest of its line and does not change when masked again."""
    masked = mask(f'before\nvalue = "{TOKENS[kind]}"  # after')
    assert not secrets_in(masked.split("\n")[1])
    assert masked.startswith("before\nvalue = ") and masked.endswith("# after")
    assert mask(masked) == masked


@pytest.mark.parametrize("kind", TOKENS)
def test_token_in_a_test_does_not_block(detector: Detector, kind: str) -> None:
    """In tests and documentation a token is most likely a sample: worth a word, not a block."""
    findings = list(detector.scan(change("tests/test_app.py", f'+value = "{TOKENS[kind]}"'), None))
    assert all(finding.severity < Severity.HIGH for finding in findings)


def test_private_key_is_critical_once(detector: Detector) -> None:
    """A private key block gives one finding, on its header, and its body is masked line by line."""
    file = change("deploy/server.key", "\n".join("+" + line for line in PRIVATE_KEY))
    (finding,) = detector.scan(file, None)
    assert (finding.severity, finding.line) == (Severity.CRITICAL, 1)
    masked = mask("\n".join(PRIVATE_KEY)).split("\n")
    assert len(masked) == len(PRIVATE_KEY)
    assert not any(line in "\n".join(masked) for line in KEY_LINES)


def test_private_key_in_one_string_is_found(detector: Detector) -> None:
    """A key with `\\n` written out in a JSON string is found and masked as well."""
    line = '"private_key": "' + "\\n".join(PRIVATE_KEY) + '\\n",'
    (finding,) = detector.scan(change("service-account.json", f"+{line}"), None)
    assert finding.severity is Severity.CRITICAL
    assert not any(part in finding.quote + mask(line) for part in KEY_LINES)


def test_line_of_a_key_is_masked_alone() -> None:
    """Who masks line by line has no header to go by; code and hashes in hexadecimal stay."""
    assert KEY_LINES[0] not in mask(KEY_LINES[0])
    for harmless in ("    return compute(a, b)", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"):
        assert mask(harmless) == harmless


def test_mask_follows_a_key_through_a_diff() -> None:
    """Diff markers and indentation do not stop the masking, and code after the key is left alone."""
    lines = ["@@ -1,3 +1,9 @@", *("+    " + line for line in PRIVATE_KEY), " def f(x):", "+    return computeSomething"]
    masked = mask("\n".join(lines))
    assert not any(part in masked for part in KEY_LINES)
    assert masked.endswith(" def f(x):\n+    return computeSomething")


def test_different_secrets_give_different_fingerprints(detector: Detector) -> None:
    """Dismissing one secret does not dismiss another that takes its place."""
    one, other = (
        next(detector.scan(change("app.py", f'+key = "{TOKENS[kind]}"'), None))
        for kind in ("GitHub token", "npm token")
    )
    same = next(detector.scan(change("app.py", f'+\n+key = "{TOKENS["npm token"]}"'), None))
    assert one.fingerprint != other.fingerprint
    assert same.fingerprint == other.fingerprint


def test_long_line_without_secrets_is_quick(detector: Detector) -> None:
    """A very long line costs time in proportion to its length, whatever it holds."""
    for part in ("token", "a", "key=", "eyJ", "password: "):
        assert not list(detector.scan(change("app.js", "+" + part * (60_000 // len(part))), None))
