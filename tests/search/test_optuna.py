"""Trials of a study of Optuna are candidates of a search."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from skbayeseval import report_search

optuna = pytest.importorskip("optuna")

X, Y = load_iris(return_X_y=True)
GRID = {"n_neighbors": [1, 5, 100], "p": [1, 2]}
OPTIONS = {"rope": 0.05, "test_fraction": 0.2, "random_state": 0}


def objective(trial):
    model = KNeighborsClassifier(
        n_neighbors=trial.suggest_categorical("n_neighbors", GRID["n_neighbors"]),
        p=trial.suggest_categorical("p", GRID["p"]),
    )
    if trial.number == 6:
        raise optuna.TrialPruned
    scores = cross_val_score(model, X, Y, cv=5)
    trial.set_user_attr("fold_scores", scores.tolist())
    return scores.mean()


@pytest.fixture
def study():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    for neighbors in GRID["n_neighbors"]:
        for p in GRID["p"]:
            study.enqueue_trial({"n_neighbors": neighbors, "p": p})
    study.optimize(objective, n_trials=7)
    optuna.logging.set_verbosity(before)
    return study


def test_a_study_says_what_a_search_of_the_same_candidates_does(study):
    search = GridSearchCV(KNeighborsClassifier(), GRID, cv=5).fit(X, Y)
    expected = report_search(search, **OPTIONS).summary()
    # With the columns of Optuna's own table, where a trial that was pruned has no scores.
    table = study.trials_dataframe(attrs=("params", "user_attrs", "state"))
    table.columns = table.columns.str.replace("params_", "param_")
    scores = table["user_attrs_fold_scores"]
    for split in range(5):
        table[f"split{split}_test_accuracy"] = [
            np.nan if state == "PRUNED" else of_one[split]
            for state, of_one in zip(table["state"], scores, strict=True)
        ]
    report = report_search(table, **OPTIONS)
    assert report.failed == (6,)
    pd.testing.assert_frame_equal(report.summary(), expected, check_dtype=False)
