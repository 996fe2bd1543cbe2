"""How much memory this machine can still give; asked before a cache is made, since asking too much ends the process."""

import os
from pathlib import Path


def available_bytes(meminfo: Path = Path("/proc/meminfo")) -> int | None:
    """Bytes that can be had without swapping, by the kernel's own estimate; else all memory; None where unknown."""
    try:
        for line in meminfo.read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
