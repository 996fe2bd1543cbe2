"""What a push brings: the ranges to review, from what git tells its pre-push hook or what the framework made of it."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence

Git = Callable[..., "subprocess.CompletedProcess[bytes]"]
"""Runs git with these arguments and gives what came back."""


def framework_range(environment: Mapping[str, str]) -> str | None:
    """The range that the pre-commit framework was asked about (`--from-ref`, `--to-ref`, or a push), or None.

    Three dots, as there: what the new side brings since both were one.
    """
    old, new = (environment.get(f"PRE_COMMIT_{end}_REF", "") for end in ("FROM", "TO"))
    return f"{old}...{new}" if old and new else None


def ranges(lines: str, git: Git) -> tuple[list[str], list[str]]:
    """The ranges that a push would bring, each once, and the pushed refs that have nothing to be compared with.

    `lines` is the hook's standard input (githooks(5)): local ref, its commit, remote ref, what the remote has there.
    A deleted ref brings nothing. A ref that is new on the remote, or whose remote commit is not here, is compared
    with what any remote is known to have; when that is nothing, it cannot be compared.
    """
    found: dict[str, None] = {}
    without_base = []
    for line in lines.splitlines():
        fields = line.split(" ")
        if len(fields) != 4:
            continue
        ref, new, _, old = fields
        if not new.strip("0"):
            continue
        if old.strip("0") and git("cat-file", "-e", f"{old}^{{commit}}").returncode == 0:
            found[f"{old}...{new}"] = None
            continue
        unseen = _lines(git("rev-list", "--topo-order", "--reverse", new, "--not", "--remotes"))
        if not unseen:
            continue
        if git("cat-file", "-e", f"{unseen[0]}^").returncode == 0:
            found[f"{unseen[0]}^..{new}"] = None
        else:
            without_base.append(ref)
    return list(found), without_base


def _lines(answer: "subprocess.CompletedProcess[bytes]") -> Sequence[str]:
    return os.fsdecode(answer.stdout).split()
