"""Draws with random weights, and from few units: closed forms, brute force, known truth."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import kstest, skew
from sklearn.metrics import average_precision_score, roc_auc_score

from skbayeseval import compare_many, compare_predictions, hdi, score_posterior
from skbayeseval.evidence.unit_numbers import UnitNumbers, effective_number
from skbayeseval.metrics import get_metric
from skbayeseval.metrics.instance_scores import prepare
from skbayeseval.models import bootstrap
from skbayeseval.models.blocks import child_of
from skbayeseval.models.bootstrap import SumsOfMany, stream_bootstrap
from skbayeseval.models.few_units import allow_for_few_carriers, allow_for_few_units
from skbayeseval.results.words import _carriers_of_table


def draw(runs, shape, n_classifiers, n_draws, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate(list(stream_bootstrap(runs, shape, n_classifiers, rng, n_draws)), axis=1)


def one_run(y, scores, name="roc_auc"):
    return [(np.arange(len(y)), [prepare(get_metric(name), y, s) for s in scores])]


@pytest.mark.parametrize(
    ("name", "function"),
    [("roc_auc", roc_auc_score), ("average_precision", average_precision_score)],
)
def test_equals_a_loop_over_scikit_learn(name, function):
    rng = np.random.default_rng(1)
    n_units = 30
    shape = np.repeat([1.0, 2.0, 0.5], 10)[rng.permutation(n_units)]
    runs, raw = [], []
    for size in (40, 25):
        units = rng.integers(0, n_units, size)
        y = np.r_[0, 1, rng.integers(0, 2, size - 2)]
        scores = [np.round(rng.normal(size=size) + y, 1) for _ in range(2)]
        runs.append((units, [prepare(get_metric(name), y, s) for s in scores]))
        raw.append((units, y, scores))
    found = draw(runs, shape, 2, 20)

    # The weights are drawn in the order of shapes, one block.
    rng = child_of(np.random.default_rng(0))
    weights = np.empty((n_units, 20))
    for one in (0.5, 1.0, 2.0):
        weights[shape == one] = rng.standard_gamma(one, (10, 20))
    for d, k in np.ndindex(20, 2):
        of_runs = [function(y, s[k], sample_weight=weights[u, d]) for u, y, s in raw]
        weighs = []
        for units, y, _ in raw:
            # Relative to what they are without weights.
            positive, negative = (weights[units[y == c], d].mean() for c in (1, 0))
            weighs.append(positive * negative if name == "roc_auc" else positive)
        assert found[k, d] == pytest.approx(np.average(of_runs, weights=weighs), abs=1e-12)


@pytest.mark.parametrize("n_folds", [2, 60])
def test_means_do_not_depend_on_how_instances_fall_into_runs(n_folds):
    # Down to leaving one out, where a plain average of runs would not vary at all.
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 2, 60), rng.random(60)
    whole = draw(one_run(y, [p], "neg_log_loss"), np.ones(60), 1, 50)
    folds = np.array_split(rng.permutation(60), n_folds)
    runs = [(rows, [prepare(get_metric("neg_log_loss"), y[rows], p[rows])]) for rows in folds]
    np.testing.assert_allclose(draw(runs, np.ones(60), 1, 50), whole)


def second_order_sd(y, a, b):
    """Return the sd under Dirichlet weights by the Hoeffding decomposition over all pairs."""

    def in_order(score):
        higher, lower = score[y == 1][:, None], score[y == 0]
        return (higher > lower) + (higher == lower) / 2

    kernel = in_order(b) - in_order(a)
    n_pos, n_neg = kernel.shape
    rows = kernel.mean(axis=1, keepdims=True) - kernel.mean()
    columns = kernel.mean(axis=0) - kernel.mean()
    interaction = kernel - kernel.mean() - rows - columns
    first = (rows**2).mean() / (n_pos + 1) + (columns**2).mean() / (n_neg + 1)
    return np.sqrt(first + (interaction**2).mean() / ((n_pos + 1) * (n_neg + 1)))


@pytest.mark.parametrize(
    ("n_positive", "n_negative", "noises", "digits"),
    [
        (60, 600, (0.5, 0.8), 9),
        (45, 45, (0.0, 1.0), 0),  # with ties
        # Where few pairs differ, single ones matter beside the means of rows and columns.
        (100, 100, (0.0, 0.05), 9),
    ],
)
def test_mean_and_sd_of_a_difference_of_areas(n_positive, n_negative, noises, digits):
    rng, y = np.random.default_rng(3), np.repeat([1, 0], [n_positive, n_negative])
    shared = rng.normal(size=len(y)) + y
    a, b = (shared + noise * rng.normal(size=len(y)) for noise in noises)
    a = np.round(a, digits)
    first, second = draw(one_run(y, [a, b]), np.ones(len(y)), 2, 40_000)
    sd = second_order_sd(y, a, b)
    assert (second - first).std() == pytest.approx(sd, rel=0.03)
    observed = roc_auc_score(y, b) - roc_auc_score(y, a)
    assert (second - first).mean() == pytest.approx(observed, abs=0.05 * sd)


def binormal(n, distance=2.0, noise=0.5, share=0.3):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < share).astype(int)
    shared = distance * y + rng.normal(size=n)
    return y, [shared + noise * rng.normal(size=n) for _ in range(2)]


def in_runs(prepared_of, y, predicted, n_runs):
    """Return prepared metrics of instances in random folds."""
    folds = np.random.default_rng(5).integers(0, n_runs, len(y))
    parts = [np.flatnonzero(folds == k) for k in range(n_runs)]
    return [(rows, [prepared_of(y[rows], p[rows]) for p in predicted]) for rows in parts]


def by_name(name):
    metric = get_metric(name)
    if metric.source == "instances":
        return lambda y, p: prepare(metric, y, p)
    return lambda y, p: metric.function(y, p, np.linspace(0.5, 2, len(y)))


@pytest.mark.parametrize(
    ("name", "n_runs", "shape"),
    [
        ("roc_auc", 1, 1.0),
        ("roc_auc", 2, 0.7),
        ("neg_log_loss", 1, 1.0),
        ("r2", 1, 1.0),
        ("r2", 3, 1.2),
        ("neg_root_mean_squared_error", 2, 1.0),
    ],
)
def test_very_many_instances_are_drawn_as_with_weights_of_their_own(name, n_runs, shape):
    n = (bootstrap.MANY + 1500) * (n_runs if name == "roc_auc" else 1)  # pairs are within runs
    y, scores = binormal(n)
    if name == "neg_log_loss":
        scores = [stats.norm.cdf(one) for one in scores]
    elif name != "roc_auc":
        y = np.random.default_rng(2).standard_t(5, n)
        scores = [y + scores[0], y + scores[1]]
    runs = in_runs(by_name(name), y, scores, n_runs)
    shape = np.full(n, shape)
    sampler = SumsOfMany.of(runs, shape)
    fast = np.concatenate(list(sampler.stream(np.random.default_rng(1), 5000)), axis=1)
    full = draw(runs, shape, 2, 1500)
    for ours, exact in ((fast[0], full[0]), (fast[0] - fast[1], full[0] - full[1])):
        assert kstest(ours, exact).pvalue > 0.001
        assert ours.std() == pytest.approx(exact.std(), rel=0.06)  # 3 standard errors
        assert skew(ours) == pytest.approx(skew(exact), abs=0.2)


def test_instances_keep_their_weights_where_too_much_would_be_left_out():
    n = bootstrap.MANY + 1
    y, (a, b) = binormal(n)

    def leaves_out(runs):
        return SumsOfMany.of(runs, np.ones(n)) is not None

    assert leaves_out(one_run(y, [a, b]))
    assert leaves_out(one_run(y, [a, a]))
    assert not leaves_out(one_run(y, [a, a + 1e-4 * b]))
    assert not leaves_out(one_run(y, [a, b], "average_precision"))
    assert SumsOfMany.of(one_run(y, [a, b]), np.full(n, 1e-3)) is None
    assert SumsOfMany.of(one_run(y[1:], [a[1:], b[1:]]), np.ones(bootstrap.MANY)) is None
    loss, p = get_metric("neg_log_loss"), stats.norm.cdf(a)
    for sample_weight in (None, np.linspace(0.5, 2, n)):
        assert leaves_out([(np.arange(n), [prepare(loss, y, p, sample_weight)] * 2)])
    groups = [(np.arange(n) // 2, one_run(y, [a, b])[0][1])]
    assert not leaves_out(groups)


def test_few_instances_that_tell_two_apart_have_weights_of_their_own():
    # Beside a thousand times as many that do not: the difference is not normal.
    rng, n = np.random.default_rng(0), 40_000
    values = rng.normal(size=(1, n)).repeat(2, axis=0)
    values[1, :10] += 0.5
    rows = np.stack([np.ones_like(values), values], axis=1)
    sampler = SumsOfMany(rows, lambda sums: sums[:, 1] / sums[:, 0], np.ones(n))
    draws = np.concatenate(list(sampler.stream(np.random.default_rng(1), 5000)), axis=1)
    # A mean of ten exponential variables has a skewness of 2 / sqrt(10).
    assert skew(draws[1] - draws[0]) == pytest.approx(2 / np.sqrt(10), abs=0.08)


def test_only_the_farthest_of_many_units_have_weights_of_their_own():
    values = np.linspace(-1, 1, 5000)
    values[[17, 2500, 4000]] = 300.0, -200.0, 100.0
    sums = bootstrap.WeightedSums(values[None], most=10)
    assert sums.n_own == 10
    draws = sums.draw(np.random.default_rng(0), 100_000)[0]
    # Of the sum of v times a Gamma(1) variable, whose third central moment is 2.
    exact = 2 * np.sum(values**3) / np.sum(values**2) ** 1.5
    assert skew(draws) == pytest.approx(exact, abs=0.1)
    assert draws.std() == pytest.approx(np.sqrt(np.sum(values**2)), rel=0.03)


# Few units.


def numbers(k, n=None):
    return UnitNumbers("groups", k, float(k), float(k if n is None else n), float(k))


def by_score(y, a, b, scoring="roc_auc", **options):
    scores = {"y_score_a": a, "y_score_b": b, "scoring": scoring}
    return compare_predictions(y, None, None, **scores, random_state=0, **options)


def ranked(rng, n_positive, n_negative):
    y = np.repeat([1, 0], [n_positive, n_negative])
    shared = y + 0.7 * rng.normal(size=len(y))
    return y, *(shared + 0.7 * rng.normal(size=len(y)) for _ in range(2))


def grouped(rng, k, size=10):
    groups = np.repeat(np.arange(k), size)
    y = rng.random(k * size) < 0.4
    found = []
    for _ in range(2):
        right = rng.random(k * size) < stats.norm.cdf(0.8 + 0.5 * rng.normal(size=k))[groups]
        found.append(np.where(right, y, ~y).astype(int))
    return y.astype(int), *found, groups


@pytest.mark.parametrize("k", [4, 10, 100])
def test_a_mean_of_normal_values_has_students_distribution(k):
    # Draws of a mean of k values with variance s^2 (k - 1) / k have this variance / (k + 1).
    rng = np.random.default_rng(0)
    values = rng.normal(size=k)
    sd = np.sqrt(values.var() / (k + 1))
    draws = values.mean() + sd * rng.normal(size=(1, 40_000))
    found = allow_for_few_units(draws, numbers(k), None, rng)[0]
    exact = stats.t(k - 1, values.mean(), values.std(ddof=1) / np.sqrt(k))
    assert stats.kstest(found, exact.cdf).pvalue > 0.001


def test_all_right_is_about_jeffreys_posterior():
    # For so many units that the stretch is nothing: half an instance, on average half right.
    rng = np.random.default_rng(3)
    found = allow_for_few_units(np.ones((1, 40_000)), numbers(1000), (0.0, 1.0), rng)[0]
    assert 1 - found.mean() == pytest.approx(0.25 / 1000, rel=0.1)
    few = allow_for_few_units(np.ones((1, 40_000)), numbers(5), (0.0, 1.0), rng)[0]
    assert 0.2 < hdi(few).low < 0.05 ** (1 / 5) + 0.1  # Clopper and Pearson: 0.55, one-sided


@pytest.mark.parametrize(("of_areas", "df"), [(True, 4.0), (False, 2 / (1 / 4 - 1 / 30))])
def test_few_carriers_have_students_distribution_with_fewer_degrees(of_areas, df):
    rng = np.random.default_rng(0)
    draws = stats.t(29).rvs(40_000, random_state=rng)  # that of 30 units
    found = allow_for_few_carriers(draws, numbers(30), 4.0, None, rng, of_areas=of_areas)
    assert stats.kstest(found, stats.t(df).cdf).pvalue > 0.001
    for carriers in (29.0, np.inf):
        same = allow_for_few_carriers(draws, numbers(30), carriers, None, rng, of_areas=of_areas)
        assert same is draws
    ends = np.array([-1.0, 0.5, 1.0])
    found = allow_for_few_carriers(ends, numbers(30), 4.0, (-1.0, 1.0), rng, of_areas=of_areas)
    assert np.abs(found).max() <= 1


def nearly_perfect(seed=0, n_positive=20, n_negative=200):
    """Return scores with ROC AUCs of 0.93 and 0.95."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_positive, n_negative])
    shared = np.sqrt(0.5) * rng.normal(size=len(y))
    own = (np.sqrt(2) * stats.norm.ppf(auc) * y for auc in (0.93, 0.95))
    return y, *(shared + one + np.sqrt(0.5) * rng.normal(size=len(y)) for one in own)


