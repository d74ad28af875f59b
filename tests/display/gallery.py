"""Every display, with easy and awkward data, alone and in layouts of several figures."""

from functools import partial

import numpy as np
import pandas as pd

from skbayeseval.display import (
    ClassesDisplay,
    CriticalDifferenceDisplay,
    CurveDisplay,
    FactorDisplay,
    ForestDisplay,
    HeatmapDisplay,
    JointDisplay,
    LearningCurveDisplay,
    PairsDisplay,
    ParametersDisplay,
    PosteriorDisplay,
    PowerDisplay,
    RankingDisplay,
    ScoreDisplay,
    SplitScoresDisplay,
    TiersDisplay,
    TimesDisplay,
    TraceDisplay,
)
from skbayeseval.judgement import Interval, Tiers
from skbayeseval.judgement.bayes_factor import BayesFactor
from skbayeseval.judgement.distribution import Distribution, decision_of

LONG = (
    "make_pipeline(StandardScaler(), LogisticRegression(C=0.01))",
    "make_pipeline(StandardScaler(), LogisticRegression(C=0.1))",
)
SHORT = ("GaussianNB", "SVC")
ROPE = Interval(-0.01, 0.01)
LAYOUTS = {
    "own": None,
    "pair-tight": ((6.5, 2.4), 2, "tight"),
    "pair-constrained": ((6.5, 2.4), 2, "constrained"),
    "column-tight": ((3.3, 2.6), 1, "tight"),
    "column-constrained": ((3.3, 2.6), 1, "constrained"),
}


def normal(mean, sd, n=4000, seed=0):
    return np.random.default_rng(seed).normal(mean, sd, n)


def ranking_table(names, step=0.004):
    means = 0.95 - step * np.arange(len(names))
    chances = 0.5 ** np.arange(1, len(names) + 1)
    table = {"mean": means, "hdi_low": means - 0.012, "hdi_high": means + 0.009}
    return pd.DataFrame({**table, "p_best": chances / chances.sum()}, index=list(names))


def mean_ranks(names, critical, step=1):
    ranks = (len(names) + 1) / 2 + 0.9 * step * (np.arange(len(names)) - (len(names) - 1) / 2)
    return CriticalDifferenceDisplay(pd.Series(ranks, index=list(names)), critical)


def tiers_of(names, *sizes):
    ends = np.cumsum(sizes)
    groups = [tuple(names[start:end]) for start, end in zip([0, *ends], ends, strict=False)]
    tiers = Tiers(tuple(groups), ROPE, "f1_macro")
    return TiersDisplay(ranking_table(names), tiers=tiers, metric="f1_macro")


def pair_decisions(names, rope=ROPE):
    draws = [normal(0.95 - 0.006 * k, 0.006, 1000, k) for k in range(len(names))]
    return {
        (i, j): decision_of(Distribution(draws[i] - draws[j]), rope, 0.95, ("a", "b"), "f1")
        for i in range(len(names))
        for j in range(len(names))
        if i != j
    }


def class_table(n, sd=0.03, names=None):
    rng = np.random.default_rng(n)
    means, widths = rng.normal(0.01, sd, n), rng.uniform(0.2, 1.5, n) * sd
    codes = np.select(
        [means - widths > 0.01, means + widths < -0.01, np.abs(means) + widths < 0.01, means > 0],
        [">>", "<<", "~", ">"],
        default="<",
    )
    table = {"mean": means, "hdi_low": means - widths, "hdi_high": means + widths}
    index = [f"comp.sys.class-{k}" for k in range(n)] if names is None else names
    return pd.DataFrame({**table, "decision": codes}, index=index)


def subgroup_table(n, names=None, mean=0.02, wide=0.12):
    rng = np.random.default_rng(n)
    means, sd = mean + 0.02 * rng.standard_normal(n), rng.uniform(0.004, 0.02, n)
    low, high = means - 2 * sd, means + 2 * sd
    codes = np.select(
        [low > 0.01, high < -0.01, (low > -0.01) & (high < 0.01)], [">>", "<<", "~"], "?"
    )
    table = {
        "n": rng.integers(5, 4000, n),
        "mean": means,
        "hdi_low": low,
        "hdi_high": high,
        "alone_low": low - wide * rng.random(n),
        "alone_high": high + wide * rng.random(n),
        "decision": codes,
    }
    names = [f"site {i}" for i in range(n)] if names is None else names
    found = pd.DataFrame(table, index=pd.Index(names))
    found.loc[found.index[-1], ["mean", "hdi_low", "hdi_high", "alone_low", "alone_high"]] = np.nan
    found.loc[found.index[-1], "decision"] = "too few to say"
    return found


