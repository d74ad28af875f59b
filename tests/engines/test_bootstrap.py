import numpy as np
import pytest
from scipy.stats import kstest, rankdata, skew
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skbayeseval import compare_predictions
from skbayeseval.engines import bootstrap
from skbayeseval.engines.blocks import child_of
from skbayeseval.engines.bootstrap import SumOfMeans, stream_bootstrap
from skbayeseval.metrics import get_metric
from skbayeseval.metrics.instance_scores import prepare


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


@pytest.mark.parametrize("n_folds", [2, 20, 60])
def test_means_do_not_depend_on_how_instances_fall_into_runs(n_folds):
    # Down to leaving one out, where a plain average of runs would not vary at all.
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 2, 60), rng.random(60)
    whole = draw(one_run(y, [p], "neg_log_loss"), np.ones(60), 1, 50)
    folds = np.array_split(rng.permutation(60), n_folds)
    runs = [(rows, [prepare(get_metric("neg_log_loss"), y[rows], p[rows])]) for rows in folds]
    np.testing.assert_allclose(draw(runs, np.ones(60), 1, 50), whole)


@pytest.mark.slow
@pytest.mark.parametrize(("n_positive", "n_folds"), [(10, 10), (20, 10), (100, 5)])
def test_coverage_of_an_auc_in_small_folds(n_positive, n_folds):
    # Two fixed scorers, equally good: the true difference is 0.
    rng = np.random.default_rng(n_positive)
    y = np.r_[np.ones(n_positive, int), np.zeros(200 - n_positive, int)]
    covered, n_sets = 0, 100
    for _ in range(n_sets):
        scores = [y + rng.normal(size=200) for _ in range(2)]
        folds = [
            np.r_[a, b]
            for a, b in zip(
                np.array_split(rng.permutation(n_positive), n_folds),
                np.array_split(n_positive + rng.permutation(200 - n_positive), n_folds),
                strict=True,
            )
        ]
        runs = [(f, [prepare(get_metric("roc_auc"), y[f], s[f]) for s in scores]) for f in folds]
        a, b = draw(runs, np.ones(200), 2, 400)
        low, high = np.quantile(a - b, [0.025, 0.975])
        covered += low < 0 < high
    assert covered >= 88


def delong_sd(y, a, b):
    """Return the sd of the difference of two areas by DeLong et al. (1988), from midranks."""
    n_pos, n_neg = (y == 1).sum(), (y == 0).sum()
    placements = []
    for score in (a, b):
        together = rankdata(score)
        of_positive = (together[y == 1] - rankdata(score[y == 1])) / n_neg
        of_negative = 1 - (together[y == 0] - rankdata(score[y == 0])) / n_pos
        placements.append((of_positive, of_negative))
    (a_pos, a_neg), (b_pos, b_neg) = placements
    variance = np.var(a_pos - b_pos, ddof=1) / n_pos + np.var(a_neg - b_neg, ddof=1) / n_neg
    return np.sqrt(variance)


def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    models = [make_pipeline(StandardScaler(), LogisticRegression()), GaussianNB()]
    return y_test, *(model.fit(X, y).predict_proba(X_test)[:, 1] for model in models)


def imbalanced():
    rng = np.random.default_rng(3)
    y = np.r_[np.ones(60, int), np.zeros(600, int)]
    shared = rng.normal(size=660) + y
    return y, shared + 0.5 * rng.normal(size=660), shared + 0.8 * rng.normal(size=660)


def small_with_ties():
    rng = np.random.default_rng(4)
    y = np.tile([0, 1], 45)
    shared = rng.normal(size=90) + y
    return y, np.round(shared), shared + rng.normal(size=90)


@pytest.mark.parametrize("data", [breast_cancer, imbalanced, small_with_ties])
def test_sd_of_a_difference_is_delongs(data):
    y, a, b = data()
    first, second = draw(one_run(y, [a, b]), np.ones(len(y)), 2, 40_000)
    difference = second - first
    sd = delong_sd(y, a, b)
    assert difference.std() == pytest.approx(sd, rel=0.05)
    observed = roc_auc_score(y, b) - roc_auc_score(y, a)
    assert difference.mean() == pytest.approx(observed, abs=0.05 * sd)


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


