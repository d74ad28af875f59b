"""Table IV of Zhang et al. (2015): 20 Newsgroups, twenty classes."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from skbayeseval import compare_predictions
from skbayeseval.reproduce.report import load_published

TABLE = load_published("icdm2015_tables")["table4_bayesian"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "row", TABLE["rows"], ids=lambda row: f"{row['a']}-{row['b']}-{row['average']}"
)
def test_table_4(row, newsgroups):
    result = compare_predictions(
        newsgroups["truth"], newsgroups[row["a"]], newsgroups[row["b"]],
        scoring=f"f1_{row['average']}", model="unpaired", n_draws=50_000, random_state=0,
    )  # fmt: skip
    assert result.model == "hierarchical"
    within = 0.002 if row["b"] == "NB_Mult" else 0.003
    assert result.draws.mean() == pytest.approx(row["mean"], abs=within)
    hdi = result.hdi(TABLE["hdi_prob"])
    np.testing.assert_allclose(hdi, row["hdi"], atol=within)
    # SVM_L1 against SVM_L2 lies on the edge of the ROPE.
    low, high = TABLE["rope"]
    if min(abs(hdi.high - low), abs(hdi.low - high)) > 0.001:
        assert result.decision((low, high)).code == row["decision"]


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
