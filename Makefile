# holloway: `make run` shows it, `make test` proves it. Only Python 3.11+ and make are needed.
PYTHON ?= python3
PROJECT ?= .
VENV := .venv
BIN := $(VENV)/bin
NODE := 22.23.3
CLAUDE_CODE := 2.1.326
CODEX := 0.169.0
COPILOT := 1.0.102
OPENCODE := 1.18.33
QWEN := 0.24.4
PI := 0.87.1
GEMINI := 0.61.0
DROID := 0.215.0
KILO := 7.7.7
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
.PHONY: help run panel browser screenshots test check format nightly bench lock data docs agents further clean

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

panel: $(VENV)/installed-dev ## open the web panel of a project (PROJECT=path)
	@$(BIN)/holloway panel --open --project "$(PROJECT)"

# Browser tests run on Debian's Chromium; axe-core finds faults of accessibility in the pages.
AXE := 4.14.0
browser: build/browser/axe-core-$(AXE) ## install what browser tests need: Chromium (apt), axe-core (npm)

build/browser/axe-core-$(AXE):
	command -v chromium-headless-shell || command -v chromium || \
	  { apt-get update -q && apt-get install -qy --no-install-recommends chromium-headless-shell; } || \
	  sudo -n apt-get install -qy --no-install-recommends chromium-headless-shell
	npm install --prefix build/browser --no-audit --no-fund --ignore-scripts --save-exact axe-core@$(AXE)
	touch $@

screenshots: $(VENV)/installed-dev ## take screenshots of every page of the panel, and renew those in the docs
	$(BIN)/python -m docs.screenshots

# Tests start hundreds of processes. Where PYTHONDONTWRITEBYTECODE is set, each of them would compile the source again,
# and each run would compile all tests again.
COMPILE := $(BIN)/python -m compileall -q src
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist worksteal -q

test: $(VENV)/installed-dev ## all tests of a commit
	$(COMPILE)
	$(PYTEST) -m "not nightly"
	$(BIN)/lint-imports --no-cache

check: $(VENV)/installed-dev ## format, lint, types, style figures, the tests, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m docs.style
	$(COMPILE)
	$(PYTEST) -m "not nightly"
	$(BIN)/lint-imports --no-cache

format: $(VENV)/installed-dev ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/installed-nightly: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check claude-agent-sdk==$(CLAUDE_AGENT_SDK)
	touch $@

NEWEST = $$(npm view $(1) version)

nightly: $(VENV)/installed-nightly ## the long runs: kills, faults, soak, fuzz, properties, real agents; writes docs/reliability.md
	$(MAKE) agents CLAUDE_CODE=$(call NEWEST,@anthropic-ai/claude-code) CODEX=$(call NEWEST,@openai/codex) \
	  COPILOT=$(call NEWEST,@github/copilot)
	$(MAKE) further OPENCODE=$(call NEWEST,opencode-ai) QWEN=$(call NEWEST,@qwen-code/qwen-code)
	rm -rf build/reliability
	$(COMPILE)
	HOLLOWAY_NIGHTLY=1 $(PYTEST)
	$(BIN)/python -m docs.reliability

bench: $(VENV)/installed-dev ## benchmarks (ONLY=name, QUICK=1 for a sample; DATA=, REPOS=, GRAPHS=, PYCG=, PEERS= folders)
	$(BIN)/python -m benchmarks $(if $(QUICK),--quick) $(if $(DATA),--data $(DATA)) $(if $(REPOS),--repos $(REPOS)) \
	  $(if $(GRAPHS),--graphs $(GRAPHS)) $(if $(PYCG),--pycg $(PYCG)) $(if $(PEERS),--peers $(PEERS)) \
	  $(if $(AIDER),--aider $(AIDER)) $(if $(ONLY),--only $(ONLY))

data: $(VENV)/installed-dev ## compile the tables of src/holloway/data from TOML to JSON
	$(BIN)/python -m holloway.data.compiler

docs: $(VENV)/installed-dev ## write generated parts of the docs anew
	$(BIN)/python -m docs.generate

lock: $(VENV)/installed-dev ## resolve the dependencies anew
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --group build pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --group dev pyproject.toml -o requirements-dev.lock

# The agents want Node 22. On an older Node, npm installs an old release of an agent without saying so: a Node of our
# own comes first, and each rule asks the agent for its version. One npm at a time, because all write the same folder.
AGENTS := build/agents
NODE_BIN := $(CURDIR)/$(AGENTS)/node/node_modules/node/bin
WITH_NODE := PATH="$(NODE_BIN):$$PATH"
NPM_FLAGS := --no-audit --no-fund --ignore-scripts --save-exact
NPM_INSTALL := $(WITH_NODE) npm install --prefix $(AGENTS) $(NPM_FLAGS)
REPORTS_VERSION = $(WITH_NODE) $(AGENTS)/node_modules/.bin/$(1) --version | grep -Fw -- "$(2)"

agents: $(AGENTS)/copilot-$(COPILOT) ## install the real agents for the journeys (npm)

$(AGENTS)/node-$(NODE):
	npm install --prefix $(AGENTS)/node $(NPM_FLAGS) node@$(NODE)
	cd $(AGENTS)/node/node_modules/node && node installArchSpecificPackage.js
	$(NODE_BIN)/node --version | grep -Fx "v$(NODE)"
	rm -f $(AGENTS)/node-* && touch $@

$(AGENTS)/claude-code-$(CLAUDE_CODE): $(AGENTS)/node-$(NODE)
	$(NPM_INSTALL) @anthropic-ai/claude-code@$(CLAUDE_CODE)
	$(WITH_NODE) node $(AGENTS)/node_modules/@anthropic-ai/claude-code/install.cjs
	$(call REPORTS_VERSION,claude,$(CLAUDE_CODE))
	rm -f $(AGENTS)/claude-code-* && touch $@

$(AGENTS)/codex-$(CODEX): $(AGENTS)/claude-code-$(CLAUDE_CODE)
	$(NPM_INSTALL) @openai/codex@$(CODEX)
	$(call REPORTS_VERSION,codex,$(CODEX))
	rm -f $(AGENTS)/codex-* && touch $@

$(AGENTS)/copilot-$(COPILOT): $(AGENTS)/codex-$(CODEX)
	$(NPM_INSTALL) @github/copilot@$(COPILOT)
	$(call REPORTS_VERSION,copilot,$(COPILOT))
	rm -f $(AGENTS)/copilot-* && touch $@

further: agents ## install further agents for their journeys, which no other command needs (npm)
	$(NPM_INSTALL) opencode-ai@$(OPENCODE) @qwen-code/qwen-code@$(QWEN) @earendil-works/pi-coding-agent@$(PI) \
	  @google/gemini-cli@$(GEMINI) droid@$(DROID) @kilocode/cli@$(KILO)
	cd $(AGENTS)/node_modules/opencode-ai && $(WITH_NODE) node postinstall.mjs
	cd $(AGENTS)/node_modules/droid && $(WITH_NODE) node install.js
	$(call REPORTS_VERSION,opencode,$(OPENCODE))
	$(call REPORTS_VERSION,qwen,$(QWEN))
	$(call REPORTS_VERSION,pi,$(PI))
	$(call REPORTS_VERSION,gemini,$(GEMINI))
	$(call REPORTS_VERSION,droid,$(DROID))
	$(call REPORTS_VERSION,kilo,$(KILO))

clean: ## remove what make made
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
