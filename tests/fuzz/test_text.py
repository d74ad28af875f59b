"""Tags, chunks and the command line."""

import contextlib
import io
import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from skbayeseval import chunk_counter
from skbayeseval.cli import main
from skbayeseval.sequences.tags import SCHEMES, convert_tags, tags_to_chunks
from tests.fuzz.harness import TALLY, attempt, examples
from tests.fuzz.strategies import anything, mostly

schemes = st.sampled_from(sorted(SCHEMES))


def tags_of(scheme):
    prefixes = sorted({*SCHEMES[scheme], "B"})
    return st.one_of(
        st.just("O"),
        st.tuples(st.sampled_from(prefixes), st.sampled_from(["", "-X", "-Y"])).map("".join),
    )


@st.composite
def sentences(draw, scheme, lengths):
    return [draw(st.lists(tags_of(scheme), min_size=length, max_size=length)) for length in lengths]


lengths = st.lists(st.integers(0, 5), min_size=1, max_size=3)


@examples(800)
@given(st.data())
def test_conversion_keeps_chunks(data):
    source, target = data.draw(schemes), data.draw(schemes)
    y = data.draw(sentences(source, data.draw(lengths)))
    converted = attempt("convert_tags", lambda: convert_tags(y, source, target))
    assert tags_to_chunks(converted, target) == tags_to_chunks(y, source)
    attempt("convert_tags", lambda: convert_tags(data.draw(anything), source, target))
    attempt("convert_tags", lambda: convert_tags(y, data.draw(anything), target))


@examples(500)
@given(st.data())
def test_chunk_counter(data):
    first, second = data.draw(schemes), data.draw(schemes)
    sizes = data.draw(lengths)
    y, a = data.draw(sentences(first, sizes)), data.draw(sentences(first, sizes))
    b = data.draw(sentences(second, sizes))
    types = data.draw(mostly(st.sampled_from([None, "X", ["X", ""]])))
    counter = attempt("chunk_counter", lambda: chunk_counter(first, second, types=types))
    if counter is None:
        return
    counts = attempt("ChunkCounter", lambda: counter(y, a, b))
    kept = None if types is None else {types} if isinstance(types, str) else set(types)
    sets = [
        {
            (i, chunk)
            for i, chunks in enumerate(tags_to_chunks(tags, scheme))
            for chunk in chunks
            if kept is None or chunk.type in kept
        }
        for tags, scheme in ((y, first), (a, first), (b, second))
    ]
    assert counts.cells.sum() == len(set.union(*sets))
    one = attempt("ChunkCounter.count_one", lambda: counter.count_one(y, b, 1))
    tp = len(sets[0] & sets[2])
    np.testing.assert_array_equal(
        one.table[[0, 1, 1], [1, 0, 1]], [len(sets[2]) - tp, len(sets[0]) - tp, tp]
    )
    attempt("ChunkCounter", lambda: counter(y, a, data.draw(anything)))


@examples(150)
@given(data=st.data())
def test_command_line(data, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp()
    path = folder / "predictions.csv"
    cells = data.draw(
        st.sampled_from([("0", "1"), ("yes", "no"), ("NA", "None"), ("0", "1", "x", "", "01")])
    )
    cell = st.sampled_from(cells)
    rows = data.draw(st.lists(st.tuples(cell, cell, cell), min_size=4, max_size=12))
    path.write_text("\n".join(["truth,a,b", *(",".join(row) for row in rows)]))
    arguments = ["compare", str(path), "--truth", "truth", "--a", "a", "--b", "b", "--json"]
    options = {
        "--scoring": "accuracy",
        "--rope": "0.1",
        "--draws": "200",
        "--model": "unpaired",
        "--seed": "7",
    }
    option = data.draw(st.sampled_from(sorted(options)))
    wrong = st.sampled_from(["f1_macro", "0.01", "200", "bcv", "-1", "x"])
    arguments += [option, data.draw(st.one_of(st.just(options[option]), wrong))]
    run(arguments)


@examples(150)
@given(
    st.lists(
        st.sampled_from(["0", "3", "7", "12", "40", "5", "9", "-1", "1.5"]), min_size=6, max_size=8
    )
)
def test_counts_on_the_command_line(cells):
    run(["counts", "--a", *cells[:3], "--b", *cells[3:6], "--json"])


def run(arguments):
    """Run the command line: it prints JSON, or one sentence and returns 2."""
    tally = TALLY["command line"]
    tally[0] += 1
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code
    assert code in (0, 2)
    tally[1 if code == 0 else 2] += 1
    if code == 0:
        report = json.loads(out.getvalue())
        assert report["summary"]
    else:
        assert "Traceback" not in err.getvalue()
        assert err.getvalue().strip()
