"""Which lines of manifests name a dependency, by package manager. Pure text: no resolver, no network."""

import re
from collections.abc import Iterator
from posixpath import basename

from lrc.detect.dependency_readers import READERS, Dependency
from lrc.patterns import lazy

_REQUIREMENT = lazy(
    r"^\s*(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?P<version>(?:(?:[=~!<>]=?|===)[^;#]*|@\s*\S+)?)\s*(?:;.*)?(?:#.*)?$"
)
_SOURCE_LINE = lazy(r"^\s*(?:-e\s+|--editable[ =])?(?P<url>(?:git|hg|svn)\+\S+|https?://\S+)")
_QUOTED_REQUIREMENT = lazy(
    r"[\"'](?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?P<version>(?:\(?(?:[=~!<>]=?|===)[^;\"']*|@\s*[^\"']+)?)\s*(?:;[^\"']*)?[\"']\s*,?\s*(?:#.*)?$"
)
_TOML_KEY = lazy(
    r"^\s*[\"']?(?P<name>[A-Za-z0-9][\w.-]*)[\"']?\s*=\s*(?:[\"'](?P<version>[^\"']*)[\"']|\{(?P<table>[^}]*)\})\s*(?:#.*)?$"
)
_JSON_PAIR = lazy(r"^\s*\"(?P<name>@?[\w./-]+)\"\s*:\s*\"(?P<version>[^\"]*)\"\s*,?\s*$")
_GO = lazy(
    r"^\s*(?:require\s+)?(?P<name>[\w-]+(?:\.[\w-]+)+/[\w./-]+|[\w-]+(?:\.[\w-]+)+/\S+)"
    r"\s+(?P<version>v\S+)\s*(?P<indirect>// indirect)?\s*$"
)
_GEM = lazy(r"^\s*(?:gem|\w+\.add(?:_\w+)?_dependency)\s*\(?\s*[\"'](?P<name>[\w.-]+)[\"'](?P<version>[^#]*)")
_GRADLE = lazy(
    r"^\s*(?:implementation|api|compileOnly|runtimeOnly|testImplementation|annotationProcessor|kapt|compile|classpath)\s*\(?\s*[\"'](?P<name>[\w.-]+:[\w.-]+):?(?P<version>[^\"']*)[\"']"
)
_NUGET = lazy(
    r"<PackageReference\s+(?:Include|Update)=\"(?P<name>[\w.-]+)\"(?:.*?\bVersion=\"(?P<version>[^\"]*)\")?",
    re.IGNORECASE,
)
_DOCKER = lazy(r"^\s*FROM\s+(?:--\S+\s+)*(?P<name>[^\s:@]+(?::\d+/[^\s:@]+)?)(?P<version>[:@]\S+)?", re.IGNORECASE)
_ACTION = lazy(r"^\s*-?\s*uses:\s*[\"']?(?P<name>[\w.-]+/[\w./-]+)@(?P<version>[\w./-]+)")
_IMAGE = lazy(r"^\s*image:\s*[\"']?(?P<name>[\w./-]+)(?P<version>:[\w.-]+)")
_MODULE = lazy(r"^\s*source\s*=\s*\"(?P<version>(?:git::|github\.com/)(?P<name>[^\"?]+)[^\"]*)\"")
_QUOTED = lazy(r"[\"']([^\"']+)[\"']")
_PYPROJECT_TABLE = lazy(r"^\s*\[(?P<table>[^\]]+)\]")
_DEPENDENCY_TABLE = lazy(
    r"(?:^|[.-])(?:dependencies|dev-dependencies|build-dependencies|dependency-groups|optional-dependencies|packages|dev-packages)(?:$|\.)"
)
_DEPENDENCY_LIST = lazy(r"^\s*(?:dependencies|requires|[\w-]+)\s*=\s*\[")
_JSON_TABLE = lazy(r"\"(?P<table>[\w-]+)\"\s*:\s*\{\s*$")
_JSON_TABLES = frozenset(
    {"dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "require", "require-dev"}
)


def is_manifest(path: str) -> bool:
    """True for a file whose lines name dependencies."""
    return _kind(path) != ""


def dependencies_in(path: str, text: str) -> Iterator[tuple[int, Dependency]]:
    """Line number and dependency, for each line of a manifest's whole text that names one."""
    kind = _kind(path)
    table = ""
    in_list = False
    if kind in READERS:
        yield from READERS[kind](text)
        return
    for number, line in enumerate(text.split("\n"), 1):
        table, in_list = _section(kind, line, table, in_list)
        found = _on_line(kind, line, table, in_list)
        if found is not None:
            yield number, found
        elif kind == "pyproject" and _is_whole_list(line, table):
            yield from ((number, made) for part in _QUOTED.findall(line) if (made := _of_text(part)))


def _kind(path: str) -> str:
    name = basename(path).lower()
    known = {
        "package.json": "npm",
        "composer.json": "composer",
        "go.mod": "go",
        "cargo.toml": "cargo",
        "pyproject.toml": "pyproject",
        "pipfile": "pyproject",
        "gemfile": "gem",
        "build.gradle": "gradle",
        "build.gradle.kts": "gradle",
        "pom.xml": "maven",
        "setup.py": "setup",
        "setup.cfg": "setup-cfg",
        "environment.yml": "conda",
        "environment.yaml": "conda",
    }
    if name in known:
        return known[name]
    if re.match(r"(?:[\w-]*requirements[\w-]*|constraints[\w-]*)\.(?:txt|in)$", name) or re.search(
        r"(?:^|/)requirements/[^/]+\.(?:txt|in)$", path
    ):
        return "pip"
    if name.endswith(".tf"):
        return "terraform"
    if re.match(r"(?:docker-)?compose[\w.-]*\.ya?ml$", name):
        return "compose"
    if name.endswith(".gemspec"):
        return "gem"
    if name.endswith((".csproj", ".fsproj", "packages.props")):
        return "nuget"
    if name.startswith(("dockerfile", "containerfile")) or name.endswith(".dockerfile"):
        return "docker"
    if re.search(r"(?:^|/)\.github/(?:workflows|actions)/.*\.ya?ml$", path):
        return "actions"
    return ""


def _section(kind: str, line: str, table: str, in_list: bool) -> tuple[str, bool]:
    """The table and list that a line is in or opens."""
    if kind in ("npm", "composer"):
        opened = _JSON_TABLE.search(line)
        if opened:
            return opened["table"], False
        return ("" if line.strip().startswith("}") else table), False
    if kind in ("pyproject", "cargo"):
        header = _PYPROJECT_TABLE.match(line)
        if header:
            return header["table"], False
        if _DEPENDENCY_LIST.match(line):
            return table, "]" not in line
        return table, in_list and not line.strip().startswith("]")
    return table, in_list


def _on_line(kind: str, line: str, table: str, in_list: bool) -> Dependency | None:
    if kind == "pip":
        source = _SOURCE_LINE.match(line)
        if source:
            return Dependency(source["url"].rstrip("/").rsplit("/", 1)[-1].split(".git")[0], source["url"], "PyPI")
        return None if line.strip().startswith(("-", "#")) else _made(_REQUIREMENT.match(line), "PyPI")
    if kind in ("npm", "composer"):
        if table not in _JSON_TABLES:
            return None
        if kind == "composer" and re.match(r"\s*\"(?:php|(?:ext|lib)-[\w-]+)\"", line):
            return None  # the language and what it was built with, not a package
        return _made(_JSON_PAIR.match(line), "npm" if kind == "npm" else "Packagist")
    if kind == "cargo":
        return _made(_TOML_KEY.match(line), "crates.io") if _DEPENDENCY_TABLE.search(table) else None
    if kind == "pyproject":
        return _in_pyproject(line, table, in_list)
    simple = {
        "go": (_GO, "Go"),
        "gem": (_GEM, "RubyGems"),
        "gradle": (_GRADLE, "Maven"),
        "nuget": (_NUGET, "NuGet"),
        "docker": (_DOCKER, "image"),
        "actions": (_ACTION, "action"),
        "compose": (_IMAGE, "image"),
        "terraform": (_MODULE, "Terraform"),
    }
    pattern, ecosystem = simple[kind]
    return _made(pattern.search(line), ecosystem)


def _in_pyproject(line: str, table: str, in_list: bool) -> Dependency | None:
    if _DEPENDENCY_TABLE.search(table) and not in_list:
        made = _made(_TOML_KEY.match(line), "PyPI")
        return None if made is None or made.name == "python" else made
    if in_list and (
        table in ("project", "build-system", "dependency-groups") or table.startswith(("project.", "dependency-groups"))
    ):
        return _made(_QUOTED_REQUIREMENT.search(line), "PyPI")
    return None


def _is_whole_list(line: str, table: str) -> bool:
    """True for a list of requirements on one line."""
    named = "dependencies|requires" if table in ("project", "build-system") else r"[\w-]+"
    known = ("project", "build-system", "project.optional-dependencies", "dependency-groups")
    return table in known and re.match(rf"\s*(?:{named})\s*=\s*\[.*\]", line) is not None


def _of_text(text: str) -> Dependency | None:
    return _made(_REQUIREMENT.match(text), "PyPI")


def _made(match: re.Match[str] | None, ecosystem: str) -> Dependency | None:
    if match is None or match.groupdict().get("indirect"):
        return None
    version = match["version"] or match.groupdict().get("table") or ""
    alias = re.match(r"npm:(@?[^@]+)@?(.*)", version) if ecosystem == "npm" else None
    if alias:
        return Dependency(alias[1], alias[2], ecosystem)  # another name here for a package of the registry
    return Dependency(match["name"], version.strip(), ecosystem)
