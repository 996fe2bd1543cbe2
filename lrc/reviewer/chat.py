"""A request in the form that a model was trained on, from the chat template inside its file."""

import secrets
from collections.abc import Sequence
from typing import Protocol


class Tokenizer(Protocol):
    """What a prompt needs of the engine."""

    @property
    def begin_tokens(self) -> tuple[int, ...]:
        """What every prompt has to begin with."""

    def encode(self, text: str, special: bool) -> list[int]:
        """`text` as token ids; with `special`, control markers become their single token."""


class ChatForm:
    """Turns a system and a user text into token ids, by the model's own template.

    The texts are encoded without special tokens, so that a diff that spells `<|im_start|>` stays text: it cannot
    close the request and open another.
    """

    def __init__(self, tokenizer: Tokenizer, template: str) -> None:
        self._tokenizer = tokenizer
        # Rendered once with marks that no text can hold; the parts between the marks are the model's own.
        self._marks = (f"SYSTEM{secrets.token_hex(8)}", f"USER{secrets.token_hex(8)}")
        self._parts = self._split(_rendered(template, *self._marks) if template else "")

    def _split(self, text: str) -> tuple[tuple[int, ...], ...]:
        system, user = self._marks
        if text.count(system) != 1 or text.count(user) != 1 or text.index(system) > text.index(user):
            # No template (a base model), or one without a system role: the plainest form there is.
            text = f"{system}\n\n{user}\n\nAnswer:\n"
        before, rest = text.split(system)
        between, after = rest.split(user)
        return tuple(tuple(self._tokenizer.encode(part, True)) for part in (before, between, after))

    def tokens(self, system: str, user: Sequence[str]) -> tuple[int, ...]:
        """The prompt. `user` comes in pieces, each encoded alone, so that requests that begin with the same pieces
        begin with the same tokens."""
        before, between, after = self._parts
        begin = self._tokenizer.begin_tokens
        if before[: len(begin)] == begin:
            begin = ()  # the template spells it out
        body = [token for piece in user for token in self._tokenizer.encode(piece, False)]
        return (*begin, *before, *self._tokenizer.encode(system, False), *between, *body, *after)


def _rendered(template: str, system: str, user: str) -> str:
    """The template filled in; empty when it cannot be, or has no place for a system text."""
    from jinja2.exceptions import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # A template is a program from a downloaded file: it runs in jinja's sandbox and sees nothing but the messages.
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)

    def refuse(message: str) -> None:
        raise TemplateError(message)

    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    try:
        return environment.from_string(template).render(
            messages=messages, add_generation_prompt=True, bos_token="", eos_token="", raise_exception=refuse
        )
    except Exception:  # a template is foreign code: whatever it raises, the plain form remains
        return ""
