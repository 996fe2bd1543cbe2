"""One entry more or less in a JSON file of hooks, everything else as it was."""

import json
import re
from typing import Any


class UnknownShape(ValueError):
    """The file is not the JSON that the tool documents; the message says what is wrong with it."""


def add(content: bytes | None, event: str, entry: dict[str, object], skeleton: dict[str, object]) -> bytes:
    """The file with our entry in the list of `event`; `content` None makes a new one around `skeleton`.

    Raises UnknownShape.
    """
    data = _read(content) if content is not None else dict(skeleton)
    hooks = data.setdefault("hooks", {})
    if not isinstance(hooks, dict):
        raise UnknownShape("`hooks` is not an object")
    entries = hooks.setdefault(event, [])
    if not isinstance(entries, list):
        raise UnknownShape(f"`hooks.{event}` is not a list")
    if entry in entries:
        return content or b""
    entries.append(entry)
    return _written(data, content)


def remove(content: bytes | None, event: str, entry: dict[str, object], skeleton: dict[str, object]) -> bytes | None:
    """The file without our entry, and without a list or object that is empty without it; None: nothing is left.

    Raises UnknownShape.
    """
    data = _read(content or b"{}")
    hooks = data.get("hooks")
    entries = hooks.get(event) if isinstance(hooks, dict) else None
    if not isinstance(hooks, dict) or not isinstance(entries, list) or entry not in entries:
        return content
    entries.remove(entry)
    if not entries:
        del hooks[event]
    if not hooks:
        del data["hooks"]
    return None if data == skeleton else _written(data, content)


def _read(content: bytes) -> dict[str, Any]:
    try:
        data = json.loads(content)
    except ValueError:  # comments are allowed by some editors; we could not keep them
        raise UnknownShape("is not plain JSON") from None
    if not isinstance(data, dict):
        raise UnknownShape("is not a JSON object")
    return data


def _written(data: dict[str, Any], content: bytes | None) -> bytes:
    """The data in the file's own style: its indentation and whether it ends with a line end."""
    text = (content or b"{\n  \n}\n").decode("utf-8", "replace")
    match = re.search(r"^([ \t]+)", text, re.MULTILINE)
    indent = match[1] if match else ("  " if "\n" in text.strip() or content is None else None)
    written = json.dumps(data, indent=indent, ensure_ascii=False)
    newline = "\r\n" if "\r\n" in text else "\n"
    return (written + "\n" * text.endswith("\n")).replace("\n", newline).encode()
