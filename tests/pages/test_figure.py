import re
import sys

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


def test_the_drawing_refers_only_to_itself():
    made = inline_svg(line, 'a "line"')
    found = Markup(made)
    assert {"svg", "path", "use"} <= set(found.tags)
    assert "style" not in found.tags  # it would apply to the whole page
    assert len(found.ids) == len(set(found.ids)) > 0
    used = found.references + [f"#{name}" for name in re.findall(r"url\(#([^)]+)\)", made)]
    assert {reference[1:] for reference in used} == set(found.ids)
    assert "http" not in made
    assert 'aria-label="a &quot;line&quot;"' in made


def test_ids_of_several_figures_differ():
    ids = [Markup(inline_svg(line, "a line")).ids for _ in range(2)]
    assert not set(ids[0]) & set(ids[1])
    ids = [Markup(inline_svg(line, "a line", prefix=prefix)).ids for prefix in "ab"]
    assert not set(ids[0]) & set(ids[1])


def test_the_same_figure_is_the_same_text():
    assert inline_svg(line, "a line", prefix="a") == inline_svg(line, "a line", prefix="a")


def test_black_follows_the_page_and_white_text_stays():
    made = inline_svg(line, "a line")
    assert "#000000" not in made
    assert "#555555" not in made
    assert "currentColor" in made
    assert re.search(r'<g [^>]*style="fill: #ffffff', made)  # the white text
    assert not re.search(r'<path [^>]*style="fill: #ffffff', made)  # the ground of the legend


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
    assert "<svg" in inline_svg(lambda ax: ax.set_title("分類器"), "a title")
