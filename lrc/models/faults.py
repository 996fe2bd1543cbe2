"""The ways in which getting or reading a model fails, each with its way out."""

from lrc.errors import EnvironmentFault

PULL_AGAIN = "`lrc model pull` brings the default pair"
"""The hint for a model that is missing or damaged."""


class ModelFault(EnvironmentFault):
    """A model cannot be used: missing, unreadable, damaged, not a language model."""


class DamagedModel(ModelFault):
    """The file is a GGUF, but cut short, garbled, or not the one its name promises."""


class SourceFailed(ModelFault):
    """One source could not bring a file. `message` is one line: why."""


class PullFailed(ModelFault):
    """No source could bring a file, or there is no room for it."""
