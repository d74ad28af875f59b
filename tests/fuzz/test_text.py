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

from skbayeseval import compare_predictions, load_result
from tests.fuzz.harness import attempt, examples

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
