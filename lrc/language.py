"""Which language a file is written in, by name or first line; and for which of them a grammar is at hand. Pure."""

import re
from pathlib import PurePosixPath

PARSE_LIMIT = 2 * 1024 * 1024
"""Characters above which a text is not parsed: it is generated, and parsing would take seconds."""

_BY_SUFFIX = {
    "bash": "bash sh zsh ksh bats",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl cu cuh",
    "csharp": "cs csx",
    "css": "css",
    "dart": "dart",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "go": "go",
    "groovy": "groovy gradle",
    "haskell": "hs",
    "hcl": "hcl tf tfvars",
    "html": "html htm xhtml",
    "ini": "ini cfg conf properties env",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "json": "json jsonc json5 webmanifest",
    "julia": "jl",
    "kotlin": "kt kts",
    "lua": "lua",
    "markdown": "md markdown mdx",
    "nix": "nix",
    "objective-c": "m mm",
    "perl": "pl pm",
    "php": "php phtml php3 php4 php5",
    "powershell": "ps1 psm1",
    "python": "py pyi pyw",
    "r": "r",
    "restructuredtext": "rst",
    "ruby": "rb rake gemspec ru",
    "rust": "rs",
    "scala": "scala sc",
    "scss": "scss sass less",
    "solidity": "sol",
    "sql": "sql",
    "svelte": "svelte",
    "swift": "swift",
    "text": "txt text adoc",
    "toml": "toml",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "vue": "vue",
    "xml": "xml xsd xsl svg plist",
    "yaml": "yaml yml",
    "zig": "zig",
}
_SUFFIXES = {suffix: language for language, suffixes in _BY_SUFFIX.items() for suffix in suffixes.split()}
_NAMES = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "vagrantfile": "ruby",
    "jenkinsfile": "groovy",
    "cmakelists.txt": "cmake",
    "build": "starlark",
    "build.bazel": "starlark",
    "workspace": "starlark",
    ".npmrc": "ini",
    ".pypirc": "ini",
    ".netrc": "ini",
    ".gitconfig": "ini",
    ".editorconfig": "ini",
    ".bashrc": "bash",
    ".profile": "bash",
    ".zshrc": "bash",
}
_INTERPRETERS = {
    "python": "python",
    "pypy": "python",
    "bash": "bash",
    "sh": "bash",
    "dash": "bash",
    "ash": "bash",
    "ksh": "bash",
    "zsh": "bash",
    "node": "javascript",
    "nodejs": "javascript",
    "bun": "typescript",
    "deno": "typescript",
    "ts-node": "typescript",
    "ruby": "ruby",
    "perl": "perl",
    "php": "php",
    "lua": "lua",
    "elixir": "elixir",
    "escript": "erlang",
    "rscript": "r",
    "julia": "julia",
    "swift": "swift",
    "kotlin": "kotlin",
    "scala": "scala",
    "groovy": "groovy",
}
GRAMMARS = frozenset({
    "bash", "c", "cpp", "csharp", "css", "elixir", "go", "haskell", "hcl", "html", "java", "javascript", "json",
    "kotlin", "lua", "nix", "php", "python", "ruby", "rust", "scala", "solidity", "swift", "tsx", "typescript", "yaml",
})  # fmt: skip
"""Languages that ast-grep-py parses offline under the same name; any other name makes it panic."""

_SHEBANG = re.compile(
    r"#![ \t]*(?:\S*/)?env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*(?:\S*/)?([\w.+-]+)|#![ \t]*\S*?([\w.+-]+)(?:\s|$)"
)


def language_of(path: str, text: str = "") -> str:
    """The lower-case language name of a file, by its name, else by the `#!` line of its text; empty when unknown."""
    name = PurePosixPath(path).name.lower()
    if name in _NAMES:
        return _NAMES[name]
    _, dot, suffix = name.rpartition(".")
    if dot and suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if name.startswith(".env."):
        return "ini"
    if name.startswith(("dockerfile.", "makefile.")):
        return _NAMES[name.partition(".")[0]]
    return _by_shebang(text)


def _by_shebang(text: str) -> str:
    """The language of the interpreter that a script names."""
    if not text.startswith("#!"):
        return ""
    match = _SHEBANG.match(text[:256].partition("\n")[0])
    if match is None:
        return ""
    program = (match[1] or match[2]).lower()
    return _INTERPRETERS.get(program) or _INTERPRETERS.get(program.rstrip("0123456789.-"), "")
