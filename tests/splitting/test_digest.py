import functools
import os
import pickle
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, special, stats
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.metaestimators import available_if

from skbayeseval.splitting import digest as module
from skbayeseval.splitting.digest import NotDigestibleError, digest

X = np.random.RandomState(0).normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)


def double(values, by=2):
    return by * values


class Own(BaseEstimator):
    def fit(self, X, y):
        self.fitted_ = double(X)
        return self


def various():
    """Return values of many kinds, by name, made anew."""
    long = np.arange(5000.0)
    return {
        "true": True,
        "text": "1",
        "zero": 0.0,
        "list": [1, 2],
        "tuple": (1, 2),
        "texts": ["ab", "c"],
        "set": {"a", "b", "c", 3, ("d",)},
        "dict": {"a": 1, "b": 2},
        "other order": {"b": 2, "a": 1},
        "array": np.array([1, 2]),
        "objects": np.array([1, "a", None], dtype=object),
        "structured": np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
        "long": long,
        # What a repr leaves out.
        "long but for one": np.where(long == 2500, 0, long),
        "frame": pd.DataFrame({"a": [1, 2], "b": ["x", None]}),
        "other index": pd.DataFrame({"a": [1, 2], "b": ["x", None]}, index=[1, 0]),
        "categories": pd.Series(["u", "v"], dtype="category"),
        "ordered": pd.Series(pd.Categorical(["u", "v"], ordered=True)),
        "sparse": sparse.csr_array(X),
        "generator": np.random.default_rng(3),
        "pattern": re.compile("a"),
        "ufunc": np.log1p,
        "ufunc of scipy": special.expit,
        "function of numpy": np.mean,
        "function": double,
        "partial": functools.partial(double, by=3),
        "class": Own,
        "SVC": SVC(),
        "named output": StandardScaler().set_output(transform="pandas"),
        "transformer": FunctionTransformer(np.log1p, kw_args={"where": True}),
        "grid": GridSearchCV(SVC(), {"C": [1, 2]}, cv=KFold(3), scoring=make_scorer(f1_score)),
        "random": RandomizedSearchCV(SVC(), {"C": stats.uniform(0, 1)}),
        "other random": RandomizedSearchCV(SVC(), {"C": stats.uniform(0, 2)}),
        "frozen": FrozenEstimator(RandomForestClassifier(3, random_state=0).fit(X, Y)),
        "frozen otherwise": FrozenEstimator(RandomForestClassifier(3, random_state=1).fit(X, Y)),
    }


def test_equal_values_have_equal_digests_and_others_do_not():
    first, again = ({name: digest(one) for name, one in various().items()} for _ in range(2))
    assert first == again
    assert len(set(first.values())) == len(first)


@pytest.mark.slow
def test_other_processes_find_the_same():
    script = (
        "from tests.splitting.test_digest import various, digest\n"
        "print([digest(one) for one in various().values()])"
    )
    options = {"env": {**os.environ, "PYTHONHASHSEED": "1"}, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, "-c", script], check=True, **options)
    assert done.stdout.strip() == str([digest(one) for one in various().values()])


def test_identity_does_not_matter():
    text = "".join(["a", "b"])
    once = [1.5, 2.5]
    assert digest([text, text, once, once]) == digest(["ab", "a" + text[1:], [1.5, 2.5], once])
    wide = np.arange(12.0).reshape(3, 4)
    assert digest(wide) == digest(np.asfortranarray(wide)) == digest(wide[::-1][::-1])


def test_what_was_asked_before_does_not_matter():
    matrix = sparse.csr_matrix(X)
    fresh = digest(matrix)
    assert matrix.has_sorted_indices  # scipy remembers the answer
    assert digest(matrix) == fresh
    learner = LogisticRegression()
    assert digest(learner) == digest(learner.fit(X, Y))
    # The first pickle of an instance leaves __slotnames__ in the class.
    if "__slotnames__" in vars(Own):
        del Own.__slotnames__
    before = digest(Own())
    pickle.dumps(Own())
    assert "__slotnames__" in vars(Own)
    assert digest(Own()) == before


LOOP = [1]
LOOP.append(LOOP)


def outer():
    class Local(BaseEstimator):
        pass

    def inner(values):
        return values

    return Local(), inner


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (FunctionTransformer(lambda x: x), "a lambda that"),
        # A function inside a function of an installed package.
        (FunctionTransformer(available_if(len)), "a lambda that"),
        (make_pipeline(FunctionTransformer(outer()[1]), SVC()), "a function that"),
        ({"a": 1, "b": (x for x in ())}, "generator"),
        (LOOP, "contains itself"),
        (outer()[0], "a class that cannot be imported"),
        (np, "module"),
        (np.frompyfunc(double, 1, 1), "a function whose content is not known"),
    ],
)
def test_what_cannot_be_told_apart(value, reason):
    with pytest.raises(NotDigestibleError, match=reason):
        digest(value)


