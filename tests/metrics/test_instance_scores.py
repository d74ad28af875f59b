import inspect
import pickle

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

from skbayeseval import compare_predictions, load_result, score_posterior
from skbayeseval.evidence import ScoredInstances
from skbayeseval.metrics import get_metric, net_benefit
from skbayeseval.metrics.instance_scores import SCORE_METRICS
from skbayeseval.metrics.instance_scores import prepare as prepare_weighted


def prepare(name, truth, scores):
    truth, scores = np.asarray(truth), np.asarray(scores)
    classes = tuple(range(2 if scores.ndim == 1 else scores.shape[1]))
    scored = ScoredInstances.from_codes(truth, {"y_score": scores}, classes)
    ((_, (prepared,)),) = scored.runs(get_metric(name))
    return prepared


N = 60
N_DRAWS = 5


def make(kind, ties, rng):
    """Return truth, probabilities and rankings; with ties, a few values only."""
    if kind == "binary":
        truth = np.r_[0, 1, rng.integers(0, 2, N - 2)]
        raw = rng.normal(size=N) + truth
        p = 1 / (1 + np.exp(-raw))
        return truth, (np.round(p, 1) if ties else p)
    if kind == "multilabel":
        truth = np.vstack([np.eye(4, dtype=int), rng.integers(0, 2, (N - 4, 4))])
        scores = rng.normal(size=(N, 4)) + truth
        return truth, (np.round(scores) if ties else scores)
    truth = np.r_[np.arange(4), rng.integers(0, 4, N - 4)]
    if ties:
        p = (1.0 + rng.multinomial(4, np.full(4, 0.25), N) + 2 * np.eye(4)[truth]) / 10
    else:
        p = rng.dirichlet(np.ones(4), N) / 2 + np.eye(4)[truth] / 4
    return truth, p / p.sum(axis=1, keepdims=True)


def draw_weights(rng, zeros=False):
    weights = rng.standard_gamma(1.0, (N, N_DRAWS))
    if zeros:
        weights[rng.random(weights.shape) < 0.3] = 0.0
        weights[:8] += 0.1
    return weights


def of_scikit_learn(name, truth, scores, w):
    if name == "neg_log_loss":
        return -log_loss(truth, scores, sample_weight=w)
    if name == "neg_brier_score":
        return -brier_score_loss(truth, scores, sample_weight=w)
    if name == "average_precision":
        return average_precision_score(truth, scores, sample_weight=w)
    options = {"average": "weighted" if name.endswith("weighted") else "macro"}
    if "ov" in name:
        options["multi_class"] = name.split("_")[2]
    return roc_auc_score(truth, scores, sample_weight=w, **options)


CASES = [
    (name, kind)
    for name, metric in SCORE_METRICS.items()
    for kind in metric.kinds
    if not (kind == "multiclass" and "ovo" in name)
]


