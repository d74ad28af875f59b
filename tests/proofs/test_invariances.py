"""What must not matter does not, over random evidence; what must, does so in its own way."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from skbayeseval import (
    compare_confusion_matrices,
    compare_counts,
    compare_many,
    compare_many_items,
    compare_predictions,
    metrics,
    models,
)
from skbayeseval.evidence import ConfusionCounts, PairedCounts
from skbayeseval.models import BCV, Hierarchical, Paired, PairedHierarchical, PairedMany, Unpaired
from skbayeseval.posterior.posterior import Posterior
from tests.proofs.scripts import assert_same_moments

pytestmark = pytest.mark.filterwarnings("ignore:The published prior of model='hierarchical'")

N_DRAWS = 1000
OPTIONS = {"n_draws": N_DRAWS, "random_state": 0}

few = settings(max_examples=4)

MANY = ["paired", "hierarchical"]
METRICS = {2: ["f1", "matthews_corrcoef"], 3: ["accuracy", "f1_macro"]}


@st.composite
def votes(draw, n_classes=None, n_classifiers=2):
    """Labels and predictions, every class among the labels, and the number of classes."""
    m = n_classes or draw(st.sampled_from([2, 3]))
    n = draw(st.integers(3 * m, 40))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(m), rng.integers(0, m, n - m)])
    skill = rng.random((n_classifiers, 1))
    predictions = np.where(
        rng.random((n_classifiers, n)) < skill, y, rng.integers(0, m, (n_classifiers, n))
    )
    return y, predictions, m, rng


def models_of(n_classes):
    return ["paired", "unpaired", "bcv", "hierarchical"] if n_classes == 2 else MANY


def compare(y, a, b, model, n_classes, **options):
    options = {"scoring": METRICS[min(n_classes, 3)], "labels": range(n_classes), **options}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*are many for")
        return compare_predictions(y, a, b, model=model, **OPTIONS | options)


def assert_identical(one, other, rtol=1e-9):
    for metric in one.metrics:
        x, y = one.metric(metric), other.metric(metric)
        np.testing.assert_allclose(x.draws_a, y.draws_a, rtol=rtol, atol=1e-12)
        np.testing.assert_allclose(x.draws_b, y.draws_b, rtol=rtol, atol=1e-12)
        assert (x.observed_a, x.observed_b) == pytest.approx((y.observed_a, y.observed_b))


@few
@given(votes(n_classifiers=3))
def test_the_order_of_many_is_mirrored_pair_by_pair(evidence):
    y, predictions, m, _ = evidence
    scoring = METRICS[m][1]
    named = dict(zip("abc", predictions, strict=True))
    turned = {name: named[name] for name in "cab"}
    options = {"scoring": scoring, "labels": range(m), "n_draws": N_DRAWS}
    one = compare_many(y, named, random_state=0, **options)
    other = compare_many(y, turned, random_state=1, **options)
    for i, j in ("ab", "bc", "ca"):
        x, z = one.pairs[i, j], other.pairs[i, j]
        assert_same_moments(x.draws, z.draws)
        assert x.observed_a == pytest.approx(z.observed_a)
        np.testing.assert_array_equal(one.pairs[j, i].draws, -x.draws)


@few
@given(votes(), st.integers(0, 100))
def test_the_order_of_instances_is_nothing(evidence, seed):
    y, (a, b), m, _ = evidence
    order = np.random.default_rng(seed).permutation(len(y))
    for model in models_of(m):
        assert_identical(
            compare(y, a, b, model, m), compare(y[order], a[order], b[order], model, m)
        )
    one, other = (
        compare_many(y[o], {"a": a[o], "b": b[o]}, labels=range(m), **OPTIONS)
        for o in (slice(None), order)
    )
    np.testing.assert_array_equal(one.draws, other.draws)


@few
@given(votes(), st.permutations(range(3)))
def test_names_of_classes_are_nothing(evidence, turned):
    # The order of the classes changes with their names, so draws are others of the same law.
    y, (a, b), m, _ = evidence
    turned = np.array([t for t in turned if t < m])
    names = np.array(["x", "z", "y"])
    for model in models_of(m):
        pos_label = {"pos_label": names[turned[1]]} if m == 2 else {}
        one = compare(y, a, b, model, m)
        renamed = (names[turned[v]] for v in (y, a, b))
        other = compare(*renamed, model, m, labels=None, random_state=1, **pos_label)
        for metric in one.metrics:
            x, z = one.metric(metric), other.metric(metric)
            assert (x.observed_a, x.observed_b) == pytest.approx((z.observed_a, z.observed_b))
            assert_same_moments(x.draws, z.draws)
            assert_same_moments(x.draws_a, z.draws_a)


@few
@given(votes(), st.data())
def test_shards_add_up(evidence, data):
    y, (a, b), m, _ = evidence
    cuts = data.draw(st.sets(st.integers(1, len(y) - 1), min_size=1, max_size=3))
    parts = np.split(np.stack([y, a, b]), sorted(cuts), axis=1)
    counted = [np.unique(part, axis=1, return_counts=True) for part in parts]
    rows, counts = (np.concatenate(of_parts, axis=-1) for of_parts in zip(*counted, strict=True))
    options = {"scoring": METRICS[m], "labels": range(m), **OPTIONS}
    together = compare_predictions(*rows, counts=counts, model="paired", **options)
    assert_identical(together, compare(y, a, b, "paired", m))
    # A stack of runs is the sum of its runs.
    tables = [[confusion_matrix(p[0], p[k], labels=range(m)) for p in parts] for k in (1, 2)]
    options = {"scoring": METRICS[m], "model": "unpaired", **OPTIONS}
    stacked = compare_confusion_matrices(*tables, weight=1.0, **options)
    summed = compare_confusion_matrices(*(np.sum(t, axis=0) for t in tables), **options)
    assert_identical(stacked, summed)
    assert_identical(summed, compare(y, a, b, "unpaired", m))


@few
@given(votes(), st.integers(2, 7))
def test_counts_scale_as_weights_do(evidence, times):
    y, (a, b), m, _ = evidence
    for model in models_of(m):
        one = compare(y, a, b, model, m, weight=0.7)
        other = compare(*(np.tile(v, times) for v in (y, a, b)), model, m, weight=0.7 / times)
        assert_identical(one, other)


@few
@given(st.lists(st.integers(0, 30), min_size=6, max_size=6), st.booleans(), st.integers(2, 7))
def test_counts_scale_as_weights_do_without_instances(cells, true_negatives, times):
    cells_a, cells_b = np.array(cells).reshape(2, 3)
    assume(all(tp + fn > 0 for tp, _, fn in (cells_a, cells_b)))  # the class occurs
    if true_negatives:
        cells_a, cells_b = [*cells_a, 5], [*cells_b, 9]
    options = {"scoring": ["f1", "precision"], **OPTIONS}
    one = compare_counts(cells_a, cells_b, weight=0.9, **options)
    scaled = (np.multiply(cells, times) for cells in (cells_a, cells_b))
    assert_identical(one, compare_counts(*scaled, weight=0.9 / times, **options))
    swapped = compare_counts(cells_b, cells_a, weight=0.9, **options)
    for metric in one.metrics:
        assert one.interval(of="a", metric=metric) == swapped.interval(of="b", metric=metric)
        assert one.bayes_test(metric=metric).p_h0 == pytest.approx(
            swapped.bayes_test(metric=metric).p_h1, abs=1e-9
        )


def accuracy_given_eta(table, eta):
    """Mean of the accuracy under the hierarchical model with a known eta, in closed form."""
    n_classes, rows = len(table), table.sum(axis=1)
    right = (eta + np.diag(table)) / (1 + rows)
    return (1 + rows) @ right / (n_classes + rows.sum())


@few
@given(votes(n_classes=3))
def test_a_class_that_never_occurs(evidence):
    y, (a, b), m, _ = evidence
    known_eta = (7e5, 3e5)
    for kind in (PairedHierarchical, Hierarchical):
        results = [
            compare(y, a, b, kind(eta=known_eta), n_classes, n_draws=2000)
            for n_classes in (m, m + 1)
        ]
        for name in ("accuracy", "f1_micro", "precision_micro", "jaccard_micro", "f1_weighted"):
            x, z = (result.metric(name) for result in results)
            assert (x.observed_a, x.observed_b) == pytest.approx((z.observed_a, z.observed_b))
        # The posterior moves as the prior of so many classes says, and no further.
        for n_classes, result in zip((m, m + 1), results, strict=True):
            expected = []
            for predicted, draws in ((a, result.draws_a), (b, result.draws_b)):
                table = np.zeros((n_classes, n_classes))
                np.add.at(table, (y, predicted), 1)
                expected.append(accuracy_given_eta(table, 0.7))
                assert abs(draws.mean() - expected[-1]) < 5 * draws.std() / np.sqrt(len(draws))
            error = 5 * result.draws.std() / np.sqrt(len(draws))
            assert abs(result.draws.mean() - (expected[0] - expected[1])) < error


@few
@given(votes())
def test_a_copy_of_oneself_is_no_better(evidence):
    y, (a, _), m, _ = evidence
    for model in models_of(m):
        result = compare(y, a, a, model, m)
        for metric in result.metrics:
            seen = result.metric(metric)
            assert seen.observed_a == pytest.approx(seen.observed_b)
            draws = seen.draws
            # Symmetric: no odd moment, and as much mass on either side.
            for odd in (draws, draws**3, np.sign(draws)):
                assert abs(odd.mean()) < 5 * odd.std() / np.sqrt(N_DRAWS) + 1e-12
        if model == "bcv":
            assert result.bayes_test(metric="f1").p_h0 == pytest.approx(0.5, abs=1e-9)
    ranking = compare_many(y, {"a": a, "b": a, "c": a}, labels=range(m), **OPTIONS)
    assert (ranking.table[["p_best", "expected_rank", "rank_high"]] == 1).all(axis=None)


@few
@given(votes(n_classes=2, n_classifiers=3))
def test_a_copy_adds_nothing_to_a_pair(evidence):
    # What is said of A and B is the same with a copy of A beside them.
    y, (a, b, _), _, _ = evidence
    counts = PairedCounts.from_labels(y, {"a": a, "b": b, "c": a}, labels=[0, 1])
    metric = metrics.get_metric("f1")
    of_three = Posterior(PairedMany(), counts, entropy=0, n_draws=N_DRAWS).draws(metric)
    of_two = Posterior(Paired(), counts.pair(0, 1), entropy=1, n_draws=N_DRAWS).draws(metric)
    assert_same_moments(of_three[0] - of_three[1], of_two[0] - of_two[1])
    assert_same_moments(of_three[2] - of_three[1], of_two[0] - of_two[1])


@few
@given(votes(n_classes=2))
def test_all_faces_say_the_same(evidence):
    y, (a, b), m, _ = evidence
    tables = [ConfusionCounts.from_labels(y, p, labels=[0, 1]).table for p in (a, b)]
    cells = [(t[1, 1], t[0, 1], t[1, 0], t[0, 0]) for t in tables]
    for model in (Unpaired(), BCV(), Hierarchical()):
        options = {"model": model, "scoring": METRICS[2], **OPTIONS}
        from_labels = compare(y, a, b, model, m)
        assert_identical(from_labels, compare_confusion_matrices(*tables, **options))
        assert_identical(from_labels, compare_counts(*cells, **options))
        many = compare_many(y, {"a": a, "b": b}, labels=[0, 1], **options)
        assert_identical(from_labels, many.pairs["a", "b"])


@pytest.mark.parametrize("kind", ["labels", "items"])
def test_a_prior_that_tells_a_from_b_is_mirrored_with_the_pair(kind):
    rng, theta = np.random.default_rng(0), [6.0, 10.0, 0.5, 1.0]
    y = rng.integers(0, 2, 60)
    a, b = (np.where(rng.random(60) < p, y, 1 - y) for p in (0.7, 0.8))
    options = {"n_draws": 4000, "random_state": 0}
    if kind == "labels":
        theta = [theta, [2.0, 1.0, 7.0, 20.0]]
        options |= {"model": models.Paired(theta=theta), "scoring": "recall"}
        pairs = compare_many(y, {"a": a, "b": b}, **options).pairs
    else:
        given = {"a": y == a, "b": y == b}
        model = models.RightOrWrong(theta=theta)
        pairs = compare_many_items(given, model=model, **options).pairs
    there, back = pairs[0, 1], pairs[1, 0]
    assert there.prior == {**there.prior, "theta": theta}
    for of, other in zip("ab", "ba", strict=True):
        assert back.interval(of=of) == pytest.approx(there.interval(of=other))
    mirrored = np.asarray(theta)[..., [0, 2, 1, 3]].tolist()
    assert back.prior == {**there.prior, "theta": mirrored}
    factors = [pair.bayes_factor(rope=0.2).log10 for pair in (there, back)]
    assert factors[0] == pytest.approx(factors[1], abs=0.1)
