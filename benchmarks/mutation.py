"""Mutation testing: whether the tests detect small changes of the source.

A first run of the unchanged tests records how long each test takes and which functions it calls.
Then each mutant is tested in a separate process, forked from one that has imported everything
except the package. It runs the tests that call the changed function until one fails, the quickest
first, preferring those in the corresponding test file. Annotations, error messages, assertions and
`strict=` are not mutated.

    python benchmarks/mutation.py --sample 250 --seed 0
    python benchmarks/mutation.py --files skbayeseval/metrics/confusion.py --sample 0

The records are kept in .cache/mutation.json. Delete this file when tests have changed.

Why not one of the tools: mutmut 3.8 changes the bodies of functions alone, and so none of the rows
and lambdas that declare metrics (122 of the 406 mutants of metrics/confusion.py), nor functions
with decorators, but messages, too. cosmic-ray 8.7 runs the same tests for each mutant, in a process
that imports everything again: 20 seconds for those of one folder, however few of them call what has
changed. Neither draws a sample.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.util
import json
import math
import os
import random
import resource
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PATTERNS = (
    "evidence/counts.py",
    "evidence/instance_scores.py",
    "evidence/unit_numbers.py",
    "evidence/validated_rows.py",
    "judgement/*.py",
    "metrics/*.py",
    "models/*.py",
    "posterior/inferred_weight.py",
    "search/from_recorded.py",
    "search/noise.py",
    "search/report.py",
    "splitting/block_cv.py",
    "splitting/splits.py",
)
# Sampling, estimators and processes of their own: slow, and about other files.
LEFT_OUT = (
    "tests/display",
    "tests/models/test_pymc.py",
    "tests/splitting/test_collect.py",
    "tests/splitting/test_running.py",
    "tests/benchmarks",
    "tests/test_documents.py",
    "tests/test_interrupts.py",
    "tests/test_site.py",
    "tests/cli",
    "tests/compare/test_comparer.py",
    "tests/compare/test_cross_validation.py",
    "tests/test_examples.py",
    "tests/posterior/test_chains.py",
    "tests/compare/test_targets.py",
)
PRELOADED = "hypothesis matplotlib.pyplot mlxtend.evaluate numpy pandas rich.console scipy.stats "
PRELOADED += "seqeval.metrics sklearn.metrics sklearn.model_selection"
SLOWEST = 6.0  # seconds; a slower test is left out
MEMORY = 6 * 2**30

COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
PAIRS = ["min max", "minimum maximum", "any all", "argmin argmax", "zeros ones", "floor ceil"]
PAIRS += ["zeros_like ones_like", "nanmin nanmax", "sum prod", "log exp", "isnan isfinite"]
CALLS = {a: b for pair in map(str.split, PAIRS) for a, b in (pair, pair[::-1])}
# Their arguments may be swapped.
COMMUTATIVE = {"min", "max", "minimum", "maximum", "add", "multiply", "array_equal", "betaln"}


class Mutant(NamedTuple):
    """One change of a file: the position of the node in `ast.walk`, and the alternative."""

    path: str
    node: int
    change: int
    line: int
    function: int
    before: str
    after: str


def alternatives(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the possible replacements of a node."""

    def changed(**fields: Any) -> ast.AST:
        twin = copy.copy(node)
        vars(twin).update(fields)
        return twin

    match node:
        case ast.Compare(ops=[op]):
            yield from (changed(ops=[other()]) for other in COMPARISONS[type(op)])
        case ast.Compare():
            for i, op in enumerate(node.ops):
                other = COMPARISONS[type(op)][0]()
                yield changed(ops=[*node.ops[:i], other, *node.ops[i + 1 :]])
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in ARITHMETIC:
            yield changed(op=ARITHMETIC[type(op)]())
        case ast.BoolOp():
            yield changed(op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield node.operand
        case ast.Constant(value=bool()):
            yield changed(value=not node.value)
        case ast.Constant(value=int() | float() as number):
            yield changed(value=number + 1)
            if number == 1:
                yield changed(value=0)
        case ast.Call(func=function):
            if isinstance(function, ast.Name) and function.id in CALLS:
                yield changed(func=ast.Name(CALLS[function.id], ast.Load()))
            if isinstance(function, ast.Attribute) and function.attr in CALLS:
                yield changed(func=ast.Attribute(function.value, CALLS[function.attr], ast.Load()))
            if isinstance(function, ast.Name | ast.Attribute) and _name(function) in COMMUTATIVE:
                return
            if len(node.args) > 1 and not any(isinstance(a, ast.Starred) for a in node.args[:2]):
                yield changed(args=[node.args[1], node.args[0], *node.args[2:]])
        case ast.If() | ast.IfExp() | ast.While():
            if not isinstance(node.test, ast.Compare | ast.UnaryOp):
                yield changed(test=ast.UnaryOp(ast.Not(), node.test))
        case ast.Return(value=ast.expr()) if not _is_none(node.value):
            yield changed(value=ast.Constant(None))
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()


def _name(function: ast.Name | ast.Attribute) -> str:
    return function.id if isinstance(function, ast.Name) else function.attr


def _is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def left_alone(tree: ast.Module) -> set[ast.AST]:
    """Return the nodes that are not mutated."""
    roots: list[ast.AST | None] = []
    for node in ast.walk(tree):
        match node:
            case ast.Raise() | ast.Assert() | ast.JoinedStr():
                roots.append(node)
            case ast.AnnAssign(annotation=annotation) | ast.arg(annotation=annotation):
                roots.append(annotation)
            case ast.FunctionDef(returns=returns):
                roots.append(returns)
            case ast.keyword(arg="strict"):
                roots.append(node)
    return {node for root in roots if root is not None for node in ast.walk(root)}


def mutants_of(path: str) -> list[Mutant]:
    tree = ast.parse((ROOT / path).read_text())
    skipped = left_alone(tree)
    inside: dict[ast.AST, int] = {}  # the first line of the innermost function around a node
    for function in ast.walk(tree):  # outer functions come first
        if isinstance(function, ast.FunctionDef | ast.Lambda):
            body = function.body if isinstance(function.body, list) else [function.body]
            decorators = getattr(function, "decorator_list", [])
            first_line = min(d.lineno for d in [function, *decorators])
            for statement in body:
                inside.update((node, first_line) for node in ast.walk(statement))
    return [
        Mutant(
            path, i, j, getattr(node, "lineno", 0), inside.get(node, 0), _shown(node), _shown(other)
        )
        for i, node in enumerate(ast.walk(tree))
        if node not in skipped
        for j, other in enumerate(alternatives(node))
    ]


def _shown(node: ast.AST) -> str:
    text = ast.unparse(node).splitlines()[0]
    return text if len(text) <= 90 else text[:87] + "..."


def mutated_code(mutant: Mutant) -> CodeType:
    tree = ast.parse((ROOT / mutant.path).read_text())
    target = list(ast.walk(tree))[mutant.node]

    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            if node is target:
                return ast.copy_location(list(alternatives(node))[mutant.change], node)
            return self.generic_visit(node)

    changed = ast.fix_missing_locations(Swap().visit(tree))
    return compile(changed, str(ROOT / mutant.path), "exec")


class MutatedModule(SourceFileLoader):
    """Load the mutated code when the package is imported."""

    def __init__(self, mutant: Mutant) -> None:
        name = mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        super().__init__(name, str(ROOT / mutant.path))
        self.code = mutated_code(mutant)

    def get_code(self, fullname: str) -> CodeType:
        """Return the mutated code."""
        return self.code

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Find only the mutated module."""
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)


class Observer:
    """A pytest plugin that records how long each test takes and which functions it calls."""

    def __init__(self) -> None:
        self.tests: dict[str, Any] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Run one test and record its calls."""
        called: set[tuple[str, int]] = set()

        def trace(frame: Any, event: str, argument: Any) -> None:
            code = frame.f_code
            if "/skbayeseval/" in code.co_filename:
                called.add((code.co_filename, code.co_firstlineno))

        start = time.perf_counter()
        sys.settrace(trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            if item.nodeid in self.tests:
                relative = sorted((os.path.relpath(f, ROOT), line) for f, line in called)
                self.tests[item.nodeid] = [time.perf_counter() - start, relative]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record that a test passed; other tests are not used."""
        if report.when == "call" and report.passed:
            self.tests[report.nodeid] = None


class Chosen:
    """A pytest plugin that runs only the given tests, in the given order, on a mutant."""

    def __init__(self, mutant: Mutant, tests: list[str]) -> None:
        self.mutant = mutant
        self.place = {test: i for i, test in enumerate(tests)}

    def pytest_sessionstart(self) -> None:
        """Precede pytest's importer, which mistakes `bayes_test.py` for a test file."""
        sys.meta_path.insert(0, MutatedModule(self.mutant))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Select and sort the tests."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self.place),
            key=lambda item: self.place[item.nodeid],
        )


def forked(work: Callable[[], int], seconds: int = 0) -> int:
    """Return the exit code of work done in a child process, negative if a signal ended it."""
    child = os.fork()
    if child == 0:
        code = 3
        try:
            signal.alarm(seconds)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            code = work()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def pytest_main(arguments: list[str], plugin: object) -> int:
    options = ["-q", "-p", "no:cacheprovider", "-o", "addopts=-m 'not slow'"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what is preloaded
    return int(pytest.main([*options, *arguments], plugins=[plugin]))


def observe(file: Path) -> None:
    def work() -> int:
        observer = Observer()
        ignored = [f"--ignore={path}" for path in LEFT_OUT]
        code = pytest_main([*ignored, "tests"], observer)
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(observer.tests))
        return code

    code = forked(work)
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"the tests did not run: exit code {code}")


