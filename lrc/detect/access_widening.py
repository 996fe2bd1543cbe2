"""Doors opened wider: file modes, origins, cloud policies, networks, container and workflow rights."""

# ruff: noqa: E501 - an opening is read as one line

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lrc.detect.detector import Scope, finding_at
from lrc.detect.lines import code_in, fresh_lines
from lrc.diff import FileDiff, Kind, Line
from lrc.findings import Category, Finding, Severity
from lrc.language import language_of
from lrc.patterns import lazy
from lrc.syntax import code_of, is_example_path, is_test_path


@dataclass(frozen=True, slots=True)
class _Opening:
    pattern: re.Pattern[str]
    severity: Severity
    message: str
    languages: frozenset[str] = frozenset()
    """Empty for any language that is not prose."""
    near: re.Pattern[str] | None = None
    """What one of the lines around must hold, since the line alone says too little."""
    in_file: re.Pattern[str] | None = None
    """What the whole new version must hold."""
    under: re.Pattern[str] | None = None
    """What the key above must be, for an entry of a list."""
    unless: re.Pattern[str] | None = None
    """What none of the lines around may hold."""


def _opening(
    pattern: str,
    severity: Severity,
    message: str,
    languages: str = "",
    near: str = "",
    in_file: str = "",
    under: str = "",
    unless: str = "",
) -> _Opening:
    conditions = (lazy(text) if text else None for text in (near, in_file, under, unless))
    return _Opening(lazy(pattern), severity, message, frozenset(languages.split()), *conditions)


