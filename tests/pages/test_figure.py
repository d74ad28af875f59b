from base64 import b64decode

import matplotlib as mpl
import matplotlib.pyplot as plt

from skbayeseval._html import inline_svg
from tests.pages.markup import Markup


def line(ax):
    ax.plot([0, 1], [0, 1], "o-", color="black", label="<b>$x$</b>")
    ax.fill_between([0, 1], [0, 1], color="#555555")
    ax.plot([1, 0], [0, 1], rasterized=True)
    ax.text(0, 0.5, "white", color="white")
    ax.legend(facecolor="white")


def drawing(made):
    (source,) = Markup(made).references
    kind, data = source.split(",")
    assert kind == "data:image/svg+xml;base64"
    return b64decode(data).decode()


def test_the_drawing_is_in_the_page_and_changes_nothing():
    before, figures = dict(mpl.rcParams), plt.get_fignums()
    made = inline_svg(line, 'a "line"')
    assert "<svg" in drawing(made)
    assert 'alt="a &quot;line&quot;"' in made
    assert inline_svg(line, 'a "line"') == made
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == figures


def test_a_figure_that_fails_leaves_a_note():
    def fail(ax):
        raise RuntimeError("<no>")

    assert inline_svg(fail, "nothing") == "<p>The figure could not be drawn: &lt;no&gt;</p>"


def test_missing_characters_do_not_warn():
    assert "<svg" in drawing(inline_svg(lambda ax: ax.set_title("分類器"), "a title"))
