"""What a change makes the project depend on: new packages, loose versions, other registries."""

# ruff: noqa: E501 - patterns and lists of names are read as one line

import re
from collections.abc import Iterator
from posixpath import basename

from lrc.detect.dependency_files import Dependency, dependencies_in, is_manifest
from lrc.detect.detector import Scope, finding_at
from lrc.detect.lines import fresh_lines
from lrc.diff import FileDiff, Kind, Line, Status
from lrc.findings import Category, Finding, Severity
from lrc.ignore import is_lock_file
from lrc.patterns import lazy
from lrc.syntax import is_example_path, is_test_path

_ANY_VERSION = lazy(r"^(?:\*|latest|x|>=?\s*0(?:\.0)*|dev-master|dev-main|\"\*\"|:latest)$", re.IGNORECASE)
_SOURCE = lazy(
    r"(?P<scheme>git\+\w+|git|https?|svn\+\w+|hg\+\w+|file|ssh)://|^(?:github|gitlab|bitbucket):|\b(?:git|url)\s*=\s*[\"']|^[\w-]+/[\w.-]+(?:#|$)"
)
_LOCAL = lazy(r"\bpath\s*=|\bworkspace\s*=|^(?:workspace|link|file|portal):")
_REQUIREMENTS = lazy(r"(?:^|/)[\w-]*requirements[\w-]*(?:\.txt|/[^/]+\.txt)$")
_LISTED = 3
_PINNED_SOURCE = lazy(
    r"@[0-9a-f]{7,40}\b|#[0-9a-f]{7,40}\b|\brev\s*=|\btag\s*=|@v?\d|#v?\d|#egg|#sha256=|\.(?:whl|tar\.gz|zip|tgz)\b"
)
_REGISTRY = lazy(
    r"(?:--(?:extra-)?index-url|--find-links|--trusted-host|-i)[= ]\s*(?P<pip>\S+)|^\s*(?:@[\w-]+:)?registry\s*=\s*(?P<npm>\S+)"
    r"|^\s*(?:extra-)?index[-_]url\s*=\s*(?P<conf>\S+)|\"(?:registry|publishConfig)\"\s*:\s*\"(?P<json>[^\"]+)\"|^\s*source\s+[\"'](?P<gem>[^\"']+)[\"']"
    r"|<(?:url|repositoryUrl)>(?P<maven>http[^<]+)</|\bmaven\s*\{\s*url\s*[=(]?\s*(?:uri\()?[\"'](?P<gradle>[^\"']+)"
    r"|<add\s+key=\"[^\"]+\"\s+value=\"(?P<nuget>https?://[^\"]+)\"|^\s*GOPROXY\s*=\s*(?P<go>\S+)|^\s*npmRegistryServer:\s*(?P<yarn>\S+)"
)
_OFFICIAL = lazy(
    r"^[\"']?https://(?:pypi\.org|files\.pythonhosted\.org|registry\.npmjs\.org|registry\.yarnpkg\.com|rubygems\.org|repo1?\.maven\.(?:apache\.)?org|repo\.maven\.apache\.org|"
    r"plugins\.gradle\.org|maven\.google\.com|central\.sonatype\.com|(?:s01\.)?oss\.sonatype\.org|repository\.apache\.org|dl\.google\.com|api\.nuget\.org|proxy\.golang\.org|static\.crates\.io|index\.crates\.io|repo\.packagist\.org)\b"
)
_REGISTRY_FILES = lazy(
    r"(?:^|/)(?:\.npmrc|\.yarnrc(?:\.yml)?|pip\.conf|\.pypirc|nuget\.config|settings\.xml|pom\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|gemfile|pipfile)$",
    re.IGNORECASE,
)
_SCRIPT = lazy(r"^\s*\"(?:preinstall|install|postinstall|prepare)\"\s*:\s*\"(?P<command>[^\"]+)\"")
_USUAL_SCRIPT = lazy(
    r"^(?:husky|patch-package|npm run|yarn|pnpm|node scripts/|simple-git-hooks|is-ci|lefthook|tsc|electron-builder|prisma generate|npx (?:husky|only-allow)|ngcc)\b"
)
_LOCK_SOURCE = lazy(
    r"(?:\"?resolved\"?:?\s+\"?|\bsource\s*=\s*\{?\s*(?:registry\s*=\s*)?\"(?:registry\+)?|\burl\s*[=:]\s*\"|tarball:\s*)(?P<url>(?:git\+)?https?://[^\"#,\s}]+)"
)
_HOST = lazy(r"^(?:git\+)?(?P<scheme>https?)://(?:[^/@]*@)?(?P<host>[^/:]+)")
_REGISTRY_HOSTS = frozenset(
    ["registry.npmjs.org", "registry.yarnpkg.com", "npm.jsr.io", "pypi.org", "files.pythonhosted.org", "rubygems.org", "static.crates.io", "index.crates.io", "crates.io", "repo.packagist.org", "api.github.com", "codeload.github.com", "github.com", "gitlab.com", "cdn.sheetjs.com", "download.pytorch.org"]
)  # fmt: skip
# Names that are mistyped most, because they are typed most; one letter off from one of them is suspicious.
_POPULAR = {
    "PyPI": "requests numpy pandas django flask fastapi pydantic sqlalchemy boto3 urllib3 setuptools cryptography matplotlib scipy pytest tensorflow selenium beautifulsoup4 "
    "pillow celery redis httpx jinja2 pyyaml colorama python-dateutil tensorflow scikit-learn opencv-python",
    "npm": "lodash express react axios moment webpack typescript eslint prettier chalk commander request bluebird underscore mongoose dotenv socket.io jquery cross-env "
    "nodemailer jsonwebtoken electron discord.js",
}