_ORIGINS = "Any web site may read the answers of this service"
_WITH_LOGIN = (
    "(?i)credentials[\"']?\\s*[:=,(]\\s*(?:true|[\"']true)|allow_?credentials\\(\\)|supports_credentials\\s*=\\s*True"
)
_PORTS = r"(?i)port\w*[\"']?\s*[:=]\s*[\[\"']*(?:22|3389|3306|5432|6379|27017|9200|0|-1|all)\b|protocol[\"']?\s*[:=]\s*[\"']?(?:-1|all)\b"
"""Ports of machines and databases, and all of them at once."""
_CODE = "python javascript typescript tsx go java kotlin ruby php csharp rust"
_DATA = "yaml json hcl toml ini xml"
_OPENINGS = (
    _opening(r"\bchmod\s+(?:-\w+\s+)*(?:0?777|0?666|a\+rwx|ugo\+rwx|o\+w|a\+w)\b", Severity.HIGH, "Everybody on the machine may change these files"),
    _opening(r"(?i)chmod\w*\(.*\b0?o?(?:777|666)\b|chmod\w*\(.*S_IRWXO|setWritable\(\s*true\s*,\s*false\s*\)|PosixFilePermissions\.fromString\(\s*\"(?:rwx){3}\"", Severity.MEDIUM, "Everybody on the machine may change these files", _CODE + " c cpp"),
    _opening(r"^\s*-?\s*[\"']?mode[\"']?\s*[:=]\s*[\"']?0?o?(?:777|666)\b|\bfile:.*\bmode=0?777\b", Severity.MEDIUM, "Everybody on the machine may change these files", "yaml hcl"),
    _opening(r"(?i)chmod\w*\s+0o?777\b", Severity.MEDIUM, "Everybody on the machine may change these files", "ruby"),
    _opening(r"(?i)(?:mkdir|makedirs|WriteFile|OpenFile|set_permissions|from_mode)\w*\(.*\b0o?777\b", Severity.MEDIUM, "Everybody on the machine may change what this makes, if the umask lets it", _CODE),
    _opening(r"\bumask\s*\(?\s*0+\s*\)?\s*;?$", Severity.MEDIUM, "Everybody on the machine may change what this process makes"),
    _opening(r"(?i)Access-Control-Allow-Origin[\"']?\]?(?:\s*[:,=>)]+\s*|\s+)[\"'`]?\*", Severity.MEDIUM, _ORIGINS),
    _opening(r"(?i)\b(?:allow_?origins?|allowed_?origins?|cors_?origins?)[\"']?\s*[=:(]+\s*(?:\[\]string)?[\[({]?\s*[\"']\*[\"']", Severity.MEDIUM, _ORIGINS),
    _opening(r"(?i)Access-Control-Allow-Origin[\"']\]?\s*[,=]\s*(?:req\.headers?\.origin\b|req(?:uest)?\.headers\[[\"']origin[\"']\]|req(?:uest)?\.(?:headers\.)?get\([\"']origin|\w+\.Header\.Get\([\"']origin)", Severity.MEDIUM, "Whichever web site asks is let in: compare its origin with a list"),
    _opening(r"\b(?:CORS_ORIGIN_ALLOW_ALL|CORS_ALLOW_ALL_ORIGINS)\s*=\s*True|\bAllowAllOrigins\s*[:=]\s*true|\.AllowAnyOrigin\(\)|@CrossOrigin\(\s*(?:origins\s*=\s*)?\"\*\"|\.(?:allowedOrigin|addAllowedOrigin)(?:Pattern)?s?\(\s*\"\*\"|\b(?:Cors|CorsLayer)::permissive\(\)|\.allow_origin\(\s*Any\s*\)|\.allow_any_origin\(\)", Severity.MEDIUM, _ORIGINS),
    _opening(r"^\s*@CrossOrigin\s*(?:\(\s*\))?\s*$", Severity.MEDIUM, _ORIGINS, "java kotlin"),
    _opening(r"\bcors\.(?:Default|AllowAll)\(\)", Severity.MEDIUM, _ORIGINS, "go"),
    _opening(r"\.enableCors\(\s*\)", Severity.MEDIUM, _ORIGINS, "typescript javascript"),
    _opening(r"^\s*origins\s*\(?\s*[\"']\*[\"']", Severity.MEDIUM, _ORIGINS, "ruby"),
    _opening(r"(?i)\borigin[\"']?\s*:\s*(?:[\"']\*[\"']|true\b)", Severity.MEDIUM, _ORIGINS, "javascript typescript tsx", near=r"(?i)cors"),
    _opening(r"\.use\(\s*cors\(\s*\)\s*\)", Severity.MEDIUM, _ORIGINS, "javascript typescript tsx"),
    _opening(r"^\s*CORS\(\s*app\s*\)", Severity.MEDIUM, _ORIGINS, "python"),
    _opening(r"(?i)\borigins[\"']?\s*[:=]\s*\[?\s*[\"']\*[\"']", Severity.MEDIUM, _ORIGINS, _CODE + " " + _DATA, near="(?i)cors"),
    _opening(r"^\s*ALLOWED_HOSTS\s*=\s*\[\s*[\"']\*[\"']", Severity.MEDIUM, "Requests for any host name are answered", "python"),
    _opening(r"^DEBUG\s*=\s*True\s*$", Severity.MEDIUM, "Debug mode shows settings and source to whoever causes an error", "python", in_file=r"INSTALLED_APPS|MIDDLEWARE|SECRET_KEY"),
    _opening(r"[\"']?(?:Action|actions|NotAction)[\"']?\s*[:=]\s*\[?\s*[\"']\*[\"']", Severity.HIGH, "This policy allows every action", _DATA + " " + _CODE, near=r"(?i)allow"),
    _opening(r"^\s*-\s*[\"']\*[\"']\s*$", Severity.HIGH, "This policy allows every action", "yaml", near=r"(?i)allow", under=r"^\s*-?\s*Actions?:\s*$"),
    _opening(r"^\s*actions\s*=\s*\[\s*\"\*\"", Severity.HIGH, "This policy allows every action", "hcl", near=r"^\s*(?:resources|statement)\b", unless=r"(?i)\bdeny\b"),
    _opening(r"[\"']?Action[\"']?\s*[:=]\s*\[?\s*[\"'](?:s3|ec2|iam|dynamodb|sqs|sns|lambda|kms|rds|secretsmanager):\*[\"']", Severity.MEDIUM, "This policy allows every action of a service on everything", _DATA + " " + _CODE, near=r"[\"']?Resource[\"']?\s*[:=]\s*\[?\s*[\"']\*[\"']", unless=r"(?i)[\"']deny[\"']"),
    _opening(r"[\"']?Principal[\"']?\s*[:=]\s*(?:[\"']\*[\"']|\{\s*[\"']?AWS[\"']?\s*[:=]\s*\[?\s*[\"']\*[\"'])", Severity.HIGH, "This policy lets anybody in", _DATA + " " + _CODE, near=r"(?i)allow"),
    _opening(r"(?i)\bacl[\"']?\s*[:=]\s*[\"']?public-read(?:-write)?|\b(?:block_public_acls|block_public_policy|restrict_public_buckets|ignore_public_acls)\s*=\s*false|(?:BlockPublicAcls|BlockPublicPolicy|RestrictPublicBuckets)[\"']?\s*[:=]\s*[\"']?false", Severity.HIGH, "What is stored here becomes public", _DATA + " " + _CODE),
    _opening(r"(?i)\bpublicly_?accessible[\"']?\s*[:=]\s*[\"']?true", Severity.HIGH, "This database can be reached from the whole internet", _DATA + " " + _CODE),
    _opening(r"[\"']?(?:cidr_blocks|CidrIp|cidr_ipv4|source_ranges|ipv6_cidr_blocks|source_address_prefix)[\"']?\s*[:=]\s*\[?\s*[\"'](?:0\.0\.0\.0/0|::/0|\*)[\"']", Severity.HIGH, "This port is open to the whole internet", "hcl yaml json " + _CODE, near=_PORTS),
    _opening(r"^\s*-?\s*CidrIp(?:v6)?:\s*(?:0\.0\.0\.0/0|::/0)", Severity.HIGH, "This port is open to the whole internet", "yaml", near=_PORTS),
    _opening(r"--port\s+(?:22|3389|3306|5432|6379|27017|9200|0-65535|all)\b.*--cidr\s+[\"']?0\.0\.0\.0/0", Severity.HIGH, "This port is open to the whole internet", "bash makefile yaml"),
    _opening(r"--acl[ =]public-read(?:-write)?\b", Severity.HIGH, "What is stored here becomes public", "bash makefile yaml"),
    _opening(r"^\s*-?\s*[\"']?/var/run/docker\.sock:", Severity.MEDIUM, "Whoever controls this container controls the machine that it runs on", "yaml"),
    _opening(r"^\s*-?\s*verbs:\s*\[\s*[\"']\*[\"']", Severity.MEDIUM, "This role may do everything in the cluster", "yaml", near=r"resources:\s*\[\s*[\"']\*[\"']"),
    _opening(r"^\s*allow\s+(?:read|write)\b[\w, ]*:?\s*(?:if\s+true\s*)?;", Severity.HIGH, "Anybody may read or change this data", near=r"^\s*match\s+/|rules_version"),
    _opening(r"^\s*\"\.(?:read|write)\"\s*:\s*\"?true", Severity.HIGH, "Anybody may read or change this data", "json"),
    _opening(r"^\s*host\w*\s+\S+\s+\S+\s+(?:0\.0\.0\.0/0|::/0|all)\s+trust\b", Severity.HIGH, "Everybody who reaches the database is let in without a password"),
    _opening(r"^\s*protected-mode\s+no\b", Severity.MEDIUM, "Everybody who reaches this server is let in without a password"),
    _opening(r"^\s*-?\s*privileged:\s*true\b", Severity.HIGH, "This container owns the machine that it runs on", "yaml"),
    _opening(r"^\s*-?\s*(?:hostNetwork|hostPID|hostIPC|allowPrivilegeEscalation):\s*true\b", Severity.MEDIUM, "This container gets rights on the machine that it runs on", "yaml"),
    _opening(r"\bdocker\s+run\b.*\s--privileged\b", Severity.MEDIUM, "This container owns the machine that it runs on", "bash makefile yaml"),
    _opening(r"^\s*permissions:\s*write-all\b", Severity.HIGH, "Every step of this workflow may change the repository, its releases and packages", "yaml"),
    _opening(r"^\s*-?\s*pull_request_target:?\s*(?:#.*)?$|\bon:\s*\[?.*\bpull_request_target\b", Severity.HIGH, "Code of strangers is checked out and runs with this repository's secrets", "yaml", in_file=r"\b(?:ref|repository):.*(?:github\.event\.pull_request\.head|github\.head_ref|refs/pull/)|gh pr checkout|git (?:fetch|checkout|clone)\b.*(?:head|pull)"),
    _opening(r"(?i)\bgrant\s+all\b.*\bto\s+public\b|\bgrant\s+all\b.*\bon\s+\*\.\*\s+to\b.*@[\"'`]%", Severity.HIGH, "Everybody who reaches the database gets every right"),
    _opening(r"(?i)\bgrant\s+all\b.*\bto\s+[\"'`]?\w*[\"'`]?@[\"'`]%[\"'`]", Severity.MEDIUM, "This user gets every right from every host"),
    _opening(r"(?i)^\s*\S+\s+ALL\s*=\s*\(ALL(?::ALL)?\)\s*NOPASSWD:\s*ALL", Severity.HIGH, "Root without a password"),
    _opening(r"(?i)^\s*PermitRootLogin\s+yes|^\s*PermitEmptyPasswords\s+yes", Severity.HIGH, "Root may log in over the network"),
    _opening(r"(?i)^\s*-?\s*(?:cluster-admin)\b|name:\s*cluster-admin\b", Severity.MEDIUM, "This account gets every right in the cluster", "yaml"),
)  # fmt: skip
_HINT = lazy(
    r"(?i)777|666|umask|chmod|origin|cors|allow|action|principal|\bacl|public|cidr|source_|privileged|host(?:network|pid|ipc)|"
    r"permissions|pull_request_target|grant|nopasswd|permit(?:root|empty)|cluster-admin|0\.0\.0\.0/0|s_irwxo|trust|protected-mode|docker\.sock|verbs|writable|rwxrwx|permissive|DEBUG|\.read|\.write|[\"']\*[\"']"
)
"""Without one of these no line opens anything; spares nearly all lines the patterns above."""
_LINES_AROUND = 10
_QUESTION_ABOVE = 6
_PROSE = frozenset({"markdown", "text", "restructuredtext"})


