"""README against the code: help, exit codes and keys are what the program says. `--update-golden` rewrites them."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lrc import config
from lrc.errors import ExitCode

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"

MEANINGS = {
    ExitCode.PASS: "nothing at or above the threshold",
    ExitCode.BLOCKED: "blocked by findings",
    ExitCode.USAGE: "wrong usage: an option, revision, key or value that does not exist",
    ExitCode.UNEXPECTED: "a fault of lrc itself",
    ExitCode.ENVIRONMENT: "no review possible here: no repository, no model, not enough memory",
    ExitCode.INTERRUPTED: "interrupted",
}


def help_of(*command: str) -> str:
    """The help text as a user sees it in a terminal of 100 columns."""
    environment = os.environ | {"COLUMNS": "100", "TERMINAL_WIDTH": "100"}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "lrc", *command, "--help"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rstrip()


def review_help() -> str:
    """`lrc review --help`, fenced."""
    return f"```console\n$ lrc review --help\n{help_of('review')}\n```"


def exit_table() -> str:
    """Every exit code with its meaning."""
    rows = "\n".join(f"| {int(code)} | {MEANINGS[code]} |" for code in ExitCode)
    return f"| code | meaning |\n| --- | --- |\n{rows}"


def key_table() -> str:
    """Every key with its default and meaning."""
    defaults = config.Settings()
    rows = [
        f"| `{key}` | `{config.shown(getattr(defaults, key)) or '(none)'}` | {config.describe(key)} |"
        for key in config.KEYS
    ]
    return "\n".join(["| key | default | meaning |", "| --- | --- | --- |", *rows])


BLOCKS: dict[str, Callable[[], str]] = {"help: review": review_help, "exit codes": exit_table, "keys": key_table}


@pytest.mark.parametrize("name", BLOCKS)
def test_the_readme_says_what_the_program_says(name: str, update_golden: bool) -> None:
    """Generated parts of the README are equal to what the code gives now."""
    text = README.read_text(encoding="utf-8")
    block = re.search(rf"(<!-- {re.escape(name)} -->\n)(.*?)(<!-- end -->)", text, re.DOTALL)
    assert block, f"README.md has no part named {name}"
    wanted = f"\n{BLOCKS[name]()}\n\n"
    if update_golden:
        README.write_text(text[: block.start(2)] + wanted + text[block.end(2) :], encoding="utf-8")
        return
    assert block[2] == wanted, "run `pytest tests/test_docs.py --update-golden` and read the difference"


def test_every_command_of_the_readme_exists() -> None:
    """Commands in the README's table are commands of the program, and all of them are there."""
    listed = set(re.findall(r"^\| `lrc (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE))
    listed |= {"uninstall"}
    offered = set(re.findall(r"^  (\w+)  ", help_of(), re.MULTILINE))
    assert listed == offered


@pytest.mark.parametrize(
    "command",
    [
        "review",
        "ci",
        "log",
        "stats",
        "install",
        "uninstall",
        "dismiss",
        "baseline",
        "doctor",
        "model pull",
        "model prune",
        "model slim",
        "tune",
        "config show",
    ],
)
def test_every_flag_has_a_variable(command: str) -> None:
    """Whatever can be given as a flag can be given as LRC_…, and the help says so."""
    options = re.split(r"\n(?=  -)", help_of(*command.split()).split("Options:", 1)[1])
    for option in options:
        flag = re.search(r"--([a-z-]+)", option)
        if flag and flag[1] not in ("help", "version"):
            folded = " ".join(option.split())
            assert re.search(r"env var: LRC_[A-Z_]+", folded), f"{command}: {flag[0]}"
