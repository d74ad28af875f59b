"""Tables of samples: data frames and Parquet files."""

import math

import numpy as np
import pandas as pd
import pytest

from skbayeseval import read_samples


class TestTables:
    rows = pd.DataFrame({"id": ["a", "b"], "right": [True, False], "text": ["x", "y"]})

    def test_data_frames(self):
        samples = read_samples(self.rows, group="text")
        assert samples.scores.to_dict() == {"a": 1.0, "b": 0.0}
        assert read_samples(self.rows.set_index("id")).scores.to_dict() == {"a": 1.0, "b": 0.0}
        assert samples.groups.to_dict() == {"a": "x", "b": "y"}
        for missing in (np.nan, None, pd.NA, ""):
            rows = pd.DataFrame({"id": [1, 2], "right": [0.5, missing]})
            np.testing.assert_array_equal(read_samples(rows).scores, [0.5, np.nan])
        with pytest.raises(ValueError, match="'right' must be a finite .* row 2 of the data frame"):
            read_samples(pd.DataFrame({"id": [1, 2], "right": [0.5, np.inf]}))
        with pytest.raises(ValueError, match="id= must say which column of the data frame"):
            read_samples(pd.DataFrame({"right": [0.5, 1]}))
        with pytest.raises(ValueError, match="the data frame contains no samples"):
            read_samples(self.rows[:0])

    def test_parquet(self, tmp_path):
        duckdb = pytest.importorskip("duckdb")
        path = tmp_path / "scores[1]*.dat"
        rows = self.rows.assign(grade=[0.25, 1.5])
        duckdb.from_df(rows).write_parquet(str(tmp_path / "x"))
        (tmp_path / "x").rename(path)
        assert read_samples(path, score="grade").scores.to_dict() == {"a": 0.25, "b": 1.5}
        assert read_samples(path, score="right", group="text").groups["b"] == "y"
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(ValueError, match="DuckDB cannot read"):
            read_samples(path)

    @pytest.mark.parametrize(
        ("sql", "expected"),
        [
            ("7::DECIMAL(38, 0) AS id, 0.25::DECIMAL(4, 2) AS score", {"7": 0.25}),
            ("7::TINYINT AS id, 1::UINTEGER AS score", {"7": 1}),
            (f"{2**64 - 1}::UBIGINT AS id, true AS score", {str(2**64 - 1): 1}),
            (f"({-(2**63)})::BIGINT AS id, 1::FLOAT AS score", {str(-(2**63)): 1}),
            ("'a'::ENUM('a', 'b') AS id, 1 AS score, {'x': {'y': [1]}} AS z", {"a": 1}),
            ("MAP {'x': [1]} AS z, '4fc9af07-b5ef-4e54-a448-65bf674ac319'::UUID AS id, 1 AS score",
             {"4fc9af07-b5ef-4e54-a448-65bf674ac319": 1}),
            ("'a' AS id, NULL::INTEGER AS score", {"a": math.nan}),
            ("'a' AS id, 'NaN'::DOUBLE AS score", {"a": math.nan}),
        ],
    )  # fmt: skip
    def test_types_of_parquet(self, sql, expected, tmp_path):
        duckdb = pytest.importorskip("duckdb")
        duckdb.sql(f"SELECT {sql}").write_parquet(str(tmp_path / "x"))
        found = read_samples(tmp_path / "x").scores
        pd.testing.assert_series_equal(found, pd.Series(expected, dtype=float), check_names=False)

    @pytest.mark.parametrize(
        ("sql", "message"),
        [
            ("1.8e18::DOUBLE AS id, 1 AS score", "'id' must be a text or a whole number, got 1.8e"),
            ("1.5::DECIMAL(3, 1) AS id, 1 AS score", "'id' must be .* got Decimal"),
            ("DATE '2020-01-01' AS id, 1 AS score", "'id' must be .* got datetime.date"),
            ("NULL::INTEGER AS id, 1 AS score", "'id' must be .* got None"),
            ("1 AS id, 'inf'::DOUBLE AS score", "'score' must be a finite number.* got inf"),
            ("1 AS id, TIMESTAMP '2020-01-01' AS score", "none is a number"),
        ],
    )
    def test_types_of_parquet_that_are_refused(self, sql, message, tmp_path):
        duckdb = pytest.importorskip("duckdb")
        duckdb.sql(f"SELECT {sql}").write_parquet(str(tmp_path / "x"))
        with pytest.raises(ValueError, match=message):
            read_samples(tmp_path / "x")

    def test_columns_of_parquet_with_one_name(self, tmp_path):
        duckdb = pytest.importorskip("duckdb")
        path = tmp_path / "x"
        duckdb.sql("SELECT 7 AS id, 1 AS score, 0 AS other").write_parquet(str(path))
        data = path.read_bytes()
        path.write_bytes(data.replace(b"other", b"Score"))
        assert read_samples(path, score="Score").scores.tolist() == [0]
        path.write_bytes(data.replace(b"other", b"score"))
        with pytest.raises(ValueError, match="more than one column 'score': id, score, score"):
            read_samples(path)
