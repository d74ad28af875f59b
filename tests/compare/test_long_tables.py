"""Long tables, with a row for each score of a system on an item."""

import gzip
import json
import sys

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_items, compare_many_items

N = 40
RNG = np.random.default_rng(0)
SCORES = {name: (RNG.random(N) < p) * 1.0 for name, p in (("new", 0.8), ("old", 0.5), ("x", 0.3))}
COLUMNS = {"system": "model", "item": "id", "score": "correct"}
QUICK = {"n_draws": 500, "random_state": 0}


def table_of(*names, **columns):
    """Return a table of systems, each with its items in an order of its own."""
    parts = [
        pd.DataFrame({"model": name, "id": range(N), "correct": SCORES[name], "text": TEXT})
        for name in names
    ]
    return pd.concat(part.sample(frac=1, random_state=i) for i, part in enumerate(parts))


TEXT = [f"text {i // 4}" for i in range(N)]
TWO, THREE = table_of("new", "old"), table_of("new", "old", "x")


def compare(table=TWO, **options):
    return compare_items(table, **{**COLUMNS, **QUICK, **options})


class TestAgreement:
    """A table is compared as the same scores in arrays are."""

    def test_two_systems(self):
        order = TWO["id"].iloc[:N].to_numpy()  # items are in the order of the first
        a, b = SCORES["new"][order], SCORES["old"][order]
        found, expected = compare(), compare_items(a, b, **QUICK)
        np.testing.assert_array_equal(found.draws, expected.draws)
        assert (found.names, found.metrics) == (("new", "old"), ("correct",))
        swapped = compare(names=("old", "new"), scoring="accuracy")
        assert (swapped.names, swapped.metrics) == (("old", "new"), ("accuracy",))
        assert swapped.observed_a == found.observed_b == pytest.approx(SCORES["old"].mean())

    def test_several(self):
        order = THREE["id"].iloc[:N].to_numpy()
        wide = {name: scores[order] for name, scores in SCORES.items()}
        found = compare_many_items(THREE, **COLUMNS, **QUICK)
        expected = compare_many_items(wide, **QUICK)
        assert found.names == ("new", "old", "x")
        pd.testing.assert_frame_equal(found.table, expected.table)

    @pytest.mark.parametrize("names", [("new", "old"), ("old", "new")])
    def test_groups_are_those_of_the_ids(self, names):
        # The ids of one are in the order of rows, which does not make them positions.
        table = pd.concat(
            [TWO[TWO["model"] == "old"].sort_values("id"), TWO[TWO["model"] == "new"]]
        )
        found = compare(table, names=names, groups="text").evidence
        ids = table.loc[table["model"] == names[0], "id"]
        np.testing.assert_array_equal(found.scores[1, :, 0], SCORES[names[1]][ids])
        assert pd.Series(found.group).groupby(ids.to_numpy() // 4).nunique().eq(1).all()
        assert found.n_groups == N // 4

    def test_ids_that_count_are_no_positions(self):
        table = TWO[TWO["model"] == "new"].sort_values("id")
        other = table.assign(model="old", id=table["id"] + 5)
        with pytest.raises(ValueError, match="35 are in both, 5 only in new"):
            compare(pd.concat([table, other]))

    def test_grades_of_people_are_series_by_ids(self):
        people = TWO.set_index("id").groupby("model")["correct"]
        human = {f"human_{of}": people.get_group(name)[:30] for of, name in zip("ab", SCORES)}  # noqa: B905
        found = compare(TWO.assign(correct=0.5 + TWO["correct"] / 4), **human).evidence
        ids = TWO["id"].iloc[:N].to_numpy()
        for graded, name in zip(found.human, SCORES, strict=False):
            seen = np.isfinite(graded)
            assert seen.sum() == 30
            np.testing.assert_array_equal(graded[seen], SCORES[name][ids][seen])


class TestRepeatedRows:
    again = pd.concat([TWO.assign(attempt=1), TWO.assign(attempt=2, correct=1.0)])

    def test_they_are_runs_or_retries(self):
        runs = compare(self.again, runs="all", scoring="pass@2")
        assert (runs.evidence.n_runs, runs.observed_b) == (2, 1.0)
        assert compare(self.again, runs="first").observed_b == SCORES["old"].mean()
        assert compare(self.again, runs="last").observed_b == 1.0
        fewer = compare(self.again.iloc[:-1], runs="all").evidence
        assert np.isnan(fewer.scores).sum() == 1

    @pytest.mark.parametrize(
        ("table", "options", "message"),
        [
            (pd.concat([TWO, TWO]), {}, r"runs='all' if .* runs='last' to keep one\.$"),
            (TWO.assign(task="one"), {"system": "task"},
             r"'model' tells them apart: pass system='model' if it names the systems, or "
             r"item=\['id', 'model'\] if it belongs"),
            # Of several columns, the one with the fewest values; not one that only counts rows.
            (pd.concat([TWO.assign(task="a", x="b"), TWO.assign(task="c", x=TWO["id"])]),
             {}, "Column 'task' tells"),
            (pd.concat([TWO, TWO]).assign(row=range(4 * N)), {}, r"to keep one\.$"),
            (TWO, {"runs": True}, "runs must be 'all', 'first' or 'last', got True"),
        ],
    )  # fmt: skip
    def test_what_is_refused_and_offered(self, table, options, message):
        with pytest.raises(ValueError, match=message):
            compare(table, **options)

    def test_ids_of_several_columns(self):
        tasks = pd.concat([TWO.assign(task="a"), TWO.assign(task="b", correct=1.0)])
        found = compare(tasks, item=["task", "id"])
        assert found.evidence.n_items == 2 * N
        assert found.observed_b == (SCORES["old"].mean() + 1) / 2


class TestMissing:
    def test_a_system_lacks_an_item(self):
        for table in (TWO.iloc[1:], TWO.assign(correct=[None, *TWO["correct"][1:]])):
            with pytest.raises(ValueError, match=r"(?s)new.*Pass missing='drop'"):
                compare(table)
            assert compare(table, missing="drop").evidence.n_items == N - 1
            assert compare(table, missing="wrong").evidence.n_items == N


@pytest.mark.parametrize(
    ("table", "options", "kind", "message"),
    [
        (TWO, {"score": "corect"}, ValueError,
         "score= must name a column of the table, got 'corect'. It has model, id, correct, text"),
        (TWO, {"item": ["id", "task"]}, ValueError, "item= must name a column .* got 'task'"),
        (TWO, {"groups": TEXT}, ValueError, "groups= must name a column"),
        (TWO, {"system": None}, ValueError, "system= must name a column .* got None"),
        (THREE, {}, ValueError,
         "two systems, but column 'model' has 3: new, old, x. compare_many_items ranks several"),
        (TWO.iloc[:N], {}, ValueError, "two systems, but column 'model' has 1: new"),
        (TWO, {"names": ("a", "b")}, ValueError, r"names must be the systems .* \['new', 'old'\]"),
        (TWO, {"names": ("a", "b")}, ValueError, r"names must be the .* \['new', 'old'\]"),
        (TWO.assign(id=[[1]] * 2 * N), {}, ValueError, "'id' must be texts or numbers, got"),
        (TWO.assign(correct=["C", *"I" * 79]), {}, ValueError,
         r"text 'C', first in the row of new, 22. .* table\['correct'\].map\(\{'C': 1\}\)"),
        (TWO.assign(correct=[[1]] * 2 * N), {}, TypeError, "'correct' must contain numbers"),
        (TWO.assign(correct=np.inf), {}, ValueError, "new contains infinity"),
        (TWO.assign(text=range(2 * N)), {"groups": "text"}, ValueError,
         "Item 2 is in several groups: 13, 40"),
        (TWO.assign(model=[1] * N + ["1"] * N), {}, ValueError, "written alike"),
        (pd.concat([TWO, TWO["id"]], axis=1), {}, ValueError, "more than one column 'id'"),
        ([1, 0], {}, TypeError, "passed alone must be a long table"),
    ],
)  # fmt: skip
def test_what_is_refused(table, options, kind, message):
    with pytest.raises(kind, match=message):
        compare(table, **options)


def test_columns_without_a_table():
    for option in ({"system": "model"}, {"score": "x"}, {"runs": "all"}):
        with pytest.raises(ValueError, match="is about a long table"):
            compare_items([1, 0], [0, 1], **option)
    with pytest.raises(ValueError, match="score='x' is about a long table"):
        compare_many_items(TWO, score="x")


class TestFiles:
    @pytest.fixture
    def write(self, tmp_path):
        def write(name, content):
            path = tmp_path / name
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            return path

        return write

    def test_each_kind_is_read_as_the_frame_is(self, write, monkeypatch):
        table = TWO.assign(id="0" + TWO["id"].astype(str), correct=TWO["correct"] == 1)
        text, lines = table.to_csv(index=False), table.to_json(orient="records", lines=True)
        files = {
            "x.csv": text,
            "x.TSV": "\ufeff" + text.replace(",", "\t"),
            "semicolons.txt": text.replace(",", ";").replace("\n", "\r\n"),
            "x.csv.gz": gzip.compress(text.encode()),
            "x.jsonl": "\ufeff" + lines.replace("\n", "\n\n"),
            "x.ndjson.gz": gzip.compress(lines.encode()),
        }
        expected = compare(table)
        for name, content in files.items():
            found = compare(write(name, content), groups=None)
            np.testing.assert_array_equal(found.draws, expected.draws)
        monkeypatch.setattr(pd, "read_parquet", lambda path, engine: table)
        assert compare(write("x.pq", b"")).hdi() == expected.hdi()

    def test_parquet(self, tmp_path):
        pytest.importorskip("pyarrow")
        TWO.to_parquet(tmp_path / "x.parquet")
        assert compare(tmp_path / "x.parquet").hdi() == compare().hdi()
        (tmp_path / "x.parquet").write_bytes(b"PAR1 nothing PAR1")
        with pytest.raises((ValueError, OSError), match=r"x.parquet|[Pp]arquet"):
            compare(tmp_path / "x.parquet")

    def test_parquet_without_pyarrow(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(ImportError, match=r"pip install 'skbayeseval\[parquet\]'"):
            compare("x.parquet")

    def test_numbers_are_read_as_they_are_written(self, write):
        large = 2**53
        rows = [
            {"model": name, "id": large + i, "correct": 0.1 + 0.2 * i}
            for name in SCORES
            for i in range(4)
        ]
        lines = "\n".join(map(json.dumps, rows))
        found = compare_many_items(write("x.jsonl", lines), **COLUMNS, **QUICK).evidence
        np.testing.assert_array_equal(found.scores[0, :, 0], [0.1 + 0.2 * i for i in range(4)])

    @pytest.mark.parametrize("hole", ["", "NaN", "n/a", "-"])
    def test_empty_cells_and_false(self, hole, write):
        path = write("x.csv", f"model,id,correct\na,1,true\na,2,{hole}\nb,1,False\nb,2,1\nb,3,1\n")
        found = compare(path, missing="wrong")
        assert (found.observed_a, found.observed_b) == pytest.approx((1 / 3, 2 / 3))

    @pytest.mark.parametrize(
        ("name", "content", "kind", "message"),
        [
            ("x.json", "{}", ValueError, "must end in one of .csv, .* pass the data frame"),
            ("x.jsonl", "{}\n{nothing", ValueError, "x.jsonl cannot be read as JSON Lines"),
            ("x.jsonl", "", ValueError, "system= must name a column"),
            ("x.csv", "", ValueError, "x.csv cannot be read as a CSV table"),
            ("x.csv", "model,id,id\n", ValueError, "more than one column 'id'"),
            ("x.csv", "model,id,correct\n", ValueError, "has 0"),
            ("x.csv", b"\xff\xfe\x00", ValueError, "cannot be read as a CSV table"),
            ("x.jsonl.gz", "no gzip", OSError, "gzip"),
        ],
    )
    def test_what_is_refused(self, name, content, kind, message, write):
        with pytest.raises(kind, match=message):
            compare(write(name, content))

    @pytest.mark.parametrize("name", ["http://example.org/x.jsonl", "s3://x/x.pq", "x.csv"])
    def test_only_files_are_read(self, name, monkeypatch, tmp_path):
        monkeypatch.chdir(tmp_path)
        with pytest.raises((OSError, ImportError)):
            compare(name)
