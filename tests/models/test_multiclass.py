import numpy as np
import pytest
from scipy import stats

from skbayeseval import compare_many, compare_predictions, metrics, score_posterior
from skbayeseval.evidence import PairedCounts
from skbayeseval.models import (
    BCV,
    Hierarchical,
    Paired,
    PairedHierarchical,
    PairedMany,
    PairedRecalls,
)


@pytest.fixture
def votes_of_four():
    """Four classes, five classifiers that share what is hard."""
    rng = np.random.default_rng(5)
    y = rng.choice(4, 300, p=[0.4, 0.3, 0.2, 0.1])
    hard = rng.random(300)
    wrong = (y + rng.integers(1, 4, (5, 300))) % 4
    right = hard + 0.3 * rng.random((5, 300)) < np.array([[0.95], [0.95], [0.9], [0.85], [0.7]])
    return y, dict(zip("abcde", np.where(right, y, wrong), strict=True))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_pair_does_not_depend_on_who_else_was_compared(votes_of_four, n_classes):
    y, predictions = votes_of_four
    y, predictions = y % n_classes, {name: p % n_classes for name, p in predictions.items()}
    everyone = compare_many(y, predictions, scoring="f1_macro", n_draws=20_000, random_state=0)
    names = list(predictions)
    two = compare_predictions(
        y, predictions[names[0]], predictions[names[3]], scoring="f1_macro", n_draws=20_000,
        random_state=1,
    )  # fmt: skip
    pair = everyone.pairs[0, 3].alone
    assert stats.ks_2samp(pair.draws, two.draws).pvalue > 1e-4
    assert pair.observed_a == pytest.approx(two.observed_a)
    one, other = pair.bayes_factor(0.05), two.bayes_factor(0.05)
    assert abs(one.log10 - other.log10) < 4 * np.hypot(one.log10_mcse, other.log10_mcse)


def test_priors(votes_of_four):
    y, predictions = votes_of_four
    pair = (y, predictions["a"], predictions["d"])
    strong = compare_predictions(
        *pair, model=PairedRecalls(mu=(100, 1, 1, 1), eta=(5, 1)), scoring="recall_weighted"
    )
    assert strong.model == "paired"
    assert strong.prior["eta"] == (5, 1)
    prevalence = metrics.from_confusion(lambda t: t[..., 0, :].sum(-1), "share")
    share = strong.metric(prevalence).draws_a
    assert share.mean() == pytest.approx((100 + np.sum(y == 0)) / (103 + 300), abs=0.003)
    unpaired = compare_predictions(*pair, model="unpaired", random_state=0)
    assert unpaired.model == "hierarchical"
    with pytest.raises(ValueError, match="prior 'eta' must contain finite numbers greater than 0"):
        compare_predictions(*pair, model=PairedRecalls(eta=0))
    for model in (BCV(), Paired(), PairedMany()):
        with pytest.raises(ValueError, match="does not fit one label per instance"):
            compare_predictions(*pair, model=model)
    with pytest.raises(ValueError, match="requires two classifiers, but there are 5"):
        compare_many(y % 2, {k: v % 2 for k, v in predictions.items()}, model=Paired())


def test_many_classes_for_few_instances():
    y = np.arange(30)
    advice = r"30 classes, but only 30 effective instances.*models\.PairedRecalls\(mu=\.\.\.\)\."
    with pytest.warns(UserWarning, match=advice):
        compare_predictions(y, y, y[::-1], model=PairedRecalls(mu=1.0))
    # A weak prior, a learned one, or known proportions, do not swamp anything.
    compare_predictions(y, y, y[::-1], model=PairedRecalls(mu=0.1))
    compare_predictions(y, y, y[::-1])
    compare_predictions(y, y, y[::-1], prevalence=np.full(30, 1 / 30))


def test_closed_forms_are_not_claimed(votes_of_four):
    y, predictions = votes_of_four
    result = compare_predictions(
        y, predictions["a"], predictions["d"], scoring="accuracy", random_state=0, n_draws=2000
    )
    np.testing.assert_allclose(result.interval(of="a"), np.quantile(result.draws_a, [0.025, 0.975]))
    with pytest.raises(ValueError, match="requires rope=.* 'accuracy' at 0 .* is infinite"):
        result.bayes_factor()
    assert result.bayes_factor(0.2).mcse > 0
    assert set(result.prior_sensitivity(0.2).index.get_level_values(0)) == {
        "paired",
        "paired hierarchical",
        "hierarchical",
    }


def test_uneven_proportions_of_two_classes_need_a_positive_class():
    words = ["x", "y", "x"], {"a": ["x", "y", "y"], "b": ["x", "x", "x"]}
    for model in (Hierarchical, PairedHierarchical):
        with pytest.raises(ValueError, match="Specify the positive class with pos_label="):
            model(mu=(2, 1)).specification(PairedCounts.from_labels(*words))
        even = model(mu=2).specification(PairedCounts.from_labels(*words))
        assert even.groups[0].mu.prior.tolist() == [2, 2]
        for positive, expected in (("x", [2, 1]), ("y", [1, 2])):
            evidence = PairedCounts.from_labels(*words, pos_label=positive)
            specification = model(mu=(2, 1)).specification(evidence)
            assert specification.groups[0].mu.prior.tolist() == expected


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro", "recall_weighted", "cohen_kappa"])
def test_draws_without_errors_do_not_exceed_one(n_classes, scoring):
    y = np.arange(60) % n_classes
    options = {"scoring": scoring, "n_draws": 2000, "random_state": 0}
    for model in ("hierarchical", "unpaired"):
        result = score_posterior(y, y, model=model, **options)
        assert max(result.draws.max(), result.hdi().high, result.interval().high) <= 1
    result = compare_predictions(y, y, y, **options)
    assert max(result.draws_a.max(), result.hdi(of="a").high) <= 1
