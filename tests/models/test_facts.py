"""The facts of a model, out of its header."""

from pathlib import Path

import pytest

from lrc.models.facts import read_facts, read_tokens
from lrc.models.faults import ModelFault
from lrc.models.ggml_types import BLOCKS, tensor_bytes
from lrc.models.memory_need import need
from tests.conftest import ModelPair
from tests.support.gguf_files import TOKENS, write_gguf


def test_facts_of_a_small_model(tmp_path: Path) -> None:
    """Every fact is the header's own."""
    facts = read_facts(write_gguf(tmp_path / "m.gguf", values=64))
    assert (facts.architecture, facts.quantisation, facts.parameters, facts.tensor_bytes) == (
        "qwen2",
        "Q4_K_M",
        64,
        256,
    )
    assert (facts.context_length, facts.blocks, facts.vocabulary) == (32768, 2, len(TOKENS))
    assert (facts.tokenizer, facts.pre_tokenizer, facts.bos, facts.eos) == ("gpt2", "qwen2", 1, 2)
    assert (facts.adds_bos, facts.adds_eos, facts.mtp_layers) == (False, False, 0)
    # 2 blocks, 2 grouped heads, 64 / 4 values a head, once for keys and once for values
    assert facts.kv_values == 2 * 2 * 16 * 2


def test_heads_may_differ_by_block(tmp_path: Path) -> None:
    """A list of key/value heads is added up over the blocks."""
    facts = read_facts(write_gguf(tmp_path / "m.gguf", qwen2__attention__head_count_kv=[1, 3]))
    assert facts.kv_values == (1 + 3) * 16 * 2


def test_mtp_heads_are_counted(tmp_path: Path) -> None:
    """Heads for multi-token prediction are told."""
    assert read_facts(write_gguf(tmp_path / "m.gguf", qwen2__nextn_predict_layers=1)).mtp_layers == 1


def test_quantisation_without_a_name_is_the_commonest_type(tmp_path: Path) -> None:
    """A file that does not name its mix is named by its tensors."""
    assert read_facts(write_gguf(tmp_path / "m.gguf", general__file_type=None)).quantisation == "F32"


def test_sentencepiece_adds_a_begin_token_unless_told_otherwise(tmp_path: Path) -> None:
    """Where the file is silent, llama.cpp's default counts."""
    changes = {"tokenizer__ggml__model": "llama", "tokenizer__ggml__add_bos_token": None}
    assert read_facts(write_gguf(tmp_path / "m.gguf", **changes)).adds_bos


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param({"tokens": None}, "has no vocabulary", id="vision encoder"),
        pytest.param({"general__type": "adapter"}, "of type 'adapter'", id="adapter"),
        pytest.param({"split__count": 3}, "one of 3 pieces", id="split file"),
    ],
)
def test_what_is_no_language_model(tmp_path: Path, changes: dict[str, object], words: str) -> None:
    """A GGUF of another kind is refused by name."""
    with pytest.raises(ModelFault, match=words):
        read_facts(write_gguf(tmp_path / "m.gguf", **changes))


def test_block_sizes_round_up() -> None:
    """A row that does not fill its last block takes the whole block; a type of the future is unknown, not zero."""
    assert tensor_bytes(12, (256, 2)) == 288
    assert tensor_bytes(2, (33,)) == 36
    assert tensor_bytes(9999, (4,)) is None
    assert all(block > 0 and size > 0 for _, block, size in BLOCKS.values())


def test_memory_need_grows_with_context_and_draft(tmp_path: Path) -> None:
    """The estimate has the weights, the cache by context, and the draft on top."""
    facts = read_facts(write_gguf(tmp_path / "m.gguf"))
    assert need(facts, context=2000) - need(facts, context=1000) == facts.kv_values * 2 * 1000
    assert need(facts, facts) > need(facts)
    assert need(facts) > facts.tensor_bytes


@pytest.mark.model
def test_facts_of_the_real_target(pair: ModelPair) -> None:
    """The default target is what its publisher says."""
    facts = read_facts(pair.target)
    assert (facts.architecture, facts.quantisation, facts.vocabulary) == ("qwen2", "Q4_K_M", 151_936)
    assert (facts.tokenizer, facts.pre_tokenizer, facts.eos, facts.adds_bos) == ("gpt2", "qwen2", 151_645, False)
    assert facts.kv_values * 2 == 28 << 10  # 28 KiB a token in F16
    assert read_tokens(pair.target)[151_645] == b"<|im_end|>"
