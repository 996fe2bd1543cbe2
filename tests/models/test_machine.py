"""What the machine has, read from files that look like Linux's."""

from pathlib import Path

import pytest

from lrc.models.machine import available_memory, processor

MEMINFO = "MemTotal:       24000000 kB\nMemFree:         1000000 kB\nMemAvailable:   20000000 kB\n"
CPUINFO = """processor\t: 0
model name\t: A Processor
physical id\t: 0
core id\t\t: 0
flags\t\t: fpu avx avx2 fma f16c avx512f avx512_vnni

processor\t: 1
model name\t: A Processor
physical id\t: 0
core id\t\t: 0
flags\t\t: fpu avx avx2 fma f16c avx512f avx512_vnni
"""


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A machine of 20 GB free memory."""
    (tmp_path / "meminfo").write_text(MEMINFO)
    (tmp_path / "cpuinfo").write_text(CPUINFO)
    return tmp_path


def limit(path: Path, most: str, used: int, cache: int) -> Path:
    """A container's limit, as cgroup v2 shows it."""
    path.mkdir()
    (path / "memory.max").write_text(f"{most}\n")
    (path / "memory.current").write_text(f"{used}\n")
    (path / "memory.stat").write_text(f"anon 5\ninactive_file {cache}\n")
    return path


def test_free_memory_is_what_linux_calls_available(proc: Path, tmp_path: Path) -> None:
    """File cache that can be given up counts as free."""
    memory = available_memory(proc, tmp_path / "none")
    assert (memory.bytes, memory.exact, memory.limited_by) == (20_000_000 * 1024, True, "machine")


def test_container_limit_counts(proc: Path, tmp_path: Path) -> None:
    """The smaller of machine and container is what a review gets."""
    memory = available_memory(proc, limit(tmp_path / "cgroup", str(4 << 30), 1 << 30, 512 << 20))
    assert (memory.bytes, memory.limited_by) == ((3 << 30) + (512 << 20), "container")


@pytest.mark.parametrize("most", ["max", str(1 << 60), "garbage"])
def test_limit_that_is_none(proc: Path, tmp_path: Path, most: str) -> None:
    """No limit, one beyond the machine and an unreadable one change nothing."""
    assert available_memory(proc, limit(tmp_path / "cgroup", most, 0, 0)).limited_by == "machine"


def test_platform_without_proc_tells_the_total_and_says_so(tmp_path: Path) -> None:
    """Where free memory is not told, the total is marked as not exact."""
    memory = available_memory(tmp_path, tmp_path)
    assert not memory.exact
    assert memory.bytes > 0


def test_processor_features(proc: Path) -> None:
    """Instruction sets with kernels are named as users know them; two threads of one core are one core."""
    found = processor(proc)
    assert found.name == "A Processor"
    assert found.features == ("AVX", "AVX2", "FMA", "F16C", "AVX-512", "AVX-512 VNNI")
    assert found.cores == 1


def test_arm_processor(tmp_path: Path) -> None:
    """ARM lists its features under another word."""
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nFeatures\t: fp asimd asimddp i8mm\n")
    assert processor(tmp_path).features == ("NEON", "dot product", "int8 matmul")


def test_processor_of_this_machine() -> None:
    """Whatever runs this test has a thread and a core."""
    found = processor()
    assert 1 <= found.cores <= found.threads
