"""Shared beginnings on disk."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lrc.speculative import Engine, EngineOptions, Request
from lrc.speculative.cache import PrefixCache
from lrc.speculative.protocols import Row
from lrc.speculative.requests import DrafterKind
from lrc.speculative.snapshots import MOST_FILES, warm
from tests.speculative.conftest import TinyPair
from tests.support.toy_target import ToyLaw, ToyTarget

PREFIX = [1, 2, 3, 4, 5, 6, 7] * 6
OPTIONS = EngineOptions(n_ctx=512, threads=1, max_sequences=2, exact=True, drafter=DrafterKind.NONE)


class Rig:
    """A new process, as far as the cache is concerned."""

    def __init__(self) -> None:
        self.target = ToyTarget(ToyLaw(), sequences=2, rows=16)
        self.cache = PrefixCache(self.target, range(2))

    def warm(self, folder: Path, prefix: list[int] = PREFIX, settings: str = "toy") -> bool:
        """Warm the cache."""
        return warm(self.target, self.cache, prefix, folder, settings)


def test_the_second_process_evaluates_nothing(tmp_path: Path) -> None:
    """The first writes the snapshot, the second reads it; both can go on from it."""
    first, second = Rig(), Rig()
    assert not first.warm(tmp_path / "below")
    assert second.warm(tmp_path / "below")
    assert sum(first.target.evaluations) == len(PREFIX)
    assert second.target.evaluations == []
    for rig in (first, second):
        sequence, known = rig.cache.take([*PREFIX, 9], len(PREFIX))
        assert known == len(PREFIX)
        logits = rig.target.evaluate([Row((sequence,), known, 9, True)])
        assert np.array_equal(logits[0], ToyLaw().after([*PREFIX, 9]))


def test_what_is_in_the_cache_is_not_read_again(tmp_path: Path) -> None:
    """Warming twice is free."""
    rig = Rig()
    rig.warm(tmp_path)
    evaluated = sum(rig.target.evaluations)
    assert not rig.warm(tmp_path)
    assert sum(rig.target.evaluations) == evaluated


def test_other_settings_are_another_snapshot(tmp_path: Path) -> None:
    """A cache of another model or kernel is never read."""
    Rig().warm(tmp_path)
    assert not Rig().warm(tmp_path, settings="other")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("damage", ["cut", "turned", "empty", "foreign"])
def test_a_damaged_snapshot_is_evaluated_anew_and_replaced(tmp_path: Path, damage: str) -> None:
    """A bit turned anywhere is noticed."""
    Rig().warm(tmp_path)
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    turned = bytearray(content)
    turned[-3] ^= 1
    path.write_bytes({"cut": content[:-1], "turned": bytes(turned), "empty": b"", "foreign": b"x" * 99}[damage])
    rig = Rig()
    assert not rig.warm(tmp_path)
    assert rig.target.tokens(0) == PREFIX
    assert path.read_bytes() == content


def test_only_the_newest_are_kept_and_only_the_user_can_read_them(tmp_path: Path) -> None:
    """They hold what the model has read."""
    for number in range(MOST_FILES + 3):
        Rig().warm(tmp_path, settings=str(number))
        for age, path in enumerate(sorted(tmp_path.iterdir(), key=lambda file: file.stat().st_mtime_ns)):
            os.utime(path, ns=(age, age))
    assert len(list(tmp_path.iterdir())) == MOST_FILES
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.iterdir())
    assert Rig().warm(tmp_path, settings=str(MOST_FILES + 2))


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """The prefix is in the cache all the same."""
    (tmp_path / "file").write_text("in the way")
    rig = Rig()
    assert not rig.warm(tmp_path / "file")
    assert rig.target.tokens(0) == PREFIX


def test_on_the_real_library_the_answer_is_the_same_to_the_byte(tiny: TinyPair, tmp_path: Path) -> None:
    """From a snapshot of another engine, in exact mode, and the prompt is not evaluated again."""
    told: list[tuple[tuple[int, ...], int]] = []
    for warmed in (None, False, True):
        with Engine.open(tiny.target, None, OPTIONS) as engine:
            prefix = engine.encode("<|im_start|>system\nYou are asked about lines.\n", True)
            if warmed is not None:
                assert engine.warm(prefix, tmp_path) is warmed
            request = Request((*prefix, *engine.encode("abline", False)), 30)
            (answer,) = engine.generate([request])
            told.append((answer.tokens, answer.counts.reused_tokens))
    assert told[0][0] == told[1][0] == told[2][0]
    assert [reused for _, reused in told] == [0, len(prefix), len(prefix)]
    with Engine.open(tiny.target, None, replace(OPTIONS, exact=False)) as engine:
        assert engine.warm(prefix, tmp_path) is False
