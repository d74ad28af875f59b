"""The metric of one classifier by group, and gaps between groups."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from skbayeseval import bayesian_cross_val_score, compare_predictions, metrics, score_posterior
from skbayeseval.judgement.largest_gap import Scores, largest_gap

OPTIONS = {"n_draws": 4000, "random_state": 0}
SIZES = {"young": 300, "middle": 240, "old": 180}
RIGHT = {"young": 0.9, "middle": 0.88, "old": 0.55}


def data(seed=0):
    rng = np.random.default_rng(seed)
    age = pd.Series(rng.permutation(np.repeat(list(SIZES), list(SIZES.values()))), name="age")
    y = (rng.random(len(age)) < np.where(age == "old", 0.3, 0.5)).astype(int)
    return y, np.where(rng.random(len(age)) < age.map(RIGHT), y, 1 - y), age


@pytest.fixture(scope="module")
def groups():
    y, said, age = data()
    return score_posterior(y, said, scoring="recall", name="model", **OPTIONS).by(age)


def rates_by_hand():
    """Return selection rate, recall and false positive rate of each group."""
    y, said, age = data()
    of_each = [
        (said[at].mean(), said[at & (y == 1)].mean(), said[at & (y == 0)].mean())
        for at in (np.asarray(age == name) for name in sorted(SIZES))
    ]
    return np.array(of_each).T


def test_observed_gaps_are_those_by_hand(groups):
    selection, recall, false_positive = rates_by_hand()
    np.testing.assert_allclose(groups.table["observed"], recall)
    assert groups.gap().observed == pytest.approx(np.ptp(recall))
    assert groups.demographic_parity_difference().observed == pytest.approx(np.ptp(selection))
    odds = groups.equalized_odds_difference()
    assert odds.observed == pytest.approx(max(np.ptp(recall), np.ptp(false_positive)))
    assert odds.metric == "recall or false_positive_rate"
    y, said, age = data()
    result = score_posterior(y, said, **OPTIONS)
    for name, rate in (("selection_rate", selection), ("false_positive_rate", false_positive)):
        np.testing.assert_allclose(result.by(age, metric=name).table["observed"], rate)


def test_observed_gaps_are_those_of_fairlearn(groups):
    fairlearn = pytest.importorskip("fairlearn.metrics")
    y, said, age = data()
    for name in ("demographic_parity_difference", "equalized_odds_difference"):
        expected = getattr(fairlearn, name)(y, said, sensitive_features=age)
        assert getattr(groups, name)().observed == pytest.approx(expected)


def test_table(groups):
    table = groups.table
    assert table.index.tolist() == sorted(SIZES)
    assert table.index.name == "age"
    assert table["n"].to_dict() == SIZES
    y, said, age = data()
    for name, row in table.iterrows():
        at = np.asarray(age == name) & (y == 1)
        # Given a group alone, the recall follows a Beta distribution with a flat prior or near it.
        hits, n = said[at].sum(), at.sum()
        low, high = stats.beta(hits + 0.5, n - hits + 0.5).interval(0.95)
        assert (row["alone_low"], row["alone_high"]) == pytest.approx((low, high), abs=0.03)
    # Pooling draws groups together.
    assert np.ptp(table["mean"]) < np.ptp(table["observed"])
    assert (groups.name, groups.metric, groups.column) == ("model", "recall", "age")


def test_gap_and_gaps_and_table_agree(groups):
    gap, gaps, table = groups.gap(), groups.gaps(), groups.table
    assert (gap.highest, gap.lowest) == gaps.index[0] == (table["mean"].idxmax(), "old")
    assert gap.estimate == pytest.approx(gaps["mean"].iloc[0])
    assert gap.estimate == pytest.approx(np.ptp(table["mean"]))
    assert len(gaps) == 3
    assert gaps["mean"].is_monotonic_decreasing
    difference = groups.draws[gap.highest] - groups.draws[gap.lowest]
    assert gaps["sd"].iloc[0] == pytest.approx(difference.std())
    assert (gap.draws >= difference - 1e-12).all()
    low, high = gap.interval
    assert 0 < low < gap.estimate < high
    assert 0 < gap.by_chance < gap.observed
    assert groups.gap(0.5).interval.low > low
    assert str(gap) == (
        f"The largest gap in recall is {gap.estimate:.3f} (95% interval {low:.3f} to {high:.3f}), "
        f"between {gap.highest} and old. Observed: {gap.observed:.3f}; equal groups of these sizes "
        f"would show {gap.by_chance:.3f} on average, by chance."
    )
    assert str(groups).splitlines()[0] == "recall of model, by age:"
    assert str(groups).endswith(str(gap))
    assert "all instances" in groups._repr_html_()


def test_the_largest_gap_of_normal_scores_in_closed_form():
    """Two equal standard errors: the gap is a folded normal variable, and chance half of one."""
    rng = np.random.default_rng(0)
    draws = rng.normal([[0.5], [0.8]], 0.1, (2, 200_000))
    scores = Scores(("x", "z"), np.array([0.5, 0.8]), draws, draws)
    gap = largest_gap({"recall": scores})
    sd = 0.1 * np.sqrt(2)
    assert gap.by_chance == pytest.approx(sd * np.sqrt(2 / np.pi), rel=0.01)
    assert gap.interval.low == pytest.approx(0.3 - 1.96 * sd, abs=0.004)
    folded = stats.foldnorm(0.3 / sd, scale=sd)
    assert gap.interval.high == pytest.approx(folded.ppf(0.975), abs=0.004)
    # Of k equal groups, the lower end is Tukey's studentized range away from the estimate.
    equal = rng.normal(0.5, 0.1, (5, 200_000))
    observed = np.array([0.5, 0.5, 0.5, 0.5, 1.0])
    equal += (observed - 0.5)[:, None]
    five = largest_gap({"recall": Scores(tuple("abcde"), observed, equal, equal)})
    critical = stats.studentized_range.ppf(0.95, 5, np.inf)
    assert five.interval.low == pytest.approx(0.5 - 0.1 * critical, abs=0.004)
    assert (five.highest, five.of_metric) == ("e", "")
    none = largest_gap({"recall": Scores(("x", "z"), np.full(2, 0.5), equal[:2], equal[:2])})
    assert none.interval.low == 0


def test_two_groups_are_not_pooled_and_three_are():
    y, said, age = data()
    result = score_posterior(y, said, scoring="recall", **OPTIONS)
    two = result.by(np.where(age == "old", "old", "other"))
    table = two.table
    assert (table["alone_low"] == table["hdi_low"]).all()
    three = result.by(age).table
    assert (three["alone_low"] != three["hdi_low"]).all()
    one = result.by(["all"] * len(y))
    assert one.table.loc["all", "mean"] == pytest.approx(result.draws.mean())
    assert "largest gap" not in str(one)
    with pytest.raises(ValueError, match="A gap in recall requires two groups with enough"):
        one.gap()
    assert one.gaps().empty


def test_groups_with_too_few_instances():
    y, said, age = data()
    none = np.where((age == "old") & (y == 0), "no positives", age)
    found = score_posterior(y, said, scoring="recall", **OPTIONS).by(none)
    assert found.reasons == {"no positives": "no positives"}
    assert "no positives" not in found.draws
    assert "no positives" not in found.gaps().index.get_level_values(0)
    assert found.demographic_parity_difference().lowest == "no positives"


def test_after_cross_validation():
    from sklearn.naive_bayes import GaussianNB

    y, _, age = data()
    X = y[:, None] + np.random.default_rng(0).normal(0, np.where(age == "old", 1.5, 0.5))[:, None]
    result = bayesian_cross_val_score(GaussianNB(), X, y, scoring="recall", **OPTIONS)
    found = result.by(age)
    assert found.gap().lowest == "old"
    assert found.gap().interval.low > 0
    assert found.demographic_parity_difference().interval.high < 0.5


def test_plot(groups):
    display = groups.plot()
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == [
        "all instances", "young", "old", "middle"
    ]  # fmt: skip
    assert display.ax_.get_xlabel() == "recall of model"
    assert display.ax_.get_title().startswith("Largest gap 0.")
    low, high = display.ax_.get_xlim()
    assert low > 0.3
    assert high < 1.1


def test_rates_are_for_groups_only():
    y, said, _ = data()
    with pytest.raises(ValueError, match="is not a known metric"):
        compare_predictions(y, said, y, scoring="selection_rate", **OPTIONS)
    several = score_posterior(np.arange(60) % 3, np.arange(60) % 3, **OPTIONS)
    with pytest.raises(ValueError, match="requires exactly two classes|is a binary metric"):
        several.by(np.arange(60) % 2, metric="selection_rate")
    with pytest.raises(ValueError, match="is a binary metric"):
        several.by(np.arange(60) // 30).equalized_odds_difference()


def test_rates_have_the_draws_of_what_they_are():
    y, said, _ = data()
    result = score_posterior(y, said, scoring=["recall", "specificity"], **OPTIONS)
    everyone = ["all"] * len(y)
    found = result.by(everyone, metric="false_positive_rate").draws["all"]
    np.testing.assert_allclose(found, 1 - result.metric("specificity").draws)
    mine = metrics.from_confusion(lambda t: t[..., :, 1].sum(-1), "mine")
    selected = result.by(everyone, metric="selection_rate").draws["all"]
    np.testing.assert_allclose(selected, result.metric(mine).draws)


@pytest.mark.slow
def test_intervals_of_the_largest_gap_cover_it():
    rng, inside = np.random.default_rng(0), []
    # Each group has 200 positives, and a negative that is recognised.
    group = np.append(np.repeat(np.arange(4), 200), np.arange(4))
    y = np.repeat([1, 0], [800, 4])
    for recalls in (np.full(4, 0.8), np.linspace(0.75, 0.85, 4)):
        for seed in range(150):
            said = y * (rng.random(804) < recalls[group])
            options = {"scoring": "recall", "n_draws": 1000, "random_state": seed}
            found = score_posterior(y, said, **options).by(group)
            low, high = found.gap().interval
            inside.append(low <= np.ptp(recalls) <= high)
    assert np.mean(inside) > 0.93
