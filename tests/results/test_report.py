import platform
import re
import shutil
import subprocess

import numpy as np
import pytest
import scipy
import sklearn

import skbayeseval
from skbayeseval import ComparisonResult, compare_many
from skbayeseval.judgement.decision import format_probability
from tests.pages.markup import Markup
from tests.results import many

# A metric of one's own is on a scale of its own; test_rope.py is about this warning.
pytestmark = pytest.mark.filterwarnings("ignore:rope=.* is used for")

SECTIONS = ["Evidence", "Model and prior", "Computation", "Posterior"]
ENDS = ["hdi_low", "hdi_high"]
FIRST = ["What this means", "What it applies to", "What would settle it"]


def page(result, tmp_path, *arguments):
    path = tmp_path / "page.html"
    result.report(path, *arguments)
    return path.read_text(encoding="utf-8")


def test_a_page_is_no_pdf(tmp_path):
    with pytest.raises(ValueError, match="path must end in .html, since the page is HTML, got "):
        many.ranking().report(tmp_path / "page.pdf")
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module", params=many.OF_EACH_KIND)
def result(request):
    return getattr(many, request.param)()


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


def test_what_decides_comes_first_and_statistics_are_folded(result, tmp_path):
    written = page(result, tmp_path)
    found = check_page(written)
    first, statistics = written.split("<details><summary>Statistics</summary>")
    titles = re.findall(r"<h2>(.*?)</h2>", first)
    assert titles in (FIRST, FIRST[:2], FIRST[1:], FIRST[1:2])
    assert (first.count("<h1>"), first.count("<img")) == (1, 1)
    titles = re.findall(r"<h3>(.*?)</h3>", statistics)
    assert titles[:4] == SECTIONS
    assert titles[-2:] == ["Sensitivity to the prior", "To reproduce this"]
    assert "<details open" not in written
    answer = result._answer(None)
    for sentence in [answer.headline, *answer.meaning, *answer.applies, *answer.open]:
        assert found.text.count(sentence) == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "page.html"]


def test_screen_readers_have_headers_and_words_for_what_is_drawn(result, tmp_path):
    written = page(result, tmp_path)
    assert '<html lang="en">' in written
    assert not re.search(r"<th(?![^>]* scope=|ead)", written)
    assert written.count("<svg") == written.count('aria-hidden="true"')
    assert len(re.findall(r'<img alt="[^"]+"', written)) == written.count("<img")
    for cell in re.findall(r"</svg>(.*?)</td>", written):
        assert re.search(r"\d to [+\N{MINUS SIGN}]?\d", cell)


@pytest.mark.parametrize("case", ["open_question", "two_metrics"])
def test_a_rope_gives_decisions(case, tmp_path):
    result = many.COMPARISONS[case]()
    found = check_page(page(result, tmp_path, 0.02))
    for name, row in result.summary(0.02).iterrows():
        title = {"accuracy": "accuracy", "f1": "F1"}[name]
        a, b = result._posterior.observed(result._metrics[name])
        low, high = (f"{row[end]:+.3f}".replace("-", "\N{MINUS SIGN}") for end in ENDS)
        chance = format_probability(result.probability(metric=name).better)
        shown = f"{title} {a:.3f} {b:.3f} {row['mean']:+.3f} {low} to {high}"
        assert f"{shown} {result.names[0]} {chance}" in found.text
        verdict = f"{result.names[0]} better by more than 0.02"
        if not result.decision(0.02, metric=name).settled:
            beyond = format_probability(result.probability(0.02, metric=name).better)
            verdict = f"not settled ({verdict}: {beyond})"
        assert f"{chance} {verdict}" in found.text
        assert f"of up to 0.02 in {title}" in found.text


def test_versions_seed_and_prior(tmp_path):
    text = check_page(page(many.two_metrics(), tmp_path)).text
    for name, version in (
        ("skbayeseval", skbayeseval.__version__),
        ("Python", platform.python_version()),
        ("numpy", np.__version__),
        ("scipy", scipy.__version__),
        ("scikit-learn", sklearn.__version__),
        ("seed (random_state)", "0"),
        ("prior", "mu = 1.0, theta = 0.25"),
    ):
        assert f"{name} {version}" in text


def test_counts_and_sensitivity_are_those_of_the_result(tmp_path):
    result = many.two_metrics()
    y, a, b = many.votes()
    text = check_page(page(result, tmp_path, 0.01)).text
    right_a, right_b = a == y, b == y
    both, only_a = np.sum(right_a & right_b), np.sum(right_a & ~right_b)
    assert f"A right {both} {only_a}" in text
    assert f" 1 {np.sum((y == 1) & (a == 0))} {np.sum((y == 1) & (a == 1))}" in text
    for (model, prior), row in result.prior_sensitivity().iterrows():
        assert f"{model}, {prior} {row['mean']:.3f} {row['sd']:.3f}" in text


def test_chains_show_their_diagnostics(tmp_path):
    rng = np.random.default_rng(0)
    draws = {"mu": rng.beta(160, 240, (4, 500))}
    draws |= {name: rng.dirichlet([80, 10, 5, 20], (4, 500)) for name in ("theta+", "theta-")}
    result = ComparisonResult.from_trace(draws, many.two_metrics())
    written = page(result, tmp_path, 0.01)
    row = result.summary().iloc[0]
    text = check_page(written).text
    assert "2,000 in 4 Markov chains" in text
    assert f"{row['ess']:,.0f} {row['r_hat']:.3f}" in text
    assert 'alt="draws of the chains in accuracy"' in written


def test_a_ranking_by_several_metrics_has_a_table_of_each(tmp_path):
    y, a, b = many.votes()
    predictions = {"a": a, "b": b, "always 1": np.ones_like(y)}
    ranking = compare_many(
        y, predictions, scoring=["accuracy", "f1", "recall"], n_draws=500, random_state=0
    )
    written = page(ranking, tmp_path, {"accuracy": 0.02, "f1": 0.03, "recall": 0.04})
    text = check_page(written).text
    assert written.count("P(best)</th>") == 6  # what decides, and all columns below it
    for name, rope in (("accuracy", 0.02), ("f1", 0.03), ("recall", 0.04)):
        decision = ranking.decision(rope, metric=name)
        assert f"P(within {rope})" in text
        called = {"f1": "F1"}.get(name, name)
        assert f"within {rope} of it" in text or decision.best_alone or decision.open
        assert f"{rope} in {called}" in text


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_browser_runs_nothing_and_asks_for_nothing(tmp_path):
    path = tmp_path / "page.html"
    many.named_by_a_villain().report(path, rope=0.01)
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    # Nothing but the file can be reached: a page that asked for more would say so.
    options += ["--proxy-server=127.0.0.1:9", "--enable-logging=stderr", "--v=0"]
    shown = subprocess.run(
        [
            CHROMIUM,
            *options,
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    assert "CONSOLE" not in shown.stderr
    found = Markup(shown.stdout)
    assert "script" not in found.tags
    assert many.EVIL in found.text
    assert found.tags.count("img") >= 2
    title = re.search(r"<title>(.*?)</title>", shown.stdout)[1]
    assert title.startswith("&lt;script&gt;")
