"""Where the ledger of a repository begins: commits from here on are asked what review saw them."""

import contextlib

from lrc.install.place import Place, ask
from lrc.ledger.book import Book
from lrc.ledger.keys import KEY_FILE


def mark(place: Place) -> list[str]:
    """Begins the ledger of the repository, unless it has one; says in a line when that cannot be."""
    book = Book(place.common)
    if book.exists():
        return []
    head = ask("rev-parse", "--verify", "--quiet", "HEAD", cwd=place.top) or ""
    try:
        book.append("start", head=head)
    except OSError as error:
        return [f"the ledger cannot be written: {error.strerror or error}"]
    return []


def forget(place: Place) -> list[str]:
    """Removes a ledger in which nothing has been recorded yet; says where the one is that is kept."""
    book = Book(place.common)
    if not book.exists():
        return []
    if any(entry["event"] != "start" for entry in book.entries()):
        return [f"{book.path} stays: what was reviewed; delete it if it is of no use"]
    with contextlib.suppress(OSError):
        book.path.unlink()
        book.path.with_name(KEY_FILE).unlink(missing_ok=True)
        book.path.parent.rmdir()
    return []
