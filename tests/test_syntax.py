"""What names and single lines tell."""

import pytest

from lrc.syntax import code_of, is_build_path, is_example_path, is_test_path


@pytest.mark.parametrize(
    ("line", "language", "code"),
    [
        ("x = 1  # note", "python", "x = 1"),
        ("x = '#1'  # note", "python", "x = '#1'"),
        (r"x = 'it\'s # in'", "python", r"x = 'it\'s # in'"),
        ("# all", "python", ""),
        ("a(); // b", "go", "a();"),
        ('u = "http://x"; // b', "java", 'u = "http://x";'),
        ("fn f<'a>(x: &'a str) {} // life", "rust", "fn f<'a>(x: &'a str) {}"),
        ("echo ${#list} # n", "bash", "echo ${#list}"),
        ("color: a#b # c", "yaml", "color: a#b"),
        ("SELECT 1 -- one", "sql", "SELECT 1"),
        ("# heading", "markdown", "# heading"),
        ("x # y", "", "x # y"),
    ],
)
def test_comment_is_cut_where_it_begins(line: str, language: str, code: str) -> None:
    """A marker inside a string, a word or another language's text starts no comment."""
    assert code_of(line, language) == code


@pytest.mark.parametrize(
    "path",
    [
        "tests/a.py",
        "test_a.py",
        "pkg/a_test.go",
        "src/a.spec.ts",
        "src/test/java/A.java",
        "Acme.Tests/A.cs",
        "src/UserServiceTests/A.cs",
        "spec/models/user_spec.rb",
        "web/__tests__/a.js",
        "testdata/key.pem",
        "conftest.py",
    ],
)
def test_test_paths(path: str) -> None:
    """Tests and their data, by the habits of each language."""
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path", ["src/app.py", "src/latest/a.py", "contest/a.go", "attestation.py", "src/testify.go", "protest.rb"]
)
def test_paths_that_only_sound_like_tests(path: str) -> None:
    """A word that holds `test` is no test."""
    assert not is_test_path(path)


def test_examples_and_build_scripts() -> None:
    """What shows how to, and what runs on a developer's machine only."""
    assert all(map(is_example_path, ("docs/a.py", ".env.example", "README.md", "examples/x.go", "config.sample.yml")))
    assert not any(map(is_example_path, ("src/a.py", ".env", "example.py", "config.yml")))
    assert all(map(is_build_path, ("scripts/a.py", "Rakefile", "tasks/lint.rake", "tools/x.go", "webpack.config.js")))
    assert not any(map(is_build_path, ("src/a.py", "scripting/a.py", "app.rb")))


def test_an_attribute_of_php_is_code() -> None:
    """`#[` opens an attribute there; in every other place `#` opens a comment."""
    assert code_of("    #[Test]", "php") == "    #[Test]"
    assert code_of("    # [Test]", "php") == ""
    assert code_of("x = 1  #[Test]", "python") == "x = 1"
