import numpy as np
import pytest

from skbayeseval.reproduce.report import Line, MissingError, Report, Table

INSIDE = Line("row 1", "mean", paper=0.1, ours=0.102, within=0.003)
OUTSIDE = Line("row 2", "mean", paper=0.1, ours=0.104, within=0.003)
SHOWN = Line("row 1", "Bayes factor", paper=0.1, ours=3.0)
SAME = Line("row 1", "decision", paper="<<", ours="<<")
OTHER = Line("row 2", "decision", paper="<<", ours="<")


@pytest.mark.parametrize(
    ("line", "inside"),
    [(INSIDE, True), (OUTSIDE, False), (SHOWN, None), (SAME, True), (OTHER, False)],
)
def test_inside(line, inside):
    assert line.inside is inside


def test_a_bound_is_inside_and_numpy_is_welcome():
    assert Line("", "", 0.1, np.float64(0.103), within=0.003).inside is True
    assert Line("", "", 0.1, np.float64(0.104), within=0.003).inside is False
    assert Line("", "", 3, 3, within=0).inside is True


def test_columns_stand_under_each_other():
    text = str(Table("Table 9", [INSIDE, OUTSIDE, SHOWN, SAME, OTHER]))
    title, head, *rows = text.splitlines()
    assert title == "Table 9"
    assert [cell.strip() for cell in head.split("|")[1:]] == [
        "published",
        "reproduced",
        "difference",
        "within",
    ]
    bars = [i for i, letter in enumerate(head) if letter == "|"]
    assert all([i for i, letter in enumerate(row) if letter == "|"] == bars for row in rows)
    assert [row.endswith("outside") for row in rows] == [False, True, False, False, True]
    assert " ".join(rows[0].split()) == "row 1 mean | 0.100 | 0.1020 | +0.0020 | 0.003"


def test_third_column_and_whole_numbers():
    lines = [
        Line("P", "P(H1)", 0.679, 0.68, third=0.95),
        Line("n", "documents", 12, 12, 0, digits=0),
    ]
    head, first, second = str(Table("Table 4", lines, third="paired")).splitlines()[1:]
    assert head.endswith("paired")
    assert first.endswith("0.9500")
    assert " ".join(second.split()).startswith("n documents | 12 | 12 | +0 | 0")


def report(tmp_path):
    texts = []
    return Report(tmp_path / "figures", texts.append), texts


def test_the_end_counts_and_explains(tmp_path):
    out, texts = report(tmp_path)
    out.table(Table("Paper, Table 1: a", [INSIDE, SHOWN, SAME]))
    out.table(Table("Paper, Table 2: b", [INSIDE, OUTSIDE, OTHER], lambda line: "a few documents"))
    out.table(Table("Paper, Table 3: c", [OUTSIDE]))
    out.table(Table("Paper, Table 4: d", [SHOWN]))
    texts.clear()
    out.close()
    text = "\n".join(texts)
    assert "Paper, Table 1: a     2 inside,   0 outside" in text
    assert "Paper, Table 4" not in text
    assert "all                   3 inside,   3 outside" in text
    explained = text.index("Outside: a few documents")
    assert explained < text.index("Paper, Table 2, row 2, mean: published 0.100, reproduced 0.1040")
    assert "Outside: not explained\n  Paper, Table 3, row 2" in text


def test_what_is_missing_is_said_and_the_rest_runs(tmp_path):
    out, texts = report(tmp_path)
    with out.step("Table 1"):
        raise MissingError("no data")
    assert out.missing == ["Table 1 skipped: no data"]
    out.close()
    assert texts == ["\nTable 1 skipped: no data", "Table 1 skipped: no data"]
    with pytest.raises(ZeroDivisionError), out.step("Table 2"):
        _ = 1 / 0


def test_figures_go_to_the_folder(tmp_path):
    from matplotlib import pyplot as plt

    out, texts = report(tmp_path)
    out.figure("one", plt.figure())
    assert (tmp_path / "figures" / "one.png").stat().st_size > 0
    assert "one.png" in texts[0]
    assert not plt.get_fignums()
