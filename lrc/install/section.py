"""A marked section in a Markdown file that belongs to others as well."""

_END = b"<!-- lrc: end -->\n"
_BEGIN = b"<!-- lrc: begin -->\n"
_BEGIN_AFTER_OPEN_LINE = b"<!-- lrc: begin (the line above had no end) -->\n"


def add(content: bytes | None, text: str) -> bytes:
    """The file with our section at its end, or with the one it has brought up to date."""
    kept = remove(content) if content is not None else None
    block = text.encode() + _END
    if not kept:
        return _BEGIN + block
    if kept.endswith(b"\n"):
        return kept + b"\n" + _BEGIN + block
    return kept + b"\n\n" + _BEGIN_AFTER_OPEN_LINE + block


def remove(content: bytes) -> bytes | None:
    """The file without our section, as it was before; None when the section was all of it."""
    for begin, between in ((_BEGIN, b"\n"), (_BEGIN_AFTER_OPEN_LINE, b"\n\n")):
        start, end = content.find(begin), content.find(_END)
        if 0 <= start < end:
            before, after = content[:start], content[end + len(_END) :]
            return before.removesuffix(between) + after or None
    return content
