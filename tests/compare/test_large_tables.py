"""Tables that DuckDB counts."""

import json
import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from skbayeseval import TableCounts, compare_predictions, compare_table, count_table

duckdb = pytest.importorskip("duckdb")

QUICK = {"n_draws": 500, "random_state": 0}
N = 500
COLUMNS = {"truth": "y", "a": "nb", "b": "svm"}


def predictions(classes, seed=0):
    """Return a table of true labels, two predictions and groups."""
    rng = np.random.default_rng(seed)
    classes = np.array(classes)
    y = rng.choice(classes, N, p=np.arange(1, len(classes) + 1) / sum(range(len(classes) + 1)))
    found = {"y": y}
    for name, wrong in (("nb", 0.2), ("svm", 0.4)):
        found[name] = np.where(rng.random(N) < wrong, rng.choice(classes, N), y)
    return pd.DataFrame({**found, "doc": rng.integers(0, 40, N)})


def of_arrays(table, **options):
    return compare_predictions(table["y"], table["nb"], table["svm"], **options, **QUICK)


def assert_same(result, expected):
    assert result.to_dict()["evidence"] == expected.to_dict()["evidence"]
    assert (result.draws == expected.draws).all()
    assert result.observed_a == expected.observed_a


TABLES = {
    "integers": predictions([0, 1]),
    "whole floats": predictions([0.0, 1.0]),
    "text": predictions(["x", "y, 'z'", "7", "007"]),
    "large integers": predictions([0, 2**62, 2**62 + 1]),
}


class TestAgreement:
    @pytest.mark.parametrize("name", TABLES)
    def test_the_same_as_of_arrays(self, name, tmp_path):
        table = TABLES[name]
        path = tmp_path / "table.parquet"
        duckdb.from_df(table).write_parquet(str(path))
        parts = (table[i : i + 60] for i in range(0, N, 60))
        of_dicts = [{c: part[c].tolist() for c in part} for part in (table[:9], table[9:])]
        scoring = ["accuracy", "f1_macro"]
        expected = of_arrays(table, scoring=scoring)
        for source in (path, str(path), duckdb.from_df(table), table, parts, of_dicts):
            assert_same(compare_table(source, **COLUMNS, scoring=scoring, **QUICK), expected)
        assert count_table(table, **COLUMNS) == count_table(duckdb.from_df(table), **COLUMNS)

    def test_options_arrive(self):
        table = TABLES["integers"]
        options = {"scoring": "f1", "model": "unpaired", "weight": 0.5, "labels": [1, 0]}
        options |= {"pos_label": 0, "prior": {"rho": 2.0}, "prevalence": 0.3}
        result = compare_table(duckdb.from_df(table), **COLUMNS, **options, **QUICK)
        assert_same(result, of_arrays(table, **options))
        assert result.names == ("nb", "svm")
        assert compare_table(table, **COLUMNS, names=("x", "z"), **QUICK).names == ("x", "z")

    def test_whole_numbers_of_different_sizes_in_parts(self, tmp_path):
        table = predictions([0, 2**62, 2**62 + 1])
        small = table["y"].eq(0) & table["nb"].eq(0) & table["svm"].eq(0)
        first = table[small].astype({"y": "int8", "nb": "uint8", "svm": "int16"}).assign(doc="x")
        for i, part in enumerate([first, table[~small]]):
            duckdb.from_df(part).write_parquet(str(tmp_path / f"part-{i}.parquet"))
        result = compare_table(tmp_path / "part-*.parquet", **COLUMNS, **QUICK)
        assert_same(result, of_arrays(pd.concat([table[small], table[~small]])))

    def test_labels_of_csv_files_are_text(self, tmp_path):
        table = predictions(["007", "7", "1"])
        for name in ("table.csv", "table.csv.gz"):
            table.to_csv(tmp_path / name, index=False, sep="\t")
            assert_same(compare_table(tmp_path / name, **COLUMNS, **QUICK), of_arrays(table))

    @pytest.mark.parametrize(
        "text",
        [
            "y,nb,svm\n#x,#x,z\nz,#x,z\n",
            "y,nb,svm\n x,x , z\nz,z,z\n",
            'y,nb,svm\n"x,1","x""1",z\nz,z,z\n',
            "y,nb,svm\nx;1;2,x;1;2,z;1;2\nz;1;2,z;1;2,z;1;2\n",
            "y;nb;svm\nx,1;x,1;z,2\nz,2;z,2;z,2\n",
            "y,nb,svm\nNULL,NA,None\nnan,NaN,x\n",
            "y,nb,svm\nx,x,z\n\nz,z,z\n",
            "\ufeffy,nb,svm\r\nx,x,z\r\nz,z,z\r\n",
            "\ny,nb,svm\nx,x,z\nz,z,z\n",
            " \n\t\n\n" + '"y","nb","svm"\nx,x,z\nz,z,z\n',
            "\ufeff\ny;nb;svm\nx;x;z\nz;z;z\n",
        ],
    )
    def test_csv_files_are_read_as_they_are(self, text, tmp_path):
        """DuckDB would skip lines, and take characters for quotes and comments."""
        path = tmp_path / "table.csv"
        path.write_text(text, encoding="utf-8", newline="")
        separator = ";" if "y;nb" in text else ","
        table = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
        assert len(table) == 2
        found = count_table(path, **COLUMNS).outcomes
        assert found == Counter(table.itertuples(index=False, name=None))

    def test_names_of_columns(self, tmp_path):
        table = TABLES["text"]
        names = {"y": 'the "truth"', "nb": "count(*)", "svm": "a'; DROP TABLE t; --", "doc": "n, m"}
        path = tmp_path / "it's.parquet"
        duckdb.from_df(table.rename(columns=names)).write_parquet(str(path))
        columns = dict(zip(("truth", "a", "b", "groups"), names.values(), strict=True))
        result = compare_table(path, **columns, **QUICK)
        assert result.names == (names["nb"], names["svm"])
        assert_same(result, of_arrays(table, groups=table["doc"]))


