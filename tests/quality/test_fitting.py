"""A calibration from observations: what is learnt, where the thresholds go, and what is refused."""

import random

import pytest

from lrc.quality.cases import Way
from lrc.quality.fitting import Wanted, curve, fit, whole_share, with_thresholds
from lrc.quality.judging import judge, measured, prompted
from lrc.quality.observing import Observation, Sight, from_json, to_json, without_code


def sight(gain: float, *, hit: bool = False, group: str = "closed", place: str = "a.py:1") -> Sight:
    """A suspicion with one gain."""
    features = {"is": 1.0, "gain": gain, f"is:{group}": 1.0, f"gain:{group}": gain}
    return Sight(features, hit, place, "a < b", "a <= b")


def planted(gain: float, *, group: str = "closed", kind: str = "boundary", way: Way = Way.ADDED) -> Observation:
    """A planted case whose defect is seen with a gain."""
    return Observation(way, kind, "python", "a.py f", 1, (sight(gain, hit=True, group=group),), seconds=2.0)


def clean(*gains: float, group: str = "closed") -> Observation:
    """A clean commit of two hunks, with suspicions of some gains."""
    sights = tuple(sight(gain, group=group, place=f"a.py:{line}") for line, gain in enumerate(gains))
    return Observation(Way.CLEAN, "", "python", "0123", 2, sights, seconds=2.0)


def some(seed: int = 1) -> list[Observation]:
    """Planted cases around a gain of 8, clean ones around -4."""
    chance = random.Random(seed)
    many = [planted(chance.gauss(8, 3)) for _ in range(80)]
    return many + [clean(chance.gauss(-4, 3), chance.gauss(-4, 3)) for _ in range(80)]


def test_more_gain_is_learnt_to_be_more_probable() -> None:
    """The fitted weights rise with the gain, and even odds lie between the two heaps."""
    calibration = fit(some(), "a test")
    odds = [calibration.of(sight(gain).features) for gain in (-10.0, 0.0, 2.0, 10.0)]
    assert odds == sorted(odds)
    assert odds[0] < 0.05
    assert odds[-1] > 0.95


def test_probabilities_mean_what_they_say() -> None:
    """Among fresh cases of the same kind, as many are defects as the probabilities add up to."""
    calibration = fit(some(1), "a test")
    fresh = some(2)
    told = sum(calibration.of(one.features) for observation in fresh for one in observation.sights)
    true = sum(one.hit for observation in fresh for one in observation.sights)
    assert told == pytest.approx(true, rel=0.1)


def test_a_group_that_says_little_gets_less_say() -> None:
    """Where gain does not tell planted from clean it counts half of what it counts elsewhere, and no less."""
    chance = random.Random(3)
    cases = [planted(chance.gauss(0, 4), group="name") for _ in range(200)]
    cases += [clean(chance.gauss(0, 4), group="name") for _ in range(200)]
    weights = fit([*cases, *some()], "a test").weights
    assert weights["gain:name"] == pytest.approx(-0.5 * weights["gain"], abs=0.01)
    assert weights["gain"] + weights["gain:closed"] > 0.5


def test_a_group_that_was_hardly_seen_is_treated_like_the_rest() -> None:
    """Two planted cases of a rare group do not make every suspicion of that group a certainty."""
    calibration = fit([*some(), planted(9.0, group="order"), planted(7.0, group="order")], "a test")
    assert calibration.of(sight(-6.0, group="order").features) < 0.1
    assert calibration.of(sight(10.0, group="order").features) > 0.9


def test_an_old_text_that_differs_in_many_places_never_speaks() -> None:
    """Nothing can be learnt of it, so nothing is said."""
    cases = [*some(), *(planted(15.0, group="other-revert") for _ in range(20))]
    assert fit(cases, "a test").of(sight(20.0, group="other-revert").features) < 0.001


