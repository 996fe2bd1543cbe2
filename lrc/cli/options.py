"""Options that several commands share, and the values that they take."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from lrc.errors import WrongUsage

FORMATS = ("terminal", "json")
"""What every command that prints results can write."""
REVIEW_FORMATS = (*FORMATS, "sarif", "annotations")
"""What a review can be written as."""

FailOn = Annotated[
    str | None,
    typer.Option(
        "--fail-on", envvar="LRC_FAIL_ON", help="Exit 1 from this severity up: critical, high, medium, low or info."
    ),
]
"""The threshold of the gate."""
Output = Annotated[
    Path | None,
    typer.Option("--output", envvar="LRC_OUTPUT", help="Write the result to this file.", dir_okay=False),
]
"""Where the result goes instead of standard output."""
Paths = Annotated[
    list[str] | None,
    typer.Option("--path", envvar="LRC_PATH", help="Only files that match (gitignore syntax); may be repeated."),
]
"""Which files are looked at."""
MaxFindings = Annotated[
    int | None, typer.Option("--max-findings", envvar="LRC_MAX_FINDINGS", help="Show at most this many findings.")
]
"""How much is shown."""
Drafter = Annotated[
    str | None,
    typer.Option(
        "--drafter", envvar="LRC_DRAFTER", help="Draft tokens from: auto, none, lookup, draft, self, mtp or tree."
    ),
]
"""Who guesses the target's tokens."""
Exact = Annotated[
    bool, typer.Option("--exact", envvar="LRC_EXACT", help="Output identical to plain decoding, to the byte.")
]
"""Whether the engine runs in exact mode."""
NoModel = Annotated[bool, typer.Option("--no-model", envvar="LRC_NO_MODEL", help="Detectors only.")]
"""Whether the model is left out."""


def checked_format(text: str, formats: Sequence[str] = FORMATS) -> str:
    """The output format named by `text`; WrongUsage that lists the formats when there is none."""
    if text not in formats:
        raise WrongUsage(f"no format named {text!r}", f"choose from {', '.join(formats)}")
    return text
