import linecache
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from skbayeseval import bayesian_cross_val_score
from skbayeseval.splitting import digest as module

X = np.random.RandomState(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)


@pytest.fixture
def fits(tmp_path):
    """Return a function that tells how many fits of two an estimator needs."""

    def count(estimator, X=X, **options):
        options = {"cv": KFold(2), "checkpoint": tmp_path / "folder", "n_draws": 100, **options}
        files = set(tmp_path.glob("folder/*.npz"))
        bayesian_cross_val_score(estimator, X, Y, **options)
        return len(set(tmp_path.glob("folder/*.npz")) - files)

    return count


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Return a function that writes modules of the user's own, and forgets those imported before.

    A text that is called `__main__` is run, as Python runs a script.
    """
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def forget():
        for name in [name for name in sys.modules if name.endswith("_of_mine")]:
            del sys.modules[name]

    def write(**texts):
        forget()
        for name, text in texts.items():
            path = tmp_path.joinpath(*name.split("__of__")).with_suffix(".py")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        if "__main__" in texts:
            script = ModuleType("__main__")
            script.__file__ = str(tmp_path / "__main__.py")
            monkeypatch.setitem(sys.modules, "__main__", script)
            exec(compile(texts["__main__"], script.__file__, "exec"), vars(script))
            return script
        return None

    yield write
    forget()


class Other(GaussianNB):
    """Another class with the same parameters."""


def named(data):
    frame = pd.DataFrame(data, columns=list("abc"))
    return frame.assign(
        c=pd.Categorical(np.round(frame["c"])).codes, a=frame["a"].astype("Float64")
    )


@pytest.mark.parametrize("form", [sparse.csr_matrix, named, np.asfortranarray])
def test_data_that_were_used_are_the_same(fits, form):
    data, learner = form(X.copy()), LogisticRegression()
    assert fits(learner, data) == 2
    data.has_sorted_indices if sparse.issparse(data) else data + 0  # scipy remembers what was asked
    assert fits(learner.fit(X, Y), data) == 0
    assert fits(learner, form(X.copy())) == 0
    assert fits(learner, form(X + 1e-12)) == 2


def test_what_is_a_part_of_an_estimator(fits):
    def scaled(**options):
        return make_pipeline(StandardScaler(**options), GaussianNB())

    assert fits(scaled()) == 2
    assert fits(scaled()) == 0
    assert fits(scaled(with_mean=False)) == 2
    assert fits(scaled().set_output(transform="pandas")) == 2
    assert fits(GaussianNB()) == fits(Other()) == 2
    assert fits(make_pipeline(FunctionTransformer(np.sign), GaussianNB())) == 2
    assert fits(make_pipeline(FunctionTransformer(np.abs), GaussianNB())) == 2
    assert fits(make_pipeline(FunctionTransformer(np.sign), GaussianNB())) == 0
    with pytest.raises(ValueError, match=r"estimator 'GaussianNB' .* cannot be hashed .*lambda"):
        fits(make_pipeline(FunctionTransformer(lambda x: x), GaussianNB()))


def test_estimators_that_request_metadata(fits):
    def learner(request):
        return (
            GaussianNB()
            .set_fit_request(sample_weight=request)
            .set_score_request(sample_weight=False)
        )

    with config_context(enable_metadata_routing=True):
        given = {"params": {"sample_weight": np.ones(40)}}
        assert fits(learner(True), **given) == 2
        assert fits(learner(True), **given) == 0
        assert fits(learner("weight"), params={"weight": Y + 1}) == 2


RULE = """
from sklearn.naive_bayes import GaussianNB
import helper_of_mine
class Rule(GaussianNB):
    def fit(self, X, y):
        from package_of_mine import part
        return super().fit(part.scale(helper_of_mine.shift(X)), y)
"""
HELPER = "def shift(X):\n    return X + 1\n"
PART = "from .other import FACTOR\ndef scale(X):\n    return X * FACTOR\n"


def test_code_of_the_users_own(fits, modules):
    texts = {
        "rule_of_mine": RULE,
        "helper_of_mine": HELPER,
        "package_of_mine__of__part": PART,
        "package_of_mine__of____init__": "",
        "package_of_mine__of__other": "FACTOR = 2\n",
        "else_of_mine": "",
    }

    def fits_after(name="else_of_mine", text=""):
        modules(**{**texts, name: text})
        from rule_of_mine import Rule

        assert not any(key.startswith("package_of_mine") for key in sys.modules)  # read only
        return fits(Rule())

    def forget():
        for key in [key for key in sys.modules if key.startswith("package_of_mine")]:
            del sys.modules[key]

    for name, text, number in (
        ("else_of_mine", "", 2),
        ("else_of_mine", "CHANGED = 1", 0),
        ("rule_of_mine", RULE.replace("super", "GaussianNB.partial_fit and super"), 2),
        ("helper_of_mine", HELPER.replace("+", "-"), 2),
        ("package_of_mine__of__part", PART.replace("*", "/"), 2),
        ("package_of_mine__of____init__", "START = 0", 2),
        ("package_of_mine__of__other", "FACTOR = 3", 2),
        ("else_of_mine", "", 0),
    ):
        assert fits_after(name, text) == number, name
        forget()


SCRIPT = """
import helper_of_mine
from sklearn.naive_bayes import GaussianNB
LIMIT, UNUSED = 1, [2]
def clip(X):
    return X.clip(-LIMIT, LIMIT)
