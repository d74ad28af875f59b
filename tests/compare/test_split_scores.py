import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from skbayeseval import compare_items, compare_many_items, compare_predictions, compare_scores


@pytest.mark.parametrize("model", ["auto", "signed-rank"])
def test_percentages_are_no_shares(model):
    a, b = [81, 79, 84, 80, 82.0], [78, 77, 80, 79, 78.0]
    message = "scoring='accuracy' lies between 0 and 1, but scores contain 81. Divide percentages"
    with pytest.raises(ValueError, match=message):
        compare_scores(a, b, test_fraction=0.2, scoring="accuracy", model=model)
    of_systems = {"x": dict(enumerate(a)), "y": dict(enumerate(b))}
    with pytest.raises(ValueError, match=message):
        compare_scores(of_systems, scoring="accuracy")
    compare_scores(a, b, test_fraction=0.2, scoring="percent", model=model, n_draws=100)


def test_scores_by_data_set_are_those_of_systems():
    a = pd.Series({"iris": 0.9, "wine": 0.8, "glass": 0.75, "yeast": 0.6})
    b = pd.Series({"iris": 0.8, "wine": 0.7, "glass": 0.6, "yeast": 0.55})
    message = re.escape("is a dict: compare_scores({'A': scores_a, 'B': scores_b})")
    with pytest.raises(TypeError, match=message):
        compare_scores(a.to_dict(), b.to_dict())
    assert compare_scores({"A": a, "B": b}, n_draws=200, random_state=0).names == ("A", "B")
    # Splits may have names, too.
    assert compare_scores(a, b, test_fraction=0.25).observed_a == pytest.approx(a.mean())


@pytest.mark.parametrize("exponent", [-490, 490])
@pytest.mark.parametrize("options", [{"test_fraction": 0.1}, {"model": "signed-rank"}])
def test_scores_may_be_tiny_or_huge(exponent, options):
    scores = np.random.default_rng(0).random((2, 10))
    one, other = (
        compare_scores(*np.ldexp(scores, scale), **options, n_draws=2000, random_state=0)
        for scale in (0, exponent)
    )
    np.testing.assert_allclose(np.ldexp(other.hdi(), -exponent), one.hdi(), rtol=1e-9)
    np.testing.assert_allclose(other.probability(), one.probability(), rtol=1e-9)


@pytest.mark.parametrize("size", [1e155, 1e-200])
def test_scores_whose_squares_are_no_floats(size):
    a, b = size * np.random.default_rng(0).random((2, 8))
    for scores, options in (
        ((a, b), {"test_fraction": 0.1}),
        ((a, b), {"model": "signed-rank"}),
        (({"x": dict(enumerate(a)), "y": dict(enumerate(b))},), {}),
    ):
        with pytest.raises(ValueError, match=r"cores.* must be between 1e-150 and 1e\+150 in size"):
            compare_scores(*scores, **options)
    for scoring in ("r2", "neg_mean_absolute_error"):
        with pytest.raises(ValueError, match="y_true, y_pred_a, y_pred_b must be between 1e-150"):
            compare_predictions(a, 1.1 * a, b, scoring=scoring)


@pytest.mark.parametrize("name", ["Average ⬆️", "Macro-Avg."])
def test_averages_are_no_data_sets(name):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((6, 3)), list("uvwxyz"), ["a", "b", "c"])
    expected = compare_scores(table, n_draws=500, random_state=0)
    more = pd.concat([table, table.mean().to_frame(name).T])
    with pytest.warns(UserWarning, match=f"'{name}' is left out: it is called like an average of"):
        found = compare_scores(more, n_draws=500, random_state=0)
    np.testing.assert_array_equal(found.draws, expected.draws)
    assert found.evidence.describe() == expected.evidence.describe()
    compare_scores(table.rename({"u": "average_precision", "v": "meaning"}), n_draws=500)


def folds(n_systems=3, n_splits=10, seed=0):
    """Scores of systems in the same splits."""
    rng = np.random.default_rng(seed)
    own = rng.normal(0, 0.02, (n_splits, n_systems)) - 0.02 * np.arange(n_systems)
    scores = 0.8 + rng.normal(0, 0.03, (n_splits, 1)) + own
    return pd.DataFrame(scores, columns=[f"s{k}" for k in range(n_systems)])


