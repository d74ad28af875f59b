"""All sentences about two learners agree on who is ahead, whichever of them is A."""

import re

import numpy as np
import pytest

from skbayeseval import bayesian_cross_validate, compare_many, compare_predictions
from skbayeseval.cli import main

# How many instances only the one and only the other is right on, of how many.
DATA = {
    "clear": (90, 40, 1000),
    "probable": (78, 60, 1000),
    "coin flip": (62, 58, 1000),
    "equivalent": (62, 58, 20_000),
}
ROPE = 0.01

# How sentences say that somebody is ahead, and that somebody is behind, by the names of groups.
AHEAD = r"\b(up|down)( is)?( probably| surely| significantly)? (better|ahead)\b(?! 0| than 0|.*not)"
BEHIND = r"\b(up|down) significantly worse"
CHOSEN = r"(?:Choose|Prefer|ship now|ships now:|by a hair|either,)\s+(up|down)\b"


def compared(case, order, **options):
    """Return the comparison of the learner that is ahead, "up", with the other one."""
    only_up, only_down, n = DATA[case]
    y = np.arange(n) % 2
    up, down = (np.where(rows, 1 - y, y) for rows in (np.arange(n) < only_down, np.zeros(n, bool)))
    down = np.where((np.arange(n) >= only_down) & (np.arange(n) < only_down + only_up), 1 - y, y)
    said = {"up": up, "down": down}
    return compare_predictions(y, *(said[name] for name in order), names=order, **options)


def sentences(result):
    """Return everything that a result can print, except tables, as sentences."""
    decisions = [result.decision(rope) for rope in (0.0, ROPE, (-0.02, 0.01), (-0.01, 0.02))]
    asked = [result.non_inferiority(ROPE), result.superiority(), result.superiority(ROPE)]
    losses = [result.expected_loss(), result.expected_loss(ROPE), result.expected_loss(cost=9.0)]
    texts = [result, result.details(), result.explain(), result.explain(ROPE)]
    titles = [result.plot(rope=rope).ax_.get_title() for rope in (None, ROPE)]
    html = [re.sub("<[^>]*>", " ", one._repr_html_()) for one in (result, decisions[0])]
    said = "\n".join(map(str, [*decisions, *losses, *texts, *titles, *html]))
    return re.split(r"[;.,:]\s|\n", said), asked


def who_is_ahead(sentence):
    """Return the names that a sentence says are ahead.

    The probabilities of the three cases say it of nobody, and so does the region of equivalence.
    """
    sentence = re.sub(r"[\d.]+% (up|down) better|from \w+ ahead .* is equivalent", "", sentence)
    found = {name for name, *_ in re.findall(AHEAD, sentence)}
    found |= {"up" if name == "down" else "down" for name in re.findall(BEHIND, sentence)}
    return found | set(re.findall(CHOSEN, sentence))


@pytest.mark.parametrize("order", [("up", "down"), ("down", "up")])
@pytest.mark.parametrize("case", DATA)
def test_every_sentence_has_the_same_one_ahead(case, order):
    result = compared(case, order, random_state=0)
    assert result.draws.mean() * (1 if order[0] == "up" else -1) > 0
    said, asked = sentences(result)
    told = [(who_is_ahead(sentence), sentence) for sentence in said]
    assert not [sentence for found, sentence in told if found - {"up"}]
    # Most of them do say it, in the same words for the same data.
    assert sum(found == {"up"} for found, _ in told) >= 10
    better = result.probability().better
    chance = better if order[0] == "up" else 1 - better
    word = "better" if chance >= 0.975 else "probably better" if chance >= 0.9 else None
    first = str(result).splitlines()[0]
    if word is None:
        assert first.startswith(f"No clear difference between {' and '.join(order)}")
        assert "(up ahead with probability" in first
    else:
        assert first.startswith(f"up is {word} than down")
    assert first.rstrip(".") in result.explain()
    for answer in asked:
        assert answer.answer != ("no" if order[0] == "up" else "yes") or case == "equivalent"
    assert "-" not in re.sub(r"re-|cross-", "", str(result.decision(ROPE)))  # signs are in tables


def test_a_ranking_says_who_its_pair_says():
    y = np.arange(1000) % 2
    wrong = {"up": 60, "down": 140, "last": 320}
    said = {name: np.where((np.arange(1000) * 7) % 1000 < n, 1 - y, y) for name, n in wrong.items()}
    ranking = compare_many(y, said, random_state=0)
    assert str(ranking).startswith("up is the best of 3 on accuracy (probability ")
    pair = ranking.pairs["down", "up"]
    assert str(pair).startswith("up is better than down on accuracy (probability ")
    assert "one pair of 3 classifiers, allowing for all of them" in str(pair)
    assert ranking.explain(ROPE).startswith("Choose up: better than the other 2 on accuracy by")
    assert str(ranking.expected_loss()).startswith("Choose up; down would cost ")


