"""Whether a shell command commits past the review: for coding agents, which like to reach for `--no-verify`.

A guard against a habit, not against malice: a command that hides what it does is not seen through. The ledger is for
that, which knows afterwards that no review saw the commit (`lrc log`), and a review of the pushed range.
"""

import re
import shlex
from collections.abc import Iterator, Sequence

_OPERATORS = frozenset(";&|()<>\n")
_VALUE_OPTIONS = frozenset(("-m", "-F", "-C", "-c", "-t", "--message", "--file", "--author", "--date", "--template"))
_GLOBAL_VALUE_OPTIONS = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"))
_SKIPPING = re.compile(r"(?:LRC_SKIP=(?!$|0$|false$|no$|off$).+|SKIP=(?:.*,)?\s*lrc\s*(?:,.*)?)", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_PREFIXES = frozenset(("env", "command", "exec", "nohup", "time", "sudo", "export"))


def bypass(command: str) -> str:
    """What in a shell command keeps a commit from being reviewed, as written there; empty when nothing does."""
    for words in _simple_commands(command):
        if found := _in_simple_command(words):
            return found
    return ""


def _simple_commands(command: str) -> Iterator[list[str]]:
    """The words of each command in a list or pipeline; nothing for a command that no shell would accept."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()<>\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        for token in lexer:
            if set(token) <= _OPERATORS and token:
                yield words
                words = []
            else:
                words.append(token)
    except ValueError:  # an open quote: the shell would refuse it, too
        return
    yield words


def _in_simple_command(words: Sequence[str]) -> str:
    skipping = ""
    at = 0
    while at < len(words) and (_ASSIGNMENT.match(words[at]) or words[at] in _PREFIXES):
        if _SKIPPING.fullmatch(words[at]):
            skipping = words[at]
        at += 1
    rest = words[at:]
    if not rest:  # a bare assignment, or `export LRC_SKIP=1`, holds for what follows
        return skipping
    if rest[0].rpartition("/")[2] not in ("git", "git.exe"):
        return ""
    return _in_git(rest[1:], skipping)


def _in_git(words: Sequence[str], skipping: str) -> str:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        option = words[at]
        value = words[at + 1] if option in _GLOBAL_VALUE_OPTIONS and at + 1 < len(words) else ""
        if (value or option).lower().startswith("core.hookspath"):
            skipping = f"{option} {value}".strip()
        at += 2 if value else 1
    if at >= len(words) or words[at] not in ("commit", "merge", "pull"):
        return ""
    return skipping or _in_commit(words[at + 1 :], short=words[at] == "commit")


def _in_commit(words: Sequence[str], *, short: bool) -> str:
    """`--no-verify`, however abbreviated, and for `git commit` its short form `-n`, also within `-anm`."""
    at = 0
    while at < len(words) and words[at] != "--":
        word = words[at]
        if len(word) >= len("--no-v") and "--no-verify".startswith(word):
            return word
        if short and re.fullmatch(r"-[a-zA-Z]+", word):
            flags = re.split(r"[mFCct]", word[1:], maxsplit=1)  # what follows these letters is their value
            if "n" in flags[0]:
                return word
            if len(flags) == 2 and not flags[1]:
                at += 1
        elif word in _VALUE_OPTIONS:
            at += 1
        at += 1
    return ""
