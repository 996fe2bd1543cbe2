"""Reading GGUF headers: what is refused, and with which words."""

import os
import struct
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lrc.models.faults import DamagedModel, ModelFault
from lrc.models.gguf import GgufFile
from tests.support.gguf_files import TOKENS, write_gguf


def test_reads_what_was_written(tmp_path: Path) -> None:
    """Scalars, text, arrays and tensors come back as they were written."""
    path = write_gguf(tmp_path / "m.gguf", values=100, qwen2__attention__head_count_kv=[2, 4])
    with GgufFile(path) as file:
        assert file.metadata["general.architecture"] == "qwen2"
        assert file.metadata["tokenizer.ggml.add_bos_token"] is False
        assert [token.decode() for token in file.strings("tokenizer.ggml.tokens")] == list(TOKENS)
        assert file.numbers("qwen2.attention.head_count_kv") == [2, 4]
        assert file.numbers("qwen2.block_count") == [2]
        (tensor,) = file.tensors
        assert (tensor.shape, tensor.bytes) == ((100,), 400)
        assert tensor.offset + 400 == path.stat().st_size


def test_file_that_is_whole_is_not_refused(tmp_path: Path) -> None:
    """Bytes behind the last tensor, as padding leaves them, are no fault."""
    path = write_gguf(tmp_path / "m.gguf")
    path.write_bytes(path.read_bytes() + bytes(100))
    with GgufFile(path) as file:
        assert len(file.tensors) == 1


def test_file_cut_in_its_tensors(tmp_path: Path) -> None:
    """A half-downloaded file is named as cut short, with what is there and what is needed."""
    path = write_gguf(tmp_path / "m.gguf")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 1])
    with pytest.raises(DamagedModel, match="is cut short") as raised:
        GgufFile(path)
    assert f"{len(whole) - 1:,} of at least {len(whole):,} bytes" in raised.value.message
    assert raised.value.hint


@pytest.mark.parametrize("share", [0.001, 0.05, 0.2, 0.4])
def test_file_cut_in_its_header(tmp_path: Path, share: float) -> None:
    """A file that ends inside its header is named as damaged, wherever it ends."""
    path = write_gguf(tmp_path / "m.gguf", values=8)
    whole = path.read_bytes()
    path.write_bytes(whole[: max(int(len(whole) * share), 5)])
    with pytest.raises(DamagedModel, match="ends inside its header"):
        GgufFile(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b"GG", "is not a GGUF file", id="two bytes"),
        pytest.param(b"PK\x03\x04" + bytes(100), "is not a GGUF file", id="zip"),
        pytest.param(b"version https://git-lfs.github.com/spec/v1\n", "is not a GGUF file", id="LFS pointer"),
        pytest.param(b"GGUF" + struct.pack("<I", 1) + bytes(100), "of GGUF version 1", id="old version"),
        pytest.param(b"GGUF" + struct.pack(">I", 3) + bytes(100), "big-endian", id="big-endian"),
        pytest.param(b"GGUF" + struct.pack("<IQQ", 3, 0, 2**63), "ends inside its header", id="endless keys"),
        pytest.param(b"GGUF" + struct.pack("<IQQ", 3, 2**63, 0), "ends inside its header", id="endless tensors"),
        pytest.param(
            b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<I", 77), "value of type 77", id="bad type"
        ),
        pytest.param(
            b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, 8, 2**60),
            "ends inside its header",
            id="endless array",
        ),
        pytest.param(
            b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**62) + b"k", "ends inside its header", id="endless name"
        ),
    ],
)
def test_what_is_no_readable_gguf(tmp_path: Path, content: bytes, words: str) -> None:
    """Each is refused in one line that names the file and the reason, and at once."""
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelFault, match=words) as raised:
        GgufFile(path)
    assert str(path) in raised.value.message
    assert "\n" not in raised.value.message


def test_missing_file(tmp_path: Path) -> None:
    """A path that leads nowhere is named."""
    with pytest.raises(ModelFault, match="no model at"):
        GgufFile(tmp_path / "nowhere.gguf")


def test_directory_is_no_model(tmp_path: Path) -> None:
    """A directory is refused as what it is."""
    with pytest.raises(ModelFault, match="is not a file"):
        GgufFile(tmp_path)


def test_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    """A named pipe, which nobody writes to, does not make the reader wait."""
    os.mkfifo(tmp_path / "pipe.gguf")
    refused: list[str] = []

    def look() -> None:
        try:
            GgufFile(tmp_path / "pipe.gguf")
        except ModelFault as fault:
            refused.append(fault.message)

    reader = threading.Thread(target=look, daemon=True)
    reader.start()
    reader.join(5)
    assert refused and "is not a file" in refused[0]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.integers(0, 1500), value=st.integers(0, 255))
def test_any_changed_byte_of_the_header_is_read_or_refused(tmp_path: Path, where: int, value: int) -> None:
    """Whatever byte of a header is garbled, the file is read or refused with our own error, never with another."""
    path = write_gguf(tmp_path / "m.gguf", tokens=TOKENS[:20], values=8)
    content = bytearray(path.read_bytes())
    content[min(where, len(content) - 33)] = value
    path.write_bytes(content)
    try:
        GgufFile(path).close()
    except ModelFault as fault:
        assert fault.message
