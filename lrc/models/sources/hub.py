"""Model files from the Hugging Face Hub by its own client: the user's endpoint, token, proxy and offline mode apply."""

import logging
import shutil
from pathlib import Path
from types import TracebackType
from typing import Any

from lrc.models.catalogue import Entry
from lrc.models.faults import SourceFailed
from lrc.models.progress import Listener

CONTACT_SECONDS = 10.0
"""How long the Hub may take to answer at all."""


class Hub:
    """The Hub that `HF_ENDPOINT` names, or the public one."""

    name = "the Hugging Face Hub"

    def fetch(self, entry: Entry, workdir: Path, listener: Listener) -> Path:
        """See `Source.fetch`. The client keeps an unfinished file and continues it by a range request."""
        import huggingface_hub

        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # retries are told by our own line
        try:
            _knock(entry)
            path = huggingface_hub.hf_hub_download(
                repo_id=entry.hub.repo,
                filename=entry.hub.file,
                local_dir=_folder(entry, workdir),
                tqdm_class=_bar_for(listener),
            )
        except Exception as fault:
            # The client raises its own errors, its HTTP library's and the system's, and they change with its version.
            raise SourceFailed(_one_line(fault)) from fault
        return Path(path)

    def discard(self, entry: Entry, workdir: Path) -> None:
        """See `Source.discard`."""
        shutil.rmtree(_folder(entry, workdir), ignore_errors=True)


def _knock(entry: Entry) -> None:
    """Ask once whether anybody answers: the client's own retries take half a minute to say that there is no network."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import build_hf_headers, get_session

    get_session().head(hf_hub_url(entry.hub.repo, entry.hub.file), headers=build_hf_headers(), timeout=CONTACT_SECONDS)


def _folder(entry: Entry, workdir: Path) -> Path:
    return workdir / f"{entry.role}-hub"


def _one_line(fault: Exception) -> str:
    """What went wrong in one line: the first line of the root cause where the client wrapped it in advice."""
    cause: BaseException = fault
    while type(cause).__name__ == "LocalEntryNotFoundError" and cause.__cause__ is not None:
        cause = cause.__cause__
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    text = (lines[0] if lines else type(cause).__name__)[:300]
    kind = type(cause).__name__
    return f"not reachable ({text})" if "Connect" in kind or "Timeout" in kind else text


def _bar_for(listener: Listener) -> Any:
    """A class with the few tqdm calls that the client makes, which passes bytes on to `listener`."""

    class Bar:
        def __init__(self, *_: object, initial: int = 0, **__: object) -> None:
            self.n = float(initial or 0)

        def __enter__(self) -> "Bar":
            listener.at(int(self.n))
            return self

        def __exit__(
            self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
        ) -> None:
            self.close()

        def update(self, moved: float | None = 1) -> None:
            self.n += moved or 0
            listener.at(int(self.n))

        def close(self) -> None:
            """Nothing is held."""

        def __getattr__(self, name: str) -> Any:
            # Descriptions, postfixes, refreshes: of no use to a listener.
            return lambda *_, **__: None

    return Bar