def test_a_handful_of_misranked_positives_makes_the_difference_wider():
    y, a, b = nearly_perfect()
    result, twins = by_score(y, a, b), by_score(y, a, a)
    metric = result._metrics["roc_auc"]
    carriers = result._posterior.carried_by(metric)
    assert 2 < carriers < 9
    assert twins._posterior.carried_by(metric) == np.inf
    plain = np.subtract(*result._posterior.draws(metric))
    for prob in (0.8, 0.95, 0.99):
        ends = np.array([(1 - prob) / 2, (1 + prob) / 2])
        wider = np.ptp(result.interval(prob)) / np.ptp(np.quantile(plain, ends))
        expected = stats.t(carriers).ppf(ends[1]) / stats.t(19).ppf(ends[1])
        assert wider == pytest.approx(expected, rel=0.05)
    assert result.draws.mean() == pytest.approx(plain.mean(), abs=0.003)


def test_who_carries_does_not_depend_on_order_scale_or_others():
    y, a, b = nearly_perfect()
    two = by_score(y, a, b)
    metric = two._metrics["roc_auc"]
    order = np.random.default_rng(1).permutation(len(y))
    shuffled = by_score(y[order], a[order], np.exp(b[order]))
    again = by_score(*(np.tile(values, 2) for values in (y, a, b)))
    own = [two._posterior.carried_by(metric, which) for which in (None, 0, 1)]
    for other, times in ((shuffled, 1), (again, 2)):
        found = [other._posterior.carried_by(metric, which) for which in (None, 0, 1)]
        assert found == pytest.approx([times * number for number in own])
    scores = {"a": a, "b": b, "c": np.random.default_rng(2).permutation(a)}
    many = compare_many(y, None, scores=scores, scoring="roc_auc", random_state=0)
    np.testing.assert_allclose(many.pairs[0, 1].alone.draws, two.draws)
    np.testing.assert_array_equal(many.pairs[1, 0].alone.draws, -many.pairs[0, 1].alone.draws)
    alone = score_posterior(y, None, y_score=a, scoring="roc_auc", random_state=0)
    np.testing.assert_allclose(alone.draws, two.draws_a)