def test_over_other_splits():
    """The first line tells what other splits could make of it, if that is another word."""
    from sklearn.datasets import make_classification
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    data = make_classification(400, flip_y=0.3, random_state=3)
    pair = ("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))
    for seed in range(4):
        result = bayesian_cross_validate(*pair, *data, n_draws=2000, random_state=seed)
        lead = result.decision(0.0).lead
        words = {
            sum(chance >= p for p in (0.9, 0.975))
            for chance in (lead.probability, *lead.over_splits)
        }
        assert (" over other splits)" in str(result).splitlines()[0]) == (len(words) > 1)


def test_a_page_of_a_gate_has_no_other_question(tmp_path, capsys):
    result = compared("probable", ("down", "up"), random_state=0)
    table = result.predictions.copy()
    table.columns = ["down", "up"]
    table["y"] = np.arange(1000) % 2
    table.to_csv(tmp_path / "p.csv", index=False)
    page = tmp_path / "page.html"
    base = ["compare", str(tmp_path / "p.csv"), "--truth", "y", "--a", "up"]
    assert (
        main(
            [
                *base,
                "--b",
                "down",
                "--gate",
                "non-inferior",
                "--rope",
                "0.01",
                "--report",
                str(page),
            ]
        )
        == 0
    )
    first = page.read_text().partition("<h1>")[2].partition("<details>")[0]
    assert first.startswith("Gate passed: safe to ship: up is at most 0.01 worse than down")
    assert not re.search("better|equivalent|ROPE|Choose|Prefer", first)
    # One column, and a number to exceed.
    for limit, code in (("0.9", 0), ("0.99", 3)):
        assert main([*base, "--gate", limit, "--report", str(page)]) == code
    assert "the accuracy of up is not above 0.99 with probability" in capsys.readouterr().out


def test_a_ranking_of_two_says_what_its_pair_says():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    old, new = (np.where(rng.random(200) < right, y, 1 - y) for right in (0.8, 0.9))
    ranking = compare_many(y, {"old": old, "new": new}, random_state=0)
    shipped = [
        line for one in (ranking, ranking.pairs[0, 1]) for line in str(one).splitlines()
        if line.startswith("  ship now")
    ]  # fmt: skip
    assert shipped[0] == shipped[1]
    assert shipped[0].split()[2] == "new;"


@pytest.mark.parametrize("alarms", [(0, 0), (0, 1)])
@pytest.mark.parametrize("metric", ["positive_likelihood_ratio", "diagnostic_odds_ratio"])
def test_ratios_without_a_mean_follow_the_probability(metric, alarms):
    """A mean of draws of these is that of a few of them, and may have any sign."""
    y, said = np.arange(400) % 2, {}
    for (name, missed), number in zip((("up", 20), ("down", 40)), alarms, strict=True):
        said[name] = y.copy()
        said[name][2 * np.arange(number)] = 1
        said[name][2 * np.arange(missed) + 1] = 0
    for seed in range(4):
        options = {"names": ("up", "down"), "scoring": metric, "random_state": seed}
        result = compare_predictions(y, *said.values(), **options, n_draws=500)
        lead = result.decision(0.0).lead
        assert lead.sign >= 0
        assert (f"up ahead by {lead.mean:.0f}" in str(result)) == (lead.sign > 0)
        answer = result.superiority()
        assert (answer.answer == "yes") == (answer.probability >= 0.95)
        assert "ship now" not in result.details()
        groups = result.by(np.arange(400) // 2 % 2)
        assert groups.reasons == dict.fromkeys((0, 1), "the metric is unstable")
    with pytest.raises(ValueError, match=r"has no mean.* Ask decision\(rope\) or superiority"):
        result.expected_loss()


def test_metrics_have_one_name_in_sentences():
    y = np.arange(400) % 2
    a, b = (np.where(np.arange(400) % k == 0, 1 - y, y) for k in (9, 17))
    result = compare_predictions(y, a, b, scoring="f1", random_state=0)
    ranking = compare_many(y, {"a": a, "b": b, "c": y}, scoring="f1", random_state=0)
    groups = result.by(np.arange(400) // 2 % 2)
    for one in (result, ranking):
        asked = [one.decision(ROPE), one.expected_loss()]
        asked += [ranking.tiers(), *ranking.non_inferiority(ROPE).values()]
        for answer in (one, *asked, result.superiority(), groups, groups.decision(ROPE)):
            assert re.search(r"\bF1\b", str(answer))
            assert not re.search(r"\bf1\b", str(answer))
    pair = ranking.pairs[0, 1].by(np.arange(400) // 2 % 2)
    assert str(pair).startswith("a minus b in F1, by subgroup, the pair by itself:")