def test_sd_of_nearly_the_same_ranking_is_more_than_delongs():
    # Where two classifiers differ in a few pairs only, single pairs matter beside the means of
    # rows and columns, which are all that DeLong's variance counts.
    rng = np.random.default_rng(5)
    y = np.tile([0, 1], 100)
    a = rng.normal(size=200) + y
    b = a + 0.05 * rng.normal(size=200)
    first, second = draw(one_run(y, [a, b]), np.ones(200), 2, 40_000)
    assert (second - first).std() == pytest.approx(second_order_sd(y, a, b), rel=0.02)
    assert (second - first).std() > 1.05 * delong_sd(y, a, b)


def binormal(n, distance=2.0, noise=0.5, share=0.3):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < share).astype(int)
    shared = distance * y + rng.normal(size=n)
    return y, [shared + noise * rng.normal(size=n) for _ in range(2)]


@pytest.mark.parametrize("name", ["roc_auc", "neg_brier_score"])
def test_very_many_instances_are_drawn_as_with_weights_of_their_own(name):
    n = bootstrap.MANY + 1
    y, scores = binormal(n)
    if name == "neg_brier_score":
        scores = [1 / (1 + np.exp(1 - s)) for s in scores]
    runs = one_run(y, scores, name)
    sampler = SumOfMeans.of(runs, np.ones(n))
    fast = np.concatenate(list(sampler.stream(np.random.default_rng(1), 5000)), axis=1)
    full = draw(runs, np.ones(n), 2, 1500)
    for ours, exact in ((fast[0], full[0]), (fast[0] - fast[1], full[0] - full[1])):
        assert kstest(ours, exact).pvalue > 0.001
        assert ours.std() == pytest.approx(exact.std(), rel=0.06)  # 3 standard errors
        assert skew(ours) == pytest.approx(skew(exact), abs=0.2)


def test_what_is_left_out_is_known():
    # With so few instances that it matters: the variance of draws is at most what both add up to.
    y, scores = binormal(24, distance=1.0)
    ((_, prepared),) = one_run(y, scores)
    sets = [np.stack(values) for values in zip(*(one.means() for one in prepared), strict=True)]
    left_out, variance = bootstrap._left_out(*sets)
    draws = draw(one_run(y, scores), np.ones(24), 2, 100_000)
    found = np.array([*draws.var(axis=1), (draws[0] - draws[1]).var()])
    assert np.all(left_out > 0.01 * variance)
    assert np.all(0.85 * variance < found)
    assert np.all(found < variance + left_out)


def test_instances_keep_their_weights_where_too_much_would_be_left_out():
    n = bootstrap.MANY + 1
    y, (a, b) = binormal(n)
    nearly = a + 1e-7 * b
    assert SumOfMeans.of(one_run(y, [a, b]), np.ones(n)) is not None
    assert SumOfMeans.of(one_run(y, [a, a]), np.ones(n)) is not None
    assert SumOfMeans.of(one_run(y, [a, nearly]), np.ones(n)) is None
    assert SumOfMeans.of(one_run(y, [a, b], "average_precision"), np.ones(n)) is None
    assert SumOfMeans.of(one_run(y, [a, b]), np.full(n, 0.5)) is None
    groups = [(np.arange(n) // 2, one_run(y, [a, b])[0][1])]
    assert SumOfMeans.of(groups, np.ones(n // 2 + 1)) is None
    y, scores = binormal(bootstrap.MANY)
    assert SumOfMeans.of(one_run(y, scores), np.ones(len(y))) is None


def test_few_instances_that_tell_two_apart_have_weights_of_their_own():
    # Beside a thousand times as many that do not: the difference is not normal.
    rng, n = np.random.default_rng(0), 40_000
    values = rng.normal(size=(1, n)).repeat(2, axis=0)
    values[1, :10] += 0.5
    draws = np.concatenate(
        list(SumOfMeans([values]).stream(np.random.default_rng(1), 5000)), axis=1
    )
    # A mean of ten exponential variables has a skewness of 2 / sqrt(10).
    assert skew(draws[1] - draws[0]) == pytest.approx(2 / np.sqrt(10), abs=0.08)


def test_very_many_instances_are_told():
    y, (a, b) = binormal(bootstrap.MANY + 1)
    scores = {"y_score_a": a, "y_score_b": b, "n_draws": 100, "random_state": 0}
    result = compare_predictions(y, None, None, **scores, scoring="roc_auc")
    words = (
        "roc_auc: instances far from the mean are weighted one by one, the others by a normal sum"
    )
    assert f"  large       {words}\n" in result.details()
    few = {name: s[:500] for name, s in (("y_score_a", a), ("y_score_b", b))}
    small = compare_predictions(y[:500], None, None, **few, scoring="roc_auc")
    assert "large" not in small.details()
