"""Official registries and those that only look like one."""

import pytest

from lrc.detect.dependencies import Dependencies
from lrc.detect.registries import is_official
from lrc.findings import Severity
from tests.support.changes import change, new_text

OFFICIAL = "npmjs" + ".org"


@pytest.mark.parametrize("host", [OFFICIAL, f"registry.{OFFICIAL}", f"REGISTRY.{OFFICIAL.upper()}.", "crates" + ".io"])
def test_official(host: str) -> None:
    """Every host under a registry's own domain, in any spelling."""
    assert is_official(host)


@pytest.mark.parametrize(
    "host", [f"registry.{OFFICIAL}.evil.example", f"not{OFFICIAL}", "org", "", "10.0.0.1", "localhost"]
)
def test_not_official(host: str) -> None:
    """A host that begins or ends like a registry's is somebody else's."""
    assert not is_official(host)


@pytest.mark.parametrize(
    ("url", "severity"),
    [
        (f"https://registry.{OFFICIAL}/", None),
        (f"https://registry.{OFFICIAL}.evil.example/", Severity.MEDIUM),
        (f"http://registry.{OFFICIAL}/", Severity.HIGH),
        ("https://packages.acme.example/", Severity.MEDIUM),
    ],
)
def test_a_change_of_registry(url: str, severity: Severity | None) -> None:
    """Another registry is a remark, one without TLS is severe, the official one is none."""
    file = change(".npmrc", f"+registry={url}")
    found = [finding.severity for finding in Dependencies().scan(file, new_text(file))]
    assert found == ([] if severity is None else [severity])
