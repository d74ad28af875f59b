"""Every example of the gallery is a notebook that runs, as sphinx-gallery converts it."""

import contextlib
import io
import json
import re

import pytest

from tests.conftest import ROOT

parser = pytest.importorskip("sphinx_gallery.py_source_parser")
notebook = pytest.importorskip("sphinx_gallery.notebook")
gen_gallery = pytest.importorskip("sphinx_gallery.gen_gallery")

EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))


def cells_of(path):
    """Return the cells of the notebook that a page of the gallery offers."""
    _, blocks = parser.split_code_and_text_blocks(str(path))
    made = notebook.jupyter_notebook(blocks, gen_gallery.DEFAULT_GALLERY_CONF, str(path.parent))
    return json.loads(json.dumps(made))["cells"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_there_are_text_and_code(path):
    first, *others = cells_of(path)
    assert first["cell_type"] == "markdown"
    assert "".join(first["source"]).lstrip().startswith("# ")
    assert {cell["cell_type"] for cell in others} >= {"code"}


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_cells_run_in_order(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace, printed = {"__name__": "__main__"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for number, cell in enumerate(cells_of(path)):
            if cell["cell_type"] == "code":
                code = "".join(cell["source"])
                exec(compile(code, f"{path.name}, cell {number}", "exec"), namespace)
    assert re.search("95% (interval|HDI)", printed.getvalue())