@pytest.mark.parametrize(("ties", "zeros"), [(False, False), (True, True)])
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_equals_scikit_learn_with_sample_weight(name, kind, ties, zeros):
    if (name, kind) == ("neg_brier_score", "multiclass") and (
        "labels" not in inspect.signature(brier_score_loss).parameters
    ):
        pytest.skip("scikit-learn before 1.7 has the Brier score of two classes only")
    rng = np.random.default_rng(7)
    truth, scores = make(kind, ties, rng)
    weights = draw_weights(rng, zeros)
    ours = prepare(name, truth, scores)(weights)
    assert ours.shape == (N_DRAWS,)
    theirs = [of_scikit_learn(name, truth, scores, w) for w in weights.T]
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("name", ["roc_auc_ovo", "roc_auc_ovo_weighted"])
def test_one_versus_one_equals_scikit_learn_on_repeated_instances(name, ties):
    rng = np.random.default_rng(8)
    truth, scores = make("multiclass", ties, rng)
    weights = rng.integers(0, 4, (N, N_DRAWS)).astype(float)
    weights[:4] += 1
    ours = prepare(name, truth, scores)(weights)
    for value, w in zip(ours, weights.astype(int).T, strict=True):
        repeated = np.repeat(np.arange(N), w)
        theirs = of_scikit_learn(name, truth[repeated], scores[repeated], None)
        assert value == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "kind"), [(n, k) for n, m in SCORE_METRICS.items() for k in m.kinds]
)
def test_scale_order_and_pickle(name, kind):
    rng = np.random.default_rng(10)
    truth, scores = make(kind, True, rng)
    weights = draw_weights(rng)
    metric = pickle.loads(pickle.dumps(prepare(name, truth, scores)))
    values = metric(weights)
    np.testing.assert_allclose(metric(weights * 1e6), values, rtol=1e-12)
    shuffled = rng.permutation(N)
    again = prepare(name, truth[shuffled], scores[shuffled])(weights[shuffled])
    np.testing.assert_allclose(again, values, rtol=1e-12)
    np.testing.assert_allclose(metric(weights[:, :2]), values[:2], rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_test_sets_are_averaged_class_by_class(weighted):
    rng = np.random.default_rng(13)
    name = "roc_auc_ovr_weighted" if weighted else "roc_auc_ovr"
    ones, total, areas, shares = np.ones((N, 1)), None, [], []
    for _ in range(3):
        truth, scores = make("multiclass", True, rng)
        sums = prepare(name, truth, scores).sums(ones)
        relative = sums.relative_to(sums)
        areas.append(roc_auc_score(truth, scores, multi_class="ovr", average=None))
        shares.append(np.bincount(truth) / N if weighted else np.full(4, 1 / 4))
        np.testing.assert_allclose(relative.numerators[:, 0], areas[-1])
        np.testing.assert_allclose(relative.denominators, 1)
        np.testing.assert_allclose(relative.shares[:, 0], shares[-1])
        # Twice the weight of a test set counts twice; of pairs, four times.
        twice = prepare(name, truth, scores).sums(2 * ones).relative_to(sums)
        np.testing.assert_allclose(twice.denominators, 4)
        total = relative if total is None else total.plus(relative)
    expected = np.average(np.mean(areas, axis=0), weights=np.mean(shares, axis=0))
    np.testing.assert_allclose(total.average(), [expected])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64, np.bool_])
def test_scores_of_every_dtype(dtype):
    """Sure probabilities are clipped as scikit-learn clips them, at the precision of the type."""
    truth, p = make("binary", False, np.random.default_rng(0))
    p[::3] = 1 - truth[::3]
    p = (p if np.dtype(dtype).kind == "f" else p > 0.5).astype(dtype)
    eps = np.finfo(dtype).eps if p.dtype.kind == "f" else 0.0
    of_many, shares = make("multiclass", False, np.random.default_rng(1))
    wide = np.result_type(dtype, np.float32) if p.dtype.kind == "f" else dtype
    many = of_many, (shares if p.dtype.kind == "f" else np.eye(4)[of_many]).astype(wide)
    for name in SCORE_METRICS:
        one, said = many if "ov" in name else (truth, p)
        found = prepare(name, one, said)(np.ones((N, 1)))[0]
        expected = of_scikit_learn(name, one, said, None)
        assert found == pytest.approx(expected, rel=max(1e-12, 4 * float(eps)))


def test_a_weight_of_0_is_none():
    truth, p = make("binary", False, np.random.default_rng(0))
    own = np.arange(N) % 3.0
    for name in ("roc_auc", "neg_brier_score"):
        found = prepare_weighted(get_metric(name), truth, p, own)(np.ones((N, 1)))[0]
        assert found == pytest.approx(of_scikit_learn(name, truth, p, own))
    with pytest.raises(ValueError, match="Only one class is present"):
        prepare_weighted(get_metric("roc_auc"), truth, p, 1.0 * truth)


def test_long_integers_keep_their_order():
    """As float64 all of them are equal."""
    truth, ranks = np.array([0, 1, 0, 1, 1, 0]), [3, 1, 2, 5, 4, 0]
    scores = np.array([2**62 + i for i in ranks])
    result = score_posterior(truth, None, y_score=scores, scoring="roc_auc")
    assert result.observed == pytest.approx(roc_auc_score(truth, ranks), rel=1e-12)


def test_classes_without_weight():
    weights = np.array([[1.0, 0.0], [1.0, 1.0]])
    auc = prepare("roc_auc", [0, 1], [0.0, 1.0])(weights)
    np.testing.assert_allclose(auc, [1.0, np.nan])
    p = np.full((2, 3), 1 / 3)  # the log loss needs no class
    assert prepare("neg_log_loss", [0, 0], p)(np.ones((2, 1)))[0] == pytest.approx(-np.log(3))


