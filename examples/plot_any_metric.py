"""
Any metric: survival, calibration, a cost of one's own
======================================================

Which metric matters is for you to say. Any function that takes ``sample_weight`` has a posterior:
its values under random weights of the instances.
"""

# %%
# Two models of risk, for patients of whom some leave the study before anything happens. Harrell's
# index is the share of pairs of patients in which the one with the higher risk dies first.
import matplotlib.pyplot as plt
import numpy as np

from skbayeseval import compare_predictions, metrics

rng = np.random.default_rng(1)
n = 400
frailty = rng.normal(size=n)
death, leaving = rng.exponential(np.exp(-frailty)), rng.exponential(2.0, n)
observed = np.column_stack([np.minimum(death, leaving), death <= leaving])
with_biomarker, without = frailty + rng.normal(0, 0.5, n), frailty + rng.normal(0, 0.9, n)
names = ("with biomarker", "without")
survival = compare_predictions(
    observed,
    with_biomarker,
    without,
    scoring=metrics.concordance_index(),
    names=names,
    random_state=0,
)
print(survival)
survival.plot(rope=0.01)

# %%
# The same models say how probable death within a year is. Are the probabilities right? Noise makes
# the expected calibration error look larger than it is, so look at the calibration curve as well.
within_a_year = (death < 1).astype(int)
p, q = (1 - np.exp(-np.exp(risk)) for risk in (with_biomarker, 2 * without))
calibration = compare_predictions(
    within_a_year,
    None,
    None,
    y_score_a=p,
    y_score_b=q,
    scoring=[metrics.expected_calibration_error(10), "neg_log_loss"],
    names=names,
    random_state=0,
)
print(calibration)
calibration.plot("calibration")


# %%
# Treatment is offered above a probability of 0.4. A death that nobody expected costs as much as
# four treatments that were not needed.
def cost(y_true, y_pred, sample_weight=None):
    """Return the mean cost of a patient."""
    return np.average((y_true != y_pred) * np.where(y_true == 1, 4, 1), weights=sample_weight)


treated = compare_predictions(
    within_a_year,
    (p > 0.4).astype(int),
    (q > 0.4).astype(int),
    scoring=metrics.weighted(cost, greater_is_better=False, bounds=(-4, 0)),
    names=names,
    n_draws=2000,
    random_state=0,
)
print(treated.decision(rope=0.05))
treated.plot(rope=0.05)
plt.show()
