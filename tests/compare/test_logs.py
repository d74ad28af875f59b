"""Scores per item from logs, data frames and Parquet files."""

import gzip
import json
import math
import os
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_items, compare_many_items, read_samples

QUICK = {"n_draws": 500, "random_state": 0}
N = 24
RNG = np.random.default_rng(0)
RIGHT = {name: RNG.integers(0, 2, N).astype(float) for name in ("a", "b", "c")}


def logged(doc_id, *, filtered_by="none", names_metrics=True, **metrics):
    """Return a sample as lm-evaluation-harness logs it."""
    subject = {"subject": f"s{doc_id % 6}", "question_id": 70 + doc_id}
    return {
        "doc_id": doc_id,
        "doc": {"question": f"{doc_id} + 1?", **subject},
        "target": str(doc_id + 1),
        "arguments": {"gen_args_0": {"arg_0": f"Q: {doc_id} + 1?\nA:", "arg_1": {"until": ["Q:"]}}},
        "resps": [[f"It is {doc_id + 1}."]],
        "filtered_resps": [str(doc_id + 1)],
        "filter": filtered_by,
        **({"metrics": list(metrics)} if names_metrics else {}),
        **{f"{kind}_hash": f"{kind[0]}{doc_id:063d}" for kind in ("doc", "prompt", "target")},
        **metrics,
    }


def as_lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.fixture
def write(tmp_path):
    def write(text, name="samples.jsonl", encoding="utf-8"):
        path = tmp_path / name
        path.write_text(text, encoding=encoding)
        return path

    return write


@pytest.fixture
def logs(write):
    """Three logs of the same items, each in an order of its own."""
    found = {}
    for name, right in RIGHT.items():
        order = np.random.default_rng(len(found)).permutation(N)
        lines = as_lines(logged(int(i), acc=right[i]) for i in order)
        found[name] = write(lines, f"samples_{name}.jsonl")
    return found


