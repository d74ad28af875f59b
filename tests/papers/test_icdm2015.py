"""Pairs on the 20 Newsgroups of Zhang et al. (2015); their tables are in tests/reproduce."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from skbayeseval import compare_predictions


@pytest.mark.slow
def test_pairing_narrows(newsgroups):
    # The bootstrap over test documents knows nothing of the model.
    y, a, b = (newsgroups[name] for name in ("truth", "NB_Mult", "SVM_L2"))
    paired, unpaired = (
        compare_predictions(y, a, b, scoring="f1_macro", model=model, random_state=0).draws
        for model in ("paired", "unpaired")
    )
    rng = np.random.default_rng(0)
    boot = []
    for _ in range(1000):
        rows = rng.integers(0, len(y), len(y))
        scores = [f1_score(y[rows], p[rows], average="macro") for p in (a, b)]
        boot.append(scores[0] - scores[1])
    print(
        f"sd paired {paired.std():.4f}, unpaired {unpaired.std():.4f}, bootstrap {np.std(boot):.4f}"
    )
    assert paired.mean() == pytest.approx(unpaired.mean(), abs=0.001)
    assert paired.std() == pytest.approx(0.0049, rel=0.05)
    assert paired.std() == pytest.approx(np.std(boot), rel=0.10)