def test_classifiers_that_never_differ_may_still_differ():
    y, a, _, groups = grouped(np.random.default_rng(7), 8)
    twins = compare_predictions(y, a, a, groups=groups, random_state=0)
    low, high = twins.hdi()
    assert -0.2 < low < 0 < high < 0.2
    worse, equivalent, better = twins.probability()
    assert (worse, equivalent) == (better, 0)
    np.testing.assert_array_equal(np.sort(twins.draws), np.sort(-twins.draws))


def test_swapping_classifiers_that_differ_elsewhere_mirrors_the_draws():
    y = np.repeat([1, 0], [2, 38])
    a, b = np.repeat([1, 0, 1], [2, 37, 1]), np.repeat([1, 0, 1], [2, 35, 3])
    groups = np.r_[0, 1, np.arange(38) // 2]
    options = {"scoring": "recall", "groups": groups, "random_state": 0}
    one, other = compare_predictions(y, a, b, **options), compare_predictions(y, b, a, **options)
    assert one.draws.any()
    np.testing.assert_array_equal(one.draws, -other.draws)


def test_a_perfect_ranking_is_not_certain():
    y = np.repeat([1, 0], [3, 15])
    noise = np.linspace(0, 0.1, len(y))
    result = by_score(y, y + noise, y + 0.5 - noise)
    low, high = result.hdi(of="a")
    assert 0 < low < 0.99
    assert high <= 1
    assert result.hdi().low < 0 < result.hdi().high
    assert result.observed_a == 1


def test_a_single_unit_is_refused():
    with pytest.raises(ValueError, match="There is a single group.*Pass at least two groups"):
        compare_predictions([0, 1, 1], [0, 1, 0], [0, 1, 1], groups=["x"] * 3)
    with pytest.raises(ValueError, match="y_true has one of positives only.*at least two positive"):
        by_score([0, 0, 1], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1])
    with pytest.raises(ValueError, match="There is a single instance"):
        compare_predictions([[1, 1]], [[1, 1]], [[1, 0]], scoring="f1_micro")


