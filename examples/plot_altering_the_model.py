"""
Altering the model: a user-supplied prior and a second test set
===============================================================

Every model is available as a PyMC graph that can be changed. This example replaces the prior of the
recall of the first classifier, and adds the data of a second, smaller test set.
"""

# %%
# Two classifiers on one test set
# -------------------------------
# The exact engine takes milliseconds and uses the published prior.
import pymc as pm
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skbayeseval import ComparisonResult, compare_predictions

X, y = load_breast_cancer(return_X_y=True)
X_train, X_rest, y_train, y_rest = train_test_split(X, y, test_size=0.6, random_state=0)
X_first, X_second, y_first, y_second = train_test_split(
    X_rest, y_rest, test_size=0.3, random_state=0
)
logistic = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
bayes = GaussianNB().fit(X_train, y_train)

result = compare_predictions(
    y_first,
    logistic.predict(X_first),
    bayes.predict(X_first),
    names=("logistic", "bayes"),
    scoring="recall",
    model="unpaired",
    random_state=0,
)
print(result)


# %%
# A different prior for one parameter
# -----------------------------------
# A prior can be a function that builds PyMC variables. It replaces a parameter of the model by
# creating a variable of the same name, or by returning a dict of variables. All other parameters
# keep their published priors. ``pymc_model`` takes such a function, and so does
# ``PyMCEngine(prior=optimistic)``, the engine of a comparison under this prior.
def optimistic():
    ability = pm.Normal("ability", mu=3.0, sigma=0.7)
    return {"rho+_A": pm.math.invlogit(ability)}


# %%
# A second test set
# -----------------
# ``pymc_model`` returns the model of this result, with its data, as an ordinary ``pymc.Model``.
positives = y_second == 1
found = {
    "A": int(logistic.predict(X_second)[positives].sum()),
    "B": int(bayes.predict(X_second)[positives].sum()),
}
with result.pymc_model(prior=optimistic) as graph:
    for name, hits in found.items():
        pm.Binomial(
            f"second_{name}", n=int(positives.sum()), p=graph[f"rho+_{name}"], observed=hits
        )
    trace = pm.sample(chains=2, cores=1, random_seed=0, progressbar=False)

# %%
# The trace is converted back to a result, with all methods of a result.
altered = ComparisonResult.from_trace(trace, result)
print(altered)

# %%
# Any result can be converted for use with ArviZ.
print(altered.to_arviz())

# %%
# The posterior of the altered model.
altered.plot(rope=0.01)
