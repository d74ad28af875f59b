"""Modules import one way, inside each package too: `lint-imports` sees only whole packages."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import skbayeseval

ROOT = Path(skbayeseval.__file__).parent


def imports(root, package):
    """Return which modules of a package each of them imports, also in functions and for types."""
    modules = {
        ".".join([package, *path.relative_to(root).with_suffix("").parts]).removesuffix(
            ".__init__"
        ): path
        for path in root.rglob("*.py")
    }
    graph = {}
    for name, path in modules.items():
        imported = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    imported.add(whole if whole in modules else node.module)
            elif isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
        graph[name] = imported & modules.keys()
    return graph


def test_no_module_imports_itself_by_way_of_others():
    graph = imports(ROOT, "skbayeseval")
    # The commands, the papers and the demonstration use the public interface.
    for name, imported in graph.items():
        if name.startswith(("skbayeseval.reproduce", "skbayeseval.demo", "skbayeseval.cli")):
            imported.discard("skbayeseval")
    assert len(graph) > 100
    tuple(TopologicalSorter(graph).static_order())  # raises with the modules of a circle


def test_importing_is_light():
    """The plugin loads at every start of pytest; the commands must not wait for graphs."""
    code = (
        "import sys, pytest_skbayeseval;"
        "print([m for m in ('skbayeseval', 'numpy', 'pandas') if m in sys.modules]);"
        "import skbayeseval.cli;"
        "print([m for m in ('pymc', 'arviz', 'matplotlib', 'duckdb') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["[]", "[]"]
