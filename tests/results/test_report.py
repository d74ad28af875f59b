"""What `explain`, notebooks and pages say: it follows from the decisions, and from nothing else."""

import platform
import re
import sys
from importlib.metadata import version

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import skbayeseval
from skbayeseval import (
    Ranking,
    compare_counts,
    compare_items,
    compare_many,
    compare_predictions,
    metrics,
    score_posterior,
)
from skbayeseval.metrics.registry import in_headings
from tests.pages.markup import Markup
from tests.results import many

# A metric of one's own is on a scale of its own; test_rope.py is about this warning.
pytestmark = pytest.mark.filterwarnings("ignore:rope=.* is used for")

MORE = "More labelled instances could settle it; required_sample_size estimates how many."
SECTIONS = ["Evidence", "Model and prior", "Computation", "Posterior"]
ENDS = ["hdi_low", "hdi_high"]
FIRST = ["What this means", "What it applies to", "What would settle it"]


def headline(result, *rope):
    return result.explain(*rope).partition("\n\n")[0]


def test_settled_beyond_the_rope():
    words = headline(many.made("settled"), 0.01)
    result = many.made("settled")
    said = str(result).splitlines()[0].rstrip(".")
    assert said == "new is better than old on F1 (probability more than 99.9%)"
    assert words == f"Choose new: {said}, and by more than 0.01."
    mirror = compare_counts((700, 150, 260), (900, 50, 60), names=("old", "new"), random_state=0)
    assert headline(mirror, 0.01) == words
    assert headline(result) == f"Prefer new: {said}."
    inside = result.draws.mean()
    words = headline(result, inside)
    assert words == f"Prefer new: {said}, but not settled whether by more than {inside:.4g}."


@pytest.mark.parametrize("rope", [None, 0.01, (-0.02, 0.01), (0.01, 0.03)])
def test_nothing_is_advised_that_is_not_settled(rope):
    result = many.made("open_question")
    words = headline(result, rope)
    assert (
        re.match("Not settled|New is probably|No clear|New minus", words) or "ot settled" in words
    )
    assert not {"Choose", "Prefer", "Either"} & set(words.replace(":", "").split())


def test_metrics_that_disagree_give_no_advice():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    eager, shy = (np.where(rng.random(2000) < 0.3, k, y) for k in (1, 0))
    result = compare_predictions(
        y, eager, shy, names=("eager", "shy"), scoring=["recall", "precision"], random_state=0
    )
    words = headline(result, 0.01)
    assert words.startswith("Eager is better than shy on recall (probability ")
    assert "; shy is better than eager on precision (probability " in words
    assert headline(result.metric("recall"), 0.01).startswith("Choose eager: ")
    # Each metric has its own ROPE.
    first, *_, last = many.made("two_metrics").explain({"accuracy": 0.02, "f1": 0.07}).split("\n\n")
    assert "more than 0.02" in first
    assert last == MORE


def test_no_other_rope_is_advised_after_a_look():
    """It would be chosen for what it settles."""
    result = many.made("settled")
    last = result.explain(float(np.mean(result.hdi()))).split("\n\n")[-1]
    assert last == MORE


def test_losses_lose_their_sign():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    a, b = (np.clip(y * s + rng.normal(0.5 - s / 2, 0.2, 300), 0.01, 0.99) for s in (0.6, 0.2))
    result = compare_predictions(
        y, None, None, y_score_a=a, y_score_b=b, scoring="neg_log_loss", random_state=0
    )
    assert headline(result).startswith("Prefer A: A is better than B on log loss (probability ")
    observed = f"A {-result.observed_a:.4f}, B {-result.observed_b:.4f}"
    assert f"Observed: {observed}." in result.explain()
    assert f"(observed: {observed})" in str(result)
    alone = score_posterior(y, None, y_score=a, scoring="neg_log_loss", random_state=0)
    right = metrics.resampled(lambda true, said: np.mean(true == said), name="right")
    no_scores = compare_predictions(y, y, y, scoring=right, n_draws=100, random_state=0)
    with pytest.raises(ValueError, match="kind='roc' requires instance scores.* predict_proba or"):
        no_scores.plot("roc")
    perfect = compare_predictions(y + 0.5, y + 0.5, y, scoring="neg_mean_absolute_error")
    assert "observed: A 0.0000, B 0.5000" in str(perfect)
    low, high = alone.hdi()
    assert f"log loss of A lies between {-high:.4f} and {-low:.4f} with" in str(alone)


