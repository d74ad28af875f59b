import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_many, compare_predictions, score_posterior
from skbayeseval.models import Paired
from skbayeseval.results.text_tables import markdown_table

Y = np.array([1] * 60 + [0] * 90)
GOOD, FAIR, POOR = (np.where(np.arange(150) % step == 0, 1 - Y, Y) for step in (25, 12, 4))


def cells(markdown):
    """Return the header and the rows of a Markdown table."""
    header, _, *rows = [line.strip("| ").split(" | ") for line in markdown.splitlines()]
    return header, rows


@pytest.fixture(scope="module")
def result():
    return compare_predictions(
        Y,
        FAIR,
        POOR,
        scoring=["f1", "accuracy"],
        model=Paired(),
        names=("new_1", "old"),
        random_state=0,
    )


COLUMNS = ["metric", "new_1", "old", "mean", "std"]
COLUMNS += ["P(worse)", "P(in ROPE)", "P(better)", "95% interval", "decision"]


def test_columns_of_the_papers(result):
    header, rows = cells(result.to_markdown(0.1))
    assert header == COLUMNS
    assert [row[0] for row in rows] == ["f1", "accuracy"]
    row, summary = dict(zip(header, rows[1], strict=True)), result.summary(0.1).loc["accuracy"]
    seen = result.metric("accuracy")
    assert float(row["new_1"]) == pytest.approx(seen.observed_a, abs=0.0005)
    assert float(row["old"]) == pytest.approx(np.mean(POOR == Y), abs=0.0005)
    assert float(row["mean"]) == pytest.approx(summary["mean"], abs=0.0005)
    assert row["std"] == f"{summary['sd']:.3f}"
    low, high = map(float, re.findall(r"[-\d.]+", row["95% interval"]))
    assert (low, high) == pytest.approx(tuple(seen.hdi()), abs=0.0005)
    assert row["P(better)"] == f"{summary['p_better']:.1%}"
    assert row["P(in ROPE)"] == f"{summary['p_rope']:.1%}"
    assert row["decision"] == "not settled"
    assert seen.decision(0.1).code == ">"
    assert cells(result.to_markdown((-0.01, 0.01)))[1][1][-1] == "≫"
    header, rule = result.to_markdown().splitlines()[:2]
    assert "P(equal)" not in header  # since its probability is 0
    assert rule.startswith("| --- | ---: |")


LABELS = {"roc_auc": "ROC AUC", "neg_brier_score": "Brier score"}
SCORES = [np.clip(Y + np.random.default_rng(0).normal(0, sd, 150), 0, 1) for sd in (0.3, 0.6)]


@pytest.fixture(scope="module")
def scored():
    scores = dict(zip(("y_score_a", "y_score_b"), SCORES, strict=True))
    return compare_predictions(Y, None, None, **scores, scoring=list(LABELS), random_state=0)


def test_labels_turn_losses_the_right_way_round(scored):
    ropes = dict.fromkeys(LABELS, 0.01)
    (auc, loss), (auc_labelled, brier) = (
        cells(scored.to_markdown(ropes, labels=which))[1] for which in (None, LABELS)
    )
    assert auc_labelled == ["ROC AUC", *auc[1:]]
    assert brier[0] == "Brier score"
    assert [float(one) for one in brier[1:4]] == [-float(one) for one in loss[1:4]]
    assert brier[4:-2] == loss[4:-2]  # the sd, and what is said of worse and better
    low, high = map(float, re.findall(r"[-\d.]+", loss[-2]))
    assert brier[-2] == f"[{-high}, {-low}]"
    assert brier[-1] == loss[-1] == "≫"
    alone = score_posterior(Y, None, y_score=SCORES[0], scoring="neg_brier_score", random_state=0)
    (row,) = cells(alone.to_markdown(labels=LABELS))[1]
    assert row[0] == "Brier score"
    assert float(row[1]) == pytest.approx(float(brier[1]), abs=0.001)
    with pytest.raises(TypeError, match="labels must be a dict .* got 'Brier score'"):
        alone.to_latex(labels="Brier score")


