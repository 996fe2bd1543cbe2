"""Patterns that are compiled on first use: none may have a fault that shows only then."""

import importlib
import pkgutil
import re

import pytest

import lrc.detect
from lrc.detect.insecure import rules_for
from lrc.detect.rules import nodes_of, parse
from lrc.language import GRAMMARS
from lrc.patterns import lazy

MODULES = [
    "lrc.ignore",
    "lrc.syntax",
    "lrc.trivial",
    "lrc.suppress",
    *(info.name for info in pkgutil.walk_packages(lrc.detect.__path__, "lrc.detect.")),
]
LANGUAGES = sorted(language for language in GRAMMARS if rules_for(language))


def test_lazy_pattern_behaves_like_a_compiled_one() -> None:
    """Every method of a compiled pattern is there, and a fault is the one that `re` reports."""
    pattern = lazy(r"a(b)", re.IGNORECASE)
    assert pattern.search("xAB")
    assert [match[1] for match in pattern.finditer("ab aB")] == ["b", "B"]
    assert pattern.sub("-", "ab") == "-"
    with pytest.raises(re.error):
        lazy("(").search("x")


@pytest.mark.parametrize("name", MODULES)
def test_every_pattern_of_a_module_compiles(name: str) -> None:
    """Each pattern at the top of a module is valid."""
    values = vars(importlib.import_module(name)).values()
    patterns = [value for value in values if type(value).__name__ == "_Lazy"]
    assert all(isinstance(pattern.pattern, str) for pattern in patterns)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_is_valid_in_its_languages(language: str) -> None:
    """Its expressions compile, and the grammar knows its kinds: an unknown one is an error in mid-review."""
    for rule in rules_for(language):
        for part in (rule.regex, rule.unless, rule.inside, rule.hint):
            re.compile(part, re.DOTALL)
        assert rule.hint, rule.regex
        assert language in rule.languages
        assert nodes_of(parse(language, ""), rule.kinds) == []
