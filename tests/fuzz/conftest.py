import pytest

from tests.fuzz.harness import TALLY


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/fuzz/" in item.path.as_posix():
            item.add_marker(pytest.mark.slow)
            # Warnings for users, of the package and of scikit-learn, are no errors here.
            item.add_marker(pytest.mark.filterwarnings("ignore::UserWarning"))


def pytest_terminal_summary(terminalreporter):
    if TALLY:
        terminalreporter.write_sep("-", "fuzzed calls")
        rows = [(name, *TALLY[name]) for name in sorted(TALLY)]
        rows.append(("all", *(sum(row[i] for row in rows) for i in (1, 2, 3))))
        for name, n, accepted, refused in rows:
            terminalreporter.write_line(
                f"{name:32}{n:8,} calls{accepted:8,} ok{refused:8,} refused"
            )
