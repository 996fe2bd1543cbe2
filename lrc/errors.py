"""Exit codes and the errors that carry them.

Everything below the command line raises; only `lrc.cli.boundary` turns an error into text and an exit code.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process reports to git, to CI and to scripts."""

    PASS = 0
    """Nothing at or above the threshold."""
    BLOCKED = 1
    """At least one finding at or above the threshold."""
    USAGE = 2
    """Wrong usage: an unknown option, revision, key or value."""
    UNEXPECTED = 3
    """A fault of `lrc` itself."""
    ENVIRONMENT = 4
    """The surroundings do not allow a review: no repository, no model, no memory."""
    INTERRUPTED = 130
    """Stopped by the user (128 + SIGINT, as shells report it)."""


class LrcError(Exception):
    """An error with one clear line for the user, a way out, and an exit code.

    `message` says what is wrong, `hint` what to do about it (may be empty). Neither holds file contents.
    """

    exit_code = ExitCode.UNEXPECTED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class WrongUsage(LrcError):
    """The request itself cannot be met: a revision, path, key or value that does not exist."""

    exit_code = ExitCode.USAGE


class EnvironmentFault(LrcError):
    """The request is fine, the surroundings are not: no repository, no model, no memory."""

    exit_code = ExitCode.ENVIRONMENT
