"""The self-check of exact mode."""

from collections.abc import Sequence

import numpy as np
import pytest

from lrc.speculative.errors import ExactModeUnavailable
from lrc.speculative.exact import check_rows_are_independent
from lrc.speculative.protocols import Logits, Row
from tests.support.toy_target import ToyLaw, ToyTarget

LAW = ToyLaw(vocabulary=100)


class Rounding(ToyTarget):
    """From some number of rows on, another kernel rounds differently."""

    def __init__(self, width: int) -> None:
        super().__init__(LAW, rows=128)
        self.width = width

    def evaluate(self, rows: Sequence[Row]) -> Logits:
        """The last bit depends on the batch."""
        found = super().evaluate(rows)
        return np.nextafter(found, np.float32(np.inf)) if len(rows) >= self.width else found


def test_a_target_whose_rows_are_independent_passes_and_is_left_empty() -> None:
    """Nothing stays in the cache."""
    target = ToyTarget(LAW, rows=128)
    check_rows_are_independent(target, (0, 1))
    assert target.used() == 0


@pytest.mark.parametrize(("width", "named"), [(2, "in batches"), (4, "in batches"), (8, "8 rows"), (64, "beside")])
def test_a_difference_of_one_bit_is_refused_with_the_width(width: int, named: str) -> None:
    """Whichever number of rows changes the kernel."""
    target = Rounding(width)
    with pytest.raises(ExactModeUnavailable, match=named):
        check_rows_are_independent(target, (0, 1))
    assert target.used() == 0
