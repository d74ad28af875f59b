"""Results that stand on Markov chains."""

import numpy as np
import pymc
import pytest
from scipy import stats
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    BayesianComparer,
    ComparisonResult,
    PyMCEngine,
    Ranking,
    bayesian_cross_validate,
    compare_many,
    compare_predictions,
    load_result,
    metrics,
)
from skbayeseval.models import Paired
from skbayeseval.models.pymc import Trace, to_inference_data
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.prior_odds import bayes_factor

pytestmark = pytest.mark.xdist_group("sampled")

# Long enough for the promises on convergence to hold on any machine, as chains differ between them.
SMALL = PyMCEngine(draws=1000, tune=500, chains=4, cores=1, target_accept=0.9)
Y = [1] * 30 + [0] * 50
A = [1] * 26 + [0] * 4 + [1] * 6 + [0] * 44
B = [1] * 20 + [0] * 10 + [1] * 9 + [0] * 41
UNKNOWN = "requires the prior, which is unknown for a modified graph"


class ExactChains(PyMCEngine):
    """Independent draws from the posterior in the place of chains: nothing is compiled."""

    def draw(self, specification, labels, seed):
        n_draws = self.chains * self.draws
        drawn = specification.draw_parameters(np.random.default_rng(seed), n_draws, prior=False)
        names = [parameter.name for parameter in specification.parameters()]
        shape = (self.chains, self.draws)
        chains = {name: drawn[name].reshape(*shape, *drawn[name].shape[1:]) for name in names}
        return Trace(chains, {"diverging": np.zeros(shape)})


def compare(**kwargs):
    options = {"model": Paired()} | kwargs
    return compare_predictions(Y, A, B, scoring=["f1", "accuracy"], random_state=0, **options)


@pytest.fixture(scope="module")
def sampled():
    return compare(engine=ExactChains(draws=1000, chains=4))


@pytest.fixture(scope="module")
def exact():
    return compare()


def test_result_says_what_it_is(sampled, exact):
    assert (sampled.engine, sampled.n_draws, sampled.warnings) == ("pymc", 4000, ())
    assert "4,000 pymc draws" in sampled.details()
    assert sampled.prior == exact.prior
    assert sampled.observed_a == exact.observed_a
    assert not np.isin(sampled.draws, exact.draws).any()


def test_summary_has_diagnostics(sampled, exact):
    table = sampled.summary(0.05)
    assert [*exact.summary(0.05).columns, "ess", "r_hat"] == list(table.columns)
    assert (table["ess"] > 400).all()
    assert (table["r_hat"] < 1.01).all()
    # ArviZ's error is that of as many independent draws as the effective size says.
    np.testing.assert_allclose(table["mcse"], table["sd"] / np.sqrt(table["ess"]), rtol=0.1)
    for column in ("mean", "hdi_low", "hdi_high"):
        np.testing.assert_allclose(table[column], exact.summary(0.05)[column], atol=0.015)


def test_bayes_factor_of_chains(sampled, exact):
    mine, theirs = (r.bayes_factor(0.05) for r in (sampled, exact))
    assert abs(mine.log10 - theirs.log10) < 4 * np.hypot(mine.log10_mcse, theirs.log10_mcse)
    assert mine.mcse > theirs.mcse


def test_bayes_factor_of_chains_with_the_default_prior(sampled, exact):
    default, trace = compare(model="auto")._posterior, sampled._posterior.trace
    options = {"entropy": default.entropy, "trace": trace}
    chains = Posterior(default.model, default.evidence, **options)
    assert chains.specification.simplexes[1].prior.tolist() == [0.25] * 4
    metric = metrics.get_metric("recall")
    found, expected = bayes_factor(chains, metric), bayes_factor(exact._posterior, metric)
    assert found.value == expected.value
    own = Posterior(default.model, default.evidence, prior_name="own", **options)
    assert own.under_published_prior() is own


def test_no_closed_form_is_passed_off(sampled):
    recall = sampled.metric("recall")
    assert recall.interval(of="a") == pytest.approx(
        tuple(np.quantile(recall.draws_a, [0.025, 0.975]))
    )


@pytest.mark.slow
def test_same_seed_same_chains(exact):
    one, again = (compare(engine=SMALL) for _ in range(2))
    np.testing.assert_array_equal(again.draws, one.draws)
    test_summary_has_diagnostics(one, exact)
    test_bayes_factor_of_chains(one, exact)


def test_short_chains_warn():
    with pytest.warns(ConvergenceWarning, match="effective sample size of the difference in f1"):
        result = compare(engine=ExactChains(draws=50, chains=2))
    assert any("PyMCEngine(draws=4000)" in warning for warning in result.warnings)
    assert f"  caution     {result.warnings[0]} (" in str(result)
    assert all(f"  caution     {one}\n" in result.details() for one in result.warnings)


