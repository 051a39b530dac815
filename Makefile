# The commands people type. `make help` lists them.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8050
STORE ?=
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help run test check format bench screenshot lock chromium clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.runtime: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; name one with PYTHON=." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock
	@touch $@

run: $(VENV)/.runtime ## the dashboard on http://127.0.0.1:8050 (STORE=path for another store)
	$(BIN)/agentx-dashboard serve --host $(HOST) --port $(PORT) $(if $(STORE),--store $(STORE))

chromium: $(VENV)/.dev
	@$(BIN)/python tests/browser/ensure_chromium.py

test: $(VENV)/.dev chromium ## everything, browser tests included
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

check: $(VENV)/.dev ## format, lint, types, import contract, unit tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -n $(WORKERS) -m "not browser and not slow"

format: $(VENV)/.dev ## rewrite the sources in the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev chromium ## measure the bars of quality.md, as ratios
	$(BIN)/python -m benchmarks

screenshot: $(VENV)/.dev chromium ## renew the README's picture
	AGENTX_SCREENSHOT=1 $(BIN)/python -m pytest -q -p no:xdist tests/browser/test_readme_picture.py

lock: $(VENV)/.dev ## renew requirements.lock and requirements-dev.lock from pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
	  --group pyproject.toml:build --output-file requirements.lock pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
	  --group pyproject.toml:build --group pyproject.toml:dev --output-file requirements-dev.lock pyproject.toml

clean: ## remove the environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
