import pickle
import re
import runpy

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    ComparisonResult,
    SubgroupComparison,
    bayesian_cross_val_score,
    bayesian_cross_validate,
    compare_counts,
    compare_items,
    compare_predictions,
    compare_scores,
    load_result,
    metrics,
    score_posterior,
)
from skbayeseval.display import ForestDisplay
from skbayeseval.judgement.subgroup_decision import Scores, largest_gap
from tests.conftest import ROOT

OPTIONS = {"n_draws": 2000, "random_state": 0}


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=900)
    y[:4] = 0
    a, b = (np.where(rng.random(900) < p, y, 1 - y) for p in (0.9, 0.75))
    return compare_predictions(y, a, b, scoring=["f1", "accuracy"], names=("new", "old"), **OPTIONS)


@pytest.fixture(scope="module")
def site():
    names = np.repeat(["Ulm", "Bonn", "Kiel"], [4, 496, 400])
    return pd.Series(names, name="site")


@pytest.fixture(scope="module")
def subgroups(result, site):
    return result.by(site)


def test_table(result, site, subgroups):
    table = subgroups.table
    assert list(table.columns) == [
        name for name in SubgroupComparison._columns if name != "n_groups"
    ]
    assert table.index.tolist() == ["Bonn", "Kiel", "Ulm"]
    assert table.index.name == "site"
    assert table["n"].to_list() == [496, 400, 4]
    assert table.loc["Ulm", "decision"] == "too few to say"
    assert table.loc["Ulm", "note"] == "no positives"
    assert table.loc["Ulm"].drop(["n", "decision", "note"]).isna().all()
    assert table.loc[["Bonn", "Kiel"], "decision"].to_list() == ["no ROPE"] * 2
    known = table.drop("Ulm")
    np.testing.assert_allclose(
        known["observed_difference"], known["observed_a"] - known["observed_b"]
    )
    chances = known[["p_worse", "p_rope", "p_better"]].sum(axis=1)
    np.testing.assert_allclose(chances.astype(float), 1)
    assert subgroups.reasons == {"Ulm": "no positives"}
    assert result.by(site.to_numpy()).table.index.name == "subgroup"


def test_table_and_decision_and_draws_agree(subgroups):
    table, decision = subgroups.summary(0.05, prob=0.9), subgroups.decision(0.05, 0.9)
    assert list(decision.subgroups) == ["Bonn", "Kiel"]
    for name, one in decision.subgroups.items():
        row = table.loc[name]
        assert (row["hdi_low"], row["hdi_high"], row["decision"]) == (*one.hdi, one.code)
        draws = subgroups.draws[name]
        assert row["mean"] == pytest.approx(draws.mean())
        assert row["p_better"] == pytest.approx((draws > 0.05).mean())
    assert decision.too_few == {"Ulm": "no positives"}
    assert "too few to say: Ulm (no positives)" in str(decision)
    assert not decision.settled
    spread = np.ptp(subgroups.draws.to_numpy(), axis=1)
    assert decision.p_alike == pytest.approx((spread <= 0.1).mean())
    assert len(subgroups.tau) == len(subgroups.draws)


def test_classes_that_do_not_occur_in_a_subgroup():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    site = np.where(y == 2, "x", rng.choice(["x", "z"], 400))
    a, b = (np.where(rng.random(400) < p, y, rng.integers(0, 3, 400)) for p in (0.8, 0.7))
    result = compare_predictions(y, a, b, scoring=["f1_macro", "accuracy"], **OPTIONS)
    subgroups = result.by(site)
    assert subgroups.incomplete == {"z": "no instances of 2"}
    assert subgroups.table["note"].to_list() == ["", "no instances of 2"]
    assert "  note        no instances of 2 (z)\n" in str(subgroups)
    assert "averages without some classes: z (no instances of 2)" in str(subgroups.decision(0.05))
    assert subgroups.to_markdown().splitlines()[3].endswith("| no instances of 2 |")
    accuracy = result.by(site, metric="accuracy")  # is no average over classes
    assert accuracy.incomplete == {}


