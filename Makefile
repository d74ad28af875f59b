# Every target makes what it needs; only python3 and make have to be there.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test slow lint format clean

demo: $(READY)
	$(BIN)/skbayeseval demo --plot demo.png

test: $(READY)
	$(BIN)/pytest -n auto

slow: $(READY)
	$(BIN)/pytest -n auto -m slow

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache

# PIP_ARGS holds pins for a run with chosen versions.
$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet $(PIP_ARGS) -e '.[tests,lint]'
	touch $@
