"""Manifests whose dependencies do not stand on a line each: their own small readers. Pure text."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from lrc.patterns import lazy


@dataclass(frozen=True, slots=True)
class Dependency:
    """One dependency as a manifest's line names it."""

    name: str
    version: str
    """What stands for the version: a constraint, a URL, or the empty string."""
    ecosystem: str


Found = Iterator[tuple[int, Dependency]]
"""Line numbers, 1-based, with what they name."""

_DEPENDENCY = lazy(r"<(dependency|plugin)>(.*?)</\1>", re.DOTALL)
_ELEMENT = r"<{}>\s*([^<]+?)\s*</{}>"
_REQUIREMENT = lazy(r"[\"']([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*((?:[=~!<>@][^;\"']*)?)(?:;[^\"']*)?[\"']")
_INSTALL_REQUIRES = lazy(r"\b(?:install_requires|setup_requires|tests_require)\s*=\s*\[(.*?)\]", re.DOTALL)
_CFG_LINE = lazy(r"^\s+([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*((?:[=~!<>@][^;#]*)?)")
_CONDA_LINE = lazy(r"^\s*-\s+(?:[\w-]+::)?([A-Za-z0-9][\w.-]*)\s*((?:[=~!<>][^#]*)?)\s*(?:#.*)?$")


def _maven(text: str) -> Found:
    """`group:artifact` on the line of the artifact."""
    for block in _DEPENDENCY.finditer(text):
        parts = {
            name: re.search(_ELEMENT.format(name, name), block[2]) for name in ("groupId", "artifactId", "version")
        }
        artifact, version = parts["artifactId"], parts["version"]
        if artifact is None or (block[1] == "plugin" and version is None):
            continue  # a plugin without a version is one that Maven or a parent has chosen already
        name = f"{parts['groupId'][1]}:{artifact[1]}" if parts["groupId"] else artifact[1]
        # A version that names nothing fixed is the trouble itself, so its own line is the place.
        loose = version is not None and version[1] in ("LATEST", "RELEASE")
        place = version if loose and version else artifact
        number = text.count("\n", 0, block.start(2) + place.start()) + 1
        yield number, Dependency(name, "latest" if loose else version[1] if version else "", "Maven")


def _setup(text: str) -> Found:
    """Requirements that `setup()` is given."""
    for listed in _INSTALL_REQUIRES.finditer(text):
        for match in _REQUIREMENT.finditer(text, listed.start(1), listed.end(1)):
            yield text.count("\n", 0, match.start()) + 1, Dependency(match[1], match[2].strip(), "PyPI")


def _setup_cfg(text: str) -> Found:
    """Requirements below `install_requires`."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith((" ", "\t")):
            inside = re.match(r"(?:install_requires|setup_requires|tests_require)\s*=", line) is not None
        elif inside and (match := _CFG_LINE.match(line)):
            yield number, Dependency(match[1], match[2].strip(), "PyPI")


def _conda(text: str) -> Found:
    """Packages of an environment, those that pip installs in it included."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"[\w-]+:", line):
            inside = line.startswith("dependencies:")
        elif inside and (match := _CONDA_LINE.match(line)):
            yield number, Dependency(match[1], match[2].strip(), "conda")


READERS: Mapping[str, Callable[[str], Found]] = {
    "maven": _maven,
    "setup": _setup,
    "setup-cfg": _setup_cfg,
    "conda": _conda,
}
"""The reader of each kind of manifest that has one."""
