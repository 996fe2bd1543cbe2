"""Files of coding agents: ours in and out, everything else as it was."""

import json
import os
import sys
from pathlib import Path

import pytest

from lrc.cli.hook import check_agent
from lrc.errors import EnvironmentFault
from lrc.install import agents, jsonhooks, section
from tests.support.hooked import Repository, make, run, snapshot

NAMES = sorted(agents.AGENTS)
OTHERS = {
    "claude": {"permissions": {"allow": ["Bash(ls *)"]}, "hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": []}]}},
    "codex": {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}},
    "cursor": {"version": 1, "hooks": {"beforeShellExecution": [{"command": "./check.sh"}], "stop": []}},
}


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository with one commit."""
    return make(tmp_path / "repo")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_before_is_nothing_after(name: str, repo: Repository) -> None:
    """Where the tool had no files, uninstall leaves none, not even an empty directory."""
    then = snapshot(repo.path)
    agents.install(name, repo.path)
    assert len(snapshot(repo.path)) > len(then)
    assert len(agents.uninstall(start=repo.path)) == 2
    assert snapshot(repo.path) == then
    assert agents.uninstall(start=repo.path) == []


@pytest.mark.parametrize("indent", [2, 4, "\t"])
@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("name", NAMES)
def test_entries_of_others_stay(name: str, end: str, indent: int | str, repo: Repository) -> None:
    """Other entries keep their place and the file its style; uninstall gives it back to the byte."""
    hooks = repo.path / agents.AGENTS[name].hooks
    hooks.parent.mkdir()
    hooks.write_text(json.dumps(OTHERS[name], indent=indent, ensure_ascii=False) + end)
    (hooks.parent / "other é.md").write_text("mine")
    (repo.path / "AGENTS.md").write_text(f"# Rules\n\n- be kind{end}")
    then = snapshot(repo.path)
    agents.install(name, repo.path)
    installed = snapshot(repo.path)
    agents.install(name, repo.path)
    assert snapshot(repo.path) == installed
    data = json.loads(hooks.read_text())
    event = agents.AGENTS[name].event
    assert data["hooks"][event][-1] == agents.AGENTS[name].entry
    assert data["hooks"][event][:-1] == OTHERS[name]["hooks"].get(event, [])  # type: ignore[attr-defined]
    agents.uninstall((name,), repo.path)
    assert snapshot(repo.path) == then


@pytest.mark.parametrize(
    "content", ["// comment\n{}\n", "[]", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', "\xff"]
)
def test_file_of_another_shape_is_refused(content: str, repo: Repository) -> None:
    """A file that is not what the tool documents is left alone, with the command to put in by hand."""
    settings = repo.path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(content.encode("latin-1"))
    then = snapshot(repo.path)
    with pytest.raises(EnvironmentFault, match=r"settings\.json") as caught:
        agents.install("claude", repo.path)
    assert agents.COMMAND in caught.value.hint
    assert snapshot(repo.path) == then


def test_edited_rule_stays(repo: Repository) -> None:
    """A rule that somebody edited is not removed; it is said."""
    agents.install("claude", repo.path)
    rule = repo.path / ".claude" / "rules" / "lrc.md"
    rule.write_text(rule.read_text() + "- and be kind\n")
    assert any("was edited" in line for line in agents.uninstall(start=repo.path))
    assert rule.exists()


def test_text_after_our_section_stays(repo: Repository) -> None:
    """What was written below our section of AGENTS.md, and above it, stays."""
    (repo.path / "AGENTS.md").write_text("above\n")
    agents.install("codex", repo.path)
    (repo.path / "AGENTS.md").write_text((repo.path / "AGENTS.md").read_text() + "below\n")
    agents.uninstall(start=repo.path)
    assert (repo.path / "AGENTS.md").read_text() == "above\nbelow\n"


def test_linked_rule_file_stays_a_link(repo: Repository) -> None:
    """AGENTS.md that is a symbolic link is written through."""
    (repo.path / "CLAUDE.md").write_text("rules\n")
    (repo.path / "AGENTS.md").symlink_to("CLAUDE.md")
    then = snapshot(repo.path)
    agents.install("codex", repo.path)
    assert (repo.path / "AGENTS.md").is_symlink()
    agents.uninstall(start=repo.path)
    assert snapshot(repo.path) == then


@pytest.mark.parametrize("before", ["", "x", "x\n", "x\n\n", "x\r\n"])
def test_section_comes_and_goes_without_a_trace(before: str) -> None:
    """Whatever the file ended with, adding (twice) and removing is the identity."""
    once = section.add(before.encode(), "text\n")
    assert section.add(once, "text\n") == once
    assert (section.remove(once) or b"") == before.encode()


def test_rule_names_what_exists(repo: Repository) -> None:
    """The rule names options of `lrc review` that there are, and both ways to skip."""
    for word in ("lrc review --format json", "--no-verify", "LRC_SKIP", "SKIP=lrc", "findings", "exit_code"):
        assert word in agents.RULE


def test_compact_json_stays_compact() -> None:
    """A file on one line stays on one line."""
    assert b"\n" not in jsonhooks.add(b'{"a": 1}', "event", {"command": "x"}, {})


def _asked(question: object, repo: Repository) -> tuple[int, str, str]:
    text = question if isinstance(question, str) else json.dumps(question)
    done = run("lrc", "hook", "agent", cwd=repo.path, check=False, text=text)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("shape", ["nested", "flat"])
def test_agent_is_stopped_before_it_skips_a_review(
    shape: str, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question as Claude Code and Codex ask it, and as Cursor does: 2 and a reason, or `{}` and 0."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")

    def question(command: str) -> dict[str, object]:
        nested = {"tool_name": "Bash", "tool_input": {"command": command}}
        return nested if shape == "nested" else {"command": command, "cwd": "/"}

    code, out, err = _asked(question("git commit --no-verify -m x"), repo)
    assert (code, out) == (2, "")
    assert "--no-verify" in err
    assert _asked(question("git commit -m x"), repo) == (0, "{}\n", "")


@pytest.mark.parametrize("question", ["", "not json", "[]", "{}", '{"tool_input": 3}', '{"command": null}', '"x"'])
def test_question_that_cannot_be_read_is_let_go(question: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A fault of the question never stops the agent's work."""
    assert check_agent(question) == 0
    assert capsys.readouterr().out == "{}\n"


def test_command_goes_on_where_lrc_is_not_installed(repo: Repository) -> None:
    """The command in shared files lets a colleague without lrc work."""
    done = run("sh", "-c", agents.COMMAND, cwd=repo.path, env={"PATH": "/usr/bin:/bin"}, text="{}")
    assert done.stdout == "{}\n"