def choose(mutant: Mutant, tests: dict[str, Any], budget: float) -> list[str]:
    """Return the tests that call the changed function, and others of its file, within a budget.

    The others tell of what the function returned while the file was imported.
    """
    stem = Path(mutant.path).stem
    found = []
    for test, (seconds, called) in tests.items():
        if seconds < SLOWEST and any(path == mutant.path for path, _ in called):
            of_others = [mutant.path, mutant.function] not in called
            weighted = seconds / (4 if f"/test_{stem}.py::" in test else 1)
            found.append((of_others, weighted, seconds, test))
    chosen: list[str] = []
    for *_, seconds, test in sorted(found):
        budget -= seconds
        if budget < 0 and chosen:
            break
        chosen.append(test)
    return chosen


def is_killed(mutant: Mutant, tests: list[str]) -> bool:
    """Return whether a test fails. The first file is run separately, to collect fewer tests."""
    first = [test for test in tests if test.split("::")[0] == tests[0].split("::")[0]]
    rest = [test for test in tests if test not in first]
    return any(fails(mutant, batch) for batch in (first, rest) if batch)


def fails(mutant: Mutant, tests: list[str]) -> bool:
    def work() -> int:
        files = sorted({test.split("::")[0] for test in tests})
        return pytest_main(["-x", "--tb=no", *files], Chosen(mutant, tests))

    code = forked(work, seconds=90)
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
        raise RuntimeError(f"the tests of {mutant} did not run: exit code {code}")
    return code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def sample(paths: list[str], size: int, seed: int) -> list[Mutant]:
    """Return a random sample of mutants, in proportion to the files; 0 means all mutants."""
    rng = random.Random(seed)
    of_each = [mutants_of(path) for path in paths]
    share = size / sum(map(len, of_each)) if size else 1.0
    found = [m for of_one in of_each for m in rng.sample(of_one, math.ceil(share * len(of_one)))]
    rng.shuffle(found)
    return found