def test_labels_without_positives():
    rng = np.random.default_rng(0)
    y = (rng.random((300, 3)) < 0.4).astype(int)
    site = np.repeat(["x", "z"], 150)
    y[site == "z", 1] = 0
    a, b = (np.where(rng.random(y.shape) < p, y, 1 - y) for p in (0.9, 0.8))
    macro = compare_predictions(y, a, b, scoring="f1_macro", **OPTIONS)
    assert macro.by(site).incomplete == {"z": "no instances of 1"}
    y[site == "z"] = 0
    micro = compare_predictions(y, a, b, scoring="f1_micro", **OPTIONS)
    assert micro.by(site).reasons == {"z": "no positives of any label"}


def test_groups_are_counted_where_they_are_the_unit():
    rng = np.random.default_rng(0)
    y, patient = rng.integers(2, size=300), np.arange(300) // 5
    a, b = (np.where(rng.random(300) < p, y, 1 - y) for p in (0.9, 0.8))
    site = np.where(patient < 20, "Bonn", "Kiel")
    found = compare_predictions(y, a, b, groups=patient, **OPTIONS).by(site)
    assert found.table[["n", "n_groups"]].to_numpy().tolist() == [[100, 20], [200, 40]]
    assert [line.split()[:3] for line in str(found).splitlines()[2:4]] == [
        ["Bonn", "100", "20"], ["Kiel", "200", "40"]
    ]  # fmt: skip
    texts = [text.get_text() for text in found.plot().text_]
    assert {"groups", "20", "40", "60"} <= set(texts)
    assert "200" not in texts


def test_one_subgroup_is_the_result(result):
    table = result.by(["all"] * 900).summary(0.02)
    expected = result.summary(0.02).iloc[0]
    shared = ["mean", "sd", "hdi_low", "hdi_high", "p_worse", "p_rope", "p_better", "decision"]
    assert table.loc["all", shared].to_list() == expected[shared].to_list()
    assert (table["alone_low"] == table["hdi_low"]).all()


def test_words(result, subgroups):
    words = str(subgroups).splitlines()
    assert words[0] == "new minus old in F1, by site:"
    assert words[2].split()[:2] == ["Bonn", "496"]
    assert words[4].split()[:2] == ["Ulm", "4"]
    assert words[5].startswith("all instances")
    assert words[6] == "  note        too few to say: no positives (Ulm)"
    assert max(map(len, words[1:6])) <= 80
    assert words[7].startswith("Median deviation between subgroups of site: at most ")
    rows = np.arange(900)
    many = str(result.by(np.where(rows < 4, 60 + rows, rows % 50)))
    assert "and 24 more, in table" in many
    assert "no positives" not in many  # notes are about the rows that are shown


def test_tables_for_papers(result, subgroups):
    lines = subgroups.to_markdown(rope=0.02).splitlines()
    assert lines[0].split(" | ")[:4] == ["| site", "n", "new", "old"]
    assert "P(in ROPE)" in lines[0]
    assert lines[4].startswith("| Ulm | 4 |  |")
    assert lines[4].endswith("| too few to say | no positives |")
    without_rope = subgroups.to_markdown().splitlines()
    assert "decision" not in without_rope[0]
    assert "P(in ROPE)" not in without_rope[0]
    assert without_rope[4].endswith("| too few to say: no positives |")
    whole = result.hdi()
    assert lines[5].startswith("| all instances | 900 | 0.")
    assert f"[{whole.low:.3f}, {whole.high:.3f}]" in lines[5]
    assert r"\toprule" in subgroups.to_latex()
    assert "<td" in subgroups._repr_html_()


def test_plot(result, subgroups):
    display = subgroups.plot(rope=0.02)
    assert isinstance(display, ForestDisplay)
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels == ["all instances", "Ulm", "Kiel", "Bonn"]
    texts = [text.get_text() for text in display.text_]
    assert "too few to say" in texts
    assert {"900", "496", "400", "4"} <= set(texts)
    assert display.overall[1:] == result.hdi()
    assert display.ax_.get_title().replace("\n", " ") == (
        subgroups.decision(0.02).on_variation().rstrip(".")
    )


