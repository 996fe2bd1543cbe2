"""Commands that commit past the review, and the many that do not."""

import pytest

from lrc.install.bypass import bypass

HARMLESS = [
    "",
    "ls -n",
    "git status",
    "git commit -m 'add feature'",
    "git commit -m '--no-verify'",
    "git commit -m -n",
    "git commit -am 'no-verify was wrong'",
    "git commit -amn",
    "git commit -F -n",
    "git commit --message --no-verify",
    "git commit -- --no-verify -n",
    "git log -n 3",
    "git log --grep=--no-verify",
    "git merge -n topic",
    "echo git commit --no-verify",
    "grep -rn 'git commit --no-verify' docs",
    "git commit -m \"$(cat <<'EOF'\nwhy --no-verify is bad\nEOF\n)\"",
    "SKIP=mypy git commit -m x",
    "LRC_SKIP=0 git commit -m x",
    "LRC_SKIP= git commit -m x",
    "git commit -m x; git log -n 1",
    "git config core.hooksPath",
    "git -c user.name=x commit -m y",
    "git commit --no-edit",
    "git commit -m 'open quote",
    "LRC_SKIP=1 make test",
]
BYPASSING = [
    ("git commit --no-verify -m x", "--no-verify"),
    ("git commit --no-veri -m x", "--no-veri"),
    ("git commit -n -m x", "-n"),
    ("git commit -anm x", "-anm"),
    ("git add -A && git commit -m x --no-verify", "--no-verify"),
    ("cd sub; /usr/bin/git commit -nm x", "-nm"),
    ("(git commit -m x -n)", "-n"),
    ("git add .\ngit commit -n -m x", "-n"),
    ("LRC_SKIP=1 git commit -m x", "LRC_SKIP=1"),
    ("SKIP=lrc git commit -m x", "SKIP=lrc"),
    ("SKIP=ruff,lrc git commit -m x", "SKIP=ruff,lrc"),
    ("env LRC_SKIP=yes git commit -m x", "LRC_SKIP=yes"),
    ("export LRC_SKIP=1; git commit -m x", "LRC_SKIP=1"),
    ("git -c core.hooksPath=/dev/null commit -m x", "-c core.hooksPath=/dev/null"),
    ("git -C sub -c core.hookspath= commit -m x", "-c core.hookspath="),
    ("git merge --no-verify topic", "--no-verify"),
    ("git commit -m x --no-verify | tee log", "--no-verify"),
]


@pytest.mark.parametrize("command", HARMLESS)
def test_harmless(command: str) -> None:
    """What does not commit, or commits through the hook, is let alone."""
    assert bypass(command) == ""


@pytest.mark.parametrize(("command", "what"), BYPASSING)
def test_bypassing(command: str, what: str) -> None:
    """What keeps the hook or the review from running is named as it was written."""
    assert bypass(command) == what
