"""Rules on code that switches a protection off or hands input to something that runs it, one language a file."""

from functools import cache
from importlib import import_module

from lrc.detect.rules import Rule

_MODULES = {
    "python": "python",
    "javascript": "javascript",
    "typescript": "javascript",
    "tsx": "javascript",
    "go": "go",
    "java": "java",
    "ruby": "ruby",
    "php": "php",
    "csharp": "csharp",
    "rust": "rust",
    "c": "c",
    "cpp": "c",
}


@cache
def rules_for(language: str) -> tuple[Rule, ...]:
    """The rules of a language, loaded when a file of it is first seen; none for a language without rules."""
    name = _MODULES.get(language)
    rules: tuple[Rule, ...] = import_module(f"lrc.detect.insecure.{name}").RULES if name else ()
    return rules
