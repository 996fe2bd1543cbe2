"""The shape of the package, held by a walk over its imports: who may know whom, and what stays out of start-up."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "lrc"
MODULES = sorted(PACKAGE.rglob("*.py"))

LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__",),
    ("cli",),
    ("web", "install", "render", "store"),
    ("ledger",),
    ("pipeline",),
    ("quality",),
    ("reviewer", "detect"),
    ("gate", "ignore"),
    ("suppress", "trivial", "risk"),
    ("context",),
    ("outline",),
    ("review",),
    ("prose", "findings"),
    ("syntax", "repo", "config"),
    ("language",),
    ("resolution",),
    ("patch",),
    ("diff",),
    ("models",),
    ("errors", "patterns"),
)
"""High to low: a module imports only from layers below its own, or from its own package."""

EXCEPTIONS = {
    ("reviewer", "speculative"),  # the engine stands apart; only who asks a model knows it
    ("cli", "speculative"),
    ("render", "speculative"),  # the figures of its benchmark
    ("config", "findings"),  # severities are values of settings
    ("detect", "store"),
}
ONLY_IN = {
    "typer": ("cli",),
    "rich": ("cli", "render"),
    "git": ("repo",),
    "llama_cpp": ("speculative",),
    "huggingface_hub": ("models",),
}
EAGER = ("rich", "git", "llama_cpp", "numpy", "huggingface_hub", "ast_grep_py", "pathspec", "tomlkit", "jinja2")


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _imports(path: Path) -> tuple[tuple[str, bool], ...]:
    """Every imported module with whether it is imported at module level; TYPE_CHECKING blocks are left out."""
    return tuple(_walk_imports(_tree(path)))


def _walk_imports(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            skipped.update(child for statement in node.body for child in ast.walk(statement))
    inside = {
        child
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node not in inside) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                known = (ROOT / Path(*name.split("."))).with_suffix(".py").is_file()
                yield (name if known else node.module), node not in inside


def _part(module: str) -> str:
    """The layer name of `lrc.part.anything`."""
    return module.split(".")[1] if "." in module else ""


def _rank(part: str) -> int | None:
    return next((place for place, names in enumerate(LAYERS) if part in names), None)


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_imports_point_downwards(path: Path) -> None:
    """A module knows only layers below its own; data flows one way."""
    own = _part(_name(path))
    wrong = []
    for module, _ in _imports(path):
        if not module.startswith("lrc."):
            continue
        other = _part(module)
        if other == own or (own, other) in EXCEPTIONS:
            continue
        mine, theirs = _rank(own), _rank(other)
        if mine is None or theirs is None or theirs <= mine:
            wrong.append(module)
    assert own in ("", "speculative") or _rank(own) is not None, f"give {own} a layer"
    assert not wrong


@pytest.mark.parametrize("path", sorted((PACKAGE / "speculative").rglob("*.py")), ids=_name)
def test_the_engine_imports_nothing_else_of_the_package(path: Path) -> None:
    """`lrc.speculative` could be published alone."""
    assert not [m for m, _ in _imports(path) if m.startswith("lrc") and not m.startswith("lrc.speculative")]


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_each_library_has_one_home(path: Path) -> None:
    """typer, rich, git and llama_cpp are each known to one place."""
    own = _part(_name(path))
    for module, _ in _imports(path):
        homes = ONLY_IN.get(module.split(".")[0])
        assert homes is None or own in homes, f"{module} is imported outside {homes}"


def test_there_are_no_import_cycles() -> None:
    """No module reaches itself through what it imports at module level."""
    names = {_name(path) for path in MODULES}
    edges = {
        _name(path): {m for m, top in _imports(path) if top and m in names and m != _name(path)} for path in MODULES
    }
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join((*trail, module))
        if module not in done:
            for other in edges[module]:
                visit(other, (*trail, module))
            done.add(module)

    for module in edges:
        visit(module, ())


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_modules_and_functions_stay_small(path: Path) -> None:
    """A module is at most about 300 lines, a function about 50."""
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 320
    for node in ast.walk(_tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body_start = node.body[0].lineno if node.body else node.lineno
            assert (node.end_lineno or 0) - body_start <= 55, f"{node.name} is long"


@pytest.mark.parametrize("command", ["import lrc.cli.app", "import lrc.cli.hook", "import lrc.cli.review"])
def test_start_up_imports_nothing_heavy(command: str) -> None:
    """What every command pays for leaves out the libraries that take time to import."""
    probe = f"{command}\nimport sys\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-P", "-c", probe], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & set(EAGER)


def test_the_engine_can_be_lifted_out() -> None:
    """Importing `lrc.speculative` brings no other module of the package and no native library."""
    probe = "import lrc.speculative, sys\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-P", "-c", probe], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    others = [m for m in loaded if m.startswith("lrc.") and not m.startswith("lrc.speculative")]
    assert not others
    assert not {"llama_cpp", "typer", "rich", "git"} & {name.split(".")[0] for name in loaded}