def forest(table, **options):
    finding = "Not settled whether the difference varies between subgroups of site"
    return ForestDisplay(table, overall=(0.02, 0.01, 0.03), finding=finding, **options)


def times(number, names=None):
    """Candidates of which the slow ones are better, some a little worse than a faster one."""
    mean = 0.95 - 0.5 * np.linspace(0, 1, number) ** 2
    table = pd.DataFrame({"time": 10 ** np.linspace(1, -2, number), "mean": mean})
    table["hdi_low"], table["hdi_high"] = mean - 0.01, mean + 0.01
    states = ["equivalent", "open", "worse"]
    table["state"] = [states[min(3 * i // number, 2)] for i in range(number)]
    table["dominated_by"] = np.where(np.arange(number) % 4 == 3, "another", "")
    return table.set_axis(names or [f"C={i}, gamma=0.1" for i in range(number)])


def grid(n_rows, n_columns, scale=1.0):
    rng = np.random.default_rng(0)
    values = scale * (0.95 - 0.05 * rng.random((n_rows, n_columns)))
    rows = pd.Index([f"{10.0 ** (k - 3):g}" for k in range(n_rows)], name="C")
    columns = pd.Index([f"{10.0 ** (k - 5):g}" for k in range(n_columns)], name="gamma")
    share = values / scale
    codes = np.select([share > 0.945, share < 0.92], ["~", "<<"], default="<")
    return pd.DataFrame(values, rows, columns), pd.DataFrame(codes, rows, columns)


def curves(names, kind):
    x = np.linspace(0, 1, 101)
    if kind == "calibration":
        x = np.linspace(0.05, 0.95, 10)
    found = {}
    for k, name in enumerate(names):
        y = {"roc": x ** (0.2 + 0.1 * k), "precision_recall": 1 - 0.6 * x ** (3 - k)}.get(
            kind, x + 0.05 * (k + 1) * np.sin(6 * x)
        )
        if kind == "net_benefit":
            y = (0.3 - 0.05 * k) * (1 - x)
        found[name] = (x, y, np.clip(y - 0.05, 0, 1), np.clip(y + 0.04, 0, 1))
    return found


def gaps(size, n_bins=10):
    x = np.linspace(0.05, 0.95, n_bins)
    wide = size * (1 + 2 * np.sin(3 * x))
    return x, 2 * size * np.cos(4 * x), 2 * size * np.cos(4 * x) - wide, size + wide


def factor(value=3.5, reliable=True):
    return BayesFactor(value, np.log10(value), 0.01, reliable, "savage-dickey")


def cases():
    """Return a dict from names to functions that make a display."""
    diagonal = ([0, 1], [0, 1])
    found = {}
    a, b = normal(0.9, 0.01), normal(0.92, 0.012, seed=1)
    power = {
        "paired": ([0.3, 0.6, 0.8, 0.95], [0.2, 0.5, 0.7, 0.9], [0.4, 0.7, 0.9, 1]),
        "unpaired": ([0.1, 0.2, 0.4, 0.7], [0.1, 0.2, 0.3, 0.6], [0.2, 0.3, 0.5, 0.8]),
    }
    sizes = [284, 427, 569], [-0.02, 0.01, 0.03], [-0.05] * 3, [0.05, 0.06, 0.09]
    chains = normal(0.02, 0.01).reshape(4, -1)
    for label, names in {"easy": SHORT, "long": LONG}.items():
        common = {"names": names, "metric": "f1_macro"}
        several = [*names, "KNeighborsClassifier", "LDA"]
        of_both = {
            "posterior": (PosteriorDisplay, normal(-0.024, 0.01), {"rope": ROPE}),
            "posterior-no-rope": (PosteriorDisplay, normal(-0.024, 0.01), {}),
            "joint": (JointDisplay, a, b, {"rope": ROPE}),
            "factor": (FactorDisplay, normal(0.003, 0.01), normal(0, 0.3), {"factor": factor()}),
            "scores": (SplitScoresDisplay, a[:30], b[:30], {}),
            "learning-curve": (LearningCurveDisplay, *sizes, {"rope": ROPE}),
            "trace": (TraceDisplay, chains, {"note": "effective sample size 4,012"}),
            "forest": (forest, subgroup_table(8), {"rope": ROPE}),
            "classes": (ClassesDisplay, class_table(8), {"rope": ROPE, "metric": "f1"}),
        }
        found |= {
            f"{kind}-{label}": partial(make, *data, **{**common, **options})
            for kind, (make, *data, options) in of_both.items()
        }
        finding = "SVC is better with probability 98.1%"
        found |= {
            f"score-{label}": partial(ScoreDisplay, a, observed=0.9, name=names[0]),
            f"ranking-{label}": partial(RankingDisplay, ranking_table(several), metric="f1_macro"),
            f"nemenyi-{label}": partial(mean_ranks, several, 1.3),
            f"tiers-{label}": partial(tiers_of, several, 2, 1, 1),
            f"pairs-{label}": partial(
                PairsDisplay, pair_decisions(several[:3]), names=several[:3], metric="f1_macro"
            ),
            f"power-{label}": partial(
                PowerDisplay, [500, 1000, 2000, 4000], power, goal=" ≫ ".join(names)
            ),
            f"calibration-difference-{label}": partial(
                CurveDisplay, {" minus ".join(names): gaps(0.04)}, kind="calibration_difference",
                finding=f"neg_brier_score: {finding}",
            ),
        }  # fmt: skip
        for kind in ("roc", "precision_recall", "calibration", "net_benefit"):
            found[f"{kind}-{label}"] = partial(
                CurveDisplay, curves(names, kind), kind=kind, reference=diagonal,
                finding=f"roc_auc: {finding}",
            )  # fmt: skip
    states = dict.fromkeys(ranking_table(range(60)).index.astype(str), "worse")
    states |= {"0": "equivalent", "1": "open", "2": "open"}
    many = [f"{name[:-5]}{0.01 * k:.2f}))" for k, name in enumerate([LONG[0]] * 60)]
    return found | {
        "calibration-difference-point": lambda: CurveDisplay(
            {"A minus B": gaps(0.3, 1)}, kind="calibration_difference"
        ),
        "calibration-difference-none": lambda: CurveDisplay(
            {"A minus B": np.zeros((4, 3))}, kind="calibration_difference"
        ),
        "posterior-narrow": lambda: PosteriorDisplay(normal(0.5, 1e-5), rope=ROPE),
        "posterior-zoomed": lambda: PosteriorDisplay(
            normal(2e-6, 1e-6), rope=Interval(-1e-6, 1e-6), metric="neg_brier_score"
        ),
        "posterior-point": lambda: PosteriorDisplay(
            np.zeros(1000), rope=ROPE, identical="predictions"
        ),
        "posterior-one-sided": lambda: PosteriorDisplay(
            np.random.default_rng(0).exponential(0.02, 4000), rope=Interval(0, 0.01)
        ),
        "posterior-huge": lambda: PosteriorDisplay(
            normal(3e6, 1e6), rope=Interval(-1e5, 1e5), metric="neg_mean_squared_error"
        ),
        "joint-point": lambda: JointDisplay(np.ones(500), np.ones(500), rope=ROPE),
        "joint-huge": lambda: JointDisplay(normal(3e6, 1e5), normal(3e6, 1e5, seed=1)),
        "factor-difference": lambda: FactorDisplay(
            normal(0.05, 0.01), normal(0, 0.3), factor=factor(0.004, False)
        ),
        "factor-point": lambda: FactorDisplay(
            np.zeros(500), normal(0, 0.3), factor=factor(1e300), prior_at_zero=1.3
        ),
        "scores-few": lambda: SplitScoresDisplay([0.8, np.nan, 0.9], [0.8, 0.7, 0.85]),
        "scores-huge": lambda: SplitScoresDisplay(normal(-3e6, 1e5, 6), normal(-3e6, 1e5, 6, 1)),
        "learning-curve-huge": lambda: LearningCurveDisplay(
            [2e6, 2.1e6, 9e6], [3e6, -3e6, 0], [-4e6] * 3, [5e6] * 3
        ),
        "learning-curve-point": lambda: LearningCurveDisplay([50, 75, 100], *np.zeros((3, 3))),
        "trace-one": lambda: TraceDisplay(normal(2e-5, 1e-5)[None], note="4,000 independent draws"),
        "trace-point": lambda: TraceDisplay(np.zeros((1, 500)), note="500 independent draws"),
        "ranking-two": lambda: RankingDisplay(ranking_table(SHORT)),
        "ranking-60": lambda: RankingDisplay(ranking_table(many), metric="f1"),
        "ranking-states": lambda: RankingDisplay(
            ranking_table([str(k) for k in range(8)]), states=states, total=60
        ),
        "nemenyi-tied": lambda: mean_ranks(many[:3], 1.0, step=0),
        "nemenyi-wide": lambda: mean_ranks(many[:3], 9.0),
        "nemenyi-15": lambda: mean_ranks(many[:15], 5.0),
        "nemenyi-60": lambda: mean_ranks(many, 20.0),
        "tiers-two": lambda: tiers_of(list(SHORT), 1, 1),
        "tiers-equal": lambda: tiers_of(many[:25], 25),
        "tiers-60": lambda: tiers_of(many, *[1] * 5, 20, 35),
        "pairs-two": lambda: PairsDisplay(pair_decisions(SHORT), names=SHORT),
        "pairs-12": lambda: PairsDisplay(pair_decisions(many[:12]), names=many[:12]),
        "pairs-60": lambda: PairsDisplay(pair_decisions(many), names=many),
        "forest-two": lambda: forest(subgroup_table(3), names=SHORT),
        "forest-negative": lambda: forest(subgroup_table(20, mean=-0.03), rope=ROPE, names=SHORT),
        "forest-200": lambda: forest(subgroup_table(200), rope=ROPE, names=SHORT),
        "forest-long-names": lambda: forest(subgroup_table(3, names=[*LONG, "c"]), rope=ROPE),
        "forest-too-few": lambda: forest(subgroup_table(1), rope=ROPE),
        "classes-two": lambda: ClassesDisplay(class_table(2, names=["no", "yes"])),
        "classes-20": lambda: ClassesDisplay(class_table(20), rope=ROPE, names=SHORT),
        "classes-200": lambda: ClassesDisplay(class_table(200), rope=ROPE, names=SHORT),
        "classes-long": lambda: ClassesDisplay(class_table(3, names=[*LONG, "c"]), rope=ROPE),
        "heatmap-easy": lambda: HeatmapDisplay(*grid(4, 5), metric="f1_macro"),
        "heatmap-noted": lambda: HeatmapDisplay(*grid(4, 5), note="best over kernel, degree"),
        "heatmap-large": lambda: HeatmapDisplay(*grid(11, 14), metric="f1_macro"),
        "parameters-easy": lambda: ParametersDisplay(
            times(12), {"C": np.geomspace(0.001, 1000, 12)}
        ),
        "parameters-many": lambda: ParametersDisplay(
            times(60),
            {
                "n_neighbors": np.arange(60),
                "weights": ["uniform", None, np.nan] * 20,
                "leaf_size": np.geomspace(1, 30, 60),
            },
        ),
        "parameters-long": lambda: ParametersDisplay(
            times(2, LONG), {name: [1.5, 2.5] for name in LONG}
        ),
        "times-easy": lambda: TimesDisplay(times(6), metric="f1_macro", time="fit time"),
        "times-many": lambda: TimesDisplay(times(60), time="prediction time"),
        "times-long": lambda: TimesDisplay(times(2, LONG), time="fit time"),
        "heatmap-huge": lambda: HeatmapDisplay(*grid(3, 3, -3e6), metric="neg_mean_squared_error"),
    }


def draw(make, layout):
    """Return the figure of a case in one of the `LAYOUTS`."""
    import matplotlib.pyplot as plt

    if LAYOUTS[layout] is None:
        return make().plot().figure_
    size, columns, engine = LAYOUTS[layout]
    constrained = engine == "constrained"
    figure, axes = plt.subplots(
        1, columns, figsize=size, layout="constrained" if constrained else None, squeeze=False
    )
    for ax in axes.ravel():
        make().plot(ax=ax)
    if not constrained:
        figure.tight_layout()
    return figure