def test_results_without_instances(tmp_path, result, site):
    needed = "Subgroups require the instances"
    counts = compare_counts((88, 10, 12), (80, 14, 20), **OPTIONS)
    with pytest.raises(ValueError, match=f"{needed}.*counts, confusion matrices"):
        counts.by(site)
    with pytest.raises(TypeError, match=r"pass the column itself, such as X\['sex'\]"):
        result.by("sex")
    scores = compare_scores([0.8, 0.9, 0.7], [0.7, 0.8, 0.7], test_fraction=0.1, **OPTIONS)
    with pytest.raises(ValueError, match=f"{needed}, which split scores do not tell apart"):
        scores.by(site)
    result.save(tmp_path / "result")
    with pytest.raises(ValueError, match=f"{needed}.*or loaded from a file"):
        load_result(tmp_path / "result").by(site)
    parameters = result._posterior.parameters()
    trace = {name: one.reshape(4, -1, *one.shape[1:]) for name, one in parameters.items()}
    altered = ComparisonResult.from_trace(trace, result)
    with pytest.raises(ValueError, match="Subgroups require a conjugate prior"):
        altered.by(site)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["2 classes", "items"])
def test_coverage(kind):
    """A part of benchmarks/subgroups.py: eight subgroups of 20 to 400, sixty reports."""
    simulate = runpy.run_path(str(ROOT / "benchmarks" / "subgroups.py"))["simulate"]
    rows = [simulate(kind, mu, tau, 60) for mu, tau in ((0.0, 0.0), (0.03, 0.05))]
    equal, unequal = ([float(str(one).rstrip("%")) for one in row[3:]] for row in rows)
    assert equal[0] > 0.96
    assert 0.92 < unequal[0] < 0.99
    assert max(equal[3], unequal[3]) < 0.85  # shorter than those of each subgroup alone
    assert equal[5] <= equal[6] < 45  # reports with a false sign, pooled and alone
    assert equal[7] < 5  # reports that find variation where there is none


ROWS = np.random.default_rng(0)
LABELS = ROWS.integers(0, 3, 120)
SAID = [np.where(ROWS.random(120) < p, LABELS, ROWS.integers(0, 3, 120)) for p in (0.8, 0.6)]
TAGS = [(ROWS.random((120, 3)) < 0.5).astype(int) for _ in range(3)]
NUMBERS = ROWS.normal(size=(3, 120))
RUNS = ROWS.normal(size=(2, 120, 2))
PATIENT = np.arange(120) // 4

# Comparisons of some of the instances, by the kind of data.
OF_ROWS = {
    "classes": lambda rows: compare_predictions(
        LABELS[rows], *(one[rows] for one in SAID), scoring="f1_macro", weight=0.5, **OPTIONS
    ),
    "labels": lambda rows: compare_predictions(
        *(one[rows] for one in TAGS), scoring="f1_macro", **OPTIONS
    ),
    "groups": lambda rows: compare_predictions(
        LABELS[rows], *(one[rows] for one in SAID), groups=PATIENT[rows], **OPTIONS
    ),
    "scores": lambda rows: compare_predictions(
        LABELS[rows] > 0, None, None, scoring="roc_auc",
        y_score_a=NUMBERS[0, rows], y_score_b=NUMBERS[1, rows], **OPTIONS,
    ),
    "numbers": lambda rows: compare_predictions(
        *NUMBERS[:, rows], scoring="r2", sample_weight=LABELS[rows] + 1.0, **OPTIONS
    ),
    "items": lambda rows: compare_items(*RUNS[:, rows], groups=PATIENT[rows], **OPTIONS),
}  # fmt: skip


@pytest.mark.parametrize("kind", OF_ROWS)
def test_a_subgroup_alone_is_the_comparison_of_its_instances(kind):
    column = np.where(PATIENT % 3 == 0, "x", "z")
    table = OF_ROWS[kind](np.arange(120)).by(column).table
    for name in ("x", "z"):
        alone = OF_ROWS[kind](np.flatnonzero(column == name))
        row = table.loc[name]
        assert (row["observed_a"], row["observed_b"]) == pytest.approx(
            (alone.observed_a, alone.observed_b)
        )
        width = np.ptp(alone.hdi())
        assert row["alone_high"] - row["alone_low"] == pytest.approx(width, rel=0.15)
        assert row["alone_low"] == pytest.approx(alone.hdi().low, abs=0.1 * width)


