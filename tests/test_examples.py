import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


# Examples that take more than about two seconds are run by `make docs` alone.
SLOW = {
    "plot_altering_the_model",
    "plot_any_metric",
    "plot_chunking_with_counts",
    "plot_few_positives",
    "plot_forecasts",
    "plot_fraud_costs",
    "plot_planning_a_test_set",
    "plot_ranking_classifiers",
    "plot_regressors",
    "plot_roc_auc",
    "plot_scores_of_any_kind",
    "plot_several_data_sets",
    "plot_trusting_cross_validation",
    "plot_what_a_search_found",
}


@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.stem not in SLOW], ids=lambda path: path.stem
)
def test_runs(path, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path))
    printed = capsys.readouterr().out
    assert "95% interval" in printed or "HDI" in printed