class TestComparison:
    def test_items_are_matched_by_their_ids(self, logs):
        result = compare_items(read_samples(logs["a"]), read_samples(logs["b"]), **QUICK)
        expected = compare_items(RIGHT["a"], RIGHT["b"], **QUICK)
        assert (result.observed_a, result.observed_b) == (expected.observed_a, expected.observed_b)
        assert (result.draws == expected.draws).all()

    def test_groups_are_used(self, logs):
        a, b = (read_samples(logs[name], group="subject") for name in "ab")
        order = a.scores.index.astype(int)
        expected = compare_items(RIGHT["a"][order], RIGHT["b"][order], groups=order % 6, **QUICK)
        result = compare_items(a, b, **QUICK)
        assert result.evidence.n_groups == 6
        assert (result.draws == expected.draws).all()
        other = compare_items(a, b, groups=a.groups.replace("s5", "s4"), **QUICK)
        assert other.evidence.n_groups == 5

    def test_ids_are_the_same_in_json_and_in_tables(self, write):
        table = read_samples(write("id,score\n1,0\n2,1\n3,1\n", "a.csv"))
        lines = read_samples(write(as_lines({"id": i, "score": 1} for i in (3, 2.0, "1"))))
        result = compare_items(table, lines, **QUICK)
        assert result.observed_b == 1
        assert result.evidence.scores[0, :, 0].tolist() == [0, 1, 1]

    def test_documents_that_differ(self, logs, write):
        """Numbers of documents are the same in every log, whatever the documents are."""
        changed = [{"doc_hash": f"e{i}"} if i > 20 else {} for i in range(N)]
        lines = (logged(i, acc=RIGHT["b"][i]) | change for i, change in enumerate(changed))
        other = write(as_lines(lines), "other.jsonl")
        pair = [read_samples(path) for path in (logs["a"], other)]
        message = "3 of 24 items with the same doc_id have another doc_hash, such as '21', '22', '2"
        with pytest.raises(ValueError, match=f"scores_a and scores_b are about .*: {message}"):
            compare_items(*pair, **QUICK)
        with pytest.raises(ValueError, match="a and b are about different documents"):
            compare_many_items(dict(zip("ab", pair, strict=True)), **QUICK)
        # Those who name another column know that its values are ids.
        pair = (read_samples(path, id="question_id") for path in (logs["a"], other))
        assert compare_items(*pair, **QUICK).evidence.n_items == N

    def test_groups_that_differ(self, write):
        rows = [{"id": i, "score": i % 2, "text": i // 2} for i in range(6)]
        a = write(as_lines(rows), "a.jsonl")
        b = write(as_lines([*rows[:-1], {**rows[-1], "text": 0}]), "b.jsonl")
        with pytest.raises(ValueError, match="different groups for 1 items: item '5' is in '2'"):
            compare_items(read_samples(a, group="text"), read_samples(b, group="text"), **QUICK)

    def test_scores_that_differ(self, write):
        a = write("id,acc,other\n1,1,0\n2,0,0\n3,1,0\n", "a.csv")
        b = write("id,f1\n1,0.5\n2,0\n3,1\n", "b.csv")
        with pytest.raises(ValueError, match="different scores: acc, f1. Pass score=, a name"):
            compare_items(read_samples(a, score="acc"), read_samples(b), **QUICK)
        one, other = (read_samples(a, score=score) for score in ("acc", "other"))
        assert compare_items(one, other, **QUICK).observed_b == 0


class TestLogs:
    @pytest.mark.parametrize("names_metrics", [True, False])
    def test_metrics(self, names_metrics, write):
        options = {"names_metrics": names_metrics, "acc_norm": 1.0}
        path = write(as_lines(logged(i, acc=float(i % 2), **options) for i in range(4)))
        with pytest.raises(ValueError, match="score= must say .* any of acc, acc_norm may be it"):
            read_samples(path)
        assert read_samples(path, score="acc").scores.tolist() == [0, 1, 0, 1]
        assert read_samples(path, score="acc_norm").scores.tolist() == [1] * 4
        with pytest.raises(ValueError, match="line 1 of .* has no 'f1'. It has acc, acc_norm."):
            read_samples(path, score="f1")

    def test_metrics_that_are_no_numbers(self, write):
        path = write(as_lines(logged(i, bits=[-1.5, 3], acc=1) for i in range(3)))
        assert read_samples(path).score == "acc"
        with pytest.raises(ValueError, match=r"'bits' must be a finite number.* \[-1.5, 3\] in li"):
            read_samples(path, score="bits")
        path = write(as_lines(logged(i, bleu=["a", "b"]) for i in range(3)))
        with pytest.raises(ValueError, match="because none is a number"):
            read_samples(path)

    def test_filters(self, write):
        values = {"strict-match": [1, 0, 0], "flexible-extract": [1, 1, 0]}
        every = ((name, i, x) for name in values for i, x in enumerate(values[name]))
        path = write(as_lines(logged(i, filtered_by=name, exact_match=x) for name, i, x in every))
        with pytest.raises(ValueError, match="several filters: flexible-extract, strict-match"):
            read_samples(path)
        with pytest.raises(ValueError, match="filter='lenient' is not in .* flexible-extract, str"):
            read_samples(path, filter="lenient")
        for name, of_one in values.items():
            assert read_samples(path, filter=name).scores.tolist() == of_one

    def test_columns_of_the_document(self, write):
        path = write(as_lines(logged(i, acc=i % 2) for i in range(12)))
        samples = read_samples(path, id="question_id", group="subject")
        assert samples.scores.index.tolist() == [str(70 + i) for i in range(12)]
        assert samples.groups.loc["75"] == "s5"
        assert read_samples(path, id="doc_hash").scores.index[3] == f"d{3:063d}"
        with pytest.raises(ValueError, match="has no 'subjekt'. It has subject, .* and 10 others"):
            read_samples(path, group="subjekt")


class TestPlainFiles:
    @pytest.mark.parametrize("separator", [",", "\t", ";"])
    def test_tables(self, separator, write):
        rows = [("id", "score", "note"), ("007", "0.5", '"x, y;\tz\n"'), ("7", "1", "")]
        path = write("\n".join(separator.join(row) for row in rows) + "\n", "scores.csv")
        samples = read_samples(path)
        assert samples.scores.to_dict() == {"007": 0.5, "7": 1.0}
        assert samples.scores.name == samples.score == "score"

    def test_columns_by_name(self, write):
        path = write("nr,grade,seconds,chapter\n1,4,0.1,x\n2,3,0.2,x\n3,2,0.1,y\n", "a.csv")
        samples = read_samples(path, id="nr", score="grade", group="chapter")
        assert samples.scores.tolist() == [4, 3, 2]
        assert samples.groups.tolist() == ["x", "x", "y"]
        with pytest.raises(ValueError, match="id= must .* none has a usual name. .* nr, grade, s"):
            read_samples(path)
        with pytest.raises(ValueError, match="score= must .* any of grade, seconds may be it. The"):
            read_samples(path, id="nr")

    def test_runs(self, write):
        rows = [("x", 1.0), ("y", 0.0), ("x", 0.5), ("x", 0.0), ("y", 1.0)]
        path = write(as_lines({"id": i, "score": s, "g": "h"} for i, s in rows))
        with pytest.raises(ValueError, match="id 'x' occurs more than once .* in lines 1 and 3"):
            read_samples(path)
        samples = read_samples(path, runs=True, group="g")
        expected = pd.DataFrame({0: [1, 0], 1: [0.5, 1], 2: [0, np.nan]}, index=["x", "y"])
        np.testing.assert_array_equal(samples.scores.to_numpy(), expected.to_numpy())
        assert samples.scores.index.tolist() == samples.groups.index.tolist() == ["x", "y"]
        assert repr(samples) == "Samples(2 items, 3 runs, 1 groups, score='score')"
        pd.testing.assert_frame_equal(read_samples(path, runs="all").scores, samples.scores)
        for runs, kept in (("first", [1, 0]), ("last", [0, 1])):
            samples = read_samples(path, runs=runs)
            assert samples.scores.index.tolist() == ["x", "y"]
            assert samples.scores.tolist() == kept
        for wrong in ("x", 2, None):
            with pytest.raises(ValueError, match="runs must be True, False, 'all', 'first' or"):
                read_samples(path, runs=wrong)
        path = write("id,score,g\nx,1,h\nx,0,i\n", "a.csv")
        with pytest.raises(ValueError, match="several values of 'g' for item 'x': 'h' and 'i'"):
            read_samples(path, runs=True, group="g")

    def test_words(self, write):
        rows = "a,PASS,x\nb,fail,y\nc,Yes,z\nd,incorrect,\ne,,\nf,correct,\n"
        path = write(f"id,result,note\n{rows}", "a.csv")
        words = "'PASS' as 1, 'Yes' as 1, 'correct' as 1, 'fail' as 0, 'incorrect' as 0."
        with pytest.warns(UserWarning, match=words):
            samples = read_samples(path)
        assert samples.score == "result"
        np.testing.assert_array_equal(samples.scores, [1, 0, 1, 0, np.nan, 1])
        other = write("id,verdict\na,pass\nb,unsure\n", "b.csv")
        with pytest.raises(ValueError, match="pass or fail, .* yes or no, got 'unsure' in row 2"):
            read_samples(other)
        # Answers are no scores where there are scores.
        plain = write("id,answer,acc\na,yes,0\nb,no,1\n", "c.csv")
        assert read_samples(plain).scores.tolist() == [0, 1]


class TestFiles:
    def test_byte_order_marks_and_compression(self, write, tmp_path):
        for text, name in (("id,score\nä,1\n", "a.csv"), ('{"id": "ä", "score": 1}\n', "a.jsonl")):
            path = write(text, name, "utf-8-sig")
            packed = tmp_path / f"{name}.gz"
            packed.write_bytes(gzip.compress(path.read_bytes()))
            for one in (path, str(path), packed):
                assert read_samples(one).scores.to_dict() == {"ä": 1.0}

    @pytest.mark.skipif(os.name != "posix", reason="needs pipes")
    @pytest.mark.parametrize("text", ["id,score\na,1\n", '{"id": "a", "score": 1}\n'])
    def test_pipes(self, text):
        read, write = os.pipe()
        os.write(write, text.encode())
        os.close(write)
        assert read_samples(f"/dev/fd/{read}").scores.to_dict() == {"a": 1.0}
        os.close(read)

    def test_files_that_are_empty_or_no_text(self, write, tmp_path):
        for text, name in (("", "a"), (" \n", "b"), ("id,score\n", "c.csv"), ("[]", "d.json")):
            with pytest.raises(ValueError, match="contains no samples"):
                read_samples(write(text, name))
        with pytest.raises(FileNotFoundError):
            read_samples(tmp_path / "nothing.jsonl")
        path = tmp_path / "x"
        path.write_bytes(b'{"id": "\xff"}')
        with pytest.raises(ValueError, match="not a text file in UTF-8"):
            read_samples(path)
        path.write_bytes(gzip.compress(b'{"id": 1, "score": 1}\n' * 1000)[:-20])
        with pytest.raises(ValueError, match="damaged gzip file"):
            read_samples(path)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ('{"id": 3, "score": 0.5', "line 3 of .*bad.jsonl is not valid JSON"),
            ('{"id": 3}', "line 3 of .* has no 'score'. It has id."),
            ('{"id": null, "score": 1}', "'id' must be a text .* got None in line 3"),
            ('{"id": 3, "score": 1, "score": 0}', "line 3 of .* has more than one 'score'"),
            ('{"id": 1.8e18, "score": 1}', r"'id' must be a text .* got 1.8e\+18 in line 3"),
            ('{"id": 3, "score": "1_0"}', "'score' must be .* got '1_0' in line 3"),
            (f'{{"id": 3, "score": 1{"0" * 400}}}', "'score' must be a finite number.* in line 3"),
            ('{"id": 3, "score": Infinity}', "'score' must be a finite number.* got inf in line 3"),
        ],
    )
    def test_malformed_lines(self, line, message, write):
        text = as_lines({"id": i, "score": 1} for i in range(2)) + line + "\n"
        with pytest.raises(ValueError, match=message):
            read_samples(write(text, "bad.jsonl"))

    def test_malformed_tables(self, write):
        for text, message in (
            ("id,score\n1,1\n2,1_0\n", "'score' must be a finite number.* got '1_0' in row 2"),
            ("id,score\n1,1\nid,score\n", "'score' must be .* got 'score' in row 2"),
            ("id,score\n1,1\n1,0\n", "id '1' occurs more than once in .*, in rows 1 and 2"),
            ("id,score\n1,1\n2,1,1\n", "cannot be read as a CSV table: .*line 3"),
            ("id,score,id\n1,1,1\n", "more than one column 'id'"),
        ):
            with pytest.raises(ValueError, match=message):
                read_samples(write(text, "bad.csv"))

    def test_scores_that_are_missing(self, write):
        lines = as_lines({"id": i, "score": i % 2} for i in range(8))
        rows = "id,score\n" + "".join(f"{i},{i % 2}\n" for i in range(8))
        texts = [lines + f'{{"id": 8, "score": {missing}}}\n' for missing in ("null", "NaN")]
        texts += ['{"id": 8, "score": null}\n' + lines]
        for text in [*texts, *(rows + last for last in ("8,\n", "8, \n", "8\n", "8,nan\n"))]:
            found = read_samples(write(text, "scores"))
            assert found.scores.index[found.scores.isna()].tolist() == ["8"]
            assert found.scores.sum() == 4
        other = read_samples(write(as_lines({"id": i, "score": 1} for i in range(9)), "other"))
        with pytest.raises(ValueError, match="scores_a has no score for 1 of 9 .* id '8'"):
            compare_items(found, other)
        for missing, score, n_items in (("drop", 1 / 2, 8), ("wrong", 4 / 9, 9)):
            result = compare_items(found, other, missing=missing, n_draws=100)
            assert (result.observed_a, result.evidence.n_items) == (pytest.approx(score), n_items)

    def test_only_what_is_asked_for_is_in_memory(self, write):
        record = logged(0, acc=1.0) | {"resps": [["x" * 20_000]]}
        lines = write(as_lines(record | {"doc_id": i} for i in range(500)))
        rows = "".join(f"{i},1,{'x' * 2000}\n" for i in range(5000))
        for path in (lines, write(f"id,score,response\n{rows}", "a.csv")):
            tracemalloc.start()
            read_samples(path)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < path.stat().st_size


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
        ("sql", "found"),
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
            ("1.8e18::DOUBLE AS id, 1 AS score", "'id' must be a text or a whole number, got 1.8e"),
            ("1.5::DECIMAL(3, 1) AS id, 1 AS score", "'id' must be .* got Decimal"),
            ("DATE '2020-01-01' AS id, 1 AS score", "'id' must be .* got datetime.date"),
            ("NULL::INTEGER AS id, 1 AS score", "'id' must be .* got None"),
            ("1 AS id, 'inf'::DOUBLE AS score", "'score' must be a finite number.* got inf"),
            ("1 AS id, TIMESTAMP '2020-01-01' AS score", "none is a number"),
        ],
    )  # fmt: skip
    def test_types_of_parquet(self, sql, found, tmp_path):
        duckdb = pytest.importorskip("duckdb")
        duckdb.sql(f"SELECT {sql}").write_parquet(str(tmp_path / "x"))
        if isinstance(found, str):
            with pytest.raises(ValueError, match=found):
                read_samples(tmp_path / "x")
        else:
            scores, expected = read_samples(tmp_path / "x").scores, pd.Series(found, dtype=float)
            pd.testing.assert_series_equal(scores, expected, check_names=False)

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


