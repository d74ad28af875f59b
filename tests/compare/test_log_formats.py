"""Logs as evaluation programs write them; who wrote which is said in logs/README.md."""

import gzip
import io
import json
import math
import shutil
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_items, read_samples
from skbayeseval.cli import main
from skbayeseval.compare import log_formats

LOGS = Path(__file__).parent / "logs"


# Logs of two systems of each format, and the options that are needed to read them.
PAIRS = {
    "inspect": ("inspect_deflated_new.eval", "inspect_deflated_old.eval", ["--score", "match"]),
    "zstandard": ("inspect_new.eval", "inspect_old.eval", ["--score", "match"]),
    "inspect json": ("inspect_new.json.gz", "inspect_old.json.gz", ["--score", "match"]),
    "helm": ("helm_new", "helm_old", ["--score", "exact_match", "--filter", "test"]),
    "promptfoo": ("promptfoo_new.json", "promptfoo_old.json", []),
    "harness": ("harness_new", "harness_old", ["--task", "sums", "--score", "acc"]),
}


def read(name, **options):
    if name in ("inspect_new.eval", "inspect_old.eval"):
        pytest.importorskip("zstandard")
    return read_samples(LOGS / name, **options)


def written(name):
    """Return the JSON of a log."""
    data = (LOGS / name).read_bytes()
    return json.loads(gzip.decompress(data) if name.endswith(".gz") else data)


