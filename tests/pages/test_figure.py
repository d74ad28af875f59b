import sys
from base64 import b64decode

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from skbayeseval._html import inline_svg
from tests.pages.markup import Markup


def line(ax):
    ax.plot([0, 1], [0, 1], "o-", color="black", label="<b>$x$</b>")
    ax.fill_between([0, 1], [0, 1], color="#555555")
    ax.text(0, 0.5, "white", color="white")
    ax.legend(facecolor="white")


def test_no_state_of_matplotlib_changes():
    before, figures = dict(mpl.rcParams), plt.get_fignums()
    inline_svg(line, "a line")
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == figures


def drawing(made):
    (source,) = Markup(made).references
    kind, data = source.split(",")
    assert kind == "data:image/svg+xml;base64"
    return b64decode(data).decode()


def test_the_drawing_is_in_the_page():
    made = inline_svg(line, 'a "line"')
    assert "<svg" in drawing(made)
    assert 'alt="a &quot;line&quot;"' in made


def test_the_same_figure_is_the_same_text():
    assert inline_svg(line, "a line") == inline_svg(line, "a line")


@pytest.mark.parametrize("module", ["matplotlib", "matplotlib.figure"])
def test_without_matplotlib_there_is_a_note(monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    if module == "matplotlib":
        monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    made = inline_svg(line, "a line")
    assert made.startswith("<p>The figure could not be drawn")


def test_a_figure_that_fails_leaves_a_note():
    def fail(ax):
        raise RuntimeError("<no>")

    assert inline_svg(fail, "nothing") == "<p>The figure could not be drawn: &lt;no&gt;</p>"


def test_missing_characters_do_not_warn():
    assert "<svg" in drawing(inline_svg(lambda ax: ax.set_title("分類器"), "a title"))
