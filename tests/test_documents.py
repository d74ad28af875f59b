"""Every code block of README.md and docs/ runs, and prints what stands below it."""

import runpy
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pytest

from tests.conftest import ROOT

# The script that writes what the pages show.
pages = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "pages.py")))

# Pages that take more than about three seconds.
SLOW = {"models.md", "any_metric.md", "cross_validation.md", "grid_search.md", "leaderboards.md"}
SLOW |= {"planning.md"}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name, marks=[pytest.mark.slow] if path.name in SLOW else [])
        for path in pages.PAGES
        if list(pages.blocks_of(path.read_text()))
    ],
)
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas 3.1, in Dask
def test_blocks_print_what_is_shown(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, namespace = path.read_text(), {}
    for block in pages.blocks_of(text):
        if pages.is_missing(block):
            continue
        if "import optuna" in block.code:
            pytest.importorskip("optuna")
        shown = "" if block.shown is None else text[slice(*block.shown)]
        assert pages.run(block, namespace, path.name).splitlines() == [
            line.rstrip() for line in shown.splitlines()
        ]
        plt.close("all")


@pytest.mark.parametrize(("name", "least"), [("README.md", 1), ("docs/getting_started.md", 4)])
def test_first_pages_have_outputs_and_a_picture(name, least):
    blocks = list(pages.blocks_of((ROOT / name).read_text()))
    assert len(blocks) >= least
    assert all(block.shown is not None for block in blocks)
    assert any(block.image is not None for block in blocks)


def test_the_readme_is_one_screen():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 90


PAGE = """
```python
import matplotlib.pyplot as plt
plt.plot([1, 2])
print("a", *"bc")
```

```
{}```

![A line](line.png)

```python
a = 1
```

```sh
skbayeseval compare missing.csv
echo $?
```

```
{}```

    not run
"""


def test_pages_are_renewed(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(PAGE.format("old and\nlonger than what is printed\n", ""))
    pages.renew(path)
    first, second = [block.shown for block in pages.blocks_of(path.read_text()) if block.shown]
    text = path.read_text()
    assert text[slice(*first)] == "a b c\n"
    assert text[slice(*second)] == "2\n"  # the error itself is not printed to the output
    assert text == PAGE.format(text[slice(*first)], text[slice(*second)])
    assert (tmp_path / "line.png").stat().st_size > 1000