def packed(members, compression=zipfile.ZIP_DEFLATED):
    """Return a zip archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, bytes) else json.dumps(content))
    return file.getvalue()


def inspect_log(samples, **header):
    return {"version": 2, "status": "success", "eval": header, "samples": samples}


def sample(number, value=1, epoch=1, **more):
    """Return a sample as Inspect logs it, with the score x."""
    return {"id": number, "epoch": epoch, "scores": {"x": {"value": value}}, **more}


@pytest.fixture
def write(tmp_path):
    def write(content, name="log"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    return write


GATE = ["--draws", "500", "--gate", "non-inferior", "--rope", "0.3"]


@pytest.mark.parametrize("kind", PAIRS)
def test_what_is_wrong_with_a_file_passes_no_gate(kind, tmp_path, capsys):
    if kind == "zstandard":
        pytest.importorskip("zstandard")
    a, b, options = PAIRS[kind]
    given = LOGS / a, tmp_path / b
    if (LOGS / b).is_dir():
        shutil.copytree(LOGS / b, given[1])
        path = next(given[1].rglob("*sums*" if kind == "harness" else "*.json"))
    else:
        path = Path(shutil.copy(LOGS / b, given[1]))
    command = ["items", *map(str, given), *options, *GATE]
    assert main(command) == 0
    data = path.read_bytes()
    for part in (data[: len(data) // 2], data[:-30], data[:10], b""):
        path.write_bytes(part)
        capsys.readouterr()
        assert main(command) == 2, len(part)
        assert str(given[1]) in capsys.readouterr().err
    for same in (command[1:2], [command[1]] * 2):
        assert main(["items", *same, *options, *GATE]) == 2


# Where in these logs samples are, and in a sample its item and its score.
PARTS = {
    "inspect json": (["samples"], ["id"], ["scores", "match", "value"]),
    "helm": ([], ["instance_id"], ["stats", 0, "sum"]),
    "promptfoo": (["results", "results"], ["testCase", "vars", "question"], ["score"]),
}


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("fault", ["nan", "text", "other item"])
def test_one_wrong_sample_passes_no_gate(kind, fault, write):
    a, b, options = PAIRS[kind]
    samples, item, score = PARTS[kind]
    log = written(f"{b}/per_instance_stats.json" if kind == "helm" else b)
    *place, last = [*samples, 0, *(item if fault == "other item" else score)]
    node = log
    for key in place:
        node = node[key]
    assert main(["items", str(LOGS / a), str(write(log)), *options, *GATE]) in (0, 3)
    node[last] = math.nan if fault == "nan" else "other"
    assert main(["items", str(LOGS / a), str(write(log)), *options, *GATE]) == 2


class TestInspect:
    # The accuracy in the header of each log.
    @pytest.mark.parametrize(
        ("name", "accuracy"),
        [("deflated_new.eval", 0.625), ("old.eval", 0.375), ("old.json.gz", 1 / 3)],
    )
    def test_scores_are_those_of_inspect(self, name, accuracy):
        samples = read(f"inspect_{name}", score="match", group="size")
        assert samples.scores.to_numpy().mean() == pytest.approx(accuracy)
        assert samples.scores.shape == ((12, 2) if name.endswith(".eval") else (12,))  # epochs
        assert (samples.groups["sum-3"], samples.groups["sum-9"]) == ("small", "large")
        assert samples.documents["sum-2"] == "What is 2 + 2?"
        assert samples.model == "mockllm/model"

    def test_without_zstandard(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "zstandard", None)
        with pytest.raises(ImportError, match=r"Zstandard: pip install 'skbayeseval\["):
            read_samples(LOGS / "inspect_new.eval")

    def test_whole_samples_if_there_are_no_summaries(self, write):
        with zipfile.ZipFile(LOGS / "inspect_deflated_new.eval") as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        del members["summaries.json"]
        found = read_samples(write(packed(members)), score="match").scores
        expected = read("inspect_deflated_new.eval", score="match").scores
        pd.testing.assert_frame_equal(found, expected.loc[found.index])

    def test_samples_that_failed(self):
        samples = read("inspect_error.eval", score="match")
        assert samples.scores.index[samples.scores.isna()].tolist() == ["sum-3"]

    def test_values(self, write):
        numbers = {"C": 1, "I": 0, "P": 0.5, "N": 0, "yes": 1, "No": 0, "true": 1, "0.25": 0.25}
        numbers |= {True: 1, 3: 3, math.nan: math.nan}
        log = inspect_log([sample(i, value) for i, value in enumerate(numbers)])
        np.testing.assert_array_equal(read_samples(write(log)).scores, [*numbers.values()])
        parts = inspect_log([sample(i, {"part": "C"}) for i in (1, 2)])
        assert read_samples(write(parts)).scores.tolist() == [1, 1]

    def test_samples_that_were_tried_again(self, write):
        def log(*values):
            return write(inspect_log([sample(1, value, epoch) for epoch, value in values]))

        for failed in (None, math.nan):
            found = read_samples(log((2, "I"), (1, failed), (1, "C")))
            assert found.scores.to_numpy().tolist() == [[1, 0]]
        unscored = {"id": 1, "epoch": 1, "scores": None}
        found = read_samples(write(inspect_log([sample(1, "I", 2), unscored, sample(1, "C")])))
        assert found.scores.to_numpy().tolist() == [[1, 0]]
        assert read_samples(log((2, "I"), (1, "C"), (1, "C"))).scores.shape == (1, 2)
        for last in ("I", None):
            message = "Samples 2 and 3 of .* have the same id, 1, and the same epoch, but other"
            with pytest.raises(ValueError, match=message):
                read_samples(log((2, "I"), (1, "C"), (1, last)))

    def test_other_samples_with_the_same_ids(self, write):
        """Samples of one topic and epoch are runs of it only if this is said."""
        topics = [{"topic": i % 2} for i in range(4)]
        samples = [sample(i, i, e, metadata=topics[i]) for i in range(4) for e in (1, 2)]
        path = write(inspect_log(samples))
        with pytest.raises(ValueError, match="topic '0' occurs more than once .* samples 1 and 5"):
            read_samples(path, id="topic")
        assert read_samples(path, id="topic", runs=True).scores.shape == (2, 4)

    def test_scorers_that_share_a_name(self, write):
        samples = [
            {"id": 1, "epoch": 1, "scores": {"a": {"value": {"b_c": 1}}, "x": {"value": 1}}},
            {"id": 2, "epoch": 1, "scores": {"a_b": {"value": {"c": 0}}, "x": {"value": 0}}},
        ]
        for order in (
            samples,
            [{**samples[0], "scores": {key: {"value": 1} for key in ("a_b_c", "x")}}, *samples],
        ):
            path = write(inspect_log([{**one, "id": i} for i, one in enumerate(order)]))
            with pytest.raises(ValueError, match="'a_b_c' has several values in sample 1 of .* or"):
                read_samples(path, score="a_b_c")
            assert read_samples(path, score="x").scores.iloc[-2:].tolist() == [1, 0]
            with pytest.raises(ValueError, match="any of .*a_b_c.* may be it"):
                read_samples(path)

    def test_several_logs_in_a_file(self, write):
        logs = [(LOGS / f"inspect_deflated_{name}.eval").read_bytes() for name in ("new", "old")]
        for more in (logs[1], logs[1][:-30], b"end"):
            with pytest.raises(ValueError, match="zip archive and something else, such as another"):
                read_samples(write(logs[0] + more), score="match")

    def test_other_inputs_with_the_same_ids(self, write):
        log = written("inspect_old.json.gz")
        log["samples"][4]["input"] = "Who?"
        pair = read("inspect_new.json.gz", score="match"), read_samples(write(log), score="match")
        with pytest.raises(ValueError, match="1 of 12 items with the same id have another input"):
            compare_items(*pair)


class TestModels:
    """Systems are called like the models that logs name."""

    def test_inspect(self, write, capsys):
        logs = []
        for n, (model, value) in enumerate((("big", 1), ("small", 0), ("small", 1))):
            samples = [sample(i, value ^ (i % 4 == 0)) for i in range(8)]
            logs.append(write(inspect_log(samples, model=f"x/{model}"), f"2026-{n}.json"))
        for which, options, names in (
            ((0, 1), [], ["x/big", "x/small"]),
            ((0, 1), ["--names", "A", "B"], ["A", "B"]),
            ((1, 2), [], ["2026-1", "2026-2"]),
            ((0, 1, 2), [], ["x/big", "x/small (2026-1)", "x/small (2026-2)"]),
        ):
            given = [str(logs[k]) for k in which]
            assert main(["items", *given, *options, "--draws", "500", "--json"]) == 0
            assert json.loads(capsys.readouterr().out)["names"] == names
        big, small, again = map(read_samples, logs)
        assert compare_items(big, small, n_draws=100).names == ("x/big", "x/small")
        assert compare_items(big, small, names=("new", "old"), n_draws=100).names == ("new", "old")
        for one, other in ((small, again), (big, big.scores.to_numpy())):
            assert compare_items(one, other, n_draws=100).names == ("A", "B")

    @pytest.mark.parametrize(
        ("folder", "said", "name", "options"),
        [
            ("helm_new", {"adapter_spec": {"model": "x/y"}}, "run_spec.json", {"filter": "test"}),
            ("harness_new/model", {"model_name": "x/y"}, "results_2026-11-17T15-46-54.890418.json",
             {"task": "sums"}),
        ],
    )  # fmt: skip
    def test_other_files_of_the_run(self, folder, said, name, options, tmp_path):
        options = options | {"score": "acc" if "task" in options else "exact_match"}
        shutil.copytree(LOGS / folder, tmp_path / "run")
        assert read_samples(tmp_path / "run", **options).model == ""
        for content, model in ((json.dumps(said), "x/y"), ("[", ""), ("[]", ""), ("{}", "")):
            (tmp_path / "run" / name).write_text(content)
            assert read_samples(tmp_path / "run", **options).model == model


class TestHelm:
    def test_scores_are_means_of_statistics(self):
        for name in ("helm_new", "helm_old"):
            entries = written(f"{name}/per_instance_stats.json")
            for part, perturbed in (("test", False), ("test typos 0", True)):
                stats = [e["stats"] for e in entries if ("perturbation" in e) == perturbed]
                of_entries = (stat for one in stats for stat in one)
                values = [s["mean"] for s in of_entries if s["name"]["name"] == "exact_match"]
                samples = read(name, score="exact_match", filter=part)
                assert samples.scores.shape == (10, 2)  # trials are runs
                assert samples.scores.to_numpy().mean() == pytest.approx(np.mean(values))

    def test_statistics_of_nothing(self, write):
        unscored = {"instance_id": "id2", "stats": []}
        log = [self.entry(1, count=2), self.entry(0, count=0, instance="id1"), unscored]
        found = read_samples(write(log), filter="test").scores
        np.testing.assert_array_equal(found, [0.5, np.nan])
        for entry in log[:2]:
            del entry["stats"][0]["name"]["split"]
        np.testing.assert_array_equal(read_samples(write(log)).scores, [0.5, np.nan, np.nan])

    @staticmethod
    def entry(value, *, instance="id0", trial=0, split="test", how=None, name="x", count=1):
        stat = {"name": {"name": name, "split": split}, "count": count, "sum": value}
        perturbed = {} if how is None else {"perturbation": how}
        return {"instance_id": instance, "train_trial_index": trial, "stats": [stat], **perturbed}

    def test_splits_are_kept_apart(self, write):
        path = write([self.entry(1), self.entry(0, split="valid"), self.entry(3, name="y")])
        with pytest.raises(ValueError, match="several filters: test, valid"):
            read_samples(path, score="x")
        assert read_samples(path, score="x", filter="test").scores.tolist() == [1]
        assert read_samples(path, score="x", filter="valid", group="split").scores.tolist() == [0]
        assert read_samples(path, score="y", filter="test").scores.tolist() == [3]

    def test_perturbations_are_kept_apart(self, write):
        typos = {"name": "typos", "seed": 0, "robustness": True}
        often = [self.entry(p, how={**typos, "prob": p}) for p in (0.1, 0.5)]
        path = write([*often, self.entry(0.7, how={"name": "case", "seed": 0})])
        found = {
            part: read_samples(path, filter=part).scores.tolist()
            for part in ("test typos 0 prob=0.1", "test typos 0 prob=0.5", "test case 0")
        }
        assert list(found.values()) == [[0.1], [0.5], [0.7]]
        with pytest.raises(ValueError, match="filters are: test case 0, test typos 0 prob=0.1, te"):
            read_samples(path, filter="test typos 0")

    def test_entries_that_are_repeated(self, write):
        both = self.entry(1)
        both["stats"] += self.entry(0)["stats"]
        for log in ([self.entry(1), self.entry(0)], [both]):
            with pytest.raises(ValueError, match="'x' has several values in entry 1 of .*log"):
                read_samples(write(log))
        # Metrics may report the same statistic; another one can still be read.
        same = [self.entry(1), self.entry(1), self.entry(1, trial=1), self.entry(0, trial=1)]
        more = [self.entry(t, name="y", trial=t) for t in (0, 1)]
        assert read_samples(write(same[:2])).scores.tolist() == [1]
        assert read_samples(write(same + more), score="y").scores.to_numpy().tolist() == [[0, 1]]


class TestPromptfoo:
    @pytest.mark.parametrize("name", ["new", "old"])
    def test_successes_are_those_of_promptfoo(self, name):
        stats = written(f"promptfoo_{name}.json")["results"]["stats"]
        for score in ("score", "success", "sum"):
            samples = read(f"promptfoo_{name}.json", score=score, group="size")
            assert samples.scores.sum() == stats["successes"]
        assert read(f"promptfoo_{name}.json").score == "score"

    def test_several_providers(self, capsys):
        with pytest.raises(ValueError, match="several filters: new, old"):
            read("promptfoo_two.json.gz")
        for name in ("new", "old"):
            alone = read(f"promptfoo_{name}.json").scores
            both = read("promptfoo_two.json.gz", filter=name).scores
            pd.testing.assert_series_equal(both[alone.index], alone)
        command = ["items", str(LOGS / "promptfoo_two.json.gz"), "--rope", "0.05"]
        assert main([*command, "--filter", "new", "--filter", "old"]) == 0
        assert "new is better than old" in capsys.readouterr().out
        for wrong in (["new"], ["new", "new"], ["new", "other"]):
            options = [word for name in wrong for word in ("--filter", name)]
            assert main([*command, *options]) == 2
        assert "two.json.gz, which has several: new, old. Pass, for" in capsys.readouterr().err
        assert main([*command, "--gate", "better"]) == 2
        assert "--gate asks about the first system, and " in capsys.readouterr().err
        assert main(command) == 0  # all providers of the one file
        assert "new is better than old" in capsys.readouterr().out

    def test_several_prompts(self, write):
        log = written("promptfoo_new.json")
        rows = log["results"]["results"]
        more = [row | {"prompt": {"label": "polite"}} for row in rows]
        log["results"]["results"] = rows + more
        path = write(log)
        with pytest.raises(ValueError, match=r"several filters: new \(plain\), new \(polite\)"):
            read_samples(path)
        assert len(read_samples(path, filter="new (polite)")) == 12

    def test_two_providers_with_one_name(self, write):
        log = written("promptfoo_new.json")
        rows = log["results"]["results"]
        log["results"]["results"] = rows + [row | {"score": 0, "promptIdx": 1} for row in rows]
        with pytest.raises(ValueError, match="test .* occurs more than once .* results 1 and 13"):
            read_samples(write(log))

    def test_a_metric_that_is_called_score(self, write):
        log = written("promptfoo_new.json")
        for row in log["results"]["results"]:
            row["namedScores"]["score"] = 0.5
        with pytest.raises(ValueError, match="'score' has several values in result 1"):
            read_samples(write(log))
        assert len(read_samples(write(log), score="success")) == 12

    def test_repeated_tests_are_runs_and_errors_no_failures(self):
        assert read("promptfoo_repeated.json.gz").scores.shape == (12, 2)
        scores = read("promptfoo_error.json.gz").scores
        assert scores.isna().sum() == 1
        assert '{"question": "What is 3 + 3?"}' in scores.index[scores.isna()]


# What lm_eval printed of the runs.
ACC = {("new", "sums"): 0.35, ("new", "products"): 5 / 12,
       ("old", "sums"): 0.2, ("old", "products"): 0.25}  # fmt: skip


class TestHarness:
    @pytest.mark.parametrize(("name", "task"), ACC)
    def test_scores_are_those_of_the_harness(self, name, task):
        for score in ("acc", "acc_norm"):
            samples = read(f"harness_{name}", task=task, score=score, group="size")
            assert samples.scores.mean() == pytest.approx(ACC[name, task])
        assert len(read(f"harness_{name}/model", task=task, score="acc")) == len(samples)

    def test_several_tasks(self):
        with pytest.raises(ValueError, match="task= must say which .*: products, sums. A pattern"):
            read("harness_new", score="acc")
        with pytest.raises(ValueError, match="task='x' is not in .* tasks are: products, sums"):
            read("harness_new", task="x")
        samples = read("harness_new", task="*", score="acc", group="task")
        assert samples.groups.value_counts().to_dict() == {"sums": 20, "products": 12}
        assert samples.scores["sums/7"] == read("harness_new", task="sums", score="acc").scores["7"]
        assert read("harness_new", task="s*", score="acc").scores.index[0] == "sums/0"

    def test_the_newest_counts(self, tmp_path):
        for day, value in (("10", 0.0), ("11", 1.0), ("09", 0.0)):
            path = tmp_path / f"samples_a_b_2026-01-{day}T00-00-00.5.jsonl"
            path.write_text(json.dumps({"doc_id": 1, "resps": [], "acc": value}))
        assert read_samples(tmp_path).scores.tolist() == [1.0]
        with pytest.raises(ValueError, match="task='sums' chooses a log in a folder, but .* no f"):
            read_samples(path, task="sums")

    def test_folders(self, tmp_path):
        with pytest.raises(ValueError, match="is a folder without logs"):
            read_samples(tmp_path)
        for name in ("new", "old"):
            shutil.copytree(LOGS / f"harness_{name}" / "model", tmp_path / name)
        with pytest.raises(ValueError, match="logs of several models. Pass one of .*new, .*old"):
            read_samples(tmp_path)


class TestSafety:
    """Files that are made to harm, or damaged."""

    def test_bombs(self, write, monkeypatch):
        monkeypatch.setattr(log_formats, "MOST_BYTES", 2**20)
        line = b'{"id": 1, "score": 1, "x": "' + b" " * 2**24 + b'"}'
        texts = line, b"id,score,x\n1,1," + line, b"[" + line + b"]"
        samples = {f"samples/{i}.json": b"{}" + b" " * 2**21 for i in range(8)}
        archives = [packed(members) for members in ({"summaries.json": texts[2]}, samples)]
        for content in (*map(gzip.compress, texts), *archives):
            path = write(content)
            tracemalloc.start()
            with pytest.raises(ValueError, match=r"log unpacks to more than .* 200 times its size"):
                read_samples(path)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 2**24

    def test_zstandard_bombs(self, write, monkeypatch):
        zstandard = pytest.importorskip("zstandard")
        monkeypatch.setattr(log_formats, "MOST_BYTES", 2**20)
        data = zstandard.compress(b"[" + b" " * 2**24 + b"]")
        content = packed({"summaries.json": data}, zipfile.ZIP_STORED)
        for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            i = content.index(signature) + offset
            content = content[:i] + b"\x5d\0" + content[i + 2 :]
        with pytest.raises(ValueError, match="log is a damaged zip archive: .* not the size"):
            read_samples(write(content))

    def test_paths_in_archives_are_names(self, write, tmp_path):
        members = dict.fromkeys(("samples/../../o.json", "/samples/y.json", "../z.json"), sample(1))
        assert len(read_samples(write(packed(members)))) == 1
        assert [path.name for path in tmp_path.iterdir()] == ["log"]

    def test_archives_without_logs(self, write):
        for members in ({}, {"a.txt": b"x"}):
            with pytest.raises(ValueError, match="zip archive without samples, no log of Inspect"):
                read_samples(write(packed(members)))
        with pytest.raises(ValueError, match="sample 1 of .* must be an object with id and epoch"):
            read_samples(write(packed({"summaries.json": {"x": 1}})))

    def test_what_is_no_json_or_no_log(self, write):
        helm = (LOGS / "helm_new" / "per_instance_stats.json").read_bytes()
        for text in (b"[" * 10**5, b'{\n"a":' + b"[" * 10**5, helm + b"\n" + helm, helm + b"]"):
            with pytest.raises(ValueError, match="log is not valid JSON"):
                read_samples(write(text))
        with pytest.raises(ValueError, match="summaries.json in .*log is not valid JSON"):
            read_samples(write(packed({"summaries.json": b"[" * 10**5})))
        text = json.dumps({"model": "x", "scores": [1, 2]}, indent=2).encode()
        with pytest.raises(ValueError, match="a JSON object, but no log .*: it has model, scores"):
            read_samples(write(text))

    @pytest.mark.parametrize(
        "log",
        [
            inspect_log(3),
            inspect_log([{"id": 1, "epoch": 1, "scores": {"x": 1}}]),
            inspect_log([{"id": 1, "epoch": 1, "metadata": "x"}]),
            [{"instance_id": "x", "stats": [3]}],
            [{"instance_id": "x", "stats": [{"name": "x", "count": 1}]}],
            [{"instance_id": "x", "stats": []}, 3],
            {"evalId": "x", "results": {"results": [3]}},
            {"evalId": "x", "results": {"results": [{"testCase": 3}]}},
            {"evalId": "x", "results": {"results": []}},
            {"version": 2, "status": "success", "eval": {}},
            {"evalId": "x", "results": 3},
        ],
    )
    def test_logs_of_another_form(self, log, write):
        with pytest.raises(ValueError, match="log"):
            read_samples(write(log))

    @pytest.mark.parametrize("indent", [None, 1])
    def test_logs_with_more_after_them(self, indent, write):
        text = json.dumps(written("promptfoo_new.json"), indent=indent).encode()
        blank = b"\r\n \n"
        found = read_samples(write(blank + text + blank)).scores
        pd.testing.assert_series_equal(found, read("promptfoo_new.json").scores)
        for more in (text, b"\n" + text, b"\n\n" + text[:99], b"\nend", b'\n{"id": 1}\n'):
            for packed in (text + more, gzip.compress(text) + gzip.compress(more)):
                with pytest.raises(ValueError, match="log (has further lines|is not valid JSON)"):
                    read_samples(write(packed))
