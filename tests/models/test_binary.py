"""The models of two classes, against closed forms and against brute force."""

import numpy as np
import pytest
from scipy import stats

from skbayeseval import metrics
from skbayeseval.evidence import ConfusionCounts, MarginalCounts, PairedCounts
from skbayeseval.metrics.registry import metric_of_formula
from skbayeseval.models import BCV, Paired, Unpaired
from skbayeseval.models.margins import log_density_of_equal_accuracy
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.prior import Prior

N = 200_000
PREVALENCE = metrics.from_confusion(lambda t: t[..., 1, :].sum(-1), "prevalence")


def paired_counts(positive_cells, negative_cells, **options):
    """Make paired counts from the cells (1,1), (1,0), (0,1), (0,0) of either class."""
    outcomes = [(1, 1), (1, 0), (0, 1), (0, 0)]
    truth = np.repeat([1, 0], 4)
    counts = np.array([*positive_cells, *negative_cells], dtype=float)
    return PairedCounts(truth, np.array(outcomes * 2), counts, (0, 1), **options)


def each(*cells):
    return MarginalCounts(tuple(ConfusionCounts.from_cells(*of_one) for of_one in cells))


def assert_follows(draws, law):
    assert stats.ks_1samp(draws, law.cdf).pvalue > 1e-4


@pytest.mark.parametrize(
    ("model", "evidence", "laws"),
    [
        (
            Paired(mu=(3, 7), theta=((1, 2, 3, 4), (5, 6, 7, 8))),
            paired_counts((0,) * 4, (0,) * 4),
            {
                "recall": [(1 + 2, 3 + 4), (1 + 3, 2 + 4)],
                "specificity": [(7 + 8, 5 + 6), (6 + 8, 5 + 7)],
                "prevalence": [(3, 7)] * 2,
            },
        ),
        (
            Unpaired(mu=(2, 3), rho=((1, 2), (3, 4))),
            each((40, 10, 10, 60), (15, 5, 35, 45)),
            {
                "recall": [(41, 12), (16, 37)],
                "specificity": [(64, 13), (49, 8)],
                "prevalence": [(52, 73), (52, 53)],
            },
        ),
    ],
)
def test_priors_are_in_the_papers_order(model, evidence, laws):
    posterior = Posterior(model, evidence, entropy=5, n_draws=N)
    for name, shapes in laws.items():
        metric = PREVALENCE if name == "prevalence" else metrics.get_metric(name)
        drawn = posterior.draws(metric)
        for draws, of_one in zip(drawn, shapes, strict=True):
            assert_follows(draws, stats.beta(*of_one))
        if not model.needs_pairs:
            # Sharing a mu would give the unpaired model too much power.
            assert abs(np.corrcoef(drawn)[0, 1]) < 0.01


# Under the default prior the eight cells are drawn as one Dirichlet vector, under others as three.
ONE_VECTOR, CELLS = {"mu": 1.0, "theta": 0.25}, ((30, 6, 3, 9), (4, 0, 7, 41))


@pytest.mark.parametrize("prior", [False, True])
def test_vectors_of_one_vector_have_the_law_of_three(prior):
    model = Paired(**ONE_VECTOR).specification(paired_counts(*CELLS))
    assert model._is_one_vector
    assert not Paired(mu=1.0, theta=0.26).specification(paired_counts(*CELLS))._is_one_vector
    drawn, seen = model.draw(np.random.default_rng(0), 50_000, prior=prior), 0 if prior else 1
    assert_follows(drawn["mu"][0], stats.beta(1 + 48 * seen, 1 + 52 * seen))
    for name, cells in zip(("theta+", "theta-"), CELLS, strict=True):
        for entries, count in zip(drawn[name], cells, strict=True):
            rest = sum(cells) - count
            assert_follows(entries, stats.beta(0.25 + count * seen, 0.75 + rest * seen))
        assert abs(np.corrcoef(drawn["mu"][0], drawn[name][0])[0, 1]) < 0.02


EVIDENCE = {
    "paired": paired_counts((30, 10, 5, 5), (4, 6, 9, 31)),
    "unpaired": each((40, 10, 10, 40), (35, 13, 15, 37)),
}


