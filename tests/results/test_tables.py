import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_many, compare_predictions, score_posterior
from skbayeseval.results.text_tables import markdown_table

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
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    good, poor, fair = (np.where(rng.random(300) < share, 1 - y, y) for share in (0.1, 0.2, 0.12))
    categories = {f"category {name}": "accuracy" for name in AWKWARD}
    options = {"random_state": 0, "n_draws": 2000}
    table_4 = compare_predictions(
        y, fair, poor, scoring=categories, names=("NB_Bern", "[NB] & Mult"), **options
    )
    ranking = compare_many(
        y, {"*best*": good, "[CLS] a_b": fair, "<script>": poor, r"C:\x": 1 - y}, **options
    )
    single = score_posterior(y, good, **options)
    return [
        table_4.to_latex(0.05),
        table_4.metric("f1").to_latex(mcse=True),
        ranking.to_latex(0.05, mcse=True),
        single.to_latex(),
    ]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(documents, tmp_path):
    head = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\\tiny\\noindent\n"
    text = head + "\n\n\\bigskip\\noindent\n".join(documents) + "\n\\end{document}\n"
    (tmp_path / "tables.tex").write_text(text, encoding="utf-8")
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert run.returncode == 0, run.stdout[-2000:]
    assert (tmp_path / "tables.pdf").stat().st_size > 10_000
    assert "Missing character" not in (tmp_path / "tables.log").read_text(errors="replace")


def test_latex_has_one_cell_per_column(documents):
    for table in documents:
        lines = table.splitlines()
        sides = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", lines[0])[1]
        assert (lines[1], lines[3], lines[-2]) == (r"\toprule", r"\midrule", r"\bottomrule")
        for line in [lines[2], *lines[4:-2]]:
            assert len(re.split(r"(?<!\\)&", line)) == len(sides)
            assert line.endswith(r" \\")
            assert line[0] not in "[*"
