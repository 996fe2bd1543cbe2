"""Text from a diff made safe to show: nothing in it can move the cursor, change colours or hide."""

import re
import unicodedata

_TAB = "    "
_PLAIN = re.compile(r"[\x20-\x7e]*")
_SHOWN_FORMAT = frozenset("\u00ad\u200c\u200d\ufe0e\ufe0f")
"""Format characters that ordinary text needs: soft hyphen, joiners, variation selectors of emoji."""


def visible(text: str) -> str:
    """One line of text with control, bidirectional, invisible and undecodable characters spelt out.

    Tabs become four blanks; a line feed is spelt out too, so that the result is always one line.
    """
    if _PLAIN.fullmatch(text):
        return text
    return "".join(_spell(char) for char in text)


def only_ascii(text: str) -> str:
    """The same text for an output that shows no more than ASCII."""
    return text.encode("ascii", "backslashreplace").decode("ascii")


def decodable(text: str) -> str:
    """The text without lone surrogates: a byte that was not UTF-8 in a name becomes `\\xe9`, so that it can be told."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") if not text.isascii() else text


def _spell(char: str) -> str:
    if char == "\t":
        return _TAB
    if " " <= char <= "~" or char in _SHOWN_FORMAT:
        return char
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    category = unicodedata.category(char)
    if category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or code in (0x115F, 0x1160, 0x3164, 0xFFA0):
        return f"\\x{code:02x}" if code < 0x100 else f"<U+{code:04X}>"
    return char
