"""How sure a share is that was counted from few cases."""

import math
from dataclasses import dataclass

Z = 1.96
"""Standard deviations on both sides of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Share:
    """A counted share."""

    hits: int
    total: int

    @property
    def value(self) -> float:
        """Hits of the total, 0 to 1; 0 without any case."""
        return self.hits / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval by Wilson's score (E. B. Wilson, 1927), which holds near 0 and 1 and for few cases."""
        if not self.total:
            return 0.0, 1.0
        share, n = self.value, self.total
        middle = share + Z * Z / (2 * n)
        spread = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
        scale = 1 + Z * Z / n
        return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.hits}/{self.total} = {self.value:.0%} ({low:.0%} to {high:.0%})"
