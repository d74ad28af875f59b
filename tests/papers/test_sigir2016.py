"""Tables 3 to 6 of Zhang et al. (2016)."""

import numpy as np
import pytest

from skbayeseval import compare_predictions, power_analysis
from skbayeseval.judgement.frequentist import mcnemar, two_proportion_z
from skbayeseval.models import Paired
from skbayeseval.reproduce.report import load_published

TABLE_3 = load_published("sigir2016_table_3")
TABLES_4_5_6 = load_published("sigir2016_tables_4_5_6")["tables"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a", "b"])
def test_table_3(name):
    scenario = TABLE_3["scenarios"][name]
    runs, models = 2000, ["unpaired", "paired"]
    found = power_analysis(
        {"mu": TABLE_3["mu"], "theta+": scenario["theta_pos"], "theta-": scenario["theta_neg"]},
        TABLE_3["dataset_size"],
        rope=TABLE_3["rope"],
        goal=scenario["goal"],
        model=["unpaired", Paired()],
        n_replications=runs,
        random_state=1,
    )
    ours = found.table.pivot(index="size", columns="model", values="power")
    for model in models:
        printed = np.array(TABLE_3["power"][name][model])
        # The paper does not tell how many runs its powers stand on; 200 is a guess.
        error = np.sqrt(printed * (1 - printed) * (1 / runs + 1 / 200))
        outside = np.abs(ours[model] - printed) > 3 * error + 0.01
        assert not outside.any(), (name, model, ours.index[outside].tolist())


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES_4_5_6)
def test_tables_4_to_6(table, newsgroups):
    a, b = TABLES_4_5_6[table]["a"], TABLES_4_5_6[table]["b"]
    within = 0.003 if table == "table4" else 0.004
    for row in TABLES_4_5_6[table]["rows"]:
        truth, predicted_a, predicted_b = (
            newsgroups[name] == row["category"] for name in ("truth", a, b)
        )
        result = compare_predictions(
            truth,
            predicted_a,
            predicted_b,
            scoring="f1",
            model=Paired(),
            n_draws=400_000,
            random_state=0,
        )
        assert result.draws.mean() == pytest.approx(row["mean"], abs=within), row
        assert result.draws.std() == pytest.approx(row["std"], abs=0.0015), row
        # Where a printed end lies on the edge of the ROPE, noise decides on which side.
        if np.abs(np.abs(row["hdi"]) - 0.05).min() > 0.004:
            assert result.decision(0.05).code == row["decision"], row
        if row["bf_sd"] > 0.5:
            # Where 0 lies in a tail the factor moves fast with the mean: category 16 of Table 5
            # is 0.95, 22% from print, and by 50,000 draws it strays from 0.85 to 1.02.
            factor = result.bayes_factor(method="kde")
            assert factor.value == pytest.approx(row["bf_sd"], rel=0.25), row


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES_4_5_6)
def test_p_values_of_tables_4_to_6(table, newsgroups):
    # The p-values of a near tie move by 0.06 with one document, and SVM_L1's predictions differ
    # in 3 to 7 of the 7532 documents between seeds of its solver: for Table 5 two documents of a
    # category may have been decided otherwise.
    moved = 2 if table == "table5" else 0
    a, b = TABLES_4_5_6[table]["a"], TABLES_4_5_6[table]["b"]
    for row in TABLES_4_5_6[table]["rows"]:
        vectors = [newsgroups[name] == row["category"] for name in ("truth", a, b)]
        found = compare_predictions(*vectors, n_draws=100, random_state=0).frequentist()
        if not moved:
            assert found["pvalue"]["sign test"] == pytest.approx(row["sign_test_p"], abs=0.001), row
            assert found["pvalue"]["two-proportion z, ignoring pairs"] == pytest.approx(
                row["t_test_p"], abs=0.001
            )
            continue
        only_a, n = found.loc["sign test", ["statistic", "n"]].astype(int)
        shifts = [(i, j) for i in range(-2, 3) for j in range(-2, 3) if abs(i) + abs(j) <= moved]
        sign = [mcnemar(only_a + i, n - only_a + j).pvalue for i, j in shifts]
        assert np.abs(np.array(sign) - row["sign_test_p"]).min() < 0.001, row
        right = [int(np.sum(vectors[0] == predicted)) for predicted in vectors[1:]]
        size = len(vectors[0])
        z = [two_proportion_z(right[0] + i, size, right[1], size).pvalue for i in range(-2, 3)]
        assert np.abs(np.array(z) - row["t_test_p"]).min() < 0.001, row
