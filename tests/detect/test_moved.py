"""A check that stands in another file of the change is not gone; one whose like stands there is."""

from lrc.detect.access_widening import AccessWidening
from lrc.detect.dependencies import Dependencies
from lrc.detect.moved import Moves
from lrc.detect.removed_checks import RemovedChecks
from lrc.diff import FileDiff
from tests.support.changes import change, new_text

GUARD = """ def f(user, me):
-    if user.owner is not me:
-        raise Refused("only its owner may delete this")
     return wipe(user)"""


def said(*files: FileDiff) -> list[str]:
    """The paths of what is said about the change as a whole."""
    moves = Moves(files)
    return [
        finding.path for file in files for finding in moves.without(RemovedChecks().scan(file, new_text(file)), file)
    ]


def test_check_alone_gone_is_said() -> None:
    """Without another file there is nowhere to have gone."""
    assert said(change("src/a.py", GUARD)) == ["src/a.py"]


def test_check_moved_to_another_file_is_not_said() -> None:
    """The condition stands there as it was."""
    other = change(
        "src/b.py", "+def may(user):\n+    if user.owner is not me:\n+        return False\n+    return True"
    )
    assert said(change("src/a.py", GUARD), other) == []


def test_check_moved_and_rewritten_is_known_by_its_words() -> None:
    """Its question is another one, its message the same."""
    other = change(
        "src/b.py", '+def may(owner):\n+    if owner != me:\n+        raise Refused("only its owner may delete this")'
    )
    assert said(change("src/a.py", GUARD), other) == []


def test_short_line_that_both_hold_is_chance() -> None:
    """A `return` of the same kind in another file replaces nothing."""
    guard = " def f(user, me):\n-    if user.owner is not me:\n-        return None\n     return wipe(user)"
    other = change("src/b.py", "+def g(name):\n+    if not name:\n+        return None\n+    return name")
    assert said(change("src/a.py", guard), other) == ["src/a.py"]


def test_check_whose_option_left_another_file_is_not_said() -> None:
    """The option is no longer declared, so nobody can ask for it."""
    guard = " def f(options):\n-    if not options.allow_wiping:\n-        return None\n     return wipe(options)"
    other = change("src/b.py", " class Options:\n-    allow_wiping: bool = False\n     verbose: bool = False")
    assert said(change("src/a.py", guard), other) == []


def test_check_that_went_from_two_files_is_said() -> None:
    """To ask in another file is not to declare."""
    guard = " def f(user):\n-    if not user.is_admin:\n-        return None\n     return wipe(user)"
    assert said(change("src/a.py", guard), change("src/b.py", guard)) == ["src/a.py", "src/b.py"]


def test_package_that_moved_to_another_manifest_is_not_said() -> None:
    """The list moved from a member to the workspace; a package beside it is new."""
    member = change("core/Cargo.toml", ' [dependencies]\n-either = "1"\n serde = "1"')
    root = change("Cargo.toml", ' [workspace.dependencies]\n+either = "1"\n rand = "0.9"\n+other = "2"')
    detector, moves = Dependencies(), Moves((member, root))
    found = list(moves.without(detector.scan(root, new_text(root)), root))
    assert [finding.quote for finding in found] == ['other = "2"']


def test_opening_that_moved_to_another_file_is_not_said() -> None:
    """What another file gave up was as open there."""
    line = '    response["Access-Control-Allow-Origin"] = "*"'
    old, new = change("src/a.py", f" x = 1\n-{line}\n y = 2"), change("src/b.py", f" def f(response):\n+{line}")
    found = list(AccessWidening().scan(new, new_text(new)))
    assert len(found) == 1
    assert list(Moves((new,)).without(found, new)) == found
    assert list(Moves((old, new)).without(found, new)) == []