def test_one_sort_of_case_is_not_enough() -> None:
    """Nothing can be learnt from defects alone."""
    with pytest.raises(ValueError, match="both"):
        fit([planted(3.0)], "a test")


def test_thresholds_keep_to_what_is_wanted() -> None:
    """As many comments on clean commits as one will bear, and no block where none may be shown."""
    cases = [planted(gain) for gain in (3.0, 6.0, 9.0, 12.0)] + [clean(gain) for gain in (*[-5.0] * 18, 4.0, 8.0)]
    fitted = fit(some(), "a test")
    chosen = with_thresholds(cases, fitted, Wanted(findings=0.05, blocks=0.0))
    judged = judge("now", cases, measured(chosen), lambda one: one.seconds)
    assert judged.noise.rate <= 0.05
    assert judged.noise.blocked.hits == 0
    loose = with_thresholds(cases, fitted, Wanted(findings=0.2, blocks=0.0))
    assert loose.speak <= chosen.speak


def test_the_curve_falls() -> None:
    """A higher threshold finds less and says less."""
    points = curve(some(), fit(some(), "a test"))
    assert [point.threshold for point in points] == sorted(point.threshold for point in points)
    assert [point.recall for point in points] == sorted((point.recall for point in points), reverse=True)
    assert [point.noise for point in points] == sorted((point.noise for point in points), reverse=True)


def test_the_figures_count_places_not_suspicions() -> None:
    """Two suspicions of one line are one comment; a detector's comment there is the same one."""
    calibration = fit(some(), "a test")
    twice = Observation(
        Way.CLEAN, "", "python", "0123", 1, (sight(20.0), sight(19.0)), detected=("a.py:1", "!b.py:3"), seconds=1.0
    )
    judged = judge("now", [twice], measured(calibration), lambda one: one.seconds)
    assert judged.noise.findings == 2
    assert judged.noise.blocked.hits == 1


def test_each_reviewer_is_counted_by_its_own_words() -> None:
    """What the classic way said does not count for measuring, nor the other way round."""
    one = Observation(
        Way.ADDED, "boundary", "go", "a", 1, (sight(-9.0, hit=True),), prompted=("a.go:2",), prompted_hit=True
    )
    calibration = fit(some(), "a test")
    assert judge("measure", [one], measured(calibration), lambda each: 0.0).found["added, operator"].hits == 0
    asked = judge("prompt", [one], prompted, lambda each: 0.0)
    assert asked.found["added, operator"].hits == 1
    assert asked.found["go, operator"].total == 1


def asked(way: Way, *places: str, hit: bool = False) -> Observation:
    """A case on which the whole hunks were asked about."""
    return Observation(way, "" if way is Way.CLEAN else "boundary", "go", "a", 1, prompted=places, prompted_hit=hit)


def test_whole_hunks_are_asked_about_where_that_was_measured_to_be_worth_it() -> None:
    """Mostly right and silent on clean commits; a few lucky cases, or noise, leave them off."""
    right = [asked(Way.ADDED, "a.go:2", hit=True) for _ in range(18)] + [asked(Way.ADDED, "a.go:9") for _ in range(2)]
    silent = [asked(Way.CLEAN) for _ in range(20)]
    assert whole_share([*right, *silent]) == pytest.approx(0.9)
    assert whole_share([*right[:3], *silent]) == 0.0
    assert whole_share([*right, *(asked(Way.CLEAN, "b.go:1") for _ in range(20))]) == 0.0
    assert whole_share([planted(3.0), clean(1.0)]) == 0.0


def test_observations_survive_a_file() -> None:
    """Written and read again they are equal; without code nothing of the repository is left in them."""
    observation = planted(3.0)
    assert from_json(to_json(observation)) == observation
    bare = to_json(without_code(observation))
    assert "a.py" not in bare
    assert "a < b" not in bare
    with pytest.raises(ValueError, match="not an observation"):
        from_json("{}")