def test_one_rope_for_two_scales_is_warned_of_once(scored, tmp_path):
    report = partial(scored.report, tmp_path / "page.html")
    for ask in (scored.summary, scored.to_markdown, scored.explain, report):
        with pytest.warns(UserWarning, match="rope=0.02 is used for 2 metrics") as caught:
            ask(0.02)
        assert len(caught) == 1
        ask({"roc_auc": 0.02, "neg_brier_score": 0.005})
    scored.decision(0.02)


def test_ranking():
    ranking = compare_many(
        Y, {"fair": FAIR, "poor": POOR, "good": GOOD, "wrong": 1 - Y}, random_state=0
    )
    header, rows = cells(ranking.to_markdown(0.05))
    columns = ["classifier", "observed", "estimate", "std", "95% interval", "P(best)", "rank"]
    assert header == [*columns, "P(equivalent)", "decision"]
    assert cells(ranking.to_markdown())[0] == columns
    table, decision = ranking.table, ranking.decision(0.05)
    assert [row[0] for row in rows] == list(table.index)
    assert rows[0][0] == "good"
    for row, (name, values) in zip(rows, table.iterrows(), strict=True):
        assert list(map(float, row[1:3])) == pytest.approx(
            list(values[["observed", "mean"]]), abs=5e-4
        )
        groups = {"≈": decision.equivalent, "not settled": decision.open, "≪": decision.worse}
        assert name in groups[row[-1]]
    assert rows[-1][-1] == "≪"
    sd = ranking._scores.values(ranking._metric(None))[2].sd
    assert float(rows[0][3]) == pytest.approx(sd, rel=0.06)
    assert decision.open
    alone = compare_many(Y, {"good": GOOD, "wrong": 1 - Y}, random_state=0)
    assert [row[-1] for row in cells(alone.to_markdown(0.05))[1]] == ["best", "≪"]


AWKWARD = (
    "R&D_50%",
    "<script>alert(1)</script>",
    "a|b",
    "[CLS]",
    "*best*",
    "$x^2$ {y} ~ #1",
    r"C:\new",
    "k--NN---2",
    "[text](link) &amp; `code` _em_",
    "two\nlines",
)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a|b", r"a\|b"),
        ("<script>", r"\<script>"),
        ("_em_", r"\_em\_"),
        ("*em*", r"\*em\*"),
        ("[x](y)", r"[x\](y)"),
        ("&amp;", r"\&amp;"),
        ("two\nlines", "two lines"),
    ],
)
def test_markdown_escapes_markup(name, written):
    assert f"| {written} |" in markdown_table(pd.DataFrame({"x": ["1"]}, index=[name]))


@pytest.fixture(scope="module")
def documents():
    """Return tables with awkward names, the first with the columns of Table 4 of SIGIR 2016."""
    categories = {f"category {name}": "accuracy" for name in AWKWARD}
    options = {"random_state": 0, "n_draws": 2000}
    table_4 = compare_predictions(
        Y, FAIR, POOR, scoring=categories, names=("NB_Bern", "[NB] & Mult"), **options
    )
    ranking = compare_many(
        Y, {"*best*": GOOD, "[CLS] a_b": FAIR, "<script>": POOR, r"C:\x": 1 - Y}, **options
    )
    single = score_posterior(Y, GOOD, **options)
    return [
        table_4.to_latex(0.05),
        table_4.metric("f1").to_latex(mcse=True),
        ranking.to_latex(0.05, mcse=True),
        single.to_latex(),
    ]


def test_latex_has_one_cell_per_column(documents):
    for table in documents:
        lines = table.splitlines()
        sides = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", lines[0])[1]
        assert (lines[1], lines[3], lines[-2]) == (r"\toprule", r"\midrule", r"\bottomrule")
        for line in [lines[2], *lines[4:-2]]:
            assert len(re.split(r"(?<!\\)&", line)) == len(sides)
            assert line.endswith(r" \\")
            assert line[0] not in "[*"