class Clipped(GaussianNB):
    def fit(self, X, y):
        return super().fit(helper_of_mine.shift(clip(X)), y)
def report():
    return 3
"""


def test_of_a_script_only_what_estimators_use(fits, modules):
    def fits_after(old="", new="", helper=HELPER):
        assert old in SCRIPT
        return fits(modules(__main__=SCRIPT.replace(old, new), helper_of_mine=helper).Clipped())

    assert fits_after() == 2
    for old, new in (("return 3", "return 4"), ("UNUSED = 1, [2]", "UNUSED = 1, [3]")):
        assert fits_after(old, new) == 0
    for old, new in (
        ("(clip(X))", "(clip(-X))"),
        ("LIMIT = 1", "LIMIT = 2"),
        ("X.clip", "-X.clip"),
    ):
        with_other = SCRIPT.replace("LIMIT, UNUSED = 1, [2]", "LIMIT = 1\nUNUSED = [2]")
        assert old in with_other
        script = modules(__main__=with_other.replace(old, new), helper_of_mine=HELPER)
        assert fits(script.Clipped()) == 2
    assert fits_after(helper=HELPER.replace("+", "-")) == 2
    with pytest.raises(ValueError, match=r"uses LIMIT, which cannot be hashed .*lambda"):
        fits_after("LIMIT, UNUSED = 1, [2]", "LIMIT = [lambda: 1]")


CACHED = """
from functools import cache, partial
from sklearn.preprocessing import FunctionTransformer
@cache
def factor():
    return 1
def scale(X, by):
    return factor() * X * by()
one = lambda: 1
SCALE = partial(scale, by=factor)
STEP = FunctionTransformer(partial(SCALE))
"""


def test_functions_of_a_script_in_wrappers(fits, modules):
    for old, new, number in (
        ("one = lambda: 1", "one = lambda: 2", 2),
        ("one = lambda: 1", "one = lambda: 3", 0),
        ("return 1", "return 2", 2),
        ("* by()", "/ by()", 2),
    ):
        assert old in CACHED
        script = modules(__main__=CACHED.replace(old, new))
        assert fits(make_pipeline(script.STEP, GaussianNB())) == number, new


def test_classes_of_notebooks_are_known_by_their_cell(fits, monkeypatch):
    def fits_of(body, name):
        text = f"from sklearn.naive_bayes import GaussianNB\nclass Mine(GaussianNB):\n    {body}\n"
        notebook = ModuleType("__main__")
        monkeypatch.setitem(sys.modules, "__main__", notebook)
        monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(True), name))
        exec(compile(text, name, "exec"), vars(notebook))
        return fits(notebook.Mine())

    assert fits_of("def more(self): return 1", "<cell 1>") == 2
    assert fits_of("def more(self): return 1", "<cell 2>") == 0
    assert fits_of("def more(self): return 2", "<cell 3>") == 2
    with pytest.raises(ValueError, match="'Mine' of __main__, whose text is not found"):
        fits_of("more = 3", "<cell 4>")


def test_other_versions_of_distributions_are_other_fits(fits, monkeypatch):
    assert fits(GaussianNB()) == 2
    monkeypatch.setattr(module, "version", lambda name: "0.0")
    module._version_of.cache_clear()
    assert fits(GaussianNB()) == 2
    module._version_of.cache_clear()


def test_what_cannot_be_hashed(fits, monkeypatch):
    made = ModuleType("made_by_me")
    exec("def double(X):\n    return 2 * X", vars(made))
    monkeypatch.setitem(sys.modules, "made_by_me", made)
    with pytest.raises(ValueError, match="double .* of a module without a file"):
        fits(make_pipeline(FunctionTransformer(made.double), GaussianNB()))

    class Local(GaussianNB):
        pass

    with pytest.raises(ValueError, match="cannot be hashed"):
        fits(Local())