def test_all_too_few():
    y, a, b = [0, 1, 1, 0, 1], [0, 1, 1, 0, 0], [0, 1, 0, 0, 1]
    subgroups = compare_predictions(y, a, b, scoring="balanced_accuracy", **OPTIONS).by(range(5))
    assert set(subgroups.reasons.values()) == {"only one class"}
    assert subgroups.draws.empty
    assert "fewer than two" in str(subgroups.decision(0.1))
    words = str(subgroups).splitlines()
    assert words[-2].startswith("all instances  5 ")
    assert words[-1] == "  note        too few to say: only one class (0, 1, 2, 3, 4)"
    assert subgroups.to_markdown().count("too few to say") == 5
    assert subgroups.plot(rope=0.1).ax_.get_title()
    assert subgroups.plot().ax_.get_title() == "0 of 5 subgroups with enough instances"


def test_subgroups_at_random_are_not_said_to_differ():
    """The prior alone makes it nearly certain that some two of 12 small subgroups differ."""
    rng = np.random.default_rng(0)
    a, b, subgroup = rng.random(720) < 0.8, rng.random(720) < 0.8, np.arange(720) % 12
    subgroups = compare_items(a.astype(int), b.astype(int), **OPTIONS).by(subgroup)
    said = str(subgroups.decision(rope=0.02)).splitlines()[-1]
    chances = [float(chance) for chance in re.findall(r"probability (\d+\.\d)%", said)]
    assert len(chances) == 1
    assert chances[0] < 95
    assert "at most" in str(subgroups)


FINE = {"n_draws": 4000, "random_state": 0}
SIZES = {"young": 300, "middle": 240, "old": 180}
RIGHT = {"young": 0.9, "middle": 0.88, "old": 0.55}


def people(seed=0):
    rng = np.random.default_rng(seed)
    age = pd.Series(rng.permutation(np.repeat(list(SIZES), list(SIZES.values()))), name="age")
    y = (rng.random(len(age)) < np.where(age == "old", 0.3, 0.5)).astype(int)
    return y, np.where(rng.random(len(age)) < age.map(RIGHT), y, 1 - y), age


@pytest.fixture(scope="module")
def groups():
    y, said, age = people()
    return score_posterior(y, said, scoring="recall", name="model", **FINE).by(age)


def rates_by_hand():
    """Return selection rate, recall and false positive rate of each group."""
    y, said, age = people()
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
    y, said, age = people()
    result = score_posterior(y, said, **FINE)
    for name, rate in (("selection_rate", selection), ("false_positive_rate", false_positive)):
        np.testing.assert_allclose(result.by(age, metric=name).table["observed"], rate)


def test_table_of_scores(groups):
    table = groups.table
    assert table.index.tolist() == sorted(SIZES)
    assert table.index.name == "age"
    assert table["n"].to_dict() == SIZES
    y, said, age = people()
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
        f"would show {gap.by_chance:.3f} on average, by chance (test of homogeneity: "
        f"p = {gap.p_value:.2g})."
    )
    assert str(groups).splitlines()[0] == "recall of model, by age:"
    assert str(groups).endswith(str(gap))
    assert "all instances" in groups._repr_html_()


def test_the_largest_gap_of_normal_scores_in_closed_form():
    """Two equal standard errors: the gap is a folded normal variable, and chance half of one."""
    rng = np.random.default_rng(0)
    draws = rng.normal([[0.5], [0.8]], 0.1, (2, 200_000))
    scores = Scores(("x", "z"), np.array([0.5, 0.8]), draws, draws, np.full(2, 9))
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
    five = largest_gap({"recall": Scores(tuple("abcde"), observed, equal, equal, np.full(5, 9))})
    critical = stats.studentized_range.ppf(0.95, 5, np.inf)
    assert five.interval.low == pytest.approx(0.5 - 0.1 * critical, abs=0.004)
    assert (five.highest, five.of_metric) == ("e", "")
    # One is 0.5 off the others of five with standard errors of 0.1: 25 * 4 / 5 on 4 degrees.
    assert five.p_value == pytest.approx(stats.chi2.sf(20, 4), rel=0.03)
    none = Scores(("x", "z"), np.full(2, 0.5), equal[:2], equal[:2], np.full(2, 9))
    assert largest_gap({"recall": none}).interval.low == 0
    assert largest_gap({"recall": none, "precision": none}).p_value == 1