class AccessWidening:
    """Rights given to everybody, in code, cloud and container settings."""

    name = "access-widening"
    scope = Scope.CODE

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a line."""
        language = language_of(file.path, text or "")
        if language in _PROSE or is_test_path(file.path) or is_example_path(file.path):
            return
        fresh = set(fresh_lines(file))
        for hunk in file.hunks:
            added = [line for line in hunk.lines if line.kind is not Kind.REMOVED]
            for index, line in enumerate(added):
                if line in fresh and _HINT.search(line.text):
                    yield from self._judge(
                        file, text or "", line, language, added[max(0, index - _LINES_AROUND) : index + _LINES_AROUND]
                    )

    def _judge(self, file: FileDiff, text: str, line: Line, language: str, around: list[Line]) -> Iterator[Finding]:
        code = code_of(line.text, language)
        for opening in _OPENINGS:
            if (opening.languages and language not in opening.languages) or not opening.pattern.search(code):
                continue
            if opening.near and not any(opening.near.search(other.text) for other in around):
                continue
            if opening.in_file and not opening.in_file.search(text):
                continue
            if any(opening.pattern.search(other.text) for hunk in file.hunks for other in hunk.removed):
                continue  # was as open before, only written otherwise
            if opening.unless and any(opening.unless.search(other.text) for other in around):
                continue
            if opening.under and not _is_under(opening.under, around, line):
                continue
            if opening.near and (_is_outgoing(around, line) or _is_denied(around, line)):
                continue
            if opening.message == _ORIGINS and (_is_option(around, line) or not code_in(line, file.path, text).strip()):
                continue
            severity, message = opening.severity, opening.message
            if message == _ORIGINS and any(re.search(_WITH_LOGIN, other.text) for other in around):
                severity, message = Severity.HIGH, _ORIGINS + ", with the user's cookies"
            yield finding_at(file, line, self, severity, Category.SECURITY, message, confidence=0.9)
            return


def _is_option(around: list[Line], line: Line) -> bool:
    """True below a question whether other sites may ask at all: whoever runs the service decides."""
    above = [other.text for other in around if 0 < (line.new or 0) - (other.new or 0) <= _QUESTION_ABOVE]
    return any(re.match(r"(?i)\s*\}?\s*(?:if|when|unless)\b.*cors", text) for text in above)


def _is_under(key: re.Pattern[str], around: list[Line], line: Line) -> bool:
    """True when the nearest line above that is no entry of the same list is the wanted key."""
    above = [other.text for other in around if (other.new or 0) < (line.new or 0) and other.text.strip()]
    head = next((text for text in reversed(above) if text.rstrip().endswith(":")), "")
    return key.search(head) is not None


def _is_denied(around: list[Line], line: Line) -> bool:
    """True when the statement of a policy forbids: the effect that stands nearest decides."""
    effects = [other for other in around if re.search(r"(?i)\beffect[\"']?\s*[:=]", other.text)]
    nearest = min(effects, key=lambda other: abs((other.new or 0) - (line.new or 0)), default=None)
    return nearest is not None and re.search(r"(?i)deny", nearest.text) is not None


def _is_outgoing(around: list[Line], line: Line) -> bool:
    """True when the rule above the line is about traffic that leaves, which is open to the world by habit."""
    above = [other.text for other in around if (other.new or 0) <= (line.new or 0)]
    found = [text for text in above if re.search(r"(?i)\b(?:in|e)gress|(?:in|out)bound", text)]
    return bool(found) and re.search(r"(?i)egress|outbound", found[-1]) is not None