WAYS = {
    "frame": lambda table: table,
    "frame with names of splits": lambda table: table.set_axis([f"fold {i}" for i in table.index]),
    "frame with repeated rows": lambda table: table.set_axis(np.arange(len(table)) % 5),
    "lists": lambda table: {name: table[name].tolist() for name in table},
    "dicts in another order": lambda table: {
        name: table[name].iloc[:: (-1) ** i].to_dict() for i, name in enumerate(table)
    },
}


class TestTablesOfSplits:
    @pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
    def test_a_pair_is_what_two_arrays_are(self, way):
        table, options = folds(), {"test_fraction": 0.1, "random_state": 0}
        ranking = compare_scores(way(table), **options)
        assert ranking.names == ("s0", "s1", "s2")
        for i, j in ((0, 1), (2, 0)):
            pair = ranking.pairs[i, j].alone
            two = compare_scores(table.iloc[:, i], table.iloc[:, j], **options)
            assert pair.hdi() == two.hdi()
            assert pair.probability(0.01) == two.probability(0.01)
            assert (pair.observed_a, pair.observed_b) == (two.observed_a, two.observed_b)
            np.testing.assert_array_equal(pair.draws, two.draws)
        assert "10 splits with a correlation of 0.1" in ranking.details()

    def test_joint_draws_have_the_law_of_each_difference(self):
        table, rho = folds(), 0.1
        ranking = compare_scores(table, test_fraction=rho, random_state=0)
        for one, other in (("s0", "s1"), ("s1", "s2")):
            d = table[one] - table[other]
            scale = np.sqrt((1 / len(d) + rho / (1 - rho)) * d.var(ddof=1))
            exact, pair = stats.t(len(d) - 1, d.mean(), scale), ranking.pairs[one, other].alone
            assert pair.interval() == pytest.approx(exact.ppf([0.025, 0.975]))
            # The joint draws, which tell who is the best, have this margin.
            joint = np.subtract(*(ranking.draws[ranking.names.index(s)] for s in (one, other)))
            assert stats.kstest(joint, exact.cdf).pvalue > 0.001
        # A contrast of three has the same law.
        weights = np.array([0.5, 0.5, -1.0])
        contrast = table.to_numpy() @ weights
        scale = np.sqrt((1 / 10 + rho / (1 - rho)) * contrast.var(ddof=1))
        exact = stats.t(9, contrast.mean(), scale)
        assert stats.kstest(weights @ ranking.draws, exact.cdf).pvalue > 0.001

    @pytest.mark.parametrize("gap", [0.1, 0.0])
    def test_constant_differences_vary_by_a_step(self, gap):
        """Another system, whose scores move in finer steps, does not make a pair surer."""
        a = pd.Series([0.5, 0.6, 0.7, 0.5, 0.8])
        finer = np.array([0.001, 0.0, 0.013, 0.2, 0.1])
        table = pd.DataFrame({"a": a + gap, "b": a, "c": a + finer})
        options = {"test_fraction": 0.2, "random_state": 0}
        for more in ({}, {"n_test": 10}):
            ranking = compare_scores(table, **options, **more)
            two = compare_scores(table["a"], table["b"], **options, **more)
            assert ranking.pairs["a", "b"].alone.hdi() == two.hdi()
            np.testing.assert_array_equal(ranking.pairs["a", "b"].alone.draws, two.draws)
            assert two.draws.std() > 0.01

    def test_without_a_test_fraction_rows_are_data_sets(self):
        table = folds()
        ranking = compare_scores(table, random_state=0, n_draws=500)
        assert "from 10 data sets" in ranking.details()
        assert "rows are taken for data sets; with test_fraction=, for splits" in str(ranking)
        named = table.set_axis([f"set {i}" for i in table.index])
        assert "rows are" not in str(compare_scores(named, random_state=0, n_draws=500))

    def test_splits_on_several_data_sets_are_nested(self):
        scores = np.random.default_rng(0).normal(0.8, 0.02, (3, 4, 5))
        sets = ("iris", "wine", "glass", "yeast")
        nested = {
            s: dict(zip(sets, one, strict=True)) for s, one in zip("abc", scores, strict=True)
        }
        options = {"test_fraction": 0.2, "random_state": 0, "n_draws": 500}
        ranking = compare_scores(nested, **options)
        assert "4 data sets, with 5 splits each" in ranking.details()
        assert "rows are" not in str(ranking)
        again = compare_scores(pd.DataFrame(nested), **options)
        np.testing.assert_array_equal(again.draws, ranking.draws)

    @pytest.mark.parametrize(
        ("scores", "options", "error", "message"),
        [
            (folds(), {"test_fraction": 0.0}, ValueError, "test_fraction == 0.0, must be > 0"),
            (folds(1), {}, ValueError, r"two or more systems, got \['s0'\]"),
            (folds().where(folds() > 0.75), {}, ValueError, r"scores\['s1'\] contains NaN"),
            ({"a": [0.5, 0.6], "b": [0.5, 0.6, 0.7]}, {}, ValueError, "has a score of split 2"),
            ({"a": {"x": 0.5, "y": 0.6}, "b": {"x": 0.5, "z": 0.7}}, {}, ValueError, "split 'y'"),
            ({"a": [0.5, 0.6], "b": [[0.5], [0.7]]}, {}, ValueError, "one score per split"),
            ({"a": [0.5, 0.6], 1: [0.5, 0.7]}, {}, TypeError, "must be strings, got 1"),
        ],
    )  # fmt: skip
    def test_bad_tables(self, scores, options, error, message):
        with pytest.raises(error, match=message):
            compare_scores(scores, **{"test_fraction": 0.1, **options})