@pytest.mark.parametrize(
    ("name", "truth", "scores", "message"),
    [
        ("roc_auc", [1, 1], [0.1, 0.2], "Only one class is present in y_true"),
        ("roc_auc", [[0, 1], [1, 1]], [[0, 1], [1, 0]], "Only one class is present"),
        ("roc_auc", [0, 1, 2], np.full((3, 3), 1 / 3), "Use roc_auc_ovr or roc_auc_ovo"),
        ("roc_auc_ovr", [0, 1, 1], np.full((3, 3), 1 / 3), "Number of classes in y_true"),
        ("roc_auc_ovo", [0, 1, 2], np.ones((3, 3)), "do not sum to one"),
        ("average_precision", [0, 0], [0.1, 0.2], "No positive class found in y_true"),
        ("neg_log_loss", [0, 1], [0.1, 1.2], "above 1"),
        ("neg_brier_score", [0, 1], [-0.1, 0.2], "below 0"),
        ("neg_log_loss", [[0, 1]], [[0.5, 0.5]], "not defined for multilabel targets"),
    ],
)
def test_refuses(name, truth, scores, message):
    with pytest.raises(ValueError, match=message):
        prepare(name, truth, scores)


def test_net_benefit_by_hand():
    """TP/n - FP/n * pt/(1 - pt); an instance at the threshold is treated."""
    truth, p = np.array([1, 1, 1, 0, 0, 0, 0, 0]), np.array([0.9, 0.5, 0.1, 0.7, 0.5, 0.2, 0, 0])
    for threshold, tp, fp in ((0.5, 2, 2), (0.51, 1, 1), (0.2, 2, 3), (0.95, 0, 0)):
        found = prepare(f"net_benefit_{threshold}", truth, p)(np.ones((8, 1)))[0]
        assert found == pytest.approx(tp / 8 - fp / 8 * threshold / (1 - threshold))
    # The same instances more often: weights count as repetitions.
    often = np.array([1, 4, 2, 1, 3, 1, 1, 2])
    again = prepare("net_benefit_0.3", np.repeat(truth, often), np.repeat(p, often))
    found = prepare("net_benefit_0.3", truth, p)(often[:, None].astype(float))
    np.testing.assert_allclose(found, again(np.ones((often.sum(), 1))))


def test_net_benefit_as_scoring(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["sick", "well"], [60, 140]))
    a, b = (np.clip(0.3 + g * (y == "sick") + rng.normal(0, 0.2, 200), 0, 1) for g in (0.4, 0.2))
    options = {"y_score_a": a, "y_score_b": b, "pos_label": "sick", "random_state": 0}
    result = compare_predictions(y, None, None, scoring="net_benefit_0.25", **options)
    treated, sick = a >= 0.25, y == "sick"
    expected = np.mean(treated & sick) - np.mean(treated & ~sick) / 3
    assert result.observed_a == pytest.approx(expected)
    result.save(tmp_path / "result.npz")
    assert load_result(tmp_path / "result.npz").metric("net_benefit_0.25").hdi() == result.hdi()
    assert "less 0.333 for each false positive" in result.explain(rope=0.01)
    with pytest.raises(ValueError, match="from -1.33333 to 1.33333"):
        result.decision(rope=0.7)
    with pytest.raises(ValueError, match="threshold == 1.5, must be < 1"):
        compare_predictions(y, None, None, scoring="net_benefit_1.5", **options)
    with pytest.raises(ValueError, match="requires instance scores"):
        compare_predictions(y, y, y, scoring=net_benefit(0.2), pos_label="sick")


def test_positives_and_negatives_of_zero_weight():
    # Below the first score of an instance with a weight, there is nothing to divide by.
    rng, y = np.random.default_rng(0), np.arange(60) % 2
    scores, weights = rng.random(60), np.ones(60)
    weights[np.argsort(-scores)[:9]] = 0
    options = {"scoring": "average_precision", "n_draws": 500, "random_state": 0}
    result = score_posterior(y, None, y_score=scores, sample_weight=weights, **options)
    kept = weights > 0
    alone = score_posterior(y[kept], None, y_score=scores[kept], **options)
    assert result.observed == pytest.approx(alone.observed)
    assert np.isfinite(result.draws).all()
    assert result.draws.std() == pytest.approx(alone.draws.std(), rel=0.3)