def with_prior(function):
    return clone(SMALL).set_params(prior=function)


def logit_normal():
    for name in ("A", "B"):
        pymc.LogitNormal(f"rho+_{name}", 1.0, 0.5)


@pytest.fixture(scope="module")
def with_own_prior():
    result = compare(model="unpaired", engine=with_prior(logit_normal))
    assert result.engine == "pymc"
    return result


@pytest.mark.slow
def test_logit_normal_by_quadrature(with_own_prior):
    assert with_own_prior.prior == {"callable": "logit_normal"}
    recall = with_own_prior.metric("recall")
    z = np.linspace(-6, 8, 4001)
    rate = expit(z)
    for draws, hits in ((recall.draws_a, 26), (recall.draws_b, 20)):
        density = stats.norm.pdf(z, 1.0, 0.5) * rate**hits * (1 - rate) ** (30 - hits)
        density /= density.sum()
        mean = np.sum(rate * density)
        sd = np.sqrt(np.sum((rate - mean) ** 2 * density))
        assert draws.mean() == pytest.approx(mean, abs=5 * sd / np.sqrt(2000))
        assert draws.std() == pytest.approx(sd, rel=0.08)


@pytest.mark.slow
def test_bayes_factor_stands_on_the_prior_of_ones_own(with_own_prior):
    recall = with_own_prior.metric("recall")
    rng = np.random.default_rng(0)
    a, b = expit(rng.normal(1.0, 0.5, (2, 400_000)))
    before = np.mean(np.abs(a - b) < 0.05)
    after = recall.probability(0.05).equivalent
    expected = (after / (1 - after)) / (before / (1 - before))
    factor = recall.bayes_factor(0.05)
    assert factor.method == "interval"
    assert factor.value == pytest.approx(expected, rel=0.05)
    with pytest.raises(ValueError, match="bayes_factor requires rope=.* is unknown"):
        recall.bayes_factor()
    factor = recall.bayes_factor(method="kde")
    assert (factor.method, factor.reliable) == ("kde", False)


@pytest.mark.slow
def test_graph_has_the_prior_of_ones_own(with_own_prior, tmp_path):
    assert "logitnormal" in with_own_prior.pymc_model().str_repr().lower()
    with_own_prior.save(tmp_path / "result.npz")
    loaded = load_result(tmp_path / "result.npz")
    with pytest.raises(ValueError, match="the function 'logit_normal', which is not available"):
        loaded.pymc_model()
    assert "logitnormal" in loaded.pymc_model(prior=logit_normal).str_repr().lower()


@pytest.mark.parametrize(
    ("error", "message", "prior"),
    [
        (ValueError, "not a parameter of this model", lambda: {"nu": 1}),
        (TypeError, "must return None or a dict", lambda: 3),
        (ValueError, "the shape", lambda: {"rho+_A": pymc.Beta("x", 1, 1, shape=2)}),
        (ValueError, "but returned another variable for it", lambda p: {"mu_A": p["mu_A"] ** 2}),
    ],
)
def test_priors_that_do_not_fit(error, message, prior):
    with pytest.raises(error, match=message):
        compare(model="unpaired", engine=with_prior(prior))


@pytest.mark.slow
def test_altered_graph_comes_back(exact):
    # A second test set of 300 positives, of which A finds 240 and B 180.
    result = compare_predictions(Y, A, B, scoring="recall", model="unpaired", random_state=0)

    def vague(parameters):
        return {"rho+_A": pymc.Beta("rho+_A", 0.5, 0.5)}

    with result.pymc_model(prior=vague) as graph:
        pymc.Binomial("second_A", 300, graph["rho+_A"], observed=240)
        pymc.Binomial("second_B", 300, graph["rho+_B"], observed=180)
        trace = pymc.sample(
            500, tune=300, chains=2, cores=1, random_seed=1, progressbar=False,
            compute_convergence_checks=False,
        )  # fmt: skip
    altered = ComparisonResult.from_trace(trace, result)
    assert altered.prior == {"callable": "altered graph"}
    for draws, law in (
        (altered.draws_a, stats.beta(0.5 + 26 + 240, 0.5 + 4 + 60)),
        (altered.draws_b, stats.beta(1 + 20 + 180, 1 + 10 + 120)),
    ):
        assert draws.mean() == pytest.approx(law.mean(), abs=5 * law.std() / np.sqrt(500))
        assert draws.std() == pytest.approx(law.std(), rel=0.1)
    assert np.isnan(altered.summary(0.05, bayes_factor=True)["bf"].iloc[0])
    with pytest.raises(ValueError, match=UNKNOWN):
        altered.bayes_factor(0.05)


