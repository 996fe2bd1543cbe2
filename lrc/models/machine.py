"""What this machine has for a model: free memory, processor features, cores. Standard library only, no process started.

Each answer says how sure it is; where a platform keeps a number from us, it is not guessed.
"""

import os
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path

_INTERESTING = {
    "avx": "AVX",
    "avx2": "AVX2",
    "fma": "FMA",
    "f16c": "F16C",
    "avx512f": "AVX-512",
    "avx512_vnni": "AVX-512 VNNI",
    "avx_vnni": "AVX-VNNI",
    "avx512_bf16": "AVX-512 BF16",
    "amx_int8": "AMX INT8",
    "asimd": "NEON",
    "neon": "NEON",
    "asimddp": "dot product",
    "i8mm": "int8 matmul",
    "sve": "SVE",
}
"""Flags of `/proc/cpuinfo` that llama.cpp has kernels for -> their usual names."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory that a new process can have without swapping."""

    bytes: int
    """How much; 0 when unknown."""
    exact: bool
    """False when it is the machine's total, because the platform does not tell what is free."""
    limited_by: str
    """What sets the limit: `machine` or `container`."""


@dataclass(frozen=True, slots=True)
class Processor:
    """The processor as llama.cpp sees it."""

    name: str
    """Its marketing name, or the architecture."""
    features: tuple[str, ...]
    """Instruction sets with kernels in llama.cpp; empty when the platform does not list them."""
    cores: int
    """Physical cores this process may use; equal to `threads` when the platform does not tell them apart."""
    threads: int
    """Logical processors this process may use."""


def available_memory(proc: Path = Path("/proc"), cgroup: Path = Path("/sys/fs/cgroup")) -> Memory:
    """Free memory, the container's limit (cgroup v2) included. The directories are parameters for tests."""
    free = _field(proc / "meminfo", "MemAvailable")
    if free is None:
        return _without_proc()
    room = _container_room(cgroup)
    if room is not None and room < free * 1024:
        return Memory(room, exact=True, limited_by="container")
    return Memory(free * 1024, exact=True, limited_by="machine")


def processor(proc: Path = Path("/proc")) -> Processor:
    """Name, features and cores. On macOS and Windows the features stay empty: asking would mean starting a process."""
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        text = (proc / "cpuinfo").read_text("utf-8", "replace")
    except OSError:
        features: tuple[str, ...] = ("NEON",) if platform.machine().lower() in ("arm64", "aarch64") else ()
        return Processor(platform.processor() or platform.machine(), features, threads, threads)
    name = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    flags = re.search(r"^(?:flags|Features)\s*:\s*(.+)$", text, re.MULTILINE)
    present = set(flags[1].split()) if flags else set()
    features = tuple(dict.fromkeys(_INTERESTING[flag] for flag in _INTERESTING if flag in present))
    places = re.findall(r"^(?:physical id|core id)\s*:\s*(\d+)$", text, re.MULTILINE)
    cores = len(set(zip(places[::2], places[1::2], strict=False))) or threads
    return Processor(name[1].strip() if name else platform.machine(), features, min(cores, threads), threads)


def _container_room(cgroup: Path) -> int | None:
    """Bytes left under the cgroup's limit, file cache counted as free; None without a limit."""
    try:
        limit = (cgroup / "memory.max").read_text("ascii").strip()
        used = int((cgroup / "memory.current").read_text("ascii"))
        cache = re.search(r"^inactive_file (\d+)$", (cgroup / "memory.stat").read_text("ascii"), re.MULTILINE)
    except (OSError, ValueError):
        return None
    return None if not limit.isdecimal() else max(int(limit) - used + (int(cache[1]) if cache else 0), 0)


def _field(path: Path, name: str) -> int | None:
    try:
        found = re.search(rf"^{name}:\s*(\d+)", path.read_text("ascii", "replace"), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) if found else None


def _without_proc() -> Memory:
    """Windows tells what is free; elsewhere only the total is known."""
    if sys.platform == "win32":
        return _windows_memory()
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        total = 0
    return Memory(max(total, 0), exact=False, limited_by="machine")


def _windows_memory() -> Memory:
    """`GlobalMemoryStatusEx`: two words, then total and available physical bytes, then five more quantities."""
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = (("length", ctypes.c_uint32), ("load", ctypes.c_uint32), ("sizes", ctypes.c_uint64 * 7))

    status = Status(length=ctypes.sizeof(Status))
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 (the name exists on Windows only)
    if not kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
        return Memory(0, exact=False, limited_by="machine")
    return Memory(int(status.sizes[1]), exact=True, limited_by="machine")
