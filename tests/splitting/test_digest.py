import functools
import os
import pickle
import re
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, special, stats
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.metaestimators import available_if

from skbayeseval.splitting.digest import NotDigestibleError, digest
from tests.splitting.logged import Logged

X = np.random.RandomState(0).normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)


def double(values, by=2):
    return by * values


class Own(BaseEstimator):
    def __init__(self, part=None):
        self.part = part

    def fit(self, X, y):
        self.fitted_ = double(X)
        return self


def various():
    """Return values of many kinds, by name, made anew."""
    long = np.arange(5000.0)
    return {
        "none": None,
        "int": 1,
        "float": 1.0,
        "true": True,
        "text": "1",
        "bytes": b"1",
        "nan": float("nan"),
        "minus zero": -0.0,
        "zero": 0.0,
        "complex": 1j,
        "list": [1, 2],
        "tuple": (1, 2),
        "nested": [[1], 2],
        "flat": [[1, 2]],
        "texts": ["ab", "c"],
        "other texts": ["a", "bc"],
        "set": {"a", "b", "c", 3, ("d",)},
        "dict": {"a": 1, "b": 2},
        "other order": {"b": 2, "a": 1},
        "array": np.array([1, 2]),
        "column": np.array([[1], [2]]),
        "int32": np.array([1, 2], dtype=np.int32),
        "objects": np.array([1, "a", None], dtype=object),
        "structured": np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
        "masked": np.ma.array([1, 2], mask=[0, 1]),
        "dates": np.array(["2020-01-01"], dtype="M8[D]"),
        "scalar": np.float64(1),
        "long": long,
        # What a repr leaves out.
        "long but for one": np.where(long == 2500, 0, long),
        "frame": pd.DataFrame({"a": [1, 2], "b": ["x", None]}),
        "other columns": pd.DataFrame({"a": [1, 2], "c": ["x", None]}),
        "other index": pd.DataFrame({"a": [1, 2], "b": ["x", None]}, index=[1, 0]),
        "categories": pd.Series(["u", "v"], dtype="category"),
        "ordered": pd.Series(pd.Categorical(["u", "v"], ordered=True)),
        "missing": pd.Series([1, None], dtype="Int64"),
        "time": pd.Series(pd.to_datetime(["2020-01-01"], utc=True)),
        "index": pd.MultiIndex.from_tuples([("a", 1)]),
        "sparse": sparse.csr_array(X),
        "sparse columns": sparse.csc_array(X),
        "random state": np.random.RandomState(3),
        "generator": np.random.default_rng(3),
        "pattern": re.compile("a"),
        "dtype": np.dtype("f8"),
        "type": np.float64,
        "ufunc": np.log1p,
        "ufunc of scipy": special.expit,
        "complex 2": 2j,
        "pattern with flag": re.compile("a", re.IGNORECASE),
        "function of numpy": np.mean,
        "builtin": len,
        "method": str.split,
        "function": double,
        "partial": functools.partial(double, by=3),
        "class": Own,
        "SVC": SVC(),
        "SVC 2": SVC(C=2.0),
        "seeded": SVC(random_state=np.random.RandomState(3)),
        "pipeline": make_pipeline(StandardScaler(), SVC()),
        "other pipeline": make_pipeline(StandardScaler(with_mean=False), SVC()),
        "named output": StandardScaler().set_output(transform="pandas"),
        "transformer": FunctionTransformer(np.log1p, kw_args={"where": True}),
        "texts to numbers": TfidfVectorizer(tokenizer=str.split, dtype=np.float32),
        "grid": GridSearchCV(SVC(), {"C": [1, 2]}, cv=KFold(3), scoring=make_scorer(f1_score)),
        "random": RandomizedSearchCV(SVC(), {"C": stats.uniform(0, 1)}),
        "other random": RandomizedSearchCV(SVC(), {"C": stats.uniform(0, 2)}),
        "scorer": get_scorer("accuracy"),
        "own": Own(),
        "own with array": Own(long),
        "frozen": FrozenEstimator(RandomForestClassifier(3, random_state=0).fit(X, Y)),
        "frozen otherwise": FrozenEstimator(RandomForestClassifier(3, random_state=1).fit(X, Y)),
    }


def test_equal_values_have_equal_digests_and_others_do_not():
    first, again = ({name: digest(one) for name, one in various().items()} for _ in range(2))
    assert first == again
    assert len(set(first.values())) == len(first)


@pytest.mark.slow
def test_other_processes_find_the_same():
    command = [
        sys.executable,
        "-c",
        "from tests.splitting.test_digest import various, digest\n"
        "print([digest(one) for one in various().values()])",
    ]
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
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


def test_pickling_does_not_matter():
    # The first pickle of an instance leaves __slotnames__ in the class.
    if "__slotnames__" in vars(Logged):
        del Logged.__slotnames__
    before = digest(Logged())
    pickle.dumps(Logged())
    assert "__slotnames__" in vars(Logged)
    assert digest(Logged()) == before


def test_values_inside_themselves():
    loop = [1]
    loop.append(loop)
    with pytest.raises(NotDigestibleError, match="contains itself"):
        digest(loop)


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
        (outer()[0], "a class that cannot be imported"),
        (np, "module"),
        (np.frompyfunc(double, 1, 1), "a function whose content is not known"),
    ],
)
def test_what_cannot_be_told_apart(value, reason):
    with pytest.raises(NotDigestibleError, match=reason):
        digest(value)


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


def test_code_of_the_users_own(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    (tmp_path / "steps_of_mine").mkdir()
    (tmp_path / "steps_of_mine" / "__init__.py").write_text("from . import inner")
    written = {"rules_of_mine": MODULE, "steps_of_mine/inner": STEP}

    def digest_after(*change):
        assert not change or any(change[0] in text for text in written.values())
        for name, text in written.items():
            text = textwrap.dedent(text)
            (tmp_path / f"{name}.py").write_text(text.replace(*change) if change else text)
        for name in ("rules_of_mine", "steps_of_mine", "steps_of_mine.inner"):
            sys.modules.pop(name, None)
        import rules_of_mine

        return digest(rules_of_mine.Rule())

    before = digest_after()
    assert digest_after("LOG = ", "# A comment.\n\nLOG = ") == before
    for change in (
        ("THRESHOLD = 3", "THRESHOLD = 4"),
        ("> THRESHOLD", ">= THRESHOLD"),
        ("helper(X)", "helper(y)"),
        ("limit = 1", "limit = 2"),
        ("c > self.limit", "c < self.limit"),
        *((f"+ {i}", "- 1") for i in range(11, 21) if i != 14),
        ("by=14", "by=15"),
        ("BaseEstimator)", "__import__('sklearn').base.ClassifierMixin, BaseEstimator)"),
    ):
        assert digest_after(*change) != before, change
    assert digest_after() == before


def test_long_chains_of_functions(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    text = "".join(f"def f{i}(x):\n    return f{i + 1}(x)\n" for i in range(400))
    for last in ("x", "-x"):
        (tmp_path / f"chain{len(last)}.py").write_text(f"{text}def f400(x):\n    return {last}\n")
    import chain1
    import chain2

    assert digest(chain1.f0) == digest(chain1.f0) != digest(chain2.f0)
