# Everything sets itself up in a virtual environment of its own; only Python 3.11+ and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Empty: bytecode is kept. Tests start hundreds of processes that would compile the same modules.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-fast check docs bench papers clean help

help:
	@echo "make demo   set up, and release a synthetic table: from a CSV file to a masked one"
	@echo "make test   set up, and run all tests (with the examples of the documentation)"
	@echo "make test-fast  the same without a browser, Spark, and what else is slow"
	@echo "make check  format, lint and type-check (in CI: verify, change nothing)"
	@echo "make docs   build the pages of docs/ as a site, which opens from the folder site/"
	@echo "make bench  run the benchmarks"
	@echo "make papers run the papers' experiments, and write the page papers.html"

demo: $(VENV)/.installed
	@rm -rf demo
	@$(BIN)/ontomask demo demo

test: $(VENV)/.developed
	$(BIN)/python -m pytest -n auto

test-fast: $(VENV)/.developed
	$(BIN)/python -m pytest -n auto --hypothesis-profile=fast -m "not browser and not spark and not slow"

ifdef CI
check: $(VENV)/.developed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/deno fmt --quiet --check
	$(BIN)/deno lint --quiet
	@! grep -rnE '.{120}' --include=*.js --include=*.css --include=*.html src/ontomask
	$(BIN)/mypy
	$(BIN)/lint-imports
else
check: $(VENV)/.developed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/deno fmt --quiet
	$(BIN)/deno lint --quiet --fix
	@! grep -rnE '.{120}' --include=*.js --include=*.css --include=*.html src/ontomask
	$(BIN)/mypy
	$(BIN)/lint-imports
endif

# The theme announces on every build that it is maintained until May 2027; we know.
docs: $(VENV)/.documented
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "The documentation is in site/index.html"

bench: $(VENV)/.benched
	$(BIN)/python -m benchmarks

papers: $(VENV)/.installed
	$(BIN)/python -m experiments --output papers.html --force

# Stamps: an environment is made again when what it is made from has changed.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "ontomask needs Python 3.11 or newer; say which with: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.developed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@ $(VENV)/.installed

$(VENV)/.documented: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	@touch $@ $(VENV)/.installed

$(VENV)/.benched: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,bench]"
	@touch $@ $(VENV)/.installed $(VENV)/.developed

clean:
	rm -rf demo papers.html site $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
