"""Grades of a judge, corrected by those that people gave to some items."""

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_items, compare_many_items, load_result

QUICK = {"n_draws": 2000, "random_state": 0}


def graded_by_people(rng, n_items, n_graded, n_systems=2, same=True):
    """Grades of people, of a judge that favours B, and those of people that are known."""
    ease = rng.normal(size=n_items)
    own = 0.5 * rng.normal(size=(n_systems, n_items)) + 0.3 * np.arange(n_systems)[::-1, None]
    human = np.clip(np.round(3 + ease + own), 1, 5)
    favoured = np.where(np.arange(n_systems) == 1, 0.8, 0.0)[:, None]
    judge = np.clip(np.round(human + favoured + 0.6 * rng.normal(size=human.shape)), 1, 5)
    graded = np.full(human.shape, np.nan)
    order = rng.permutation(n_items)
    for k in range(n_systems):
        chosen = order[:n_graded] if same else rng.permutation(n_items)[:n_graded]
        graded[k, chosen] = human[k, chosen]
    return judge, graded, human


JUDGE, PEOPLE, TRUTH = graded_by_people(np.random.default_rng(5), 200, 40, n_systems=3)
BY_FIVES = np.arange(200) // 5


def of_three(people=PEOPLE, **options):
    scores, human = (dict(zip("abc", grades, strict=True)) for grades in (JUDGE, people))
    return compare_many_items(scores, human=human, **QUICK | options)


