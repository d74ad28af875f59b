"""What the sources may do: whom they import, what they ask of others, what they may not call.

A metric declares what it rests on, and a model what it can do. Where another module asks for the
name of a metric or the class of a model instead, whoever adds one gets a wrong number in silence.
"""

import ast
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import skbayeseval
from skbayeseval.metrics import known_metrics
from skbayeseval.models import MODEL_CLASSES

PACKAGE = Path(skbayeseval.__file__).parent


@cache
def trees():
    """Return the sources by their files, parsed, with all nodes in a list."""
    return {
        path.relative_to(PACKAGE).as_posix(): [*ast.walk(ast.parse(path.read_text("utf-8")))]
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def nodes(code):
    return [*ast.walk(ast.parse(code))]


# Modules import one way, inside each package too: `lint-imports` sees only whole packages.


def imports():
    """Return which modules each of them imports, also in functions and for types."""
    modules = {
        f"skbayeseval.{file[:-3].replace('/', '.')}".removesuffix(".__init__"): found
        for file, found in trees().items()
    }
    graph = {}
    for name, found in modules.items():
        imported = set()
        for node in found:
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    imported.add(whole if whole in modules else node.module)
            elif isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
        graph[name] = imported & modules.keys()
    return graph


def test_no_module_imports_itself_by_way_of_others():
    graph = imports()
    # The commands, the papers and the demonstration use the public interface.
    for name, imported in graph.items():
        if name.startswith(("skbayeseval.reproduce", "skbayeseval.demo", "skbayeseval.cli")):
            imported.discard("skbayeseval")
    assert len(graph) > 100
    tuple(TopologicalSorter(graph).static_order())  # raises with the modules of a circle


def test_importing_is_light():
    """The commands must not wait for graphs."""
    code = (
        "import sys, skbayeseval.cli;"
        "print([m for m in ('pymc', 'arviz', 'matplotlib') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["[]"]


METRICS = set(known_metrics()) | {"_macro", "_micro", "_weighted"}
MODELS = {
    name: kind.__module__.removeprefix("skbayeseval.").replace(".", "/") + ".py"
    for name, kind in MODEL_CLASSES.items()
}

QUESTIONS = ("isinstance", "issubclass")


def strings(node):
    """Return the strings that a comparison is with: one, or those of a tuple, list or set."""
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    return {part.value for part in parts if isinstance(part, ast.Constant)}


def names(node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def metric_names(tree):
    """Yield the lines that branch on the name of a metric, or that read its formula."""
    for node in tree:
        if isinstance(node, ast.Attribute) and node.attr == "formula":
            yield node.lineno
        parts = (node.left, *node.comparators) if isinstance(node, ast.Compare) else ()
        if any(strings(part) & METRICS for part in parts):
            yield node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            asked = set().union(*map(strings, node.args)) if node.args else set()
            if node.func.attr in ("endswith", "startswith", "removesuffix") and asked & METRICS:
                yield node.lineno


def model_classes(tree, file):
    """Yield the lines that ask whether a model is one of a class of another file."""
    others = {name for name, home in MODELS.items() if home != file}
    for node in tree:
        asked = []
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in QUESTIONS:
            asked = node.args[1:]
        elif isinstance(node, ast.Compare):
            asked = node.comparators
        if any(names(part) & others for part in asked):
            yield node.lineno


# Files of results hold the formula, which is how a metric is found again.
KNOW_METRICS = ("metrics/", "results/storage.py", "reproduce/")


def test_no_module_asks_for_names_of_metrics_or_for_classes_of_models_of_others():
    found = []
    for file, tree in trees().items():
        lines = [*model_classes(tree, file)]
        lines += [] if file.startswith(KNOW_METRICS) else metric_names(tree)
        found += [f"{file}:{line}" for line in lines]
    assert found == []


def test_streams_of_random_numbers_have_their_names_in_one_module():
    texts = {path.name: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    assert [name for name, text in texts.items() if "spawn_key" in text] == ["_streams.py"]
    # Entropy where there is none is made in `_validation`.
    makers = {"_streams.py", "_validation.py"}
    assert {name for name, text in texts.items() if "SeedSequence(" in text} == makers


def test_what_is_looked_for_is_found():
    for code in ("metric.formula", 'name in ("f1_micro", "x")', 'name.endswith("_macro")'):
        assert list(metric_names(nodes(code)))
    for code in ("isinstance(model, (int, Paired))", "kind is Paired"):
        assert list(model_classes(nodes(code), "planning/simulate.py"))
        assert not list(model_classes(nodes(code), MODELS["Paired"]))


# Modules that unpickle, run other programs or open connections.
MODULES = {
    "pickle", "cPickle", "_pickle", "cloudpickle", "dill", "marshal", "shelve", "copyreg",
    "socket", "ssl", "http", "urllib", "urllib3", "requests", "httpx", "aiohttp", "ftplib",
    "smtplib", "telnetlib", "xmlrpc", "subprocess", "ctypes", "code", "runpy",
}  # fmt: skip
FUNCTIONS = {"eval", "exec", "compile", "__import__"}
METHODS = {"system", "popen", "read_pickle", "to_pickle", "import_module"}


def forbidden(tree):
    """Yield the names that should not be used."""
    for node in tree:
        found = []
        if isinstance(node, ast.Import):
            found = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [node.module or "", *(one.name for one in node.names)]
        elif isinstance(node, ast.Call):
            found = {getattr(node.func, "id", "")} & FUNCTIONS
        elif isinstance(node, ast.Attribute):
            found = {node.attr} & METHODS
        elif isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            found = [] if getattr(node.value, "value", None) is False else ["pickle"]
        for name in found:
            if {name, name.partition(".")[0]} & (MODULES | FUNCTIONS | METHODS):
                yield name


def test_no_module_unpickles_runs_other_programs_or_opens_connections():
    found = {file: [*forbidden(tree)] for file, tree in trees().items()}
    assert not {file: names for file, names in found.items() if names}
    for code in (
        "import pickle",
        "from urllib.request import urlopen",
        "import os.path, socket",
        "from multiprocessing import pickle",
        "x = eval('1')",
        "np.load(f, allow_pickle=True)",
        "pd.read_pickle(f)",
        "__import__('os')",
        "importlib.import_module('os')",
    ):
        assert [*forbidden(nodes(code))], code