def wilson(killed: int, n: int, z: float = 1.96) -> tuple[float, float]:
    centre = (killed + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * math.sqrt(killed * (n - killed) / n + z**2 / 4)
    return centre - half, centre + half


def report(killed: dict[Mutant, bool]) -> None:
    of_each: dict[str, list[bool]] = defaultdict(list)
    for mutant, dead in killed.items():
        of_each[mutant.path].append(dead)
    print("\n| file | mutants | killed |\n| --- | ---: | ---: |")
    for path, fates in sorted(of_each.items()):
        print(f"| `{path.removeprefix('skbayeseval/')}` | {len(fates)} | {sum(fates)} |")
    n, dead_ones = len(killed), sum(killed.values())
    low, high = wilson(dead_ones, n)
    print(f"| all | {n} | {dead_ones} |")
    print(f"\n{dead_ones / n:.1%} killed, 95% interval {low:.1%} to {high:.1%}\n\nSurvivors:")
    for m in sorted(m for m, dead in killed.items() if not dead):
        print(f"{m.path}:{m.line}: {m.before} -> {m.after}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sample", type=int, default=250, help="how many mutants, 0 for all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--files", nargs="+", help="default: all that are tested here")
    parser.add_argument("--budget", type=float, default=15, help="seconds of tests a mutant")
    parser.add_argument("--timings", type=Path, default=ROOT / ".cache" / "mutation.json")
    parser.add_argument("--again", type=Path, help="the output of a run: its survivors only")
    options = parser.parse_args()

    os.chdir(ROOT)
    # Numba, which PyMC uses, would take the folder "coverage" beside this file for the package.
    sys.path = [path for path in sys.path if Path(path) != Path(__file__).resolve().parent]
    sys.path.insert(0, str(ROOT))
    for name in PRELOADED.split():
        __import__(name)
    assert not any(name.startswith("skbayeseval") for name in sys.modules)
    if not options.timings.exists():
        observe(options.timings)
    tests = {k: v for k, v in json.loads(options.timings.read_text()).items() if v}
    package = ROOT / "skbayeseval"
    paths = options.files or sorted(
        str(path.relative_to(ROOT)) for pattern in PATTERNS for path in package.glob(pattern)
    )
    chosen = sample(paths, options.sample, options.seed)
    if options.again:
        lines = options.again.read_text().splitlines()
        chosen = [m for m in chosen if f"{m.path}:{m.line}: {m.before} -> {m.after}" in lines]
    killed: dict[Mutant, bool] = {}
    for mutant in chosen:
        start = time.perf_counter()
        killed[mutant] = is_killed(mutant, choose(mutant, tests, options.budget))
        state = "killed  " if killed[mutant] else "SURVIVED"
        seconds = time.perf_counter() - start
        what = f"{mutant.path}:{mutant.line}: {mutant.before} -> {mutant.after}"
        print(f"{len(killed)}/{len(chosen)} {state} {seconds:.1f}s {what}", flush=True)
    report(killed)


if __name__ == "__main__":
    main()