class TestCounts:
    @pytest.mark.parametrize("groups", [None, "doc"])
    def test_parts_add_up(self, groups):
        """Parts of a table, in which not all labels occur, are counted apart and sent as JSON."""
        table = TABLES["text"].sort_values("y")
        parts = [
            count_table(duckdb.from_df(part), **COLUMNS, groups=groups)
            for part in (table[:50], table[50:300], table[300:])
        ]
        lines = [json.dumps(part.to_dict()) for part in parts]
        one, *others = (TableCounts.from_dict(json.loads(line)) for line in lines)
        assert one == parts[0]
        total = sum(others, one)
        assert total.total == N
        expected = of_arrays(table, groups=None if groups is None else table[groups])
        assert_same(compare_table(total, **QUICK), expected)

    def test_counts_of_other_columns(self):
        table = duckdb.from_df(TABLES["integers"])
        counts = count_table(table, **COLUMNS)
        for other, error in (
            (count_table(table, **COLUMNS, groups="doc"), ValueError),
            (1, TypeError),
        ):
            with pytest.raises(
                error, match="different columns cannot be added|unsupported operand"
            ):
                counts + other
        with pytest.raises(ValueError, match="truth='y' was given, but source is what count_table"):
            compare_table(counts, truth="y")

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"counts": [1.5]}, "counts must contain whole numbers"),
            ({"counts": [-1]}, "counts must not be negative"),
            ({"counts": [1, 2]}, "do not fit each other"),
            ({"outcomes": [[0, 1]]}, "do not fit each other"),
            ({"columns": {"truth": "y"}}, "columns must be truth, a, b and perhaps groups"),
        ],
    )
    def test_counts_that_are_none(self, change, message):
        good = {"columns": COLUMNS, "outcomes": [[0, 1, 1]], "counts": [3]}
        assert TableCounts.from_dict(good).total == 3
        with pytest.raises(ValueError, match=message):
            TableCounts.from_dict({**good, **change})
        assert TableCounts.from_dict({**good, "counts": [0]}).outcomes == {}
        with pytest.raises(ValueError, match="source has no rows"):
            compare_table(TableCounts.from_dict({**good, "counts": [0]}))