def recalls_of(hits, sizes):
    """Return the recall of groups with so many positives and hits, and one negative each."""
    group = np.append(np.repeat(np.arange(len(sizes)), sizes), np.arange(len(sizes)))
    said = [np.arange(n) < k for n, k in zip(sizes, hits, strict=True)]
    y = np.repeat([1, 0], [sum(sizes), len(sizes)])
    said = np.append(np.concatenate(said), np.zeros(len(sizes)))
    return score_posterior(y, said.astype(int), scoring="recall", **FINE).by(group)


def test_real_gaps_are_not_hidden_by_pooling():
    """Pooled means alone let the lower end be 0, where chi-squared and Tukey's range see a gap."""
    hits, sizes = np.array([56, 55, 51, 50, 50, 49, 47, 41]), np.full(8, 60)
    p = stats.chi2_contingency([hits, sizes - hits], correction=False).pvalue
    gap = recalls_of(hits, sizes).gap()
    assert p < 0.02
    assert gap.p_value == pytest.approx(p, rel=0.5)
    # The closed form of the range of errors that are alike (Tukey 1953).
    sd = np.sqrt((hits / sizes * (1 - hits / sizes)).mean() / 60)
    low = np.ptp(hits / sizes) - stats.studentized_range.ppf(0.95, 8, np.inf) * sd
    assert gap.interval.low == pytest.approx(low, abs=0.035)
    assert 0 < gap.interval.low < gap.estimate < gap.interval.high


def test_equal_groups_have_no_gap():
    """A small group with the highest score is not surer of it than its size allows."""
    gap = recalls_of([200, 7, 3, 15, 50], [400, 8, 8, 30, 100]).gap()
    assert gap.interval.low == 0
    assert gap.p_value > 0.05
    alike = recalls_of([45, 45, 45, 45], [60, 60, 60, 60]).gap()
    assert alike.interval.low == 0
    assert alike.p_value > 0.9


def test_two_groups_are_not_pooled_and_three_are():
    y, said, age = people()
    result = score_posterior(y, said, scoring="recall", **FINE)
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
    y, said, age = people()
    none = np.where((age == "old") & (y == 0), "no positives", age)
    found = score_posterior(y, said, scoring="recall", **FINE).by(none)
    assert found.reasons == {"no positives": "no positives"}
    assert "no positives" not in found.draws
    assert "no positives" not in found.gaps().index.get_level_values(0)
    assert found.demographic_parity_difference().lowest == "no positives"


def test_rates_are_for_groups_only():
    y, said, _ = people()
    with pytest.raises(ValueError, match="is not a known metric"):
        compare_predictions(y, said, y, scoring="selection_rate", **FINE)
    several = score_posterior(np.arange(60) % 3, np.arange(60) % 3, **FINE)
    with pytest.raises(ValueError, match="requires exactly two classes|is a binary metric"):
        several.by(np.arange(60) % 2, metric="selection_rate")
    with pytest.raises(ValueError, match="is a binary metric"):
        several.by(np.arange(60) // 30).equalized_odds_difference()


def test_rates_have_the_draws_of_what_they_are():
    y, said, _ = people()
    result = score_posterior(y, said, scoring=["recall", "specificity"], **FINE)
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


def test_a_column_of_the_data_frame_by_name():
    X, y = make_classification(200, random_state=0)
    X = pd.DataFrame(X).rename(columns=str).assign(site=[0, 1] * 100)
    result = bayesian_cross_validate(GaussianNB(), DummyClassifier(), X, y, **OPTIONS)
    by_name, by_values = result.by("site"), result.by(X["site"])
    pd.testing.assert_frame_equal(by_name.summary(), by_values.summary())
    score = bayesian_cross_val_score(GaussianNB(), X, y, **OPTIONS)
    assert score.by("site").column == "site"
    with pytest.raises(ValueError, match="column='sight' is not in X, which has .*'site'"):
        result.by("sight")
    pickled = pickle.loads(pickle.dumps(result))
    with pytest.raises(TypeError, match=r"until they are stored: .* X\['site'\]"):
        pickled.by("site")