def test_rankings():
    ranking = many.made("ranking")
    assert ranking.decision(0.015).best_alone == "first"
    assert headline(ranking, 0.015) == (
        "Choose first: better than the other 2 on accuracy by more than 0.015."
    )
    x, y = np.arange(60), np.arange(60) % 2
    wrong = {"a": x < 4, "b": x > 54, "c": x >= 0}
    few = compare_many(y, {k: np.where(bad, 1 - y, y) for k, bad in wrong.items()}, random_state=0)
    assert set(few.decision(0.01).open) == {"a", "b"}
    p_best = few.table["p_best"]
    assert headline(few, 0.01) == (
        f"No clear winner of 3 on accuracy ({p_best.index[0]} the best with probability "
        f"{100 * p_best.iloc[0]:.1f}%); worse by more than 0.01: c."
    )


def test_no_two_metrics_have_the_same_heading():
    known = metrics.known_metrics()
    called = {in_headings(metrics.get_metric(name)) for name in known}
    assert len(called) == len(known)
    assert not [word for word in called if "_" in word]
    own = metrics.from_confusion(lambda t: t[..., 0, 0], "neg_my_own")
    assert in_headings(own) == "neg_my_own"
    assert in_headings(metrics.per_class("f1").of(["a_b", "c"])[0]) == "F1 of a_b"


@pytest.mark.parametrize("case", many.COMPARISONS)
def test_what_is_explained_are_sentences_that_tell_decisions(case):
    comparison = many.made(case)
    for rope in (None, 0.0, 0.02, (-0.05, 0.01)):
        words = comparison.explain(rope)
        for paragraph in words.split("\n\n"):
            assert re.fullmatch(r"\S.*\.", paragraph), paragraph
            wrong = r"  |\bnan\b|None|\{|\+-|--|HDI|posterior"
            assert not re.search(wrong, paragraph), paragraph
        assert all(name in words for name in comparison.names)
        assert "This applies to" in words
        if rope is None:
            continue
        headline, *_, last = words.split("\n\n")
        for name in comparison.metrics[:3]:
            decision = comparison.decision(rope, metric=name)
            a, b = decision.names
            if comparison.draws.any() and decision.code in (">>", "<<"):
                first, second = (a, b) if decision.code == ">>" else (b, a)
                assert (
                    re.search(
                        re.escape(f"{first} is better than {second} on ")
                        + r"[^;]*, and by more than",
                        headline,
                    )
                    or rope == 0
                )
            elif not decision.settled:
                assert last.startswith("More ")


@pytest.mark.parametrize("swapped", [False, True])
def test_the_lead_is_that_of_the_headline(swapped):
    """The mean of a skewed difference may have the other sign than what is more probable."""
    small = np.r_[np.full(40, 0.1), -np.full(4, 1.02)]
    scores = (small, np.zeros(44))[:: -1 if swapped else 1]
    result = compare_items(*scores, random_state=0)
    worse, _, better = result.probability()
    assert (better > worse) != (result.summary()["mean"].iloc[0] > 0)
    headline, difference, *_ = str(result).splitlines()
    ahead = re.search(r"\((\w) ahead|^(\w) is", headline)
    assert f"hardly any; 95% interval: {ahead[1] or ahead[2]} " in difference
    assert "  ship now    either; neither is ahead" in str(result)


@pytest.mark.parametrize("case", ["two_metrics", "chunks", "ranking", "score"])
def test_a_card_has_a_sentence_and_a_table_or_a_figure(case):
    result = many.made(case)
    before, figures = dict(mpl.rcParams), plt.get_fignums()
    made = result._repr_html_()
    # No state of matplotlib changes.
    assert (dict(mpl.rcParams), plt.get_fignums()) == (before, figures)
    found = Markup(made)
    is_table = len(result.metrics) > 1 and case != "ranking"
    assert (found.tags.count("table"), found.tags.count("img")) == (is_table, not is_table)
    assert "script" not in found.tags
    assert all(one.startswith("data:image/svg+xml;base64,") for one in found.references)
    assert "http" not in made
    assert "nan" not in found.text.split()
    assert headline(result) in found.text
    assert len(made) < 100_000


