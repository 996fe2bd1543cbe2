"""Values of options that several commands share."""

from collections.abc import Sequence

from lrc.errors import WrongUsage

FORMATS = ("terminal", "json")
"""What every command that prints results can write."""
REVIEW_FORMATS = (*FORMATS, "sarif", "annotations")
"""What a review can be written as."""


def checked_format(text: str, formats: Sequence[str] = FORMATS) -> str:
    """The output format named by `text`; WrongUsage that lists the formats when there is none."""
    if text not in formats:
        raise WrongUsage(f"no format named {text!r}", f"choose from {', '.join(formats)}")
    return text