def test_few_units_are_told():
    y, a, b, groups = grouped(np.random.default_rng(8), 7)
    told = str(compare_predictions(y, a, b, groups=groups))
    assert "only 7 groups: intervals are widened" in told
    assert "caution" not in compare_predictions(y, a, b).details()
    few, many = (by_score(*ranked(np.random.default_rng(8), 30, n)).details() for n in (9, 90))
    assert "only 9 negatives: intervals are widened" in few
    assert "caution" not in many


def test_few_that_carry_are_told():
    y = np.repeat([1.0, -1.0, 50.0], [30, 30, 1])
    said = y + np.random.default_rng(0).normal(size=61)
    said[-1] = 20.0
    result = score_posterior(y, said, scoring="r2", random_state=0)
    words = "few instances carry this estimate (effective number 3): its interval may be too narrow"
    assert f"  caution     {words}\n" in str(result)
    assert f"Caution: {words}." in result.explain()
    result = compare_predictions(y, said, -said, scoring=["r2", "neg_mean_squared_error"])
    carried = "  caution     r2: few instances carry the difference (effective number"
    assert carried in str(result)
    y, a, b = ranked(np.random.default_rng(8), 300, 300)
    assert "carry" not in by_score(y, a, b).details()


def test_few_false_alarms_carry_the_precision_of_a_rare_class():
    y = np.repeat([1, 0], 50)
    said = np.r_[np.ones(45), np.zeros(5), np.ones(2), np.zeros(48)].astype(int)
    told = score_posterior(y, said, scoring="precision", prevalence=0.02, random_state=0)
    # Kurtosis of right or wrong with a rate of p: 1 / (p (1 - p)) - 3; recalls matter little.
    assert "few instances carry this estimate (effective number 2)" in str(told)
    assert round(50 / (1 / (0.04 * 0.96) - 3)) == 2
    plain = score_posterior(y, said, scoring="precision", random_state=0)
    assert "carry" not in plain.details()
    # The classes vary within themselves only, each around its own recall.
    right = np.r_[np.ones(25), np.zeros(25), np.ones(48), np.zeros(2)]
    result = score_posterior(y, np.where(right == 1, y, 1 - y), prevalence=0.3, random_state=0)
    within = np.where(
        y == 1, 0.3 * (right - right[y == 1].mean()), 0.7 * (right - right[y == 0].mean())
    )
    found = _carriers_of_table(result._posterior, result._metrics["accuracy"])
    assert found == pytest.approx(effective_number(within))


