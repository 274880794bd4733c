# One virtual environment serves the demo, the checks and the tests; `.ci/setup` makes it.
SHELL := /bin/bash
VENV ?= .venv
DEMO ?= .demo
UI ?= .demo-ui
PORT ?= 8080
PYTEST_ARGS ?=
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export VENV
# Hundreds of processes import Airflow: twice as slow where Python may not keep what it compiled.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo ui test test-fast check format constraints clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## install everything into .venv (Java and python3-venv with apt when we are root)

# Only what pins or declares packages makes the environment stale; a second run costs nothing.
$(READY): pyproject.toml constraints.txt .ci/setup
	@.ci/setup
	@touch $@

demo: $(READY) ## learn 45 days of real flights, then gate a clean and a broken day
	@$(BIN)/python -m airflow_dq.demo --home $(DEMO)

ui: $(READY) ## a whole Airflow with one day that passed and one that waits for you; Ctrl-C ends it
	@$(BIN)/python -m airflow_dq.demo.ui --home $(UI) --port $(PORT)

test: $(READY) ## all tests in two processes, with their own PostgreSQL and Spark
	@$(BIN)/python .ci/test $(PYTEST_ARGS)

test-fast: $(READY) ## unit and contract tests only, without PostgreSQL, Spark and a running Airflow: two minutes
	@$(BIN)/python .ci/test --fast $(PYTEST_ARGS)

check: $(READY) ## lint, format, types, import direction, migrations in step with the models
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/migrations
	$(BIN)/python .ci/definitions --check

format: $(READY) ## let ruff fix and format the code, and list the metrics in the docs
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python .ci/definitions

constraints: $(READY) ## compile constraints.txt again from pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --upgrade \
		--no-header --no-annotate --no-emit-package airflow-provider-dq --quiet -o constraints.txt

clean: ## remove everything that the other targets made
	@if [ -x $(BIN)/python ] && [ -d $(DEMO) ]; then $(BIN)/python -m airflow_dq.demo --home $(DEMO) --stop; fi
	rm -rf $(VENV) $(DEMO) $(UI) dist build spark-warehouse metastore_db derby.log artifacts \
		.pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage htmlcov
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
