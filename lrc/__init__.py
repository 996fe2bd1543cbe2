"""Local review on commit: an AI reviewer for the staged change that never leaves the machine."""

__version__ = "0.1.0"
