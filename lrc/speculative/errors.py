"""What can go wrong inside the engine, one class a cause.

The engine knows nothing of the program around it, so its errors carry what any caller needs: one line of text and
the way out.
"""


class EngineError(Exception):
    """A fault of the engine or of what it was given.

    `message` says what is wrong in one line, `hint` what to do about it (may be empty). Neither holds text of a prompt.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class BindingMissing(EngineError):
    """The native library cannot be imported."""


class ModelUnreadable(EngineError):
    """The file is missing, cut short, corrupt, or of a kind that the native library does not know."""


class OutOfMemory(EngineError):
    """The weights or the cache do not fit into the memory of this machine."""


class PromptTooLong(EngineError):
    """A prompt does not fit into the context window."""


class ContextFull(EngineError):
    """A sequence grew to the end of the context window."""


class NoCacheSlot(EngineError):
    """The key-value cache has no free cell for the rows of this step."""


class CacheWorn(NoCacheSlot):
    """A cache that is written front to back reached its end: everything in it has to be evaluated again."""


class DecodeAborted(EngineError):
    """An evaluation was stopped half way; the cache is as it was before it."""


class DecodeFailed(EngineError):
    """The native library refused a batch; the cache is as it was before it."""


class DraftOutOfSync(EngineError):
    """A draft model's cache no longer matches the text that it drafts for."""


class NoMemoryRemoval(EngineError):
    """The model cannot forget the end of a sequence (hybrid or recurrent memory), so no draft can be taken back."""


class VocabularyMismatch(EngineError):
    """Draft and target do not share their vocabulary."""


class GrammarInvalid(EngineError):
    """The grammar does not parse."""


class GrammarStuck(EngineError):
    """No token of the vocabulary continues the grammar."""


class DrafterUnavailable(EngineError):
    """The drafter asked for cannot work with these models."""


class ExactModeUnavailable(EngineError):
    """On this hardware the result of a row depends on the rows beside it."""


class EngineBusy(EngineError):
    """Every sequence of the engine is in use."""
