"""Figures of speed: as tables, as JSON, and as a page; and what the model of cost makes of them."""

import json

import pytest

from lrc.render.speed import PEER, Speed, against_peer, most_rows_pay, predicted, render, render_json, replayed
from lrc.render.speedpage import page
from lrc.speculative.bench import Result

FLAT = {1: 1.0, 8: 1.0}
STEEP = {1: 1.0, 2: 2.0, 4: 4.0, 8: 8.0}


def told(drafted: tuple[int, ...], accepted: tuple[int, ...]) -> dict[str, object]:
    """What a contender tells of its drafts."""
    return {
        "acceptance": sum(accepted) / sum(drafted),
        "answer_steps": {3: 40, 1: 10},
        "answer_tokens": 110,
        "tokens_a_step": 2.5,
        "drafting_share": 0.2,
        "prompt_rate": 40.0,
        "drafts": {"lookup": {"drafted": drafted, "accepted": accepted}},
    }


LOOKUP = Result("lookup", 12.0, 1.2, 0.9, None, told((100, 80), (80, 60)))
PLAIN = Result("plain", 10.0, 1.0, 1.0, 1.0)
SPEED = Speed(
    target="big.gguf",
    draft=None,
    settings={"threads": 2},
    costs={1: 0.1, 2: 0.19, 4: 0.3},
    comments=[PLAIN, LOOKUP],
    copies=[PLAIN, LOOKUP],
    together={4: [PLAIN, Result("4 side by side", 21.0, 2.1, 2.1, 1.8), Result(PEER, 8.0, 0.8, 0.8, 0.9)]},
    left_out={"mtp": "the model has no <heads>"},
    simulated=(FLAT, 0.1),
    memory=3 * 2**30,
)


def test_replaying_on_flat_hardware_is_the_formula_of_leviathan() -> None:
    """With rows for nothing, 0.8 accepted at first and 0.75 then: (1 + 0.8 + 0.6) over 1 + 2 x 0.1."""
    assert replayed(LOOKUP, FLAT, 0.1) == pytest.approx(2.4 / 1.2)


def test_replaying_where_a_row_costs_a_row_gains_nothing() -> None:
    """One token drafted: 1.8 over 2.1; that is the best there is."""
    assert replayed(LOOKUP, STEEP, 0.1) == pytest.approx(1.8 / 2.1)


def test_positions_that_were_hardly_drafted_are_not_replayed() -> None:
    """Three lucky tokens are no acceptance rate."""
    lucky = Result("lookup", 1.0, 1.0, 1.0, None, told((100, 3), (50, 3)))
    assert replayed(lucky, FLAT, 0.0) == pytest.approx(1.5)
    assert replayed(PLAIN, FLAT, 0.0) is None


def test_the_prediction_adds_up_the_measured_costs_of_the_steps() -> None:
    """110 tokens for 40 steps of three rows, at the price between two and four, and 10 of one; a fifth is drafting."""
    assert predicted(LOOKUP, SPEED.costs) == pytest.approx(110 / (40 * 2.45 + 10) * 0.8)
    assert predicted(PLAIN, SPEED.costs) is None


def test_steps_are_predicted_as_they_are_divided() -> None:
    """Eight rows that cost more than twice four are evaluated as such."""
    wide = Result("auto", 1.0, 1.0, 1.0, None, told((1,), (1,)) | {"answer_steps": {8: 10}, "answer_tokens": 80})
    assert predicted(wide, {1: 1.0, 4: 2.0, 8: 9.0}) == pytest.approx(2.0 * 0.8)


def test_bounds_follow_from_the_costs() -> None:
    """Four rows for the price of two: four answers are at most twice as fast, two no faster than one."""
    costs = {1: 1.0, 2: 2.0, 4: 2.0}
    assert most_rows_pay(costs, 4) == pytest.approx(2.0)
    assert most_rows_pay(costs, 2) == pytest.approx(1.0)
    assert most_rows_pay({}, 4) is None


def test_the_peer_is_compared_by_whole_times() -> None:
    """Twice plain's speed, where the peer has nine tenths of it."""
    assert against_peer(SPEED.together[4]) == pytest.approx(1.8 / 0.9)
    assert against_peer([PLAIN]) is None


def test_tables_hold_every_contender() -> None:
    """Both kinds of request and the ones side by side, v(n), what could not run and the memory."""
    text = render(SPEED)
    assert sum(line.startswith("lookup") for line in text.splitlines()) == 2
    assert "4 side by side" in text
    assert "4 review comments, prompts included: 2.00 times as fast as llama_cpp.Llama one by one" in text
    assert "bounds by v(n): 1.33 if every draft were right, 1.33 for 4 side by side without drafts" in text
    assert "v(n): 1: 1.00, 2: 1.90, 4: 3.00" in text
    assert "mtp: not run, the model has no <heads>" in text
    assert "3.0 GiB" in text


def test_json_holds_predictions_beside_what_was_measured() -> None:
    """Programs get the same, with the drafts by position."""
    document = json.loads(render_json(SPEED))
    lookup = document["comments"][1]
    assert lookup["ratio"] == 1.2
    assert lookup["simulated"] == pytest.approx(2.0)
    assert lookup["predicted"] == pytest.approx(110 / (40 * 2.45 + 10) * 0.8)
    assert document["together"]["4"][1]["name"] == "4 side by side"


def test_the_page_loads_nothing_and_escapes_what_it_shows() -> None:
    """One bar a contender, the ratios as text, no address anywhere."""
    text = page(SPEED)
    assert text.count("<rect") == 7
    assert "no &lt;heads&gt;" in text
    assert all(word not in text for word in ("http", "src=", "href=", "<script", "url("))
    assert text.count("<svg") == text.count("</svg>") == 4
