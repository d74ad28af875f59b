"""``python -m skbayeseval``: the command line."""

import sys

from skbayeseval.cli import main

if __name__ == "__main__":
    sys.exit(main())