@pytest.fixture
def modules_of_mine(tmp_path, monkeypatch):
    """Return a function that writes modules by their names, and forgets those imported before."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def forget():
        for name in [name for name in sys.modules if "_of_mine" in name]:
            del sys.modules[name]

    def write(**texts):
        forget()
        for name, text in texts.items():
            path = tmp_path.joinpath(*name.split("__")).with_suffix(".py")
            path.parent.mkdir(exist_ok=True)
            path.write_text(textwrap.dedent(text))

    yield write
    forget()


MODULE = """
    import logging
    from dataclasses import dataclass
    from functools import lru_cache, partial
    from threading import Lock
    from sklearn.base import BaseEstimator
    import steps_of_mine

    LOG = logging.getLogger()
    THRESHOLD = 3
    LISTED = [Lock(), lambda x: x + 11]
    NAMED = {"first": {"second": lambda x: x + 12}}
    PARTLY = partial(lambda x, by: x + by + 13, by=14)

    @dataclass
    class Shift:
        by: object
        lock: object

    SHIFT = Shift(lambda x: x + 15, Lock())

    @lru_cache
    def cached(x):
        return x + 16

    def local():
        class Local:
            def __call__(self, x):
                return x + 17
        return Local()

    LOCAL = local()

    def helper(x, shift=lambda x: x + 18, *, other=(lambda x: x + 19,)):
        LOG.debug(x)
        x = other[0](shift(LOCAL(cached(SHIFT.by(PARTLY(NAMED["first"]["second"](x)))))))
        return steps_of_mine.inner.step(LISTED[1](x)) > THRESHOLD

    class Rule(BaseEstimator):
        limit = 1

        def __init__(self, c=1):
            self.c = c

        def fit(self, X, y):
            self.helper_ = helper(X)
            return self

        @property
        def tall(self):
            return [c for c in [self.c] if c > self.limit]
"""

STEP = "def step(x):\n    return x + 20\n"


def test_code_of_the_users_own(modules_of_mine, tmp_path):
    (tmp_path / "steps_of_mine").mkdir()
    (tmp_path / "steps_of_mine" / "__init__.py").write_text("from . import inner")
    written = {"rules_of_mine": MODULE, "steps_of_mine__inner": STEP}

    def digest_after(old="", new=""):
        assert any(old in text for text in written.values())
        modules_of_mine(**{name: text.replace(old, new) for name, text in written.items()})
        import rules_of_mine

        return digest(rules_of_mine.Rule())

    before = digest_after()
    assert digest_after("LOG = ", "# A comment.\n\n    LOG = ") == before
    for change in (
        ("THRESHOLD = 3", "THRESHOLD = 4"),
        ("helper(X)", "helper(y)"),
        ("limit = 1", "limit = 2"),
        ("c > self.limit", "c < self.limit"),
        *((f"+ {i}", "- 1") for i in range(11, 21) if i != 14),
        ("by=14", "by=15"),
        ("BaseEstimator)", "__import__('sklearn').base.ClassifierMixin, BaseEstimator)"),
    ):
        assert digest_after(*change) != before, change
    assert digest_after() == before


WAYS = {
    "a function imports it": "from helper_of_mine import scale; return scale(X)",
    "a function imports a part of a package": "from pack_of_mine import part as p; "
    "return p.scale(X)",
    "by a name that is computed": "return getattr(helper, self.name)(X)",
    "from a value inside itself": "return LOOP['scale'](X)",
    "a lazy module": "return lazy_of_mine.scale(X)",
    "through a function that imports it": "return indirect(X)",
}
USER = """
    import helper_of_mine as helper
    import lazy_of_mine
    from sklearn.base import BaseEstimator

    LOOP = {{"scale": helper.scale, "value": helper.VALUE}}
    LOOP["again"] = LOOP

    def indirect(x):
        def inner():
            from pack_of_mine.part import scale
            return scale(x)
        return inner()

    class User(BaseEstimator):
        def __init__(self, name="scale"):
            self.name = name

        def transform(self, X):
            {}
"""
LAZY = """
    def __getattr__(name):
        from helper_of_mine import scale
        return scale
