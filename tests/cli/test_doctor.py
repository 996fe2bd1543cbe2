"""`lrc doctor`: every line true, every fault with its way out, the right exit code."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lrc.cli import checkup
from lrc.cli.app import run_app
from lrc.cli.boundary import guarded
from lrc.models.machine import Memory, Processor
from lrc.models.store import store
from tests.support.gguf_files import TOKENS, write_gguf


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data directory, and a current directory outside any repository."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("LRC_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def doctor(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Run `lrc doctor`; its exit code and standard output."""
    code = guarded(lambda: run_app(["doctor", *arguments]))
    return code, capsys.readouterr().out


def by_name(text: str) -> dict[str, dict[str, Any]]:
    """The checks of the JSON report by their names."""
    return {check["name"]: check for check in json.loads(text)["checks"]}


def test_without_a_model_no_review_can_run(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 4, the missing model named with the command that brings it; the rest is looked at all the same."""
    code, out = doctor(capsys)
    assert code == 4
    lines = out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("fail target model"))
    assert lines[at + 1].strip() == "`lrc model pull` brings the default pair"
    assert lines[-1] == "no review can run: target model"
    assert {line.split()[1] for line in lines if line.startswith("ok")} >= {"git", "processor", "memory", "versions"}


def test_json_is_alone_on_standard_output(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same for machines: version, whether a review can run, and every check with its data."""
    code, out = doctor(capsys, "--format", "json")
    report = json.loads(out)
    assert (code, report["version"], report["ready"]) == (4, 1, False)
    assert by_name(out)["git"]["data"]["version"]
    assert by_name(out)["memory"]["data"]["available"] > 0
    assert by_name(out)["versions"]["data"]["llama_cpp_python"]


def test_outside_a_repository_is_a_warning(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The machine can be checked anywhere."""
    checks = by_name(doctor(capsys, "--format", "json")[1])
    assert checks["repository"]["status"] == "warn"
    assert "hook" not in checks


def test_hook_is_found(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A repository without the hook gets the command that installs it; with the hook, its place."""
    subprocess.run(("git", "init", "-q"), check=True)
    checks = by_name(doctor(capsys, "--format", "json")[1])
    assert (checks["repository"]["status"], checks["hook"]["status"]) == ("ok", "warn")
    assert "lrc install" in checks["hook"]["way_out"]
    assert guarded(lambda: run_app(["install"])) == 0
    capsys.readouterr()
    checks = by_name(doctor(capsys, "--format", "json")[1])
    assert checks["hook"]["status"] == "ok"
    assert "pre-commit" in checks["hook"]["data"]["installed"]


def test_broken_configuration_is_named(data_dir: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file that a review would refuse fails the check-up."""
    subprocess.run(("git", "init", "-q"), check=True)
    Path("lrc.toml").write_text('fail_on = "sometimes"\n')
    code, out = doctor(capsys, "--format", "json")
    assert (code, by_name(out)["configuration"]["status"]) == (4, "fail")
    assert "fail_on" in by_name(out)["configuration"]["detail"]


def test_model_cut_short(data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A half-downloaded file is a failure that names it."""
    path = write_gguf(tmp_path / "m.gguf")
    store().use(str(path), None)
    path.write_bytes(path.read_bytes()[:-100])
    code, out = doctor(capsys)
    assert code == 4
    assert "m.gguf is cut short" in out


def test_smoke_test_fails_on_what_only_looks_like_a_model(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file with a sound header and no real weights is read, and refused by the engine in its own words."""
    store().use(str(write_gguf(tmp_path / "m.gguf")), None)
    code, out = doctor(capsys, "--format", "json")
    checks = by_name(out)
    assert code == 4
    assert (checks["target model"]["status"], checks["smoke test"]["status"]) == ("ok", "fail")
    assert checks["smoke test"]["detail"]


def test_draft_that_does_not_fit_is_a_warning(data_dir: Path, tmp_path: Path) -> None:
    """The pair check is shown; a review runs without the draft."""
    target = write_gguf(tmp_path / "t.gguf")
    other = write_gguf(tmp_path / "other.gguf", tokens=("x",) * len(TOKENS))
    store().use(str(target), str(other))
    with checkup_watcher() as watch:
        pair, lines = checkup.models(None, watch)
    assert pair is not None
    assert [(line.name, line.status) for line in lines] == [("target model", "ok"), ("draft model", "warn")]
    assert "other.gguf does not fit t.gguf" in lines[1].detail


def test_memory_against_need(data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little memory is a warning with both numbers: the smoke test has the last word."""
    store().use(str(write_gguf(tmp_path / "t.gguf")), None)
    with checkup_watcher() as watch:
        pair, _ = checkup.models(None, watch)
    assert checkup.memory(pair, None).status == "ok"
    monkeypatch.setattr("lrc.models.machine.available_memory", lambda: Memory(1_000_000, True, "container"))
    short = checkup.memory(pair, None)
    assert short.status == "warn"
    assert short.detail.startswith("1 MB free in this container, a review takes up to ")


def test_processor_without_avx2_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor that is slow for models is told so."""
    monkeypatch.setattr("lrc.models.machine.processor", lambda: Processor("Old", ("AVX",), 1, 2))
    check = checkup.processor()
    assert (check.status, check.detail) == ("warn", "Old: 1 core, 2 threads; AVX")


@pytest.mark.parametrize(
    ("program", "words"),
    [
        pytest.param("import os, signal; os.kill(os.getpid(), signal.SIGILL)", "SIGILL", id="illegal instruction"),
        pytest.param("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL", id="killed"),
        pytest.param("import sys; sys.exit(3)", "status 3", id="no answer"),
        pytest.param('print(\'{"error": "no room", "hint": "h"}\')', "no room", id="error"),
    ],
)
def test_engine_that_dies_does_not_take_the_check_up_with_it(
    program: str, words: str, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine runs in its own process; however that ends, the check-up tells it in one line."""
    store().use(str(write_gguf(tmp_path / "t.gguf")), None)
    with checkup_watcher() as watch:
        pair, _ = checkup.models(None, watch)
    interpreter = tmp_path / "python"
    interpreter.write_text(f"#!{sys.executable}\n{program}\n")
    interpreter.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(interpreter))
    check = checkup.smoke(pair)
    assert check.status == "fail"
    assert words in check.detail
    assert check.way_out


def test_no_git(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git on PATH the first line says so."""
    monkeypatch.setenv("PATH", "")
    check = checkup.git()
    assert check.status == "fail"
    assert "install git" in check.way_out


@pytest.mark.model
def test_real_pair_decodes_a_token(pair_data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the real pair a review can run: exit 0, the vocabulary the same, one token by the engine."""
    code, out = doctor(capsys, "--format", "json")
    checks = by_name(out)
    assert code == 0, out
    assert checks["vocabulary"]["status"] == "ok"
    assert checks["smoke test"]["status"] == "ok"
    assert checks["smoke test"]["data"]["text"]


def checkup_watcher() -> Any:
    """A watcher that shows nothing."""
    from lrc.cli.watch import watcher

    return watcher(quiet=True)
