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
    "duckdb",
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
    print("System:")
    _print_rows(
        {
            "python": platform.python_version(),
            "executable": sys.executable,
            "machine": platform.platform(),
        }
    )
    print("\nPackages:")
    _print_rows({"skbayeseval": __version__} | {name: _installed(name) for name in DEPENDENCIES})


def _print_rows(rows: dict[str, str]) -> None:
    width = max(map(len, rows)) + 2
    for name, value in rows.items():
        print(f"{name:>{width}}: {value}")


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


__version__ = "0.1.0"
