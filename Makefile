# `make` alone lists what there is to make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# What the caller has activated or configured for other projects stays out of this one.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME PIP_TARGET PIP_PREFIX PIP_USER

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install test browser format dataset bench soak lock clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(READY) ## set up .venv with the pinned dependencies (the others do it when needed)

test: $(READY) ## check formatting, lint and types, then run every test and doctest
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/python -m pytest

browser: $(READY) ## go through the review desk in headless Chromium (needs chromium and chromedriver)
	$(BIN)/python -m pytest -m browser tests/browser

format: $(READY) ## rewrite the code as the formatter and the linter's safe fixes want it
	$(BIN)/python -m ruff check --fix-only .
	$(BIN)/python -m ruff format .

dataset: $(READY) ## build the dataset into artifacts/ from the recorded answers and decisions
	$(BIN)/mempabench build

bench: $(READY) ## measure the build, asking a live model beside the bare client, the desk, and the world
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/live.py
	$(BIN)/python benchmarks/desk.py
	$(BIN)/python benchmarks/world.py

soak: $(READY) ## run the long tests that `make test` leaves out
	$(BIN)/python -m pytest -m soak

lock: ## pin the dependencies of pyproject.toml anew in requirements.lock (needs uv)
	uv lock --upgrade
	uv export --quiet --no-emit-project --extra live --extra review --extra distributed --extra world --output-file requirements.lock

clean: ## remove .venv, caches and built packages; artifacts/ stays
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find construction review tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	    { echo "make: '$(PYTHON)' is not Python 3.11 or newer; name one that is: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
