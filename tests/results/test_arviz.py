"""Results in ArviZ, whichever version of it is installed."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    BayesianComparer,
    bayesian_cross_val_score,
    bayesian_cross_validate,
    compare_many,
    compare_predictions,
)
from skbayeseval.models import Paired, PairedHierarchical

Y = [1] * 30 + [0] * 50
A = [1] * 26 + [0] * 4 + [1] * 6 + [0] * 44
B = [1] * 20 + [0] * 10 + [1] * 9 + [0] * 41


@pytest.fixture
def az():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import arviz
    return arviz


def of_two(**kwargs):
    return compare_predictions(Y, A, B, random_state=0, n_draws=2000, **kwargs)


def test_what_is_in_it(az):
    result = of_two(scoring=["f1", "accuracy"])
    data = result.to_arviz()
    old = az.__version__.startswith("0.")
    assert type(data).__name__ == ("InferenceData" if old else "DataTree")
    posterior = data.posterior
    assert {"mu", "theta+", "theta-", "rho+_A", "rho-_B", "f1_A", "f1_B"} <= set(posterior)
    np.testing.assert_array_equal(posterior["f1_difference"].values.ravel(), result.draws)
    # The parameters are those behind the draws of the metrics.
    mu, rate, alarm = (posterior[name].values for name in ("mu", "rho+_A", "rho-_A"))
    accuracy = mu * rate + (1 - mu) * (1 - alarm)
    np.testing.assert_allclose(accuracy, posterior["accuracy_A"].values, atol=1e-12)
    assert posterior.attrs["model"] == "paired"
    assert data.observed_data["outcomes"].sel(true="1", outcome="11") == 20
    assert data.observed_data["confusion_A"].sel(true="0", predicted="1") == 6
    prior = data.prior["f1_difference"].values
    assert abs(prior.mean()) < 0.02
    assert prior.std() > 0.15


@pytest.mark.parametrize(
    ("kwargs", "names"),
    [
        ({"model": "unpaired"}, {"mu_A", "rho+_B", "accuracy_difference"}),
        ({"model": "bcv"}, {"pi_A", "pi_B", "rho+_A", "accuracy_A"}),
        ({"model": "hierarchical"}, {"mu_A", "eta_A", "rho_A", "accuracy_A"}),
        ({"groups": np.arange(80) // 4}, {"accuracy_A", "accuracy_difference"}),
        ({"prevalence": 0.1}, {"theta+", "accuracy_A"}),
    ],
)
def test_of_every_model(kwargs, names, az):
    data = of_two(**kwargs).to_arviz()
    assert names <= set(data.posterior)
    assert len(az.summary(data)) > 0


def test_rates_of_chains_with_rows():
    # Draws of mu and eta in the place of chains: rates are those behind the metric.
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(0, 3, (3, 60))
    result = compare_predictions(y, a, b, model=PairedHierarchical(), random_state=0, n_draws=500)
    chains = {
        "mu": rng.dirichlet([20, 20, 20], (2, 250)),
        "eta_A": rng.beta(2, 2, (2, 250)),
        "eta_B": rng.beta(2, 2, (2, 250)),
    }
    data = type(result).from_trace(chains, result).to_arviz()
    for name in "AB":
        accuracy = (data.posterior["mu"] * data.posterior[f"rho_{name}"]).sum("class")
        np.testing.assert_allclose(accuracy, data.posterior[f"accuracy_{name}"], atol=1e-12)


def test_a_pair_of_many():
    ranking = compare_many(
        Y, {"a": A, "b": B, "c": A[::-1]}, scoring="accuracy", random_state=0, n_draws=500
    )
    data = ranking.pairs["c", "a"].to_arviz()
    assert data.posterior["mu"].ndim == data.prior["mu"].ndim == 2
    mu, rate, alarm = (data.posterior[name] for name in ("mu", "rho+_B", "rho-_B"))
    accuracy = mu * rate + (1 - mu) * (1 - alarm)
    np.testing.assert_allclose(accuracy, data.posterior["accuracy_B"], atol=1e-12)


def test_a_mirrored_pair_of_two():
    ranking = compare_many(Y, {"a": A, "b": B}, random_state=0, n_draws=200)
    there, back = (ranking.pairs[pair].to_arviz() for pair in ((0, 1), (1, 0)))
    for group in ("posterior", "prior"):
        assert set(there[group].data_vars) == set(back[group].data_vars)
    for one, other in (("rho+_A", "rho+_B"), ("rho-_B", "rho-_A"), ("mu", "mu")):
        np.testing.assert_array_equal(there.posterior[one], back.posterior[other])
    theta = there.posterior["theta+"].sel(outcome=["11", "01", "10", "00"])
    np.testing.assert_array_equal(theta, back.posterior["theta+"])
    observed = [data.observed_data["confusion_A"].values for data in (there, back)]
    assert (observed[0] == back.observed_data["confusion_B"]).all()
    assert (observed[1] == there.observed_data["confusion_B"]).all()


def test_summary_and_file(az, tmp_path):
    data = of_two(scoring="f1").to_arviz()
    name = "f1_difference"
    table = az.summary(data, var_names=[name])
    assert table.loc[name, "mean"] == pytest.approx(float(data.posterior[name].mean()), abs=0.006)
    path = tmp_path / "result.nc"
    data.to_netcdf(str(path))
    again = az.from_netcdf(str(path))
    np.testing.assert_array_equal(again.posterior[name].values, data.posterior[name].values)
    assert again.posterior.attrs["model"] == "paired"


def test_scaled_likelihood_is_more_data():
    # The square of the likelihood is that of twice the counts.
    options = {"model": Paired(), "random_state": 0, "n_draws": 20_000}
    data = compare_predictions(Y, A, B, **options).to_arviz()
    log_likelihood = sum(data.log_likelihood[name].values.ravel() for name in data.log_likelihood)
    weights = np.exp(log_likelihood - log_likelihood.max())
    found = np.average(data.posterior["theta+"].values[0], weights=weights, axis=0)
    counts = np.array([20, 6, 0, 4])
    np.testing.assert_allclose(found, (1 + 2 * counts) / (4 + 60), atol=0.008)
    assert abs(found[0] - (1 + 20) / 34) > 0.015


def test_scaled_prior_is_another_prior():
    options = {"model": Paired(theta=8.0), "random_state": 3, "n_draws": 20_000}
    data = compare_predictions(Y, A, B, **options).to_arviz()
    # Of this parameter alone: the others are independent of it, and would only add noise.
    log_prior = data.log_prior["prior of theta+"].values.ravel()
    weights = np.exp(-0.5 * (log_prior - log_prior.min()))
    found = np.average(data.posterior["theta+"].values[0], weights=weights, axis=0)
    shapes = 1 + 0.5 * 7 + np.array([20, 6, 0, 4])
    np.testing.assert_allclose(found, shapes / shapes.sum(), atol=0.01)
    assert abs(found[0] - 28 / 62) > 0.02


def groups_of(data):
    children = getattr(data, "children", None)
    return set(data.groups() if children is None else children)


def test_predicted_counts():
    data = of_two(scoring="f1").to_arviz()
    for group in ("prior_predictive", "posterior_predictive"):
        for name, values in data[group].data_vars.items():
            assert values.dims == ("chain", "draw", *data.observed_data[name].dims)
            assert (values.sum(values.dims[2:]) == 80).all()
            assert values.sizes["draw"] == 1000


LOGS = {"log_likelihood", "log_prior"}
PREDICTIVE = {"prior_predictive", "posterior_predictive"}


def test_no_log_densities_of_other_draws():
    X, y = load_breast_cancer(return_X_y=True)
    models = (GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0))
    inferred = bayesian_cross_validate(*models, X[:, :5], y, random_state=0, n_draws=500)
    assert inferred.weight < 1
    data = inferred.to_arviz()
    assert groups_of(data) & (LOGS | PREDICTIVE) == PREDICTIVE
    total = data.observed_data["confusion_A"].sum()
    predicted = data.posterior_predictive["confusion_A"].sum(("true", "predicted"))
    np.testing.assert_allclose(predicted, total)
    published = bayesian_cross_validate(
        *models, X[:, :5], y, weight="published", random_state=0, n_draws=500
    )
    assert groups_of(published.to_arviz()) >= LOGS
    scores = np.random.default_rng(0).random(80) + Y
    ranked = compare_predictions(
        Y, A, B, y_score_a=scores, y_score_b=scores / 2, scoring=["f1", "roc_auc"], n_draws=500
    )
    assert not groups_of(ranked.to_arviz()) & LOGS
    assert groups_of(ranked.metric("f1").to_arviz()) >= LOGS


def test_split_scores_of_one_learner_and_of_three():
    X, y = load_breast_cancer(return_X_y=True)
    learners = [GaussianNB(), GaussianNB(var_smoothing=0.1), GaussianNB(var_smoothing=1.0)]
    options = {"model": "scores", "cv": 4, "n_draws": 500, "random_state": 0}
    ranking = BayesianComparer(learners, **options).fit(X, y).ranking_
    draws = ranking.to_arviz().posterior
    for k, letter in enumerate("ABC"):
        np.testing.assert_allclose(draws[f"score_{letter}"].to_numpy()[0], ranking.draws[k])
    one = bayesian_cross_val_score(learners[0], X, y, **options)
    np.testing.assert_allclose(one.to_arviz().posterior["score_A"].to_numpy()[0], one.draws)
