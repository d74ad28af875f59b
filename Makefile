# Every target makes what it needs; only python3 and make have to be there.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test slow lint format benchmark reproduce clean

# Fits are small: threads of the linear algebra would only get in each other's way.
test slow reproduce: export OMP_NUM_THREADS = 1

demo: $(READY)
	$(BIN)/skbayeseval demo --plot demo.png

test: $(READY)
	$(BIN)/pytest -n auto --dist loadgroup

slow: $(READY)
	$(BIN)/pytest -n auto --dist loadgroup -m slow

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

benchmark: $(READY)
	$(BIN)/python benchmarks/wall_time.py
	$(BIN)/python benchmarks/engines.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/bootstrap.py

# DATA_HOME: scikit-learn's data, with 20 Newsgroups. CONLL: the training part of CoNLL-2003.
reproduce: $(READY)
	$(BIN)/skbayeseval reproduce $(or $(PAPER),all) $(if $(DATA_HOME),--data-home $(DATA_HOME)) \
	  $(if $(CONLL),--conll $(CONLL))

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache

# PIP_ARGS holds pins for a run with chosen versions.
$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet $(PIP_ARGS) -e '.[tests,lint]'
	touch $@
