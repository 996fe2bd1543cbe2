"""Wilson's interval against values from the literature."""

import pytest

from lrc.quality.intervals import Share


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3 (score, without continuity correction).
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_score_interval(hits: int, total: int, low: float, high: float) -> None:
    """Both ends as published, to four digits."""
    assert Share(hits, total).interval == pytest.approx((low, high), abs=0.0001)


def test_nothing_counted_is_nothing_known() -> None:
    """Without a case the share may be anything."""
    assert Share(0, 0).interval == (0.0, 1.0)
    assert Share(0, 0).value == 0.0


def test_a_share_says_how_sure_it_is() -> None:
    """Counts, share and interval in one phrase."""
    assert str(Share(5, 10)) == "5/10 = 50% (24% to 76%)"
