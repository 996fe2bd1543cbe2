# `make review` and `make test` are all that a fresh machine needs; everything else is for working on lrc itself.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
REPO   ?= .
REV    ?= HEAD

.PHONY: review test proof model lint format bench clean
.DEFAULT_GOAL := review

# Set-up happens once: the stamp is newer than what it was made from.
$(VENV)/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lrc needs Python 3.11 or newer; set PYTHON=...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@echo "installing lrc; llama.cpp is compiled the first time, which takes some minutes"
	$(BIN)/python -m pip install --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

# Says so in half a second when the pair is there and checked already.
model: $(VENV)/.installed
	@$(BIN)/lrc model pull > /dev/null

# A review that finds something exits with 1, as in git; for make that is an answer, not a failure.
review: model
	@cd '$(REPO)' && { '$(CURDIR)/$(BIN)/lrc' review '$(REV)'; status=$$?; [ $$status -le 1 ]; }

test: $(VENV)/.installed-dev model
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -m 'not proof'

proof: $(VENV)/.installed-dev model
	$(BIN)/python -m pytest -m proof

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
