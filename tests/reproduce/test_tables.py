import numpy as np
import pytest

from skbayeseval.reproduce.tables import Line, MissingError, Report, Table

INSIDE = Line("row 1", "mean", paper=0.1, ours=0.102, within=0.003)
OUTSIDE = Line("row 2", "mean", paper=0.1, ours=0.104, within=0.003)
SHOWN = Line("row 1", "Bayes factor", paper=0.1, ours=3.0)
SAME = Line("row 1", "decision", paper="<<", ours="<<")
OTHER = Line("row 2", "decision", paper="<<", ours="<")


def test_a_bound_is_inside_and_numpy_is_welcome():
    assert Line("", "", 0.1, np.float64(0.103), within=0.003).inside is True
    assert Line("", "", 0.1, np.float64(0.104), within=0.003).inside is False
    assert Line("", "", 3, 3, within=0).inside is True


def test_columns_stand_under_each_other():
    text = str(Table("Table 9", [INSIDE, OUTSIDE, SHOWN, SAME, OTHER]))
    title, head, *rows = text.splitlines()
    assert title == "Table 9"
    assert head.split() == ["row", "column", "published", "reproduced", "difference", "within"]
    assert [row.endswith("outside") for row in rows] == [False, True, False, False, True]
    assert rows[0].split() == ["row", "1", "mean", "0.100", "0.1020", "+0.0020", "0.003"]
    assert rows[0].index("0.1020") + 6 == head.index("reproduced") + 10


def report(tmp_path):
    texts = []
    return Report(tmp_path / "figures", texts.append), texts


def test_the_end_counts_and_explains(tmp_path):
    out, texts = report(tmp_path)
    out.table(Table("Paper, Table 1: a", [INSIDE, SHOWN, SAME]))
    svm = Line("SVM_L1", "mean", paper=0.1, ours=0.104, within=0.003)
    out.table(Table("ICDM 2015, Table II: b", [INSIDE, svm]))
    out.table(Table("Paper, Table 3: c", [OUTSIDE, OTHER]))
    out.table(Table("Paper, Table 4: d", [SHOWN]))
    texts.clear()
    out.close()
    text = "\n".join(texts)
    counts = {row.rsplit(None, 2)[0]: row.split()[-2:] for row in texts[0].splitlines()[3:]}
    assert counts["Paper, Table 1: a"] == ["2", "0"]
    assert "Paper, Table 4: d" not in counts
    assert counts["all"] == ["3", "3"]
    assert "Outside: the predictions of SVM_L1" in text
    assert "ICDM 2015, Table II, SVM_L1, mean: published 0.100, reproduced 0.1040" in text
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
