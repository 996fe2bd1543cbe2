"""What a file name says about its language, and what of a line is comment. Pure, and only as deep as a line.

Not a parser: where one line alone cannot decide (inside a block comment or a long string that began above), the
functions answer "code", which costs a little work but never hides a change.
"""

import re
from dataclasses import dataclass

from lrc.language import language_of
from lrc.patterns import lazy


@dataclass(frozen=True, slots=True)
class Comments:
    """How a language writes comments."""

    line: tuple[str, ...] = ()
    """What starts a comment that ends with the line."""
    block: tuple[str, str] | None = None
    """What opens and closes a comment that may span lines."""


_C = Comments(("//",), ("/*", "*/"))
_HASH = Comments(("#",))
_ANGLE = Comments((), ("<!--", "-->"))
_LIKE_C = (
    "javascript typescript tsx go java kotlin scala csharp rust c cpp swift dart groovy solidity zig objective-c scss"
)
_LIKE_SHELL = "python ruby perl elixir bash powershell yaml toml dockerfile makefile cmake starlark r julia nix"
_COMMENTS = {
    **dict.fromkeys(_LIKE_C.split(), _C),
    **dict.fromkeys(_LIKE_SHELL.split(), _HASH),
    "php": Comments(("//", "#"), ("/*", "*/")),
    "css": Comments((), ("/*", "*/")),
    "hcl": Comments(("#", "//"), ("/*", "*/")),
    "sql": Comments(("--",), ("/*", "*/")),
    "lua": Comments(("--",)),
    "haskell": Comments(("--",)),
    "erlang": Comments(("%",)),
    "ini": Comments(("#", ";")),
    "html": _ANGLE,
    "xml": _ANGLE,
    "markdown": _ANGLE,
}

PROSE = frozenset({"markdown", "text", "restructuredtext"})
"""Files for people: comments and white space in them are content."""
INDENTED = PROSE | {"python", "yaml", "makefile", "haskell", "nix", "julia"}
"""Languages where leading white space carries meaning."""


def comments_of(language: str) -> Comments:
    """How `language` writes comments; no comments at all when that is unknown."""
    return _COMMENTS.get(language, Comments())


def code_of(line: str, language: str) -> str:
    """The line without its trailing line comment; a marker inside a quoted string does not count.

    A line that is nothing but a comment gives the empty string.
    """
    markers = comments_of(language).line
    if not any(marker in line for marker in markers):
        return line
    quote = ""
    index = 0
    while index < len(line):
        char = line[index]
        if quote:
            if char == "\\":
                index += 1
            elif char == quote:
                quote = ""
        elif char in "\"'`" and not (char == "'" and (language == "rust" or language in PROSE)):
            quote = char
        elif any(line.startswith(marker, index) for marker in markers) and _starts_comment(line, index, language):
            return line[:index].rstrip()
        index += 1
    return line


def _starts_comment(line: str, index: int, language: str) -> bool:
    """In a shell and in YAML, `#` inside a word is text: `${#array}`, `colour: a#b`; `#[` opens an attribute in PHP."""
    if language == "php" and line.startswith("#[", index):
        return False
    return language not in ("bash", "yaml", "dockerfile", "makefile") or index == 0 or line[index - 1].isspace()


_TEST_PATH = lazy(
    r"(?:^|/)(?:[\w.-]*[._-])?[tT]ests?(?:\.[\w.-]+)?/|(?:^|/)tests?\.\w{1,4}$|(?:^|/)tests?[-_][\w.-]*\.(?:sh|bash|zsh|ps1|js|ts|rb|pl)$|(?:^|/)\w*[a-z]Tests?/|(?:^|/)(?:specs?|__tests__|__mocks__|testdata|test[-_]data|testing|fixtures?|mocks?|e2e|cypress|playwright|"
    r"integration[-_]tests?|unit[-_]tests?|acceptance|testsuite|test[-_]?utils?|src/(?:\w+T|t)est)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.py$|_(?:test|spec)\.[a-z]+$|[.-](?:test|spec|stories|mock|cy)\.[a-z]+$"
    r"|(?:Tests?|Spec|IT|TestCase)\.(?:java|kt|cs|scala|swift|php)$",
)
_BUILD_PATH = lazy(
    r"(?:^|/)(?:tasks?|scripts?|tools?|bin|build|ci|hack|releas(?:e|es|ing)|contrib|\.github|\.ci|devtools?)/|\.rake$"
    r"|(?:^|/)(?:Rakefile|setup\.py|noxfile\.py|fabfile\.py|dodo\.py|build\.rs|gulpfile\.\w+|Gruntfile\.\w+|[\w-]+\.config\.\w+)$"
)
_EXAMPLE_PATH = lazy(
    r"(?:^|/)(?:examples?|samples?|docs?|documentation|demos?|tutorials?|bench(?:es|marks?)?|templates?|snippets)/"
    r"|\.(?:example|sample|template|dist|tmpl)$|\.(?:example|sample|template)\.[a-z]+$|(?:^|/)\.env\.(?:example|test|ci)$",
    re.IGNORECASE,
)


_CHART = lazy(r"(?:^|/)templates/(?:[\w.-]+/)*[\w.-]+\.(?:ya?ml|tpl)$")
"""A chart's templates are what runs in the cluster."""


def is_test_path(path: str) -> bool:
    """True for tests and their data, by the habits of the common languages."""
    return _TEST_PATH.search(path) is not None


def is_example_path(path: str) -> bool:
    """True for documentation, examples and templates: text that shows what to write rather than runs."""
    shown = _EXAMPLE_PATH.search(path) is not None and not _CHART.search(path)
    return shown or language_of(path) in PROSE


def is_build_path(path: str) -> bool:
    """True for what builds, checks and releases the project: it runs on the machines of its developers."""
    return _BUILD_PATH.search(path) is not None