@pytest.mark.parametrize(
    ("model", "formula", "density"),
    [
        (BCV(), "f1", 16 / 15),
        (BCV(), "recall", 1.0),
        (BCV(), "precision", 1.0),
        (BCV(), "accuracy", 6 / 5),
        (Unpaired(), "recall", 1.0),
        (Paired(), "recall", 3 / 2),
        (Paired(), "specificity", 3 / 2),
        (Paired(), "balanced_accuracy", 9 / 5),
        (Paired(), "accuracy", 1.677),
        (Paired(theta=(1.5, 2.0, 3.0, 0.8)), "recall", 1.181250),
        (BCV(lambda_=0.5), "recall", np.inf),
        (Paired(theta=0.5), "recall", np.inf),
        (Paired(theta=0.6), "recall", stats.beta(0.6, 0.6).pdf(0.5) / 2 * 1.4 / 0.2),
        (Paired(), "f1", None),
        (Unpaired(), "f1", None),
        (Paired(theta=0.6), "accuracy", None),
    ],
)
def test_prior_densities_at_zero(model, formula, density):
    # By hand: integrals of squared Beta and triangular densities, and 3/2 (1 - |x|)^2 for the
    # difference of two cells of Dir(1,1,1,1); of any others, it is a Beta function times powers.
    # 1.677 is from 1e8 draws.
    evidence = EVIDENCE["paired" if model.needs_pairs else "unpaired"]
    found = Prior(model, evidence).log_density_at_zero(metrics.get_metric(formula))
    assert (None if found is None else np.exp(found)) == pytest.approx(density, rel=2e-4)


# With which class the difference vanishes as it becomes rare: the positive (+), the negative (-).
VANISHES = {
    "f1": "+",
    "f2": "+",
    "f0.5": "+",
    "f1[1]": "+",
    "f1[0]": "-",
    "jaccard": "+",
    **dict.fromkeys(("precision", "precision_macro", "precision_weighted", "cohen_kappa"), "+-"),
    "markedness": "+-",
    **dict.fromkeys(("f0", "f0_macro", "precision[0]", "negative_predictive_value"), "+-"),
}


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize(("mu", "rare"), [((1, 2), "+"), ((2, 1), "-"), ((1, 1), "+-"), (2, "")])
def test_which_prior_densities_are_finite(mu, rare, positive):
    # Worked out by hand for each metric (docs/bayes_factors.md).
    evidence = PairedCounts.from_labels([0, 1], {"a": [0, 1], "b": [0, 1]}, pos_label=positive)
    prior = Prior(Paired(mu=mu), evidence)
    turned = {"f1[1]": "f1[0]", "f1[0]": "f1[1]"} if positive == 0 else {}
    for name in {*metrics.known_metrics("tables"), *VANISHES}:
        metric = metric_of_formula(turned.get(name, name), 0.0)
        infinite = set(VANISHES.get(name, "")) & set(rare)
        assert prior.has_finite_density(metric) is not bool(infinite), name


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Paired(mu=0), "prior 'mu' must contain finite numbers greater than 0.*got 0"),
        (Paired(theta=(1, 1, 1)), r"prior 'theta' must be a number or an array .* \(2, 4\)"),
        (Unpaired(rho=np.nan), "prior 'rho' must contain finite numbers"),
        (BCV(lambda_="2"), "prior 'lambda' must be a number"),
        (Paired(theta=1e-4), "at least 0.01 to keep draws in floating-point range"),
    ],
)
def test_bad_priors(model, message):
    with pytest.raises(ValueError, match=message):
        model.specification(EVIDENCE["paired"])


def test_lopsided_priors_need_a_positive_class():
    words = PairedCounts.from_labels(["x", "y", "x"], {"a": ["x", "y", "y"], "b": ["x", "x", "x"]})
    for model in (
        Paired(mu=(2, 1)),
        Paired(theta=(1, 2, 3, 4)),
        Unpaired(mu=(2, 1)),
        Unpaired(rho=(2, 1)),
    ):
        with pytest.raises(ValueError, match="Specify the positive class with pos_label="):
            model.specification(words)
    # A prior that favours the truth in both classes alike does not tell them apart.
    Unpaired(rho=((2, 1), (1, 2))).specification(words)
    Paired(theta=((4, 1, 1, 1), (1, 1, 1, 4))).specification(words)


@pytest.mark.parametrize(
    ("mu", "positive", "negative"),
    [
        ((2.0, 3.5), (1.5, 2.0, 4.0, 1.0), (3.0, 1.2, 2.5, 2.0)),  # in no way symmetric
        ((0.05, 0.05), (1.0,) * 4, (1.0,) * 4),
    ],
)
def test_density_of_equal_accuracy_of_any_prior(mu, positive, negative):
    # Against a histogram of draws.
    rng = np.random.default_rng(0)
    shapes = {"mu": mu, "theta+": positive, "theta-": negative}
    shapes = {name: np.array(shape) for name, shape in shapes.items()}
    mu, plus, minus = (rng.dirichlet(shape, 1_000_000) for shape in shapes.values())
    in_positive, in_negative = plus[:, 1] - plus[:, 2], minus[:, 2] - minus[:, 1]
    for balanced, values in (
        (False, mu[:, 0] * in_positive + mu[:, 1] * in_negative),
        (True, (in_positive + in_negative) / 2),
    ):
        inside = np.mean(np.abs(values) < 0.01)
        found = np.exp(log_density_of_equal_accuracy(shapes, balanced))
        assert found == pytest.approx(inside / 0.02, rel=4 / np.sqrt(inside * 1_000_000))
