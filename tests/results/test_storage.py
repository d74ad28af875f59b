import json

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    ComparisonResult,
    ScoreResult,
    bayesian_cross_validate,
    compare_predictions,
    compare_scores,
    load_result,
    metrics,
)


def round_trip(result, tmp_path):
    result.save(tmp_path / "file")
    return ComparisonResult.load(tmp_path / "file")


def test_a_function_of_ones_own_leaves_its_draws(votes, tmp_path):
    false_alarms = metrics.from_confusion(lambda t: -t[..., 0, 1], "false_alarms")
    result = compare_predictions(*votes, scoring=false_alarms, random_state=0)
    result.save(tmp_path / "file")
    again = load_result(tmp_path / "file")
    assert again.summary(rope=0.01).equals(result.summary(rope=0.01))
    assert np.isnan(again.summary(rope=0.01, bayes_factor=True).loc["false_alarms", "bf"])
    with pytest.raises(
        ValueError, match="a user-supplied function, which is not stored in the file"
    ):
        again.bayes_factor(rope=0.01)
    np.testing.assert_array_equal(again.metric(false_alarms).draws, result.draws)


class Chooser(GaussianNB):
    """Chooses parameters as a search does."""

    def fit(self, X, y):
        self.best_params_ = CHOSEN
        return super().fit(X, y)


CHOSEN = {
    "missing": np.nan,
    "limits": (-np.inf, np.inf),
    "nested": [(1, (2, 3)), [], (), {"a": None, "b": True}],
    "class_weight": {0: 1.0, 1: 2.5, (1, 2): "x", "<tuple>": [1]},
    "numpy": [np.float64(0.1), np.float32(0.1), np.int64(3), np.bool_(True), np.str_("a")],
    "array": np.array([1.5, np.nan]),
}


def test_chosen_parameters_come_back(tmp_path):
    X, y = make_classification(60, random_state=0)
    result = bayesian_cross_validate(Chooser(), GaussianNB(), X, y, n_draws=200, random_state=0)
    again = round_trip(result, tmp_path)
    assert again.to_dict() == result.to_dict()
    json.dumps(result.to_dict(), allow_nan=False)
    found = again.cv_results["Chooser"]["best_params"]
    assert len(found) == 6
    for chosen in found:
        assert list(chosen) == list(CHOSEN)
        assert np.isnan(chosen["missing"])
        np.testing.assert_array_equal(chosen["array"], CHOSEN["array"])
        for key in ("limits", "nested", "class_weight", "numpy"):
            assert chosen[key] == CHOSEN[key]
            assert type(chosen[key]) is type(CHOSEN[key])
        assert list(map(type, chosen["numpy"])) == list(map(type, CHOSEN["numpy"]))


def test_mean_split_scores_beyond_the_bounds_of_the_metric(tmp_path):
    result = compare_scores([0.99, 0.98, 1.0], [0.97, 1.0, 0.98], test_fraction=0.2, scoring="f1")
    assert result._posterior.draws(result._metrics["f1"]).max() > 1
    np.testing.assert_array_equal(round_trip(result, tmp_path).draws, result.draws)


def test_wrong_files(votes, tmp_path):
    (tmp_path / "text").write_text("nothing")
    (tmp_path / "empty").write_bytes(b"")
    np.savez(tmp_path / "other.npz", x=np.ones(3))
    np.save(tmp_path / "array.npy", np.ones(3))
    for name in ("text", "empty", "other.npz", "array.npy"):
        with pytest.raises(ValueError, match="is not a valid result file"):
            load_result(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        load_result(tmp_path / "missing")
    compare_predictions(*votes, random_state=0).save(tmp_path / "file")
    with pytest.raises(ValueError, match="contains a ComparisonResult, not a ScoreResult"):
        ScoreResult.load(tmp_path / "file")
