"""Credentials in added lines: provider tokens, private keys, passwords in URLs, values assigned to secret names."""

from collections.abc import Iterator

from lrc.detect.assigned import is_weak
from lrc.detect.detector import Scope, finding_at
from lrc.detect.masking import Secret, secrets_in
from lrc.detect.secret_kinds import PRIVATE_KEY_BEGIN
from lrc.diff import FileDiff, Hunk, Kind, Line
from lrc.findings import Category, Finding, Severity
from lrc.ignore import is_lock_file
from lrc.language import language_of
from lrc.patterns import lazy
from lrc.syntax import is_example_path, is_test_path

_SAMPLE_DATA = lazy(r"(?i)(?:^|/)(?:seed\w*|factories)/|seeds?\.\w+$|seeder|dummy|fake|(?:^|/)\.secrets\.baseline$")
"""Files that fill a database to try things out."""
_WORKFLOW = lazy(
    r"(?:^|/)(?:\.github/workflows/|\.gitlab-ci|\.circleci/|azure-pipelines|appveyor|\.appveyor|\.travis|\.drone|bitbucket-pipelines)"
)
"""Files that start a database for the time of a test run."""
_TRIAL = lazy(
    r"(?i)(?:^|/)\.ci/|(?:^|/)(?:docker-)?compose[\w.-]*[.-](?:ci|tests?|e2e|cypress|playwright)\b[\w.-]*\.ya?ml$"
)
"""Files that put a whole system together for the time of a test run."""
_THROWN_AWAY = lazy(
    r"(?i)^(?:\w*_)?(?:sa|mssql_sa|(?:mysql|mariadb|postgres|pg|db|mongo|mongo_initdb|oracle|rabbitmq|redis|minio|es|elastic|elasticsearch)"
    r"(?:_?(?:root|user|default|app|test))*)_?(?:root_?)?(?:password|passwd|pass|pwd)$|^pgpassword$"
)
"""How the password of such a database is called."""
_LOCAL_SERVER = lazy(
    r"(?i)\b(?:server|host|data source|addr(?:ess)?)\s*=\s*(?:tcp:)?(?:localhost|127\.|\(local|\[?::1|\.[;,\\])"
)
_WRITTEN_BY_HAND = 1_000
"""Characters of a line above which a tool wrote it: there only the shapes of tokens mean anything."""
_KEY_LINE_LENGTH = 32
_KEY_START = lazy(r"\s*[\"']?(?:MII|MC4|b3Bl)[A-Za-z0-9+/]{8,}")
"""How the base64 of every private key begins: an ASN.1 sequence, or OpenSSH's own magic."""
_ADVICE = "revoke it, then read it from the environment or a secret store"


class Secrets:
    """Credentials in added lines. Nothing that it returns holds the secret itself."""

    name = "secrets"
    scope = Scope.ANY_TEXT

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a secret; a removed secret is not reported, since removing it is right."""
        language = language_of(file.path)
        for hunk in file.hunks:
            for index, line in enumerate(hunk.lines):
                if line.kind is not Kind.ADDED:
                    continue
                if PRIVATE_KEY_BEGIN.search(line.text):
                    yield from self._key(file, hunk, index)
                    continue
                for secret in secrets_in(line.text, language):
                    yield from self._judge(file, line, secret)

    def _key(self, file: FileDiff, hunk: Hunk, index: int) -> Iterator[Finding]:
        """The finding for a private key that begins at `index`; a shortened one is most likely none, but who knows."""
        line = hunk.lines[index]
        message = "A private key is added to the repository: replace the key pair and keep it outside"
        if is_test_path(file.path):
            return
        if _has_key_body(hunk, index):
            yield finding_at(file, line, self, Severity.CRITICAL, Category.SECRETS, message, confidence=0.99)
        elif not is_example_path(file.path) and _is_begun(hunk, index):
            yield finding_at(file, line, self, Severity.HIGH, Category.SECRETS, message, confidence=0.6)

    def _judge(self, file: FileDiff, line: Line, secret: Secret) -> Iterator[Finding]:
        """The finding for one secret, unless its place says that it is a sample."""
        value = line.text[secret.start : secret.end]
        if not secret.certain and len(line.text) > _WRITTEN_BY_HAND:
            return
        sample = is_test_path(file.path) or is_example_path(file.path)
        if not secret.certain and (sample or (is_lock_file(file.path) and secret.named)):
            return
        if secret.named and (
            _TRIAL.search(file.path)
            or _LOCAL_SERVER.search(line.text)
            or (_WORKFLOW.search(file.path) and _THROWN_AWAY.search(secret.named.rpartition(".")[2]))
        ):
            return
        severity, confidence = Severity.CRITICAL, 0.98
        if sample:
            severity, confidence = Severity.MEDIUM, 0.6
        elif secret.named and _SAMPLE_DATA.search(file.path):
            severity, confidence = Severity.LOW, 0.4
        elif not secret.certain:
            severity, confidence = (
                (Severity.MEDIUM, 0.6) if is_weak(value) or "test" in secret.kind else (Severity.HIGH, 0.9)
            )
        what = (
            f"`{secret.named}` holds a hard-coded credential" if secret.named else f"{_article(secret.kind)} is added"
        )
        message = f"{what}: {_ADVICE}"
        yield finding_at(file, line, self, severity, Category.SECRETS, message, confidence=confidence)


def _has_key_body(hunk: Hunk, index: int) -> bool:
    """True when key material follows the header, in that line or the next; code that only names it has none."""
    line = hunk.lines[index]
    rest = PRIVATE_KEY_BEGIN.split(line.text, maxsplit=1)[-1]
    following = [other.text for other in hunk.lines[index + 1 : index + 5] if other.kind is not Kind.REMOVED]
    return any(_is_key_material(text) for text in (rest, *following))


def _is_begun(hunk: Hunk, index: int) -> bool:
    """True when the header stands alone and the next line starts like a key, however short it was cut."""
    alone = PRIVATE_KEY_BEGIN.sub("", hunk.lines[index].text).strip(" \t\r\"'`=+\\n")
    following = next((line.text for line in hunk.lines[index + 1 :] if line.kind is not Kind.REMOVED), "")
    return not alone and _KEY_START.match(following) is not None


def _is_key_material(text: str) -> bool:
    run = best = 0
    for char in text:
        run = run + 1 if char.isascii() and (char.isalnum() or char in "+/=") else 0
        best = max(best, run)
    return best >= _KEY_LINE_LENGTH and len(set(text)) > 10


def _article(kind: str) -> str:
    return f"{'An' if kind[0].upper() in 'AO' else 'A'} {kind}"