class Dependencies:
    """New packages as information; loose versions, unusual sources, other registries and install scripts as trouble."""

    name = "dependencies"
    scope = Scope.ANY_TEXT

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a line."""
        if file.status is Status.DELETED or is_test_path(file.path):
            return
        if is_lock_file(file.path):
            yield from self._lock(file)
            return
        if is_example_path(file.path) and "requirements" not in basename(file.path):
            return
        if is_manifest(file.path) and text is not None:
            yield from self._manifest(file, text)
        if is_manifest(file.path) or _REGISTRY_FILES.search(file.path):
            for line in fresh_lines(file):
                yield from self._registry(file, line)

    def _manifest(self, file: FileDiff, text: str) -> Iterator[Finding]:
        fresh = {line.new: line for line in fresh_lines(file)}
        new: list[tuple[Line, Dependency]] = []
        before = {name.lower() for name in _names_removed(file)}
        for number, dependency in dependencies_in(file.path, text):
            line = fresh.get(number)
            if line is None:
                continue
            known = dependency.name.lower() in before or text.lower().count(f'"{dependency.name.lower()}"') > 1
            is_new = not known and file.status is not Status.ADDED
            verdict = _judge(dependency, is_new)
            if verdict is None and is_new and not dependency.version and _REQUIREMENTS.search(file.path):
                verdict = Severity.LOW, f"`{dependency.name}` has no version: each installation may get another one"
            if verdict is not None:
                severity, message = verdict
                yield finding_at(file, line, self, severity, Category.SECURITY, message, confidence=0.9)
            elif is_new and _is_package(dependency):
                new.append((line, dependency))
        yield from self._new(file, new)
        for line in fresh.values():
            script = _SCRIPT.match(line.text) if basename(file.path) == "package.json" else None
            if script and not _USUAL_SCRIPT.match(script["command"]) and '"prepare"' not in line.text:
                message = "This command runs on every machine that installs the package"
                yield finding_at(file, line, self, Severity.MEDIUM, Category.SECURITY, message, confidence=0.85)

    def _new(self, file: FileDiff, new: list[tuple[Line, Dependency]]) -> Iterator[Finding]:
        """New packages one by one, or many as one remark: a moved list is a single decision."""
        if len(new) > _LISTED:
            names = ", ".join(f"`{dependency.name}`" for _, dependency in new[:_LISTED])
            message = f"{len(new)} new dependencies: {names} and more"
            yield finding_at(file, new[0][0], self, Severity.INFO, Category.SECURITY, message, confidence=0.9)
            return
        for line, dependency in new:
            message = f"New dependency: `{dependency.name}` ({dependency.ecosystem})"
            yield finding_at(file, line, self, Severity.INFO, Category.SECURITY, message, confidence=0.9)

    def _registry(self, file: FileDiff, line: Line) -> Iterator[Finding]:
        match = _REGISTRY.search(line.text)
        where = next((part for part in match.groups() if part), "") if match else ""
        if not match or _OFFICIAL.match(where) or not re.search(r"://|^[\w.-]+\.\w{2,}$", where):
            return
        plain = where.lstrip("\"'").startswith("http://")
        severity = Severity.HIGH if plain else Severity.MEDIUM
        message = "Packages come from another registry" + (
            " over a connection that anybody can change" if plain else ""
        )
        if "extra-index" in line.text:
            message += "; with two, whoever registers a private name on the public one is installed"
        yield finding_at(file, line, self, severity, Category.SECURITY, message, confidence=0.9)

    def _lock(self, file: FileDiff) -> Iterator[Finding]:
        """Sources in a lock file that its other entries do not use."""
        usual = {
            match["host"]
            for hunk in file.hunks
            for line in hunk.lines
            if line.kind is not Kind.ADDED
            for match in _hosts(line.text)
        }
        for line in fresh_lines(file):
            for match in _hosts(line.text):
                if match["scheme"] == "http" and match["host"] not in ("localhost", "127.0.0.1"):
                    message = "This package is fetched over a connection that anybody can change"
                    yield finding_at(file, line, self, Severity.HIGH, Category.SECURITY, message)
                elif match["host"] not in usual | _REGISTRY_HOSTS and usual:
                    message = f"This package comes from {match['host']}, the others do not"
                    yield finding_at(file, line, self, Severity.MEDIUM, Category.SECURITY, message, confidence=0.8)


def _hosts(text: str) -> "Iterator[re.Match[str]]":
    for source in _LOCK_SOURCE.finditer(text):
        host = _HOST.match(source["url"])
        if host:
            yield host


def _names_removed(file: FileDiff) -> Iterator[str]:
    """Names on removed lines: the same name with another version is an update."""
    for hunk in file.hunks:
        for line in hunk.removed:
            yield from re.findall(r"@?[A-Za-z0-9][\w./:-]*[A-Za-z0-9]", line.text)


def _judge(dependency: Dependency, is_new: bool) -> tuple[Severity, str] | None:
    name, version = dependency.name, dependency.version
    twin = _twin(dependency) if is_new else ""
    if twin:
        return Severity.HIGH, f"`{name}` is one letter away from `{twin}`: make sure that it is what was meant"
    if _LOCAL.search(version):
        return None
    if dependency.ecosystem in ("image", "action"):
        return _image(dependency)
    if version.startswith("http://") or "git+http://" in version:
        return Severity.HIGH, f"`{name}` is fetched over a connection that anybody can change"
    if (
        _SOURCE.search(version)
        and dependency.ecosystem != "Go"
        and "path" not in version
        and not version.startswith("file:")
    ):
        if not _PINNED_SOURCE.search(version):
            return Severity.MEDIUM, f"`{name}` comes from a branch, which can change at any time: name a commit"
        return (Severity.LOW, f"`{name}` is not taken from the registry") if is_new else None
    if _ANY_VERSION.match(version):
        return (
            Severity.MEDIUM,
            f"Any version of `{name}` is accepted, the next one with a fault or a thief in it included",
        )
    return None


def _is_package(dependency: Dependency) -> bool:
    """False for base images and workflow actions, and for packages of the same workspace."""
    return dependency.ecosystem not in ("image", "action") and not _LOCAL.search(dependency.version)


def _image(dependency: Dependency) -> tuple[Severity, str] | None:
    if dependency.ecosystem == "action" and re.fullmatch(r"(?:main|master|develop|HEAD)", dependency.version):
        return (
            Severity.MEDIUM,
            f"`{dependency.name}` follows a branch: whoever can push there runs code in this workflow",
        )
    if dependency.ecosystem == "image" and dependency.version == ":latest":
        return Severity.LOW, f"`{dependency.name}:latest` is another image tomorrow: name a version"
    return None


def _twin(dependency: Dependency) -> str:
    """The popular package that this name is one edit away from."""
    popular = _POPULAR.get(dependency.ecosystem, "").split()
    name = dependency.name.lower().replace("_", "-")
    if name in popular or len(name) < 5:
        return ""
    return next((other for other in popular if len(other) >= 5 and _one_edit(name, other)), "")


def _one_edit(one: str, other: str) -> bool:
    """True for one letter more, less, wrong, or two neighbours swapped."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    rest, tail = one[start:], other[start:]
    swapped = rest[:2] == tail[:2][::-1] and rest[2:] == tail[2:] and len(rest) > 1
    return swapped or rest[1:] == tail[1:] or rest[1:] == tail or rest == tail[1:]
