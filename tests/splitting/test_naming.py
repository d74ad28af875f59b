import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skbayeseval.splitting.naming import check_estimator_names, named_estimators


def names(*estimators):
    return [name for name, _ in named_estimators(estimators)]


def test_names():
    pipeline = make_pipeline(StandardScaler(), SVC())
    assert names(pipeline, LogisticRegression()) == ["SVC", "LogisticRegression"]
    assert names(SVC(), pipeline) == ["SVC-1", "SVC-2"]
    assert names(("mine", SVC()), SVC()) == ["mine", "SVC"]
    assert names(SVC(), LogisticRegression(), SVC()) == ["SVC-1", "LogisticRegression", "SVC-2"]


@pytest.mark.parametrize(
    ("estimators", "error", "message"),
    [
        ([("a__b", SVC())], ValueError, "must not contain __: got 'a__b'"),
        ([("a", SVC()), ("a", SVC())], ValueError, "Names provided are not unique"),
        ([("cv", SVC())], ValueError, "conflict with constructor arguments: 'cv'"),
        ([(3, SVC())], TypeError, "name of an estimator must be a string, got 3"),
        ([("a", SVC)], TypeError, "is not an estimator"),
        ([("a", StandardScaler())], TypeError, "an instance with fit and predict"),
    ],
)
def test_bad_names(estimators, error, message):
    with pytest.raises(error, match=message):
        check_estimator_names(estimators, reserved=("cv",))
