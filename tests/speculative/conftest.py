"""A tiny real model for the binding, and the setting that exact mode needs before the first evaluation of a process."""

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from lrc.speculative import exact
from tests.support import tiny_model

# The native library reads this once, at its first product; another test may come before the one that needs it.
os.environ.update(exact.ENVIRONMENT)


class TinyPair(NamedTuple):
    """Files of random weights: a target with quantised weights, and a draft that often agrees with it."""

    target: Path
    draft: Path


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyPair:
    """The pair: the same weights, quantised and not."""
    folder = tmp_path_factory.mktemp("tiny")
    draft = tiny_model.write_model(folder / "draft.gguf")
    return TinyPair(tiny_model.quantise(draft, folder / "target.gguf"), draft)
