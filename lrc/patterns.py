"""Regular expressions that are compiled when first used: most reviews need few of the many that detectors hold."""

import re
from typing import cast


class _Lazy:
    """Stands for a compiled pattern and becomes one on the first use of any of its methods."""

    __slots__ = ("_compiled", "_flags", "_text")

    def __init__(self, text: str, flags: int) -> None:
        self._text = text
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None

    def __getattr__(self, name: str) -> object:
        if self._compiled is None:
            self._compiled = re.compile(self._text, self._flags)
        return getattr(self._compiled, name)


def lazy(text: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern `text`, as `re.compile` would give it but for the time; a fault in it shows on first use.

    Compiling all patterns of the detectors takes longer than a whole review of a small change.
    """
    return cast("re.Pattern[str]", _Lazy(text, flags))