def test_grades_of_people_in_a_column_are_those_passed_by_hand(tmp_path):
    rng = np.random.default_rng(0)
    judged = rng.integers(1, 6, (2, 60)).astype(float)
    strict = np.clip(judged - rng.integers(0, 2, (2, 60)), 1, 5)
    human = np.where(np.arange(60) % 3 == 0, strict, np.nan)
    samples = []
    for name, grades, of_people in zip("ab", judged, human, strict=True):
        table = pd.DataFrame({"id": np.arange(60), "grade": grades, "person": of_people})
        table.sample(frac=1, random_state=0).to_csv(tmp_path / f"{name}.csv", index=False)
        samples.append(read_samples(tmp_path / f"{name}.csv", human="person"))
    assert [len(one.human) for one in samples] == [20, 20]
    read = compare_items(*samples, **QUICK)
    a, b = (one.scores for one in samples)
    people = [pd.Series(grades, index=map(str, range(60))) for grades in human]
    by_hand = compare_items(a, b, human_a=people[0], human_b=people[1], **QUICK)
    np.testing.assert_array_equal(read.draws, by_hand.draws)


def test_no_grades_of_people_are_an_error_that_lists_the_columns(write):
    path = write(as_lines([{"id": 1, "grade": 4}, {"id": 2, "grade": 5, "person": None}]))
    with pytest.raises(ValueError, match="human='person' must name .* first are id, grade"):
        read_samples(path, human="person")
