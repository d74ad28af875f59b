"""How long `read_samples` takes for 100,000 items, compared with `json.loads` alone.

Logs are made up, of the form of each program, with the same answer of 200 characters in each item.
For tables, the same rows as JSON Lines are parsed.

    python benchmarks/read_logs.py
"""

import argparse
import gzip
import io
import json
import tempfile
import time
import zipfile
from pathlib import Path

import pandas as pd

from skbayeseval import read_samples

ANSWER = "The answer is, as far as I can see, the following. " * 4


def harness(n):
    """JSON Lines of lm-evaluation-harness."""
    return [
        {
            "doc_id": i, "doc": {"question": f"{i}?", "subject": i % 57}, "target": "1",
            "resps": [[ANSWER]], "filtered_resps": [ANSWER], "filter": "none", "metrics": ["acc"],
            "doc_hash": f"{i:064d}", "acc": float(i % 2),
        }
        for i in range(n)
    ]  # fmt: skip


def inspect(n):
    """Summaries of samples of Inspect."""
    return [
        {
            "id": i, "epoch": 1, "input": f"{i}?", "target": "1", "metadata": {"subject": i % 57},
            "scores": {"match": {"value": "CI"[i % 2], "answer": ANSWER}}, "completed": True,
        }
        for i in range(n)
    ]  # fmt: skip


def helm(n):
    """Statistics of HELM."""
    return [
        {
            "instance_id": f"id{i}", "train_trial_index": 0,
            "stats": [{"name": {"name": "em", "split": "test"}, "count": 1, "sum": i % 2}],
        }
        for i in range(n)
    ]  # fmt: skip


def promptfoo(n):
    """Results of promptfoo."""
    rows = [
        {
            "testIdx": i, "provider": {"id": "x"}, "prompt": {"raw": f"{i}?", "label": "p"},
            "testCase": {"vars": {"question": f"{i}?"}}, "response": {"output": ANSWER},
            "success": i % 2 == 1, "score": i % 2, "namedScores": {}, "failureReason": 0,
        }
        for i in range(n)
    ]  # fmt: skip
    return {"evalId": "x", "results": {"results": rows}}


def logs(n, folder):
    """Yield names, files, and a function that parses the same bytes as JSON."""

    def written(name, content):
        path = Path(folder, name)
        path.write_bytes(content)
        return path

    def parsed(lines):
        return lambda: [json.loads(line) for line in lines]

    def of_json(document):
        text = json.dumps(document).encode()
        return text, lambda: json.loads(text)

    lines = [json.dumps(record) for record in harness(n)]
    text = "\n".join(lines).encode()
    yield "lm-evaluation-harness", written("h.jsonl", text), parsed(lines)
    packed = gzip.compress(text)
    unpacked = parsed(lines)
    yield (
        "lm-evaluation-harness, gzip",
        written("h.jsonl.gz", packed),
        lambda: (gzip.decompress(packed), unpacked()),
    )
    rows = pd.DataFrame({"id": range(n), "score": [i % 2 for i in range(n)], "answer": ANSWER})
    lines = [json.dumps(row) for row in rows.to_dict("records")]
    yield "JSON Lines", written("r.jsonl", "\n".join(lines).encode()), parsed(lines)
    yield "CSV", written("r.csv", rows.to_csv(index=False).encode()), parsed(lines)
    yield "data frame", rows, parsed(lines)
    import duckdb

    path = Path(folder, "r.parquet")
    duckdb.from_df(rows).write_parquet(str(path))
    yield "Parquet", path, parsed(lines)
    samples = inspect(n)
    text, parse = of_json(samples)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("summaries.json", text)
    yield "Inspect, .eval", written("i.eval", archive.getvalue()), parse
    log = {"version": 2, "status": "success", "eval": {}, "samples": samples}
    text, parse = of_json(log)
    yield "Inspect, JSON", written("i.json", text), parse
    text, parse = of_json(helm(n))
    yield "HELM", written("per_instance_stats.json", text), parse
    text, parse = of_json(promptfoo(n))
    yield "promptfoo", written("p.json", text), parse


def seconds(call, repeats):
    """Return the shortest of several times."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    print("| format | read_samples | json.loads | ratio |")
    print("| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name, source, parse in logs(args.items, folder):
            ours, alone = (
                seconds(call, args.repeats) for call in (lambda s=source: read_samples(s), parse)
            )
            print(f"| {name} | {ours:.2f} s | {alone:.2f} s | {ours / alone:.1f} |", flush=True)


if __name__ == "__main__":
    main()