class TestRefusals:
    def test_missing_values(self):
        null = TABLES["integers"].astype({"nb": "Int64"})
        null.loc[:6, "nb"] = pd.NA
        with pytest.raises(ValueError, match="a='nb' is NULL or NaN in 7 of 500 rows"):
            compare_table(duckdb.from_df(null), **COLUMNS)
        nan = TABLES["whole floats"].copy()
        nan.loc[3, "y"] = np.nan
        with pytest.raises(ValueError, match="truth='y' is NULL or NaN in 1 of 500 rows"):
            compare_table(duckdb.from_df(nan), **COLUMNS)

    @pytest.mark.parametrize(
        ("sql", "message"),
        [
            ("SELECT 0.5::DOUBLE AS y, 1 AS nb, 1 AS svm", "truth='y' contains numbers such as"),
            ("SELECT 1 AS y, DATE '2020-01-01' AS nb, 1 AS svm", "a='nb' has the type DATE, but"),
            ("SELECT 1 AS y, 1 AS nb, [1] AS svm", r"b='svm' has the type INTEGER\[\]"),
            ("SELECT 1 AS y, 1 AS nb, ['x'::ENUM('x')] AS svm", "b='svm' has the type ENUM"),
            ("SELECT 1 AS y, 1 AS nb, 1 AS svm LIMIT 0", "source has no rows"),
            ("SELECT 1 AS y, 1 AS nb", r"b='svm' is not a column of source, which has \['y', 'nb'"),
            ("SELECT 1 AS Y, 1 AS nb, 1 AS svm", "truth='y' is not a column"),
        ],
    )
    def test_columns(self, sql, message):
        with pytest.raises(ValueError, match=message):
            compare_table(duckdb.sql(sql), **COLUMNS)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("y,nb,svm\nx,x,z\nz,z,z,w\n", "DuckDB cannot read|is not a column"),
            ("A title\ny,nb,svm\nx,x,z\nz,z,z\n", "DuckDB cannot read|is not a column"),
            ("y,nb,svm,nb\nx,x,z,z\nz,z,z,z\n", "more than one column 'nb'"),
            ("y,nb,svm\nx,,z\nz,z,z\n", "a='nb' is NULL or NaN in 1 of 2 rows"),
            ("y,nb,svm\n", "source has no rows"),
            ("", "DuckDB cannot read|is not a column"),
        ],
    )
    def test_csv_files(self, text, message, tmp_path):
        path = tmp_path / "table.csv"
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            compare_table(path, **COLUMNS)

    @pytest.mark.parametrize(
        ("labels", "kind"),
        [("0.3::DOUBLE", "DOUBLE"), ("'007'", "VARCHAR"), ("i = 0", "BOOLEAN")],
    )
    def test_parts_whose_types_differ(self, labels, kind, tmp_path):
        """DuckDB would convert the labels of other parts to the type in the first."""
        parts = ["SELECT i AS y, i AS nb, i AS svm FROM range(9) t(i)"]
        parts.append(f"SELECT i AS y, {labels} AS Nb, i AS svm FROM range(9) t(i)")
        for i, sql in enumerate(parts):
            duckdb.sql(sql).write_parquet(str(tmp_path / f"part-{i}.parquet"))
        words = f"has the type BIGINT in .*part-0.parquet, but {kind} in .*part-1.parquet"
        with pytest.raises(ValueError, match=words):
            compare_table(tmp_path / "part-*.parquet", **COLUMNS, **QUICK)

    def test_files_that_are_joined(self, tmp_path):
        path, parts = tmp_path / "x.parquet", []
        for label in (0, 1):
            table = duckdb.sql(f"SELECT i % 2 AS y, {label} AS a, i % 3 AS b FROM range(9) t(i)")
            table.write_parquet(str(path))
            parts.append(path.read_bytes())
        path.write_bytes(b"".join(parts))
        with pytest.raises(ValueError, match="x.parquet is more than one Parquet table|cannot re"):
            count_table(path, truth="y", a="a", b="b")
        # Columns with one name.
        duckdb.sql("SELECT 1 AS y, 1 AS nb, 1 AS svm, 0 AS xyz").write_parquet(str(path))
        path.write_bytes(path.read_bytes().replace(b"xyz", b"svm"))
        with pytest.raises(ValueError, match="x.parquet has more than one column 'svm'"):
            count_table(path, **COLUMNS)

    def test_empty_lines_before_some_headers(self, tmp_path):
        for i in range(2):
            (tmp_path / f"part-{i}.csv").write_text("\n" * i + "y,nb,svm\nx,x,z\nz,z,z\n")
        with pytest.raises(ValueError, match=r"part-1.csv begins with 1 empty lines, other files"):
            compare_table(tmp_path / "part-*.csv", **COLUMNS, **QUICK)

    def test_metrics_that_counts_do_not_give(self):
        table = duckdb.from_df(TABLES["integers"])
        with pytest.raises(ValueError, match="metric of numbers, .* to compare_predictions"):
            compare_table(table, **COLUMNS, scoring="r2")
        with pytest.raises(ValueError, match="scoring='roc_auc' is .*predictions, with y_score"):
            compare_table(table, **COLUMNS, scoring=["f1", "roc_auc"])

    def test_sources(self, tmp_path):
        table = TABLES["integers"]
        with pytest.raises(TypeError, match="source must be the path .* compare_predictions"):
            compare_table(table.to_numpy(), **COLUMNS)
        with pytest.raises(ValueError, match="truth=None is not a column of source"):
            compare_table(table, a="nb", b="svm")
        with pytest.raises(ValueError, match="a=3 is not a column of source"):
            compare_table(duckdb.from_df(table), truth="y", a=3, b="svm")
        for name in ("x.parquet", "x-*.parquet", "x.csv", "x.json"):
            with pytest.raises(FileNotFoundError):
                compare_table(tmp_path / name, **COLUMNS)
        for name in ("junk.parquet", "junk.csv", "junk"):
            path = tmp_path / name
            path.write_bytes(bytes(range(256)))
            with pytest.raises(ValueError, match=f"DuckDB cannot read .*{name}"):
                compare_table(path, **COLUMNS)
        with pytest.raises(ValueError, match="is an address, but only files are read"):
            compare_table("https://localhost/x.parquet", **COLUMNS)
        with pytest.raises(ValueError, match="DuckDB cannot read table"):  # the variable above
            compare_table("table", **COLUMNS)

    def test_without_duckdb(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "duckdb", None)
        with pytest.raises(ImportError, match=r"pip install 'skbayeseval\[duckdb\]'"):
            compare_table("x.parquet", **COLUMNS)


@pytest.mark.parametrize(
    ("source", "options", "error", "message"),
    [
        ([], {}, ValueError, "chunks is empty"),
        ([[1, 2]], {}, TypeError, "source must consist of data frames or dicts of columns"),
        ({"y": [0, 1], "nb": [0, 1]}, {}, ValueError, "b='svm' is not a column of source"),
        (TABLES["integers"], {"groups": "doc"}, ValueError, "groups='doc' requires a table that"),
        ([{"y": [0, 1], "nb": [0, 1], "svm": [0, np.nan]}], {}, ValueError,
         "Input b='svm' contains NaN"),
    ],
)  # fmt: skip
def test_bad_tables_in_memory(source, options, error, message):
    with pytest.raises(error, match=message):
        compare_table(source, **COLUMNS, **options)
