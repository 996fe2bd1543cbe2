"""How a hunk is shown to the model."""

from lrc.context import unit_for
from lrc.detect import mask
from lrc.reviewer.excerpt import numbered, places, spoken
from tests.support.changes import change

FILE = change("a.py", " def f(x):\n-    y = 1\n+    y = x\n     return y")


def test_lines_carry_the_labels_that_an_answer_uses() -> None:
    """New lines by their number, removed ones with a minus; context lines have a number but are no place."""
    hunk = FILE.hunks[0]
    assert [place.label for place in places(hunk)] == ["-2", "2"]
    assert numbered(unit_for(FILE, hunk, ""), lambda text: text).splitlines() == [
        " 1  def f(x):",
        "-2 -    y = 1",
        " 2 +    y = x",
        " 3      return y",
    ]


def test_a_key_of_many_lines_is_masked_as_one() -> None:
    """The last, short line of a private key is hidden too, which no line alone would show."""
    body = "\n".join("+" + line for line in ("MIIEowIBAAKCAQEA7bq0Xy0Zy9uT4Q2mJb7vAbCdEfGh", "Zm9vYmFyYmF6cXV4"))
    begin, end = "-----BEGIN " + "RSA PRIVATE KEY-----", "-----END " + "RSA PRIVATE KEY-----"
    file = change("key.txt", f"+{begin}\n{body}\n+{end}")
    unit = unit_for(file, file.hunks[0], "")
    for text in (numbered(unit, mask), *spoken(unit, mask)):
        assert "MIIEow" not in text
        assert "Zm9vYmFyYmF6cXV4" not in text
        assert "BEGIN RSA" in text
