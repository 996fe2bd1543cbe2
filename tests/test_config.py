"""Settings: what wins over what, what is refused, and how faults are named."""

from pathlib import Path

import pytest

from lrc import config
from lrc.errors import WrongUsage
from lrc.findings import Severity


@pytest.fixture
def user_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the user's own settings are read from in these tests."""
    path = tmp_path / "user" / "config.toml"
    path.parent.mkdir()
    monkeypatch.setenv("LRC_CONFIG_FILE", str(path))
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A directory that stands for a repository's root."""
    root = tmp_path / "repo"
    root.mkdir()
    return root


def test_precedence_from_weakest_to_strongest(root: Path, user_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Default < user file < pyproject.toml < lrc.toml < environment < flag, and the origin of each is known."""
    steps = []
    for strengthen in (
        lambda: None,
        lambda: user_file.write_text('fail_on = "critical"'),
        lambda: (root / "pyproject.toml").write_text('[tool.lrc]\nfail_on = "medium"'),
        lambda: (root / "lrc.toml").write_text('fail_on = "low"'),
        lambda: monkeypatch.setenv("LRC_FAIL_ON", "info"),
    ):
        strengthen()
        loaded = config.load(root)
        steps.append((loaded.settings.fail_on, loaded.origins["fail_on"]))
    flagged = config.load(root, {"fail_on": "high", "reviewer": None})
    assert [severity for severity, _ in steps] == [
        Severity.HIGH,
        Severity.CRITICAL,
        Severity.MEDIUM,
        Severity.LOW,
        Severity.INFO,
    ]
    assert [origin for _, origin in steps] == [
        "default",
        str(user_file),
        "pyproject.toml [tool.lrc]",
        "lrc.toml",
        "environment",
    ]
    assert (flagged.settings.fail_on, flagged.origins["fail_on"]) == (Severity.HIGH, "command line")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("fail_onn = 'low'", "unknown key `fail_onn`"),
        ("fail_on = 'bad'", "`fail_on`: 'bad' no severity named 'bad'"),
        ("fail_on = 3", "`fail_on`: 3 is not a severity name"),
        ("max_findings = 0", "`max_findings`: 0 is not a whole number from 1 to 1000"),
        ("max_findings = true", "`max_findings`: True is not a whole number from 1 to 1000"),
        ("max_findings = 'many'", "`max_findings`: 'many' is not a whole number"),
        ("no_model = 'perhaps'", "`no_model`: 'perhaps' is neither true nor false"),
        ("on_error = 'shrug'", "`on_error`: 'shrug' is not one of warn, block"),
        ("fail_on = ", "lrc.toml"),
    ],
)
def test_faults_name_file_and_key(root: Path, user_file: Path, text: str, named: str) -> None:
    """A broken file, an unknown key and a value that does not fit are each one line that names the place."""
    (root / "lrc.toml").write_text(text)
    with pytest.raises(WrongUsage) as caught:
        config.load(root)
    assert named in caught.value.message
    assert "lrc.toml" in caught.value.message
    assert "\n" not in caught.value.message
    assert [problem for problem in config.problems(root) if named in problem]


@pytest.mark.parametrize("key", ["target", "draft", "drafter", "exact", "threads", "context"])
def test_a_repository_cannot_choose_what_runs_on_this_machine(root: Path, user_file: Path, key: str) -> None:
    """Model files and engine settings are the user's: a cloned repository must not name a file to load."""
    value = {"exact": "true", "threads": "1", "context": "4096", "drafter": "'none'"}.get(key, "'evil.gguf'")
    (root / "lrc.toml").write_text(f"{key} = {value}")
    with pytest.raises(WrongUsage, match="belongs in the user's file"):
        config.load(root)
    (root / "lrc.toml").unlink()
    user_file.write_text(f"{key} = {value}")
    assert config.load(root).origins[key] == str(user_file)


def test_the_nearest_file_wins_for_a_path(root: Path, user_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a monorepo a package's own file decides for its paths, and only for those; the environment still wins."""
    (root / "lrc.toml").write_text('fail_on = "medium"')
    (root / "packages" / "core" / "src").mkdir(parents=True)
    (root / "packages" / "core" / "lrc.toml").write_text('fail_on = "low"')
    loaded = config.load(root)
    assert loaded.for_path("packages/core/src/a.py").fail_on is Severity.LOW
    assert loaded.for_path("packages/other/a.py").fail_on is Severity.MEDIUM
    assert loaded.for_path("a.py").fail_on is Severity.MEDIUM
    monkeypatch.setenv("LRC_FAIL_ON", "critical")
    assert config.load(root).for_path("packages/core/src/a.py").fail_on is Severity.CRITICAL


def test_an_empty_variable_is_not_set(root: Path, user_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`LRC_FAIL_ON=` in a script means "nothing", not a broken value."""
    monkeypatch.setenv("LRC_FAIL_ON", " ")
    assert config.load(root).origins["fail_on"] == "default"


@pytest.mark.parametrize("user", [False, True])
def test_the_template_is_sound_and_changes_nothing(root: Path, user_file: Path, user: bool) -> None:
    """What `lrc config init` writes holds every key that may stand there, each at its default, and can be loaded."""
    path = user_file if user else root / "lrc.toml"
    config.write_template(path, user=user)
    text = path.read_text()
    assert config.load(root).settings == config.Settings()
    path.write_text("\n".join(line.removeprefix("# ") for line in text.splitlines() if " = " in line))
    loaded = config.load(root)
    assert loaded.settings == config.Settings()
    stated = {key for key in config.KEYS if loaded.origins[key] != "default"}
    assert stated == {key for key in config.KEYS if user or f"{key} = " in text}
    assert ("target" in stated) is user
    assert not list(path.parent.glob(".*"))