"""


@pytest.mark.parametrize("way", WAYS)
def test_code_of_other_modules(modules_of_mine, way):
    def digest_with(body, value):
        helper = f"VALUE = {value}\ndef scale(x):\n    return {body}\n"
        modules_of_mine(
            user_of_mine=USER.format(WAYS[way]),
            helper_of_mine=helper,
            pack_of_mine__part=helper,
            lazy_of_mine=LAZY,
        )
        import user_of_mine

        unfollowed = []
        digests = {digest(user_of_mine.User(), unfollowed) for _ in range(2)}
        user_of_mine.User().transform(3)
        digests.add(digest(user_of_mine.User(), unfollowed))
        assert unfollowed == []
        assert len(digests) == 1  # whether the modules had been imported before or not
        return digests.pop()

    before = digest_with("2 * x", 1)
    assert digest_with("2 * x", 1) == before
    assert digest_with("3 * x", 1) != before
    if way == "from a value inside itself":
        assert digest_with("2 * x", 2) != before


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("import importlib\n    return importlib.import_module('helper_of_mine')", "import_module"),
        ("return __import__('helper_of_mine')", "__import__"),
        ("return eval('x')", "calls eval"),
        ("return sys.modules['helper_of_mine']", "uses sys.modules"),
        ("return (lambda: [eval(one) for one in x])", "calls eval"),
        ("return FILE.read()", "an object of type TextIOWrapper"),
        ("return STRUCTURED", "refers to STRUCTURED, whose content is not known"),
    ],
)
def test_what_cannot_be_followed_is_told(modules_of_mine, body, words):
    modules_of_mine(
        user_of_mine=f"""
import sys
import numpy as np
from importlib import import_module as load
FILE = open(__file__)
STRUCTURED = np.array([(1, [])], dtype=[("a", int), ("b", object)])
def compute(x):
    {body}
def closed():
    FILE.close()
"""
    )
    import user_of_mine

    unfollowed = []
    digest(user_of_mine.compute, unfollowed)
    user_of_mine.closed()
    assert unfollowed == [one for one in unfollowed if one.startswith("user_of_mine.compute ")]
    assert any(words in one for one in unfollowed)


def test_versions_of_installed_packages(modules_of_mine, tmp_path, monkeypatch):
    """A package that is named, called, imported in a function, or that a base class is from."""
    modules_of_mine(
        user_of_mine="""
            import rare_of_mine
            from rare_of_mine import scale, Base

            def named(x): return scale(x)
            def called(x): return rare_of_mine.scale(x)
            class Derived(Base): pass
        """,
        late_of_mine="""
            def late(x):
                from rare_of_mine import scale
                return scale(x)
        """,
    )
    folder = tmp_path / "site-packages"
    (folder / "rare_of_mine").mkdir(parents=True)
    (folder / "rare_of_mine" / "__init__.py").write_text("def scale(x): return x\nclass Base: pass")
    monkeypatch.setattr(sys, "path", [str(folder), *(p for p in sys.path if "-packages" not in p)])
    info = folder / "rare_one-1.dist-info"
    info.mkdir()
    (info / "top_level.txt").write_text("rare_of_mine")

    def digests_at(version):
        lines = ["Metadata-Version: 2.1", "Name: rare-one", f"Version: {version}"]
        (info / "METADATA").write_text("\n".join(lines))
        modules_of_mine()
        forget_versions()
        from late_of_mine import late

        before = digest(late)
        assert "rare_of_mine" not in sys.modules
        import user_of_mine as user

        forget_versions()
        assert digest(late) == before
        return [digest(one) for one in (late, user.named, user.called, user.Derived, user.scale)]

    first, again, other = map(digests_at, ("1.0", "1.0", "1.1"))
    assert first == again
    assert all(one != two for one, two in zip(first, other, strict=True))
    forget_versions()


def forget_versions():
    module._version_of.cache_clear()
    module._distributions.cache_clear()


def test_modules_with_names_of_the_standard_library(modules_of_mine, tmp_path, monkeypatch):
    found = set()
    for body in ("x", "-x"):
        (tmp_path / "antigravity.py").write_text(f"def lift(x):\n    return {body}\n")
        monkeypatch.delitem(sys.modules, "antigravity", raising=False)
        import antigravity

        found.add(digest(antigravity.lift))
    assert len(found) == 2


def test_compiled_modules_of_the_users_own(modules_of_mine, tmp_path, monkeypatch):
    compiled = getattr(pytest.importorskip("_heapq"), "__file__", None)
    if compiled is None:
        pytest.skip("no compiled module at hand that can be copied")
    found = []
    for added in (b"", b"", b"\0"):
        folder = tmp_path / f"version{len(found)}" / "compiled_of_mine"
        folder.mkdir(parents=True)
        (folder / os.path.basename(compiled)).write_bytes(Path(compiled).read_bytes() + added)
        monkeypatch.syspath_prepend(folder.parent)
        modules_of_mine(
            user_of_mine="from compiled_of_mine import _heapq\ndef use(x): _heapq.heappush(x, 1)"
        )
        forget_versions()
        import user_of_mine

        found.append(digest(user_of_mine.use))
    assert found[0] == found[1] != found[2]