def test_decisions_stay_text():
    result = many.made("named_by_a_villain")
    for made, said in (
        (result.decision(0.01), "equivalent"),
        (result.non_inferiority(0.01), "with probability"),
        (result.expected_loss(0.01), "expected loss"),
    ):
        found = Markup(made._repr_html_())
        assert "script" not in found.tags
        assert said in found.text
        for line in str(made).splitlines():
            assert " ".join(line.split()) in found.text


def test_without_matplotlib_the_rest_is_shown(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    made = many.made("settled")._repr_html_()
    assert "img" not in Markup(made).tags
    assert "Prefer new: new is better than old " in made
    assert "could not be drawn" in made


def page(result, tmp_path, *arguments):
    path = tmp_path / "page.html"
    result.report(path, *arguments)
    return path.read_text(encoding="utf-8")


def check_page(written):
    """Check what holds for every page, and return it."""
    found = Markup(written)
    assert {"script", "link", "iframe", "object"} & set(found.tags) == set()
    assert "http" not in written
    assert "url(" not in written
    assert len(found.ids) == len(set(found.ids))
    assert all(one.startswith("data:image/svg+xml;base64,") for one in found.references)
    assert "could not be drawn" not in written
    assert "nan" not in re.split(r"[\s,()]+", found.text)
    return found


@pytest.mark.parametrize("case", many.OF_EACH_KIND)
def test_what_decides_comes_first_and_statistics_are_folded(case, tmp_path):
    result = many.made(case)
    written = page(result, tmp_path)
    found = check_page(written)
    first, statistics = written.split("<details><summary>Statistics</summary>")
    titles = re.findall(r"<h2>(.*?)</h2>", first)
    assert titles in (FIRST, FIRST[:2], FIRST[1:], FIRST[1:2])
    is_table = len(result.metrics) > 1 and not isinstance(result, Ranking)
    numbers = first.count("<h1>"), first.count("<table"), first.count("<img")
    assert numbers == (1, is_table, not is_table)
    if case != "named_by_a_villain":  # names, and nothing to call
        assert not re.search(r"\w\(|\w=\w|\w_\w", re.sub("<[^>]*>", "", first.partition("<h1>")[2]))
    titles = re.findall(r"<h3>(.*?)</h3>", statistics)
    assert titles[:4] == SECTIONS
    assert titles[-2:] == ["Sensitivity to the prior", "To reproduce this"]
    assert "<details open" not in written
    for paragraph in result.explain().split("\n\n")[:2]:
        assert found.text.count(paragraph.partition(". ")[0]) == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "page.html"]
    # Screen readers have headers, and words for what is drawn.
    assert not re.search(r"<th(?![^>]* scope=|ead)", written)
    assert len(re.findall(r'<img alt="[^"]+"', written)) == written.count("<img")


def test_counts_sensitivity_and_versions_are_those_of_the_result(tmp_path):
    result = many.made("two_metrics")
    y, a, b = many.votes()
    text = check_page(page(result, tmp_path, 0.01)).text
    right_a, right_b = a == y, b == y
    both, only_a = np.sum(right_a & right_b), np.sum(right_a & ~right_b)
    assert f"A right {both} {only_a}" in text
    assert f" 1 {np.sum((y == 1) & (a == 0))} {np.sum((y == 1) & (a == 1))}" in text
    for (model, prior), row in result.prior_sensitivity().iterrows():
        assert f"{model}, {prior} {row['mean']:.3f} {row['sd']:.3f}" in text
    for name in ("numpy", "scipy", "scikit-learn"):
        assert f"{name} {version(name)}" in text
    assert f"skbayeseval {skbayeseval.__version__} Python {platform.python_version()} " in text
    assert "seed (random_state) 0 " in text
    assert "prior mu = 1.0, theta = 0.25" in text


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_chains_show_their_diagnostics(tmp_path):
    result = many.made("chains")
    written = page(result, tmp_path)
    row = result.summary().iloc[0]
    text = check_page(written).text
    assert "200 in 2 Markov chains" in text
    assert f"{row['ess']:,.0f} {row['r_hat']:.3f}" in text
    assert 'alt="draws of the chains in f1_macro"' in written
