"""
Which of two forecasts is better?
=================================

Forecasts are right or wrong for weeks on end: a cold spell or a holiday season that a model misses
makes many errors in a row. Taken for independent, these rows make the answer surer than the data.
``blocks=`` weights blocks of consecutive rows together, and ``TimeSeriesSplit`` tests learners on
what comes after their training set.
"""

# %%
# Three years of daily demand. It depends on the temperature, on the day of the week, and on what
# nobody has measured, which comes and goes over weeks.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.signal import lfilter
from sklearn.linear_model import Ridge
from sklearn.model_selection import TimeSeriesSplit
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skbayeseval import bayesian_cross_validate

rng = np.random.default_rng(0)
n = 3 * 365
days, day = pd.date_range("2023-01-01", periods=n), np.arange(n)
season = -10 * np.cos(2 * np.pi * day / 365)
weather, unmeasured = lfilter([1], [1, -0.95], rng.normal(size=(2, n)))
X = pd.DataFrame({"temperature": 12 + season + weather, "weekend": (day + 6) % 7 > 4}, days)
heating = 2 * np.maximum(0, 16 - X["temperature"])
demand = 100 + heating - 8 * X["weekend"] + 2 * unmeasured + rng.normal(size=n)

# %%
# Both learners forecast the later days from the earlier ones, once with days as units
# (``blocks=1``), and once with blocks, whose length is chosen by how long errors stay correlated.
# Without ``blocks=``, a warning says that they are.
learners = (
    ("linear", Ridge()),
    ("neighbours", make_pipeline(StandardScaler(), KNeighborsRegressor(25))),
)
options = {
    "cv": TimeSeriesSplit(8),
    "scoring": "neg_mean_absolute_error",
    "return_indices": True,
    "random_state": 0,
}
by_day = bayesian_cross_validate(*learners, X, demand, blocks=1, **options)
in_blocks = bayesian_cross_validate(*learners, X, demand, blocks="auto", **options)
print(by_day)
print(in_blocks)

# %%
# The classical test of two forecasts is that of Diebold and Mariano.
print(in_blocks.frequentist()[["level", "statistic", "pvalue"]].round(3))

# %%
# Absolute errors, averaged over 30 days, and the posterior of the difference: days are not
# independent, and blocks of them nearly are.
figure, axes = plt.subplots(3, 1, figsize=(7, 8), layout="constrained")
forecasts = in_blocks.predictions.droplevel("repeat", axis=1)
errors = forecasts.sub(demand, axis=0).abs().rolling(30).mean()
errors.plot(ax=axes[0], title="forecasts", ylabel="absolute error, 30 days")
axes[0].legend()
axes[1].sharex(axes[2])
by_day.plot(ax=axes[1], title="days as units: wrong")
in_blocks.plot(ax=axes[2], title="blocks of days as units")
