"""Whether a draft model can guess for a target: llama.cpp's rule (`common_speculative_are_compatible`), from headers.

The two must mean the same text by the same token id, or the target would verify words that the draft never said.
"""

from pathlib import Path

from lrc.models.facts import Facts, read_tokens

MOST_SIZE_DIFFERENCE = 128
"""By how many tokens the vocabularies may differ in size: padding rows (`SPEC_VOCAB_MAX_SIZE_DIFFERENCE`)."""
FIRST_COMPARED = 5
"""Token ids below this one are control tokens that may be spelt differently (`SPEC_VOCAB_CHECK_START_TOKEN_ID`)."""
REVIEW_CONTEXT = 8192
"""Tokens of context that a review may use (the engine's default). A draft made for fewer would fall silent half way."""


def mismatch(target: Facts, draft: Facts, target_path: Path, draft_path: Path) -> str:
    """Why the draft cannot guess for the target, in a clause that names both sides; empty when it can.

    Reads the token texts of both files only when everything else agrees. Raises what `GgufFile` raises.
    """
    return _of_headers(target, draft) or _of_tokens(read_tokens(target_path), read_tokens(draft_path))


def _of_headers(target: Facts, draft: Facts) -> str:
    if target.tokenizer != draft.tokenizer:
        return f"the target's tokenizer is {target.tokenizer!r}, the draft's {draft.tokenizer!r}"
    for word, of_target, of_draft in (
        ("begin", (target.adds_bos, target.bos), (draft.adds_bos, draft.bos)),
        ("end", (target.adds_eos, target.eos), (draft.adds_eos, draft.eos)),
    ):
        # The id only matters to a model that adds the token.
        if of_target[0] != of_draft[0] or (of_target[0] and of_target[1] != of_draft[1]):
            return f"the target {_adds(word, *of_target)}, the draft {_adds(word, *of_draft)}"
    if abs(target.vocabulary - draft.vocabulary) > MOST_SIZE_DIFFERENCE:
        return (
            f"the target has {target.vocabulary:,} tokens, the draft {draft.vocabulary:,} "
            f"(at most {MOST_SIZE_DIFFERENCE} apart)"
        )
    needed = min(target.context_length or REVIEW_CONTEXT, REVIEW_CONTEXT)
    if 0 < draft.context_length < needed:
        return f"the target needs a context of {needed:,} tokens, the draft is made for {draft.context_length:,}"
    return ""


def _of_tokens(target: list[bytes], draft: list[bytes]) -> str:
    for number in range(FIRST_COMPARED, min(len(target), len(draft))):
        if target[number] != draft[number]:
            return f"token {number} is {_shown(target[number])} to the target, {_shown(draft[number])} to the draft"
    return ""


def _adds(word: str, added: bool, token: int | None) -> str:
    return f"adds {word} token {token}" if added else f"adds no {word} token"


def _shown(token: bytes) -> str:
    return repr(token[:40].decode("utf-8", "replace"))
