import pandas as pd
import pytest

from skbayeseval import _html as elements
from tests.pages.markup import Markup

EVIL = "<script>alert('1')</script> & \"more\""


@pytest.mark.parametrize(
    "made",
    [
        elements.text(EVIL),
        elements.paragraphs(EVIL),
        elements.lines(EVIL),
        elements.note(EVIL),
        elements.listed([(EVIL, EVIL)]),
        elements.frame_table(pd.DataFrame({EVIL: [EVIL]}, pd.Index([EVIL], name=EVIL)), EVIL),
        elements.section(EVIL, elements.text(EVIL)),
        elements.shares([(EVIL, 0.4, EVIL)]),
    ],
)
def test_text_is_never_markup(made):
    found = Markup(made)
    assert "script" not in found.tags
    assert EVIL in found.text


def test_blank_lines_separate_paragraphs():
    assert elements.paragraphs("a\nb\n\n\nc\n") == "<p>a b</p><p>c</p>"


def test_a_table_has_all_cells_in_order():
    index = pd.Index(["a", "b"], name="name")
    made = Markup(elements.html_table(pd.DataFrame({"x": [1, 3], "y": [2, 4]}, index)))
    assert made.text == "name x y a 1 2 b 3 4"
    assert made.tags.count("tr") == 3


def test_an_empty_section_is_left_out():
    assert elements.section("title", "", "") == ""


def test_bars_are_as_wide_as_their_shares():
    found = elements.shares([("a <b> 25.0%", 0.25, "red"), ("c", 0.75, "blue")])
    assert 'width:25.00%;background:red"' in found
    assert "a &lt;b&gt; 25.0%" in found
