"""Values of options that several commands share."""

from lrc.errors import WrongUsage

FORMATS = ("terminal", "json")


def checked_format(text: str) -> str:
    """The output format named by `text`; WrongUsage that lists the formats when there is none."""
    if text not in FORMATS:
        raise WrongUsage(f"no format named {text!r}", f"choose from {', '.join(FORMATS)}")
    return text
