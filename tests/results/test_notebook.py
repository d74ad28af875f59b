import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from skbayeseval import compare_many, power_analysis
from skbayeseval.judgement.decision import format_probability
from tests.pages.markup import Markup
from tests.results import many


@pytest.fixture(scope="module", params=[*many.COMPARISONS, "ranking", "score"])
def result(request):
    return getattr(many, request.param)()


def test_a_sentence_a_table_and_a_figure(result):
    before, figures = dict(mpl.rcParams), plt.get_fignums()
    made = result._repr_html_()
    # No state of matplotlib changes.
    assert (dict(mpl.rcParams), plt.get_fignums()) == (before, figures)
    found = Markup(made)
    assert found.tags.count("table") == 1
    assert found.tags.count("img") == 1
    assert "script" not in found.tags
    assert all(one.startswith("data:image/svg+xml;base64,") for one in found.references)
    assert "http" not in made
    assert "nan" not in found.text.split()
    assert result._answer(None).headline in found.text
    assert len(made) < 100_000


def test_the_table_shows_the_numbers_of_the_result():
    result = many.two_metrics()
    text = Markup(result._repr_html_()).text
    for name in result.metrics:
        low, high = (
            f"{end:+.3f}".replace("-", "\N{MINUS SIGN}") for end in result.hdi(metric=name)
        )
        assert f"{low} to {high}" in text
        assert f"A {format_probability(result.probability(metric=name).better)}" in text
    assert f"{result.observed_a:.3f} {result.observed_b:.3f}" in text
    ranking = many.ranking()
    text = Markup(ranking._repr_html_()).text
    for name, row in ranking.table.iterrows():
        assert f"{name} {row['observed']:.3f} " in text
        assert f") {format_probability(row['p_best'])} " in text


def test_decisions_stay_text():
    result = many.named_by_a_villain()
    y, a, b = many.votes()
    ranking = compare_many(y, {many.EVIL: a, "b": b, "c": y}, random_state=0)
    for made, said in (
        (result.decision(0.01), "ROPE"),
        (result.non_inferiority(0.01), "with probability"),
        (result.superiority(), "with probability"),
        (result.expected_loss(0.01), "expected loss"),
        (ranking.decision(0.01), "ROPE"),
    ):
        found = Markup(made._repr_html_())
        assert "script" not in found.tags
        assert said in found.text
        for line in str(made).splitlines():
            assert " ".join(line.split()) in found.text


def test_a_power_analysis():
    cells = {"mu": 0.5, "theta+": [0.3, 0.3, 0.2, 0.2], "theta-": [0.2, 0.2, 0.3, 0.3]}
    models = ["paired", "unpaired"]
    found = power_analysis(
        cells, [20, 40], rope=0.05, goal=">>", model=models, n_replications=10, random_state=0
    )
    made = Markup(found._repr_html_())
    assert made.tags.count("img") == made.tags.count("table") == 1
    for line in str(found).splitlines():
        if line.endswith((":", ".")):
            assert line in made.text


def test_without_matplotlib_the_rest_is_shown(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    made = many.settled()._repr_html_()
    assert "img" not in Markup(made).tags
    assert "Prefer new: better than old by " in made
    assert "could not be drawn" in made
