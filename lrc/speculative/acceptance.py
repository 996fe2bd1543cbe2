"""How often the target agrees with each drafter, learnt while running. Pure."""

_BUCKETS = 8
_TRUST = 4.0
"""How many observations the drafter's own confidence is worth."""
_MEMORY = 256.0
"""Observations after which older ones fade, so that a change of text is noticed."""
_MOST = 0.98


class Acceptance:
    """Corrects what drafters say of their guesses by what became of guesses of which they said the same."""

    def __init__(self) -> None:
        """Believe the drafters."""
        self._tried: dict[tuple[str, int], float] = {}
        self._agreed: dict[tuple[str, int], float] = {}

    def estimate(self, source: str, confidence: float) -> float:
        """Probability that the target agrees with a guess, given that it agreed with the one before."""
        key = self._key(source, confidence)
        tried, agreed = self._tried.get(key, 0.0), self._agreed.get(key, 0.0)
        return min(_MOST, (agreed + _TRUST * confidence) / (tried + _TRUST))

    def overall(self, source: str, expected: float) -> float:
        """The same over all guesses of a drafter; `expected` before there are any."""
        tried = sum(count for (name, _), count in self._tried.items() if name == source)
        agreed = sum(count for (name, _), count in self._agreed.items() if name == source)
        return min(_MOST, (agreed + _TRUST * expected) / (tried + _TRUST))

    def learn(self, source: str, confidence: float, agreed: bool) -> None:
        """A guess was verified."""
        key = self._key(source, confidence)
        self._tried[key] = self._tried.get(key, 0.0) + 1.0
        self._agreed[key] = self._agreed.get(key, 0.0) + agreed
        if self._tried[key] > _MEMORY:
            self._tried[key] /= 2
            self._agreed[key] /= 2

    @staticmethod
    def _key(source: str, confidence: float) -> tuple[str, int]:
        return source, min(int(confidence * _BUCKETS), _BUCKETS - 1)