@pytest.mark.slow
@pytest.mark.parametrize(("k", "at_most"), [(5, 0.12), (20, 0.08)])
@pytest.mark.parametrize("scoring", ["f1", "roc_auc"])
def test_equally_good_classifiers_are_rarely_told_apart(scoring, k, at_most):
    def compare(rng):
        if scoring == "roc_auc":
            return by_score(*ranked(rng, k, 50), n_draws=1000)
        y, a, b, groups = grouped(rng, k)
        return compare_predictions(
            y, a, b, groups=groups, scoring=scoring, n_draws=1000, random_state=0
        )

    intervals = np.array([compare(np.random.default_rng(seed)).hdi() for seed in range(600)])
    excluded = (intervals[:, 0] > 0) | (intervals[:, 1] < 0)
    assert excluded.mean() <= at_most + 0.015  # 1.3 standard errors


@pytest.mark.slow
def test_few_that_are_exactly_at_the_margin_are_called_safe_to_ship():
    # With the number of positives alone, 11% are; the difference of 0.02 was covered by 92%.
    safe = covered = 0
    for seed in range(600):
        result = by_score(*nearly_perfect(seed), n_draws=1000)
        safe += result.non_inferiority(0.02).answer == "yes"
        low, high = result.hdi()
        covered += low <= -0.02 <= high
    assert safe / 600 < 0.09
    assert covered / 600 > 0.935


@pytest.mark.parametrize("scoring", ["roc_auc", "average_precision"])
def test_exchanging_a_and_b_changes_the_sign_alone(scoring):
    y, a, b = ranked(np.random.default_rng(4), 4, 30)
    ours, swapped = by_score(y, a, b, scoring), by_score(y, b, a, scoring)
    np.testing.assert_array_equal(ours.draws, -swapped.draws)
