"""Tags, chunks, names and the command line."""

import base64
import io
import json
import re
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from skbayeseval import chunk_counter, compare_predictions, load_result
from skbayeseval.sequences import SCHEMES, convert_tags, tags_to_chunks
from tests.fuzz.harness import attempt, examples
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


@examples(320)
@given(st.data())
def test_conversion_keeps_chunks(data):
    source, target = data.draw(schemes), data.draw(schemes)
    y = data.draw(sentences(source, data.draw(lengths)))
    converted = attempt("convert_tags", lambda: convert_tags(y, source, target))
    assert tags_to_chunks(converted, target) == tags_to_chunks(y, source)
    attempt("convert_tags", lambda: convert_tags(data.draw(anything), source, target))
    attempt("convert_tags", lambda: convert_tags(y, data.draw(anything), target))


@examples(200)
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


# Characters of all kinds: such that UTF-8, XML, LaTeX or terminals do not take are among them.
characters = st.one_of(
    st.characters(),
    st.sampled_from(
        "aé名\u202e\u200d\n\t\x00\x07\x1b\x85\ud800\udfff\ufffe\uffff<&>\"'$_%#|\\`*~^{}"
    ),
)
texts = st.text(characters, min_size=1, max_size=5)


@examples(25)
@given(texts, texts, texts, st.integers(0, 3))
def test_names_that_can_be_written_or_are_refused(name, label, metric, place):
    """What is accepted can be shown, saved and loaded in all ways."""
    names = (name if place == 0 else "x", "y z")
    labels = np.array(["n", label if place == 1 and label != "n" else "p"], dtype=object)
    scoring = {metric if place == 2 else "f1": "f1_macro"}
    column = np.array(["one", name], dtype=object)[np.arange(60) // 3 % 2]
    y = np.arange(60) % 2
    said = [np.where(np.arange(60) % k, y, 1 - y) for k in (5, 7)]
    result = attempt(
        "names",
        lambda: compare_predictions(
            *(labels[codes] for codes in (y, *said)),
            names=names,
            scoring=scoring,
            n_draws=200,
            random_state=0,
        ),
    )
    if result is None:
        return
    shown = [
        str(result),
        result.details(),
        result.explain(0.1),
        str(result.decision(0.1)),
        result.to_latex(0.1),
    ]
    shown += [result.to_markdown(0.1), result.to_html(0.1), result._repr_html_()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        result.report(path / "page.html", rope=0.1)
        shown.append((path / "page.html").read_text(encoding="utf-8"))
        result.save(path / "file")
        again = load_result(path / "file")
    assert str(again) == str(result)
    assert again.details() == result.details()
    assert again.labels == result.labels
    for drawing in re.findall(r"base64,([\w+/=]+)", shown[-1]):
        ElementTree.fromstring(base64.b64decode(drawing))
    for text in shown:
        text.encode()
    json.loads(json.dumps(result.to_dict(), allow_nan=False))
    if place == 3:
        parts = attempt("names of subgroups", lambda: result.by(column))
        if parts is not None:
            figure = parts.plot().figure_
            figure.savefig(drawn := io.BytesIO(), format="svg")
            plt.close(figure)
            ElementTree.fromstring(drawn.getvalue())
            parts._repr_html_().encode()
