"""One pinned wheel by pip itself, as a process of its own: the user's index, proxy, certificates and credentials apply.

pip is told never to build: `--only-binary :all:` keeps a source distribution's set-up code from running.
"""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

CONTACT_SECONDS = 30.0
"""How long the very first answer of an index may take before it counts as unreachable."""

_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
_CAUSE = re.compile(
    r"Failed to resolve '[^']*'|Failed to establish a new connection: [^'\")]*|[Tt]imed out|[Cc]ertificate[^'\")]*"
)
_CONTACT = ("Downloading", "Using cached", "Processing", "Progress", "Saved", "File was already downloaded")


class PipFailed(Exception):
    """pip brought nothing; the text is one line that says why."""


class PipDownload:
    """One run of `pip download`. `stop` may be called from another thread."""

    def __init__(self, requirement: str, directory: Path, patient: bool) -> None:
        self._requirement = requirement
        self._directory = directory
        self._patient = patient
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False
        self._silent = False

    def run(self, moved: Callable[[int], None]) -> Path:
        """Bring the wheel into the directory and return its path; `moved` hears the bytes so far.

        Raises `PipFailed`.
        """
        with self._start() as process:
            self._process = process
            if self._stopped:
                process.kill()
            watchdog = threading.Timer(CONTACT_SECONDS, self._give_up)
            if not self._patient:
                watchdog.start()
            try:
                lines = self._follow(process, moved, watchdog)
            finally:
                watchdog.cancel()
        wheels = sorted(self._directory.glob("*.whl"))
        if process.returncode != 0 or len(wheels) != 1:
            raise PipFailed(f"no answer in {CONTACT_SECONDS:.0f} s" if self._silent else reason(lines))
        return wheels[0]

    def stop(self) -> None:
        """End the run; `run` then raises `PipFailed`."""
        self._stopped = True
        if self._process is not None:
            self._process.kill()

    def _start(self) -> subprocess.Popen[str]:
        # -P and the working directory: a folder named `pip` in the repository under review must never be run as pip.
        command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        # No cache: it would keep a second copy of gigabytes. Few retries at first, so that being offline shows soon.
        command += ["--no-cache-dir", "--no-input", "--no-color", "--progress-bar", "raw"]
        command += ["--retries", "5" if self._patient else "1", "--dest", ".", "--", self._requirement]
        return subprocess.Popen(
            command,
            cwd=self._directory,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        )

    def _environment(self) -> dict[str, str]:
        # Nothing is installed, so a user's rule "only inside a virtual environment" has nothing to guard here.
        # pip writes to its temporary folder first: keep that on the disk whose free space was checked.
        ours = {
            "PIP_QUIET": "0",
            "PIP_VERBOSE": "0",
            "PIP_REQUIRE_VIRTUALENV": "0",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }
        return {**os.environ, **ours, "PYTHONUNBUFFERED": "1", "TMPDIR": str(self._directory)}

    def _follow(
        self, process: subprocess.Popen[str], moved: Callable[[int], None], watchdog: threading.Timer
    ) -> list[str]:
        """Read pip's output to its end, passing progress on; the other lines are returned."""
        lines: list[str] = []
        for raw in process.stdout or ():
            line = raw.strip()
            if line.startswith(_CONTACT):
                watchdog.cancel()
            if match := _PROGRESS.fullmatch(line):
                moved(int(match[1]))
            elif line:
                lines.append(line)
        process.wait()
        return lines

    def _give_up(self) -> None:
        self._silent = True
        self.stop()


def reason(lines: list[str]) -> str:
    """Why pip failed, in one line: its connection warning when there was one, else its first error."""
    for line in lines:
        if "connection broken by" in line or "onnection timed out" in line:
            cause = _CAUSE.search(line)
            return f"not reachable ({cause[0].strip() if cause else 'the connection broke'})"
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    return (errors or lines[-1:] or ["pip ended without a word"])[0][:300]
