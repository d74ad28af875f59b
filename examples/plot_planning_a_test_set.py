"""
Planning a test set
===================

Labels cost money. How many are enough? Before any data: how large must a test set be to show an
assumed difference? After a first test set: how many more labels would lead to a decision?
"""

# %%
# Before any data: assume that half of the instances are positive, that A has a recall of 60% and B
# of 50%, and that their false positive rates are 40% and 50% (Zhang et al. 2016, section 4.1,
# scenario a). ``theta+`` and ``theta-`` are the probabilities of the predictions (A, B) = (1, 1),
# (1, 0), (0, 1) and (0, 0) for positive and for negative instances.
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skbayeseval import compare_predictions, power_analysis

assumed = {"mu": 0.5, "theta+": [0.3, 0.3, 0.2, 0.2], "theta-": [0.2, 0.2, 0.3, 0.3]}

# %%
# Differences in F1 below 0.05 do not matter here. How probable is it that a test set shows A to be
# significantly better, if the analysis uses paired predictions, and if it does not?
power = power_analysis(
    assumed,
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
# After a first test set: two classifiers on the breast cancer data, with 143 test instances.
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
# The comparison is undecided. ``required_sample_size`` draws parameters from the posterior, with
# differences shrunk towards 0, because the pilot's own is partly luck. It simulates further
# instances for each draw and applies the same decision rule. The result is the number of instances
# that would probably lead to a decision, for either classifier or for equivalence.
size = result.required_sample_size(rope=0.01, n_replications=200)
print(size)

# %%
# The same pilot data give the probability of each decision on a new test set. These probabilities
# include the uncertainty of the pilot.
for goal in ("~", ">>"):
    outlook = power_analysis(
        result, [500, 2000], rope=0.01, goal=goal, n_replications=200, random_state=0
    )
    print(outlook)
outlook.plot()
