"""Options that laboratories of recorded fits have in common."""

from __future__ import annotations

import argparse
from pathlib import Path


def laboratory(description: str | None, folder: str, data_sets: int) -> argparse.ArgumentParser:
    """Return a parser of what to record, what to evaluate, and where results are kept."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--record", type=Path, default=None)
    parser.add_argument("--evaluate", type=Path, default=None)
    parser.add_argument("--folder", type=Path, default=Path(folder))
    parser.add_argument("--data-sets", type=int, default=data_sets)
    parser.add_argument("--jobs", type=int, default=2)
    return parser
