"""Models that Ollama keeps, found in the layout that it writes."""

import hashlib
import json
from pathlib import Path

import pytest

from lrc.models.faults import ModelFault
from lrc.models.sources.ollama import model_roots, resolve
from lrc.models.store import Store
from tests.support.gguf_files import write_gguf

MODEL = "application/vnd.ollama.image.model"
HOST = "registry.example.org"


def keep(root: Path, content: bytes, path: str, media: str = MODEL, layers: int = 1) -> Path:
    """Lay a model down as Ollama does: a manifest, and blobs named by their hash."""
    digest = hashlib.sha256(content).hexdigest()
    blob = root / "blobs" / f"sha256-{digest}"
    blob.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(content)
    manifest = root / "manifests" / path
    manifest.parent.mkdir(parents=True, exist_ok=True)
    config = {"mediaType": "application/vnd.docker.container.image.v1+json", "digest": f"sha256:{digest}", "size": 1}
    license_layer = {"mediaType": "application/vnd.ollama.image.license", "digest": f"sha256:{digest}", "size": 1}
    weights = {"mediaType": media, "digest": f"sha256:{digest}", "size": len(content)}
    manifest.write_text(
        json.dumps({"schemaVersion": 2, "config": config, "layers": [*[weights] * layers, license_layer]})
    )
    return blob


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("library/qwen2.5-coder/latest", "qwen2.5-coder"),
        ("library/qwen2.5-coder/7b-instruct", "qwen2.5-coder:7b-instruct"),
        ("library/Qwen2.5-Coder/7B", "ollama:qwen2.5-coder:7b"),
        ("somebody/model/q4", "ollama:somebody/model:q4"),
    ],
)
def test_found_by_its_name(tmp_path: Path, path: str, name: str) -> None:
    """Name, tag and owner lead to the blob; case does not matter, the tag defaults to latest."""
    blob = keep(tmp_path, b"GGUF", f"{HOST}/{path}")
    assert resolve(name, {"OLLAMA_MODELS": str(tmp_path)}) == blob


def test_found_by_host(tmp_path: Path) -> None:
    """A name may begin with the host it came from."""
    blob = keep(tmp_path, b"GGUF", "hub.example.org/owner/model-GGUF/Q4_K_M")
    assert resolve("ollama:hub.example.org/owner/model-GGUF:Q4_K_M", {"OLLAMA_MODELS": str(tmp_path)}) == blob


def test_unknown_name_lists_where_was_looked(tmp_path: Path) -> None:
    """The error names the model, the directory, and Ollama's own list."""
    with pytest.raises(ModelFault, match="has no model nothing") as raised:
        resolve("ollama:nothing", {"OLLAMA_MODELS": str(tmp_path)})
    assert str(tmp_path) in raised.value.message
    assert "ollama list" in raised.value.hint


@pytest.mark.parametrize(
    "name", ["ollama:", "ollama:..", "ollama:../../x", "ollama:/etc/passwd", "ollama:a b", "ollama:*"]
)
def test_what_is_no_name(tmp_path: Path, name: str) -> None:
    """A name that could lead out of the store is refused before anything is looked up."""
    with pytest.raises(ModelFault, match="no name of an Ollama model"):
        resolve(name, {"OLLAMA_MODELS": str(tmp_path)})


def test_another_tag_is_not_taken(tmp_path: Path) -> None:
    """The tag is part of the name."""
    keep(tmp_path, b"GGUF", f"{HOST}/library/model/7b")
    with pytest.raises(ModelFault, match="has no model model"):
        resolve("ollama:model", {"OLLAMA_MODELS": str(tmp_path)})


def test_missing_blob(tmp_path: Path) -> None:
    """A manifest whose weights were removed is told as such."""
    keep(tmp_path, b"GGUF", f"{HOST}/library/model/latest").unlink()
    with pytest.raises(ModelFault, match="is missing") as raised:
        resolve("ollama:model", {"OLLAMA_MODELS": str(tmp_path)})
    assert "ollama pull model" in raised.value.hint


@pytest.mark.parametrize("text", ["", "{", "[]", '{"layers": 5}', '{"layers": [{}]}'])
def test_garbled_manifest(tmp_path: Path, text: str) -> None:
    """A manifest that cannot be read is named."""
    keep(tmp_path, b"GGUF", f"{HOST}/library/model/latest")
    (tmp_path / "manifests" / HOST / "library/model/latest").write_text(text)
    with pytest.raises(ModelFault, match="cannot be read"):
        resolve("ollama:model", {"OLLAMA_MODELS": str(tmp_path)})


def test_digest_that_is_no_hash(tmp_path: Path) -> None:
    """A digest cannot lead out of the blobs."""
    keep(tmp_path, b"GGUF", f"{HOST}/library/model/latest")
    manifest = tmp_path / "manifests" / HOST / "library/model/latest"
    manifest.write_text(json.dumps({"layers": [{"mediaType": MODEL, "digest": "sha256:../../secret"}]}))
    with pytest.raises(ModelFault, match="is not one GGUF file"):
        resolve("ollama:model", {"OLLAMA_MODELS": str(tmp_path)})


@pytest.mark.parametrize(("media", "layers"), [("application/vnd.ollama.image.tensor", 1), (MODEL, 2)])
def test_model_that_is_not_one_gguf(tmp_path: Path, media: str, layers: int) -> None:
    """Weights in another form, or in several files, are refused clearly."""
    keep(tmp_path, b"GGUF", f"{HOST}/library/model/latest", media, layers)
    with pytest.raises(ModelFault, match="is not one GGUF file"):
        resolve("ollama:model", {"OLLAMA_MODELS": str(tmp_path)})


def test_blob_that_is_no_gguf_is_refused_when_chosen(tmp_path: Path) -> None:
    """Ollama's older weights are not GGUF; the file is named."""
    keep(tmp_path / "ollama", b"another format", f"{HOST}/library/model/latest")
    with pytest.raises(ModelFault, match="is not a GGUF file"):
        Store(tmp_path / "data", {"OLLAMA_MODELS": str(tmp_path / "ollama")}).use("ollama:model", None)


def test_pair_of_ollama_models_is_used_where_it_lies(tmp_path: Path) -> None:
    """Target and draft may both be Ollama's; nothing is copied."""
    root = tmp_path / "ollama"
    target = keep(root, write_gguf(tmp_path / "a", values=99).read_bytes(), f"{HOST}/library/big/latest")
    draft = keep(root, write_gguf(tmp_path / "b", values=33).read_bytes(), f"{HOST}/library/small/1b")
    kept = Store(tmp_path / "data", {"OLLAMA_MODELS": str(root)})
    pair = kept.use("ollama:big", "ollama:small:1b")
    assert pair.target.path == target
    assert pair.draft is not None and pair.draft.path == draft
    assert pair.target.sha256 == target.name.removeprefix("sha256-")
    assert pair.target.label == "small"  # the name inside the file: a blob's own name tells nobody anything


def test_default_places(tmp_path: Path) -> None:
    """Without `OLLAMA_MODELS` the user's own place comes first."""
    assert model_roots({"HOME": str(tmp_path)})[0] == tmp_path / ".ollama" / "models"