def test_from_trace_takes_dicts_and_says_what_is_missing(exact):
    rng = np.random.default_rng(0)
    chains = {
        "mu": rng.beta(31, 51, (2, 500)),
        "theta+": rng.dirichlet([20, 7, 1, 4], (2, 500)),
        "theta-": rng.dirichlet([5, 2, 5, 40], (2, 500)),
    }
    result = ComparisonResult.from_trace(chains, exact).metric("recall")
    np.testing.assert_allclose(result.draws_a, chains["theta+"][..., :2].sum(axis=-1).ravel())
    for wrong, message in (
        ({"mu": chains["mu"][0]}, "'mu' in trace has shape \\(500,\\)"),
        ({"mu": chains["mu"][:, :100]}, "'theta\\+' in trace has \\(2, 500\\) chains and draws"),
        ({"theta-": chains["theta-"][..., :3]}, "'theta-' .* \\(chains, draws, 4\\)"),
        ({"mu": chains["mu"] + 3}, "'mu' in trace must be a probability"),
        ({"mu": np.full((2, 500), np.nan)}, "contains NaN or infinity"),
    ):
        with pytest.raises(ValueError, match=message):
            ComparisonResult.from_trace(chains | wrong, exact)
    del chains["theta-"]
    for given, like, error, message in (
        (chains, exact, ValueError, "no variable 'theta-'"),
        (3, exact, TypeError, "trace must be"),
        (chains, "exact", TypeError, "like must be"),
    ):
        with pytest.raises(error, match=message):
            ComparisonResult.from_trace(given, like)


def test_from_trace_keeps_the_cross_validation():
    X, y = load_iris(return_X_y=True)
    of_two = y < 2
    result = bayesian_cross_validate(
        GaussianNB(), ("tree", DecisionTreeClassifier()), X[of_two], y[of_two], random_state=0,
        weight="published",
    )  # fmt: skip
    chains = {name: draws[None] for name, draws in result._posterior.parameters().items()}
    with pytest.warns(ConvergenceWarning, match="One chain"):
        back = ComparisonResult.from_trace(chains, result)
    assert back.n_splits == 6
    assert list(back.cv_results) == list(result.names)
    assert "trained on" in str(back)
    np.testing.assert_allclose(back.draws, result.draws, atol=1e-12)
    back.plot("scores")


def test_a_pair_of_many_is_whole_when_saved(tmp_path):
    rng = np.random.default_rng(0)
    exact = compare_many(
        Y, {"a": A, "b": B, "c": A[::-1]}, scoring="f1", random_state=0, n_draws=400
    )
    draws = {
        "posterior": {"mu": rng.dirichlet([51, 31], (2, 300))},
        "prior": {"mu": rng.dirichlet([1, 1], (1, 2000))},
    }
    chains = to_inference_data(draws, coords={}, dims={}, attrs={"prior": "{}"})
    pair = Ranking.from_trace(chains, exact).pairs["c", "a"].alone
    pair.save(tmp_path / "pair.npz")
    loaded = load_result(tmp_path / "pair.npz")
    mine, theirs = (r.bayes_factor(0.1) for r in (pair, loaded))
    assert abs(mine.log10 - theirs.log10) < 5 * mine.log10_mcse
    other = loaded.metric("f1_macro").draws
    assert other.std() == pytest.approx(pair.metric("f1_macro").draws.std(), rel=0.2)
    again = ComparisonResult.from_trace(pair.to_arviz(), pair)
    assert again.draws.mean() == pytest.approx(pair.draws.mean(), abs=0.02)
    # An attribute called "prior" is no group of draws.
    del draws["prior"]
    without = to_inference_data(draws, coords={}, dims={}, attrs={"prior": "{}"})
    pair = Ranking.from_trace(without, exact).pairs["c", "a"].alone
    with pytest.raises(ValueError, match=UNKNOWN):
        pair.bayes_factor(0.1)


def test_cross_validating_faces():
    X, y = load_iris(return_X_y=True)
    comparer = BayesianComparer(
        [GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0), ("one", GaussianNB())],
        engine=ExactChains(),
        random_state=0,
    )
    assert clone(comparer).get_params()["engine__draws"] == 1000
    comparer.set_params(engine__tune=200).fit(X, y)
    ranking = comparer.ranking_
    assert (ranking.engine, ranking.n_draws) == ("pymc", 4000)
    pair = ranking.pairs["DecisionTreeClassifier", "GaussianNB"].alone
    np.testing.assert_array_equal(pair.draws, ranking.draws[1] - ranking.draws[0])
    assert pair.summary(0.01)["ess"].iloc[0] > 400
    assert np.isfinite(pair.bayes_factor(0.05).value)


def test_a_bad_prior_is_told_before_anything_is_fitted():
    class Never(GaussianNB):
        def fit(self, X, y):
            raise AssertionError

    X, y = load_iris(return_X_y=True)
    engine = PyMCEngine(prior=lambda: {"nu": 1})
    with pytest.raises(ValueError, match="not a parameter of this model"):
        bayesian_cross_validate(Never(), Never(), X, y, engine=engine, random_state=0)
