"""
Several records of each patient
===============================

Records of the same patient resemble each other. If they are taken for independent, the answer is
surer than the data. ``groups=`` makes the patient the unit of the evidence: in the splits, in which
patients are kept whole, and in the posterior.
"""

# %%
# Sixty patients with ten records each. One feature is a trait of the patient that has nothing to do
# with the disease: a flexible learner can use it to recognise patients.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from skbayeseval import bayesian_cross_validate

rng = np.random.default_rng(0)
patient = np.repeat(np.arange(60), 10)
ill = rng.integers(0, 2, 60)
trait = 3 * rng.normal(size=(60, 3))[patient]
marker = 0.9 * ill[patient, np.newaxis] + rng.normal(size=(600, 3))
X, y = np.hstack([trait, marker]), ill[patient]
learners = ("neighbours", KNeighborsClassifier(5)), ("logistic", LogisticRegression())

# %%
# With the records as units, the nearest neighbours look excellent: they have seen every patient in
# training. With the patients as units, it turns out that they have only learned who is who.
records = bayesian_cross_validate(*learners, X, y, random_state=0)
patients = bayesian_cross_validate(*learners, X, y, groups=patient, random_state=0)
print(records)
print(patients)

# %%
# The two posteriors of the same difference. Only the second is about patients who are yet to come.
figure, axes = plt.subplots(2, 1, figsize=(6.5, 6), sharex=True, layout="constrained")
records.plot(rope=0.02, ax=axes[0], title="records as units: wrong")
patients.plot(rope=0.02, ax=axes[1], title="patients as units")
