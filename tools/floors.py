"""Print the lowest versions of the dependencies as constraints for pip."""

import re
import tomllib
from pathlib import Path

SETTINGS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))

if __name__ == "__main__":
    project = SETTINGS["project"]
    for floor in (*project["dependencies"], *project["optional-dependencies"]["parquet"]):
        print(re.sub(r"(\[.*\])?>=", "==", floor))  # a constraint has no extras
