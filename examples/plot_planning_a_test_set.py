"""
Planning a test set
===================

Labels cost money. How many are enough? Two questions, before and after the first of them: how large
a test set would probably show what we suspect, and how many more labels would settle what we have?
"""

# %%
# Before any data: suppose that half of the instances are positive, that A finds 60% of them and B
# 50%, and that they raise a false alarm for 40% and 50% of the others (Zhang et al. 2016, section
# 4.1, scenario a). For each class: how probable (A, B) say (1, 1), (1, 0), (0, 1) and (0, 0).
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skbayeseval import compare_predictions, power_analysis

suspected = {"mu": 0.5, "theta+": [0.3, 0.3, 0.2, 0.2], "theta-": [0.2, 0.2, 0.3, 0.3]}

# %%
# Differences in F1 below 0.05 do not matter here. How probable is it that a test set shows A to be
# significantly better, analysed with and without knowing which instances both got right?
power = power_analysis(
    suspected,
    [500, 1000, 2000, 3000],
    rope=0.05,
    goal=">>",
    model=["paired", "unpaired"],
    n_replications=300,
    random_state=0,
)
print(power)
power.plot()

# %%
# After a first test set: two classifiers of breast cancer data, 143 test instances.
X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
linear = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
bayes = GaussianNB().fit(X_train, y_train)
result = compare_predictions(
    y_test,
    linear.predict(X_test),
    bayes.predict(X_test),
    scoring="f1",
    names=("linear", "bayes"),
    random_state=0,
)
print(result.decision(rope=0.01))

# %%
# Not settled. Truths drawn from the posterior, further instances drawn from each truth, and the
# same decision rule tell how many instances would probably settle it, one way or another.
size = result.required_sample_size(rope=0.01, n_replications=200)
print(size)

# %%
# The same pilot tells how probable each outcome of a new test set is. Its own uncertainty is part
# of the answer: the pilot may have been lucky.
for goal in (">>", "~"):
    print(
        power_analysis(
            result, [500, 2000], rope=0.01, goal=goal, n_replications=200, random_state=0
        )
    )
