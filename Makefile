# holloway: `make run` shows it, `make test` proves it. Only Python 3.11+ and make are needed.
PYTHON ?= python3
PROJECT ?= .
VENV := .venv
BIN := $(VENV)/bin
CLAUDE_CODE := 2.1.325
CODEX := 0.166.0
CLAUDE_AGENT_SDK := 0.2.182
DATA ?=
REPOS ?=
GRAPHS ?=
PYCG ?=
PEERS ?=
AIDER ?=
ONLY ?=
QUICK ?=

.DEFAULT_GOAL := help
.PHONY: help run test check format nightly bench lock docs agents clean

help: ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/installed: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "holloway needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@

run: $(VENV)/installed ## map a project (PROJECT=path) and print what an agent would read
	@$(BIN)/holloway init --project "$(PROJECT)"

test: $(VENV)/installed-dev ## all tests of a commit
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not nightly"
	$(BIN)/lint-imports --no-cache

check: $(VENV)/installed-dev ## format, lint, types, layers, docs, then the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not nightly"
	$(BIN)/lint-imports --no-cache

format: $(VENV)/installed-dev ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/installed-nightly: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check claude-agent-sdk==$(CLAUDE_AGENT_SDK)
	touch $@

nightly: $(VENV)/installed-nightly agents ## the long runs: kills, faults, soak, fuzz, properties, real agents; writes docs/reliability.md
	rm -rf build/reliability
	HOLLOWAY_NIGHTLY=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q
	$(BIN)/python -m docs.reliability

bench: $(VENV)/installed-dev ## benchmarks (ONLY=name, QUICK=1 for a sample; DATA=, REPOS=, GRAPHS=, PYCG=, PEERS= folders)
	$(BIN)/python -m benchmarks $(if $(QUICK),--quick) $(if $(DATA),--data $(DATA)) $(if $(REPOS),--repos $(REPOS)) \
	  $(if $(GRAPHS),--graphs $(GRAPHS)) $(if $(PYCG),--pycg $(PYCG)) $(if $(PEERS),--peers $(PEERS)) \
	  $(if $(AIDER),--aider $(AIDER)) $(if $(ONLY),--only $(ONLY))

docs: $(VENV)/installed-dev ## write generated parts of the docs anew
	$(BIN)/python -m docs.generate

lock: $(VENV)/installed-dev ## resolve the dependencies anew
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --group build pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --group dev pyproject.toml -o requirements-dev.lock

NPM_INSTALL := npm install --prefix build/agents --no-audit --no-fund --ignore-scripts --save-exact

agents: build/agents/claude-code-$(CLAUDE_CODE) build/agents/codex-$(CODEX) ## install the real agents for the journeys (npm)

build/agents/claude-code-$(CLAUDE_CODE):
	$(NPM_INSTALL) @anthropic-ai/claude-code@$(CLAUDE_CODE)
	node build/agents/node_modules/@anthropic-ai/claude-code/install.cjs
	rm -f build/agents/claude-code-* && touch $@

# One npm at a time: both write the same folder.
build/agents/codex-$(CODEX): build/agents/claude-code-$(CLAUDE_CODE)
	$(NPM_INSTALL) @openai/codex@$(CODEX)
	rm -f build/agents/codex-* && touch $@

clean: ## remove what make made
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
