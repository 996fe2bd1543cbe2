"""Models that Ollama has on this disk: its blobs are GGUF files, found through its manifests. Nothing is copied.

Layout (Ollama, `docs/faq`): `manifests/<host>/<namespace>/<name>/<tag>` is JSON whose layers name `blobs/sha256-…`.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from lrc.models.faults import ModelFault

PREFIX = "ollama:"
"""What marks such a name on the command line."""

_MODEL_LAYER = "application/vnd.ollama.image.model"
_NAME = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._-]*/){0,2}[A-Za-z0-9][A-Za-z0-9._-]*(?::[A-Za-z0-9_][A-Za-z0-9._-]*)?")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def model_roots(environ: Mapping[str, str] | None = None) -> list[Path]:
    """Where Ollama may keep models: `OLLAMA_MODELS` alone when set, else the user's and the Linux service's place."""
    environment = os.environ if environ is None else environ
    if named := environment.get("OLLAMA_MODELS", ""):
        return [Path(named).expanduser()]
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or Path.home())
    return [home / ".ollama" / "models", Path("/usr/share/ollama/.ollama/models"), Path("/var/lib/ollama/models")]


def resolve(reference: str, environ: Mapping[str, str] | None = None) -> Path:
    """The GGUF file of the model `reference` (`NAME`, `NAME:TAG`, `owner/NAME:TAG`, with or without `ollama:`).

    Raises `ModelFault` when Ollama does not have it here or does not have it as GGUF.
    """
    name = reference.removeprefix(PREFIX)
    if not _NAME.fullmatch(name):
        raise ModelFault(f"{reference!r} is no name of an Ollama model", "write ollama:NAME or ollama:NAME:TAG")
    roots = model_roots(environ)
    for root in roots:
        manifest = _manifest(root, name)
        if manifest is not None:
            return _blob(root, manifest, name)
    raise ModelFault(
        f"Ollama has no model {name} in {', '.join(str(root) for root in roots)}",
        "`ollama list` shows what it has; OLLAMA_MODELS names its directory",
    )


def _manifest(root: Path, name: str) -> Path | None:
    """The manifest's path. The first directory is a registry's host, which users leave out; case does not matter."""
    path, _, tag = name.partition(":")
    parts = path.split("/")
    wanted = [part.lower() for part in (*(["library"] if len(parts) == 1 else []), *parts, tag or "latest")]
    manifests = root / "manifests"
    try:
        found = sorted(file for file in manifests.glob("*/*/*/*") if file.is_file())
    except OSError:
        return None
    for file in found:
        if [part.lower() for part in file.relative_to(manifests).parts][-len(wanted) :] == wanted:
            return file
    return None


def _blob(root: Path, manifest: Path, name: str) -> Path:
    """The blob of the manifest's one model layer."""
    try:
        layers = json.loads(manifest.read_text("utf-8"))["layers"]
        digests = [layer["digest"] for layer in layers if layer["mediaType"] == _MODEL_LAYER]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ModelFault(
            f"Ollama's manifest {manifest} cannot be read", f"`ollama pull {name}` writes it anew"
        ) from fault
    if len(digests) != 1 or not _DIGEST.fullmatch(str(digests[0])):
        raise ModelFault(
            f"Ollama's model {name} is not one GGUF file ({len(digests)} layers of weights)", "choose another model"
        )
    blob = root / "blobs" / str(digests[0]).replace(":", "-")
    if not blob.is_file():
        raise ModelFault(f"Ollama's file of {name} is missing: {blob}", f"`ollama pull {name}` brings it")
    return blob
