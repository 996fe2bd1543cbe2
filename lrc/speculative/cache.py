"""Which text each sequence of a target holds, and whose beginning a new prompt can borrow instead of evaluating it."""

from collections.abc import Sequence
from itertools import pairwise

from lrc.speculative.errors import EngineBusy
from lrc.speculative.protocols import Target

_WORTH_WAITING = 16
"""Tokens of a common prefix, still being evaluated for another prompt, for which a new prompt waits."""


def common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    """Length of the common beginning. Slices are compared, halving, since comparing lists runs at native speed."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class PrefixCache:
    """Hands out sequences and remembers what they hold after use."""

    def __init__(self, target: Target, sequences: Sequence[int]) -> None:
        """Manage `sequences` of `target`, which must be empty."""
        self._target = target
        self._texts: dict[int, list[int]] = {sequence: [] for sequence in sequences}
        self._planned: dict[int, list[int]] = {}
        self._idle: list[int] = list(sequences)

    @property
    def idle(self) -> int:
        """How many sequences are not in use."""
        return len(self._idle)

    def cells(self, sequences: Sequence[int]) -> int:
        """Cells that `sequences` hold, taking equal beginnings as shared."""
        held = sorted(self._texts[sequence] for sequence in sequences)
        return sum(map(len, held)) - sum(common_prefix(left, right) for left, right in pairwise(held))

    def text(self, sequence: int) -> list[int]:
        """The tokens that the target holds for `sequence`; change it only through `grow` and `cut`."""
        return self._texts[sequence]

    def take(self, prompt: list[int], most: int, spare_donor: bool = False) -> tuple[int, int]:
        """Claim a sequence for `prompt`, filled with as much of its beginning as is known, at most `most` tokens.

        Returns the sequence and how many tokens it holds. With `spare_donor`, the text that is borrowed from stays
        whole if another sequence is idle. Raises `EngineBusy` when no sequence is idle.
        """
        if not self._idle:
            raise EngineBusy("all sequences are in use", "finish or drop an answer first")
        donor, shared = self._donor(prompt, most)
        others = [sequence for sequence in self._idle if sequence != donor] or [donor]
        sequence = next((s for s in others if not self._texts[s]), others[0])
        reusable = donor in self._idle and len(self._texts[donor]) - shared <= _WORTH_WAITING
        if sequence == donor or (reusable and not spare_donor):
            sequence = donor
            self.cut(sequence, shared)
        else:
            self.clear(sequence)
            if shared:
                self._target.fork(donor, sequence, 0, shared)
            self._texts[sequence] = prompt[:shared]
        self._idle.remove(sequence)
        self._planned[sequence] = prompt
        return sequence, shared

    def known(self, prompt: list[int], most: int) -> int:
        """How much of the beginning of `prompt` could be borrowed."""
        return self._donor(prompt, most)[1]

    def is_coming(self, prompt: list[int], most: int) -> bool:
        """Whether a prompt in work shares clearly more with `prompt` than is evaluated yet: waiting would pay."""
        known = self.known(prompt, most)
        planned = max((common_prefix(text, prompt) for text in self._planned.values()), default=0)
        return min(planned, most) - known >= _WORTH_WAITING

    def _donor(self, prompt: list[int], most: int) -> tuple[int, int]:
        """The sequence that shares the longest beginning, and how long it is."""
        best, length = -1, 0
        for sequence, text in self._texts.items():
            shared = min(common_prefix(text, prompt), most)
            if shared > length:
                best, length = sequence, shared
        return best, length

    def grow(self, sequence: int, tokens: Sequence[int]) -> None:
        """The target evaluated `tokens` at the end of `sequence`."""
        self._texts[sequence].extend(tokens)

    def cut(self, sequence: int, length: int) -> None:
        """Forget all but the first `length` tokens of `sequence`, in the target too."""
        if self._target.length(sequence) > length:
            self._target.rewind(sequence, length)
        del self._texts[sequence][length:]

    def clear(self, sequence: int) -> None:
        """Forget all of `sequence`."""
        self._target.free(sequence)
        self._texts[sequence] = []

    def release(self, sequence: int, keep: bool = True) -> None:
        """The text of `sequence` is finished; its cells stay for others to borrow if `keep`."""
        self.cut(sequence, len(self._texts[sequence]))
        if not keep:
            self.clear(sequence)
        self._planned.pop(sequence, None)
        if sequence not in self._idle:
            # At the end: of the idle sequences, the one used longest ago is overwritten first.
            self._idle.append(sequence)

    def renew(self) -> None:
        """Forget all texts, those in use as well: their owners find them empty and evaluate them again."""
        for sequence in self._texts:
            self.clear(sequence)

    def evict(self) -> bool:
        """Clear the idle sequence used longest ago; False when no idle one holds anything."""
        for sequence in self._idle:
            if self._texts[sequence]:
                self.clear(sequence)
                return True
        return False
