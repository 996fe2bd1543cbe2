"""Which drafts may guess for which targets."""

from pathlib import Path

import pytest

from lrc.models.compatibility import mismatch
from lrc.models.facts import read_facts
from tests.conftest import ModelPair
from tests.support.gguf_files import TOKENS, write_gguf


def compared(tmp_path: Path, target: dict[str, object], draft: dict[str, object]) -> str:
    """The verdict on two small files with these differences."""
    paths = [write_gguf(tmp_path / f"{n}.gguf", **c) for n, c in (("t", target), ("d", draft))]  # type: ignore[arg-type]
    return mismatch(read_facts(paths[0]), read_facts(paths[1]), *paths)


@pytest.mark.parametrize(
    "draft",
    [
        pytest.param({}, id="the same"),
        pytest.param({"tokens": (*TOKENS, *(f"pad{n}" for n in range(128)))}, id="128 rows of padding more"),
        pytest.param({"tokens": ("other",) * 5 + TOKENS[5:]}, id="control tokens below 5 spelt differently"),
        pytest.param({"tokenizer__ggml__bos_token_id": 9}, id="another begin token that neither adds"),
        pytest.param({"tokenizer__ggml__eos_token_id": 9}, id="another end token that neither adds"),
        pytest.param({"qwen2__context_length": 8192}, id="a shorter context that a review fits in"),
        pytest.param({"general__architecture": "llama"}, id="another architecture"),
    ],
)
def test_fits(tmp_path: Path, draft: dict[str, object]) -> None:
    """What llama.cpp lets draft is not refused."""
    assert compared(tmp_path, {}, draft) == ""


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        pytest.param({"tokenizer__ggml__model": "llama"}, ("'gpt2'", "'llama'"), id="tokenizer"),
        pytest.param({"tokens": (*TOKENS, *("p",) * 129)}, ("300", "429", "128"), id="size"),
        pytest.param(
            {"tokens": (*TOKENS[:5], "else", *TOKENS[6:])}, ("token 5", "'token5'", "'else'"), id="first compared token"
        ),
        pytest.param({"tokens": (*TOKENS[:-1], "else")}, ("token 299", "'token299'", "'else'"), id="last token"),
        pytest.param({"tokenizer__ggml__add_bos_token": True}, ("no begin token", "begin token 1"), id="begin token"),
        pytest.param({"tokenizer__ggml__add_eos_token": True}, ("no end token", "end token 2"), id="end token"),
        pytest.param({"qwen2__context_length": 2048}, ("8,192", "2,048"), id="context"),
    ],
)
def test_does_not_fit(tmp_path: Path, draft: dict[str, object], words: tuple[str, ...]) -> None:
    """The clause names what the target has and what the draft has."""
    verdict = compared(tmp_path, {}, draft)
    assert [word for word in words if word not in verdict] == []


def test_begin_token_that_both_add_must_be_the_same(tmp_path: Path) -> None:
    """Two models that add different begin tokens do not fit."""
    added = {"tokenizer__ggml__add_bos_token": True}
    assert compared(tmp_path, added, added) == ""
    assert "begin token 7" in compared(tmp_path, added, {**added, "tokenizer__ggml__bos_token_id": 7})


def test_token_of_broken_utf8_is_shown_in_one_line(tmp_path: Path) -> None:
    """Token texts come from a file: control characters do not reach the terminal."""
    verdict = compared(tmp_path, {}, {"tokens": (*TOKENS[:5], "\x1b[2J\n", *TOKENS[6:])})
    assert "\x1b" not in verdict and "\n" not in verdict


@pytest.mark.model
def test_the_real_pair_fits(pair: ModelPair) -> None:
    """The default draft may guess for the default target."""
    assert mismatch(read_facts(pair.target), read_facts(pair.draft), pair.target, pair.draft) == ""
