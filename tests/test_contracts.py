"""Who knows what: metrics, models and streams of random numbers answer for themselves.

A metric declares what it rests on, and a model what it can do. Where another module asks for the
name of a metric or the class of a model instead, whoever adds one gets a wrong number in silence.
"""

import ast
from pathlib import Path

import skbayeseval
from skbayeseval.metrics import known_metrics
from skbayeseval.models import MODEL_CLASSES

PACKAGE = Path(skbayeseval.__file__).parent
TEXTS = {
    path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}
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
    for node in ast.walk(tree):
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
    for node in ast.walk(tree):
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
    for file, text in TEXTS.items():
        tree = ast.parse(text)
        lines = [*model_classes(tree, file)]
        lines += [] if file.startswith(KNOW_METRICS) else metric_names(tree)
        found += [f"{file}:{line}" for line in lines]
    assert found == []


def test_streams_of_random_numbers_have_their_names_in_one_module():
    assert [file for file, text in TEXTS.items() if "spawn_key" in text] == ["_streams.py"]
    # Entropy where there is none is made in `_validation`.
    makers = ["_streams.py", "_validation.py"]
    assert [file for file, text in TEXTS.items() if "SeedSequence(" in text] == makers


def test_what_is_looked_for_is_found():
    for code in ("metric.formula", 'name in ("f1_micro", "x")', 'name.endswith("_macro")'):
        assert list(metric_names(ast.parse(code)))
    for code in ("isinstance(model, (int, Paired))", "kind is Paired"):
        assert list(model_classes(ast.parse(code), "planning/simulate.py"))
        assert not list(model_classes(ast.parse(code), MODELS["Paired"]))
