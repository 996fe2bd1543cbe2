"""`action.yml` and `ci/gitlab.yml`: sound, free of interpolated text in scripts, and true to the program."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from lrc.errors import ExitCode
from tests.cli.test_review import KEY
from tests.support.repository import SampleRepository

ROOT = Path(__file__).parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
GITLAB = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text(encoding="utf-8"))["lrc"]
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}
SCRIPTS = {
    **{f"action: {name}": step["run"] for name, step in STEPS.items() if "run" in step},
    "gitlab": "\n".join([*GITLAB["before_script"], *GITLAB["script"]]),
}


def run(script: str, *, cwd: Path, env: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """A script as GitHub runs a step with `shell: bash`, in an environment without the service that runs the tests."""
    outer = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "GITLAB_", "CI"))}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=cwd, env=outer | env, capture_output=True, text=True, check=False)


def installed(directory: Path) -> Path:
    """A directory that passes for the virtual environment made by an earlier step."""
    (directory / "bin").mkdir(parents=True)
    program = directory / "bin" / "lrc"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m lrc "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture
def repo(tmp_path: Path) -> SampleRepository:
    """A repository whose last commit brings a key."""
    made = SampleRepository(tmp_path / "repo")
    made.commit("first", {"app.py": "x = 1\n"})
    made.commit("second", {"key.py": KEY})
    return made


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_hold_no_expression(name: str) -> None:
    """Expressions are put in as text before the shell reads the script: none may stand in one."""
    assert "${{" not in SCRIPTS[name]
    assert "$[[" not in SCRIPTS[name]
    assert "eval" not in SCRIPTS[name]
    assert not re.findall(r'(?<!["\w/={])\$\w+', SCRIPTS[name]), "an unquoted variable would be split"


@pytest.mark.parametrize("name", [name for name, step in STEPS.items() if "uses" in step])
def test_foreign_actions_are_pinned(name: str) -> None:
    """An action of others is named by its commit, which nobody can move."""
    assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", STEPS[name]["uses"])


def test_every_input_reaches_the_review_as_its_variable() -> None:
    """Each input but Python's is an option of `lrc ci`, handed over in the option's own variable."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "lrc", "ci", "--help"], capture_output=True, text=True, check=True
    )
    options = dict(re.findall(r"--([a-z-]+) .*?\[env var: (LRC_\w+)\]", " ".join(done.stdout.split())))
    handed = {variable: value for variable, value in STEPS["Review"]["env"].items() if variable != "LRC_DATA_DIR"}
    assert handed == {variable: f"${{{{ inputs.{option} }}}}" for option, variable in options.items()}
    assert set(ACTION["inputs"]) == {*options, "python-version"}


@pytest.mark.parametrize("name", SCRIPTS)
def test_commands_of_the_scripts_exist(name: str) -> None:
    """Every call of lrc names a command of the program, with flags that it has."""
    for call in re.findall(r'bin/lrc"? ([^\n;]+)', SCRIPTS[name]):
        command, _, flags = call.partition(" --")
        done = subprocess.run(
            [sys.executable, "-P", "-m", "lrc", *command.split(), "--help"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, call
        assert all(flag in done.stdout for flag in re.findall(r"--[a-z-]+", f"--{flags}" if flags else "")), call


def test_the_action_reviews_a_push(repo: SampleRepository, tmp_path: Path) -> None:
    """The step as GitHub runs it: inputs that were left out are empty variables, the key fails the job."""
    installed(tmp_path / "lrc-venv")
    event = tmp_path / "event.json"
    event.write_text(f'{{"before": "{repo.git("rev-parse", "HEAD~1")}", "after": "{repo.head}"}}')
    step = STEPS["Review"]
    inputs = {name: str(entry["default"]) for name, entry in ACTION["inputs"].items()} | {"no-model": "true"}
    given = {
        name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda match: inputs[match[1]], value)
        for name, value in step["env"].items()
    }
    done = run(
        step["run"],
        cwd=repo.path,
        env={
            **given,
            "LRC_DATA_DIR": str(tmp_path / "data"),
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": "push",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        },
    )
    assert done.returncode == ExitCode.BLOCKED, done.stderr
    assert done.stdout.startswith("::error file=key.py")
    assert (tmp_path / "summary.md").read_text().startswith("## lrc")


def test_the_action_names_its_caches(tmp_path: Path) -> None:
    """The keys follow from the list of models and from the declared dependencies, outside any repository."""
    output = tmp_path / "output"
    env = {"GITHUB_ACTION_PATH": str(ROOT), "GITHUB_OUTPUT": str(output)}
    done = run(STEPS["Name the caches"]["run"], cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"models=[0-9a-f]{40}\nwheels=[0-9a-f]{40}\n", output.read_text())


def test_no_model_is_brought_when_none_is_wanted() -> None:
    """With `no-model` neither the cache nor the download takes time."""
    assert {STEPS[name]["if"] for name in ("Keep models", "Bring models")} == {"inputs.no-model != 'true'"}
    assert GITLAB["before_script"][-1].startswith('if [ "$LRC_NO_MODEL" != "true" ]; then')


def test_the_gitlab_job_reviews_a_push(repo: SampleRepository, tmp_path: Path) -> None:
    """The job's script writes the report that it keeps, also when it fails."""
    program = installed(tmp_path / "lrc-venv")
    script = "\n".join(GITLAB["script"]).replace("/tmp/lrc-venv/bin/lrc", f'"{program}"')
    environment = {
        "GITLAB_CI": "true",
        "CI_COMMIT_SHA": repo.head,
        "CI_COMMIT_BEFORE_SHA": repo.git("rev-parse", "HEAD~1"),
        "LRC_NO_MODEL": "true",
    }
    done = run(script, cwd=repo.path, env=environment)
    assert done.returncode == ExitCode.BLOCKED, done.stderr
    assert GITLAB["artifacts"]["when"] == "always"
    assert [(repo.path / name).is_file() for name in GITLAB["artifacts"]["paths"]] == [True]
    assert {Path(name).parts[0] for name in GITLAB["cache"]["paths"]} == {".lrc-data", ".lrc-wheels"}
