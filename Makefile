# Every target makes what it needs; only python3 and make have to be there.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Windows names things differently; make then needs the shell that comes with Git.
ifeq ($(OS),Windows_NT)
  PYTHON := python
  BIN := $(VENV)/Scripts
endif
READY := $(VENV)/.ready
DOCS_READY := $(VENV)/.ready-docs
EXTRAS ?= tests,lint
# Files and folders of tests; empty means all.
TESTS ?=

# What Sphinx writes beside the sources of the site; git ignores it.
SITE := docs/_build docs/gallery docs/generated

.PHONY: size demo test wheel test-installed test-wheel lowest test-lowest coverage check-release slow lint format docs pages rooms logo dist messages bench reproduce clean

# Fits are small: threads of the linear algebra would only get in each other's way.
test test-installed slow docs pages bench reproduce: export OMP_NUM_THREADS = 1
# Tests start many processes, each of which would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

demo: $(READY)
	@echo "Comparing naive Bayes with a support vector machine."
	$(BIN)/skbayeseval demo --plot demo.png

test: $(READY)
	@echo "Running the quick tests: a few minutes on two cores."
	$(BIN)/pytest -n auto --dist loadgroup $(PYTEST_ARGS) $(TESTS)

# The wheel, built from the sdist, in an empty environment, where the sources cannot be imported.
wheel:
	@echo "Building the wheel and installing it in $(VENV)."
	@rm -rf $(VENV) build dist && $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip build
	@$(BIN)/python -m build --outdir dist >/dev/null
	@$(BIN)/python -m pip install --quiet "$$(ls dist/*.whl)[tests]"

test-wheel: wheel
	$(MAKE) test-installed

test-installed:
	@rm -rf build/wheel-test && mkdir -p build/wheel-test
	@cp -r tests docs examples benchmarks tools recipe .github .*.yaml .zenodo.json *.md Makefile \
	  CITATION.cff paper.bib pyproject.toml build/wheel-test
	cd build/wheel-test && $(abspath $(BIN))/pytest -n auto --dist loadgroup $(or $(TESTS),tests)

# The lowest versions that pyproject.toml allows: each floor becomes a pin.
lowest:
	@mkdir -p build && $(PYTHON) tools/floors.py >build/floors.txt
	$(MAKE) .venv-lowest/.ready VENV=.venv-lowest EXTRAS=tests PIP_ARGS="--constraint build/floors.txt"

test-lowest: lowest
	$(MAKE) test VENV=.venv-lowest

# Which lines and branches the quick tests run: a table, and build/coverage/index.html.
coverage:
	$(MAKE) test VENV=.venv-coverage EXTRAS=tests,coverage PYTEST_ARGS="--cov --cov-report=term --cov-report=html"

slow: $(READY)
	@echo "Running the slow tests: about half an hour on two cores."
	$(BIN)/pytest -n auto --dist loadgroup -m slow

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.readthedocs .readthedocs.yaml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/zizmor --quiet --offline .github

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The site, warnings as errors. Examples that have not changed are not run again.
docs: $(DOCS_READY)
	@echo "Building the site: a few minutes the first time."
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs docs/_build/html
	@echo "docs/_build/html/index.html is its front page."

# What README.md and docs/ print and draw, written again; needed when draws of a seed have changed.
pages: $(READY)
	@echo "Running all pages: a few minutes."
	$(BIN)/python tools/pages.py

# The picture of the packages in ARCHITECTURE.md.
rooms: $(READY)
	$(BIN)/python tools/rooms.py

# The site's logo, on light and on dark.
logo:
	$(PYTHON) tools/logo.py

# The sdist, and the wheel made from it.
dist: $(READY)
	@rm -rf dist
	@$(BIN)/python -m pip install --quiet --upgrade build
	$(BIN)/python -m build --outdir dist

# Whether all files that name the version name that of a tag: make check-release TAG=v0.1.0
check-release:
	@$(PYTHON) tools/check_release.py $(TAG)

# Every error and warning of the package on one page, to be read through.
messages: $(READY)
	@$(BIN)/python tools/messages.py

# With the other packages that the table compares with: make bench VENV=.venv-bench EXTRAS=benchmarks
bench: $(READY)
	@echo "Measuring for less than ten minutes; nothing else should run on the machine."
	$(BIN)/python -m benchmarks.bench --json benchmarks/results.json --page docs/performance.md

# DATA_HOME: scikit-learn's data, with 20 Newsgroups. CONLL: the training part of CoNLL-2003.
reproduce: $(READY)
	$(BIN)/skbayeseval reproduce $(or $(PAPER),all) $(if $(DATA_HOME),--data-home $(DATA_HOME)) \
	  $(if $(CONLL),--conll $(CONLL))

# What `pip install` adds to an empty environment.
size:
	@rm -rf build/size && $(PYTHON) -m venv build/size
	@build/size/bin/python -m pip install --quiet .
	@build/size/bin/python tools/installed_size.py

clean:
	rm -rf $(SITE)
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache

# For a run with chosen versions: PIP_ARGS holds pins, and EXTRAS=tests leaves the linters out.
$(READY): pyproject.toml
	@echo "Setting up, once; this takes a few minutes."
	@echo "  1 of 3: a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@echo "  2 of 3: the newest pip"
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@echo "  3 of 3: skbayeseval with all that it, its tests and its linters need"
	@$(BIN)/python -m pip install --quiet $(PIP_ARGS) -e '.[$(EXTRAS)]'
	@touch $@
	@echo "Set up."

$(DOCS_READY): $(READY)
	@echo "Adding what the site is built with."
	@$(BIN)/python -m pip install --quiet $(PIP_ARGS) -e '.[docs]'
	@touch $@