class TestJudges:
    def compare(self, which=(0, 1), *, judge=JUDGE, people=PEOPLE, **options):
        (a, b), options = which, QUICK | options
        return compare_items(judge[a], judge[b], human_a=people[a], human_b=people[b], **options)

    @pytest.mark.parametrize("n_items", [10, 30])
    def test_a_judge_of_items_that_people_graded_does_not_matter(self, n_items):
        people = TRUTH[:2, :n_items]
        judge = np.random.default_rng(8).normal(3, 1, people.shape)
        found = self.compare(judge=judge, people=people)
        np.testing.assert_allclose(found.draws, compare_items(*people, **QUICK).draws, atol=1e-9)

    def test_a_perfect_judge_is_as_good_as_people_for_all_items_but_for_what_they_did_not_see(self):
        people = np.where(np.isfinite(PEOPLE), JUDGE, np.nan)
        found = self.compare(people=people)
        expected = compare_items(*JUDGE[:2], **QUICK)
        # The prior of the slopes is worth one of the 40 items.
        assert found.observed_a == pytest.approx(expected.observed_a, abs=0.02)
        unseen = (1 - 40 / 200) ** 2 / (41 * 42)
        assert found.draws.var() == pytest.approx(expected.draws.var() + unseen, rel=0.12)

    @pytest.mark.parametrize(("kind", "n_graded"), [(0.0, 60), (1.0, 20)])
    def test_a_judge_that_never_erred_may_err(self, n_graded, kind):
        """An unseen grade of people, half of it for A and half for B, has the judge off by one."""
        rng = np.random.default_rng(10)
        judge = rng.integers(1, 6, (2, 1000)) + kind
        people = np.where(np.arange(1000) < n_graded, judge - kind, np.nan)
        options = {"judge": judge, "n_draws": 20_000}
        found = self.compare(people=people, **options).draws.var()
        known = self.compare(people=judge - kind, **options).draws.var()
        share, n = 1 - n_graded / 1000, n_graded
        few = n * (1 + 1 / 1000) / (n - 3)  # the mean square of the spread of Student's t
        assert found == pytest.approx(few * (known + share**2 / ((n + 1) * (n + 2))), rel=0.1)

    def test_a_useless_judge_does_no_harm(self):
        rng = np.random.default_rng(6)
        found = self.compare(judge=rng.integers(1, 6, JUDGE.shape), n_draws=20_000)
        graded = np.isfinite(PEOPLE[0])
        alone = compare_items(*PEOPLE[:2, graded], random_state=0)
        assert found.draws.std() == pytest.approx(alone.draws.std(), rel=0.15)
        assert found.observed_a == pytest.approx(alone.observed_a, abs=0.15)

        # A constant one leaves people alone.
        found = self.compare(judge=np.full(JUDGE.shape, 3.0), n_draws=20_000)
        assert found.observed_a == pytest.approx(alone.observed_a)
        assert found.draws.std() == pytest.approx(alone.draws.std(), rel=0.05)

    def test_the_judge_is_corrected(self):
        # 5,000 items, of which people graded 1,000: the standard error is about 0.02.
        judge, people, human = graded_by_people(np.random.default_rng(7), 5000, 1000)
        found, true = self.compare(judge=judge, people=people), human.mean(axis=1)
        assert compare_items(*judge, **QUICK).probability(0.0)[0] > 0.99  # B, by a wide margin
        assert found.probability(0.0)[2] > 0.99
        assert found.observed_a - found.observed_b == pytest.approx(true[0] - true[1], abs=0.06)

    @pytest.mark.parametrize("same", [True, False])
    def test_intervals_cover(self, same):
        rng, covered = np.random.default_rng(8), 0
        true = graded_by_people(np.random.default_rng(9), 300_000, 10)[2].mean(axis=1)
        for i in range(150):
            judge, people, _ = graded_by_people(rng, 150, 20, same=same)
            low, high = self.compare(judge=judge, people=people, n_draws=500, random_state=i).hdi()
            covered += low <= true[0] - true[1] <= high
        assert 0.9 <= covered / 150 <= 0.99  # 0.95 within 2.8 standard errors

    @pytest.mark.parametrize("options", [{}, {"groups": BY_FIVES}, {"higher_is_better": False}])
    def test_invariances(self, options):
        one, other = (self.compare(which, **options) for which in ((0, 1), (1, 0)))
        np.testing.assert_allclose(one.draws, -other.draws, atol=1e-12)
        many = of_three(**options)
        np.testing.assert_array_equal(many.pairs["a", "b"].alone.draws, one.draws)
        np.testing.assert_allclose(many.pairs["b", "a"].alone.draws, -one.draws)
        assert many.pairs["a", "b"].alone.observed_a == one.observed_a

    def test_series_are_matched_by_ids(self):
        ids = pd.Index([f"q{i}" for i in range(200)])
        judge = [pd.Series(of_one, ids) for of_one in JUDGE]
        graded = [pd.Series(of_one, ids).dropna() for of_one in PEOPLE]
        shuffled = judge[0], judge[1].sample(frac=1, random_state=0)
        turned = JUDGE[0], JUDGE[1][::-1]
        for found in (
            self.compare(judge=shuffled, people=(graded[0], graded[1].iloc[::-1])),
            self.compare(judge=turned, people=(graded[0], PEOPLE[1][::-1]), item=(ids, ids[::-1])),
        ):
            np.testing.assert_array_equal(found.draws, self.compare().draws)

    def test_items_that_are_left_out_take_their_grades_with_them(self):
        judge = JUDGE.copy()
        judge[1, :10] = np.nan
        found = self.compare(judge=judge, missing="drop")
        expected = self.compare(judge=JUDGE[:, 10:], people=PEOPLE[:, 10:])
        np.testing.assert_array_equal(found.draws, expected.draws)

    def test_it_is_said_what_it_is(self, tmp_path):
        result = self.compare(names=("new", "old"), groups=BY_FIVES)
        error = np.nanmean(JUDGE[1] - PEOPLE[1])
        for text in (result.details(), result.explain()):
            assert "raded 40 items of new" in text
            assert f"40 items of old (the judge {error:+.2g} on average" in text
        result.save(tmp_path / "result.npz")
        again = load_result(tmp_path / "result.npz")
        assert str(again) == str(result)
        assert again.details() == result.details()
        assert result.required_sample_size(rope=0.02) is not None
        assert len(result.by(np.arange(200) // 100).table) == 2
        with pytest.raises(ValueError, match="No classical test"):
            result.frequentist()

    def test_judges_are_named_and_their_disagreement_is_told(self):
        alone = str(compare_items(*JUDGE[:2], judge="x", **QUICK))
        words = "x gave the grades: the result is about these, not about those that people would"
        assert f"  note        {words} give\n" in alone
        other = np.where(np.arange(200) < 50, 6 - JUDGE[:2], JUDGE[:2])
        both = np.stack([JUDGE[:2], other], axis=2)
        shares = [np.mean(np.ptp(of_one, axis=1) > 0) for of_one in both]
        result = compare_items(*both, judge=["x", "y"], **QUICK)
        assert "  note        x and y gave the grades" in str(result)
        printed = result.details()
        assert "x and y gave the grades" in printed
        assert f"disagree on {shares[0]:.0%} of the items of A" in printed
        assert "200 items with 2 judges each" in printed
        assert "cause" not in printed  # judges are no runs

    @pytest.mark.parametrize(
        ("options", "kind", "message"),
        [
            ({"human_a": PEOPLE[0]}, ValueError, "human_b must be given, too"),
            ({"human_a": PEOPLE[0], "human_b": PEOPLE[1][:5]}, ValueError, "there are 5 for 200"),
            ({"human_a": PEOPLE[0], "human_b": pd.Series([3.0], ["u"])}, ValueError, "1 with oth"),
            ({"human_a": PEOPLE[0], "human_b": np.inf * PEOPLE[1]}, ValueError, "human_b must be"),
            ({"human_a": PEOPLE[0], "human_b": np.full(200, np.nan)}, ValueError, "only 0 of one"),
            ({"human_a": PEOPLE[0], "human_b": PEOPLE[1], "groups": np.arange(200) // 40},
             ValueError, "10 groups or more"),
            ({"judge": 3}, TypeError, "judge must be the name"),
            ({"judge": ["x", "y"]}, ValueError, "judge has 2 names, but the scores have 1 column"),
        ],
    )  # fmt: skip
    def test_what_is_refused(self, options, kind, message):
        with pytest.raises(kind, match=message):
            compare_items(*JUDGE[:2], **options)

    def test_what_is_refused_of_many(self):
        with pytest.raises(ValueError, match=r"human must be a dict with the keys \['a', 'b'\]"):
            compare_many_items(dict(zip("ab", JUDGE[:2], strict=True)), human={"a": PEOPLE[0]})
        ones = np.ones((2, 20))
        with pytest.raises(ValueError, match="cannot be corrected by grades of people"):
            self.compare(judge=np.ones((2, 20, 3)), people=ones, scoring="pass@3")
        with pytest.raises(ValueError, match="are 3: there is nothing to compare"):
            self.compare(judge=3 * ones, people=3 * ones, limits=(1, 5))
        right = np.arange(20) % 2 * ones
        with pytest.raises(ValueError, match="does not fit"):
            self.compare(judge=right, people=right, model="paired")
