"""The functions, methods and classes of a source text, by tree-sitter grammars (ast-grep-py, imported when needed)."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from lrc.language import GRAMMARS, PARSE_LIMIT
from lrc.review import Enclosing

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_JAVASCRIPT = (
    "function_declaration generator_function_declaration class_declaration class method_definition function_expression"
)
_TYPESCRIPT = f"{_JAVASCRIPT} abstract_class_declaration interface_declaration enum_declaration internal_module module"
_KINDS = {
    "bash": "function_definition",
    "c": "function_definition struct_specifier union_specifier enum_specifier",
    "cpp": "function_definition class_specifier struct_specifier union_specifier enum_specifier namespace_definition",
    "csharp": "namespace_declaration class_declaration struct_declaration interface_declaration record_declaration"
    " enum_declaration method_declaration constructor_declaration destructor_declaration property_declaration"
    " operator_declaration indexer_declaration local_function_statement",
    "go": "function_declaration method_declaration type_spec",
    "java": "class_declaration interface_declaration enum_declaration record_declaration method_declaration"
    " constructor_declaration annotation_type_declaration",
    "javascript": _JAVASCRIPT,
    "kotlin": "class_declaration object_declaration function_declaration secondary_constructor",
    "lua": "function_declaration",
    "php": "class_declaration interface_declaration trait_declaration enum_declaration function_definition"
    " method_declaration",
    "python": "function_definition class_definition",
    "ruby": "module class method singleton_method",
    "rust": "function_item impl_item trait_item mod_item struct_item enum_item union_item macro_definition",
    "scala": "class_definition object_definition trait_definition enum_definition function_definition",
    "solidity": "contract_declaration interface_declaration library_declaration function_definition"
    " modifier_definition constructor_definition struct_declaration",
    "swift": "class_declaration protocol_declaration function_declaration init_declaration deinit_declaration",
    "tsx": _TYPESCRIPT,
    "typescript": _TYPESCRIPT,
}
_NAMELESS = {"class", "function_expression", "module"}
"""Kinds that also match a keyword or an anonymous thing: only those with a name count."""
_VALUES = [{"kind": kind} for kind in ("arrow_function", "function_expression", "class")]
_FUNCTION_VALUES: list[dict[str, Any]] = [
    {"kind": kind, "has": {"any": _VALUES}} for kind in ("variable_declarator", "pair")
]
_EXTRA: dict[str, list[dict[str, Any]]] = {
    "javascript": _FUNCTION_VALUES,
    "typescript": _FUNCTION_VALUES,
    "tsx": _FUNCTION_VALUES,
    "elixir": [{"kind": "call", "regex": r"^(def|defp|defmacro|defmodule|defprotocol|defimpl)\s"}],
}
_NAME_KINDS = frozenset({
    "identifier", "simple_identifier", "type_identifier", "field_identifier", "property_identifier", "constant",
    "name", "word",
})  # fmt: skip


@lru_cache(maxsize=8)
def outline(language: str, text: str) -> tuple[Enclosing, ...]:
    """The definitions in a text, outermost first and in order of their first line; empty without a grammar.

    Remembered for the last few texts, so that all hunks of a file parse it once. Decorators belong to what they
    decorate. Names are dotted from the outermost definition: `Store.save`.
    """
    if language not in GRAMMARS or not (language in _KINDS or language in _EXTRA) or len(text) > PARSE_LIMIT:
        return ()
    found: list[Enclosing] = []
    around: list[tuple[int, str]] = []  # where each open definition ends, and its dotted name
    for name, header, span in sorted(_definitions(language, text), key=lambda item: (item[2].first, -item[2].last)):
        while around and around[-1][0] < span.last:
            around.pop()
        dotted = f"{around[-1][1]}.{name}" if around else name
        around.append((span.last, dotted))
        found.append(Enclosing(dotted, header, span.start, span.end))
    return tuple(found)


class Span(NamedTuple):
    """Where a definition stands: characters decide what is nested in what, lines are for people."""

    first: int
    """Offset of its first character."""
    last: int
    """Offset just behind its last character."""
    start: int
    """First line, 1-based."""
    end: int
    """Last line, inclusive."""


def _definitions(language: str, text: str) -> Iterator[tuple[str, str, Span]]:
    """Name, header (the line that names it) and place of each definition."""
    from ast_grep_py import SgRoot

    clean = text.encode("utf-8", "replace").decode()  # lone surrogates would be refused
    rules: list[dict[str, Any]] = [{"kind": kind} for kind in _KINDS.get(language, "").split()]
    lines = clean.split("\n")
    config: Any = {"rule": {"any": rules + _EXTRA.get(language, [])}}
    for node in SgRoot(clean, language).root().find_all(config):
        named = _name_of(node)
        if named is None or (node.kind() in _NAMELESS and node.field("name") is None):
            continue
        name, line = named
        place = _decorated(node).range()
        end = place.end.line + (place.end.column > 0)
        yield name, lines[line].strip(), Span(place.start.index, place.end.index, place.start.line + 1, end)


def _decorated(node: "SgNode") -> "SgNode":
    """The node with what belongs to it in front: decorators, `export`."""
    parent = node.parent()
    return parent if parent is not None and parent.kind() in ("decorated_definition", "export_statement") else node


def _name_of(node: "SgNode") -> tuple[str, int] | None:
    """The name of a definition and the index of the line where it stands; None when it has none."""
    kind = node.kind()
    if kind == "call":
        return _elixir_name(node)
    named = node.field("key") if kind == "pair" else node.field("name")
    if kind == "impl_item":
        named = node.field("type")
    if named is None:
        named = _declarator(node)
    if named is None:
        named = next((child for child in node.children() if child.kind() in _NAME_KINDS), None)
    if named is None:
        keyword = {"constructor_definition": "constructor", "secondary_constructor": "constructor"}.get(kind)
        return (keyword, node.range().start.line) if keyword else None
    name = named.text().partition("\n")[0].replace("::", ".").strip("\"'")
    name = name.partition("<")[0] if kind == "impl_item" else name
    receiver = node.field("receiver") if kind == "method_declaration" else None
    if receiver is not None:
        name = f"{_receiver_type(receiver.text())}.{name}"
    return name, named.range().start.line


def _declarator(node: "SgNode") -> "SgNode | None":
    """The innermost declarator of a C or C++ function: its name, without pointers and parameters."""
    inner = node.field("declarator")
    while inner is not None:
        deeper = inner.field("declarator")
        if deeper is None and inner.kind() == "reference_declarator":  # the grammar gives this one no field
            deeper = next((child for child in inner.children() if child.kind() == "function_declarator"), None)
        if deeper is None:
            return inner
        inner = deeper
    return None


def _receiver_type(text: str) -> str:
    """The type name in a Go receiver: `(s *Store[T])` gives `Store`."""
    words = text.strip("() ").partition("[")[0].replace("*", " ").split()
    return words[-1] if words else ""


def _elixir_name(node: "SgNode") -> tuple[str, int] | None:
    """The name in `def name(…) do` or `defmodule Name do`."""
    words = node.text().partition("\n")[0].split(None, 1)
    name = words[1].partition("(")[0].split()[0].rstrip(",") if len(words) > 1 and words[1].strip("( ") else ""
    return (name, node.range().start.line) if name else None
