from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skbayeseval.splitting.naming import named_estimators


def names(*estimators):
    return [name for name, _ in named_estimators(estimators)]


def test_names():
    pipeline = make_pipeline(StandardScaler(), SVC())
    assert names(pipeline, LogisticRegression()) == ["SVC", "LogisticRegression"]
    assert names(SVC(), pipeline) == ["SVC-1", "SVC-2"]
    assert names(("mine", SVC()), SVC()) == ["mine", "SVC"]
    assert names(SVC(), LogisticRegression(), SVC()) == ["SVC-1", "LogisticRegression", "SVC-2"]
