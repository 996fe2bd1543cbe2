"""Where model files and what is known about them live: one place a user, shared by all repositories."""

import os
from collections.abc import Mapping
from pathlib import Path


def data_dir(environ: Mapping[str, str] | None = None) -> Path:
    """The user's data directory of `lrc`: `LRC_DATA_DIR` when set, else the platform's own (platformdirs).

    It is not created here. `environ` defaults to the process environment.
    """
    named = (os.environ if environ is None else environ).get("LRC_DATA_DIR", "")
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("lrc", appauthor=False))


def models_dir(environ: Mapping[str, str] | None = None) -> Path:
    """Where finished model files lie, inside `data_dir`. It is not created here."""
    return data_dir(environ) / "models"
