"""What git was doing when it made a commit, from the words of its reflog."""


def action_of(subject: str) -> str:
    """`commit`, `commit (amend)`, `merge`, `rebase (pick)`, `pull`, …: a reflog entry without its names.

    `merge topic: Fast-forward` is a merge; `pull --rebase origin (pick): subject` is a rebase, whatever started it.
    """
    words = subject.partition(":")[0].split()
    if not words:
        return ""
    kind = "rebase" if "--rebase" in words else words[0]
    detail = f" {words[-1]}" if words[-1].startswith("(") and len(words) > 1 else ""
    return f"{kind}{detail}"[:40]
