"""
Fraud: which model saves more money?
====================================

A fraud of 2,000 dollars that is missed costs more than one of 20, so that counting right
predictions is beside the point. What matters is money, and it depends on the amount of each
transaction: a column that the scorer is given beside true and predicted classes.
"""

# %%
# Transactions, of which 4% are frauds. Amounts are skewed; frauds are of larger amounts.
import matplotlib.pyplot as plt
import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skbayeseval import BayesianComparer

rng = np.random.default_rng(0)
n = 6000
fraud = (rng.random(n) < 0.04).astype(int)
amount = np.round(rng.lognormal(3.5 + 0.8 * fraud, 1.2), 2)
night = rng.random(n) < np.where(fraud, 0.4, 0.2)
behaviour = rng.normal(size=(n, 4)) + 0.9 * fraud[:, None] * [1, 1, 1, 0]
behaviour[:, 3] *= 1 + 1.5 * fraud  # frauds are unusual in both directions
X = np.column_stack([behaviour, np.log(amount), night])


# %%
# A fraud that is refused earns 50 dollars, a customer who is refused costs 5; a fraud that is
# accepted costs its amount, and other transactions earn 2% of theirs. As in scikit-learn's gallery,
# the gain is a sum, and the scorer requests the column that it takes. What is said of a sum is per
# instance, here per transaction, because a sum would grow with the test sets.
def gain(y_true, y_pred, amount):
    """Return the gain of all transactions, in dollars."""
    refused, accepted = y_pred == 1, y_pred == 0
    of_refused = 50 * (refused & (y_true == 1)).sum() - 5 * (refused & (y_true == 0)).sum()
    lost = amount[accepted & (y_true == 1)].sum()
    return of_refused + 0.02 * amount[accepted & (y_true == 0)].sum() - lost


sklearn.set_config(enable_metadata_routing=True)
dollars = make_scorer(gain).set_score_request(amount=True)

# %%
# The columns go to :meth:`~skbayeseval.BayesianComparer.fit` with the data. Every scorer is given
# the amounts of its test set, and the random weights of transactions go with them.
comparer = BayesianComparer(
    {
        "linear": make_pipeline(StandardScaler(), LogisticRegression()),
        "boosted": HistGradientBoostingClassifier(max_iter=40, random_state=0),
    },
    scoring={"dollars": dollars, "accuracy": "accuracy"},
    n_draws=1000,
    random_state=0,
).fit(X, fraud, amount=amount)
print(comparer.result_)

# %%
# In percent of right predictions there is next to nothing between them. In dollars per transaction
# there is, as far as these few and skewed amounts can tell; less than 5 cents would not matter.
print(comparer.result_.decision(rope=0.05, metric="dollars"))
comparer.result_.plot(metric="dollars", rope=0.05)
sklearn.set_config(enable_metadata_routing=False)
plt.show()
