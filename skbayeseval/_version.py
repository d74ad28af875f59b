"""The version of the package."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

# What pyproject.toml asks for, and the optional packages that are used if they are there.
DEPENDENCIES = (
    "arviz",
    "h5netcdf",
    "joblib",
    "matplotlib",
    "numpy",
    "pandas",
    "pymc",
    "rich",
    "scikit-learn",
    "scipy",
    "pyarrow",
    "sklearn-crfsuite",
)


def show_versions() -> None:
    """Print the versions of Python, of skbayeseval and of the packages that it uses.

    With these lines in it, a report of a problem is easier to follow.

    Examples
    --------
    >>> from skbayeseval import show_versions
    >>> show_versions()  # doctest: +ELLIPSIS
    System:
          python: 3...
    """
    system = {
        "python": platform.python_version(),
        "executable": sys.executable,
        "machine": platform.platform(),
    }
    packages = {"skbayeseval": __version__}
    for name in DEPENDENCIES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = "not installed"
    for title, rows in {"System": system, "\nPackages": packages}.items():
        width = max(map(len, rows)) + 2
        print(f"{title}:", *(f"{name:>{width}}: {value}" for name, value in rows.items()), sep="\n")


__version__ = "0.1.0"