# Scores on different scales.

rng = np.random.default_rng(0)
RIGHT, OTHER = rng.integers(0, 2, (2, 40))
SHARES = rng.integers(0, 9, 40) / 8
GRADES = rng.integers(0, 6, 40)
FEW = {"n_draws": 200, "random_state": 0}


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (RIGHT, 100 * OTHER, "scores_a contains 0 and 1, scores_b contains 0 and 100"),
        (RIGHT, 2 * OTHER - 1, "scores_a contains 0 and 1, scores_b contains -1 and 1"),
        (SHARES, 100 * SHARES[::-1], "from 0 to 1, scores_b contains numbers from 0 to 100"),
        (RIGHT[:, None] * [1, 1], 10 * OTHER, "scores_b contains 0 and 10"),
    ],
)  # fmt: skip
def test_items(a, b, message):
    with pytest.warns(UserWarning, match=f"may be on different scales: .*{message}") as caught:
        compare_items(a, b, **FEW)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="x and y may be on different scales"):
        compare_many_items({"x": RIGHT, "y": 100 * OTHER, "z": OTHER}, **FEW)


@pytest.mark.parametrize(
    ("a", "b", "options"),
    [
        (GRADES, GRADES[::-1], {}),
        # All grades of one system are 0 and 1, or errors are few.
        (RIGHT, GRADES, {}),
        (np.zeros(40), 100 * OTHER, {}),
        # Seconds have no limit.
        (SHARES + 0.1, 60 + SHARES, {"higher_is_better": False}),
        (SHARES, SHARES[::-1] - 0.5, {}),
        # The limits of the scale are known.
        (RIGHT, 100 * OTHER, {"limits": (0, 100)}),
    ],
)
def test_what_may_be_right_passes(a, b, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_items(a, b, **options, **FEW)


def test_scores_of_splits_and_of_data_sets():
    a, b = [0.81, 0.79, 0.84, 0.80], [78.0, 77.0, 80.0, 79.0]
    with pytest.warns(UserWarning, match="scores_a and scores_b may be on different") as caught:
        compare_scores(a, b, test_fraction=0.25, **FEW)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="scores_a and scores_b may be on different"):
        compare_scores([a, a], [b, b], model="signed-rank", **FEW)
    systems = {"x": dict(zip("pqrs", a, strict=True)), "y": dict(zip("pqrs", b, strict=True))}
    with pytest.warns(UserWarning, match="x and y may be on different scales") as caught:
        compare_scores(systems, **FEW)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_scores([0.95, 0.97, 0.99], [1.02, 1.03, 1.05], test_fraction=0.25, **FEW)
