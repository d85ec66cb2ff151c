"""What programs do: the kind of a command by its program and subcommand, and what merely wraps another command.

The hook process may import this module: it loads nothing but `re`.
"""

from __future__ import annotations

import re
from functools import lru_cache

READ, SEARCH, LIST, EDIT, TEST, CHECK, RUN = "read", "search", "list", "edit", "test", "check", "run"
COMMIT, REVERT, GIT, FETCH, INSTALL, OTHER = "commit", "revert", "git", "fetch", "install", "other"
KINDS = (READ, SEARCH, LIST, EDIT, TEST, CHECK, RUN, COMMIT, REVERT, GIT, FETCH, INSTALL, OTHER)
NAMES_KEPT = 512
"""A session calls the same few programs again and again."""


def _table(**rows: str) -> dict[str, str]:
    return {name: kind for kind, names in rows.items() for name in names.split()}


# A program alone; what is not listed is run where it is a path or an interpreter, and otherwise something else.
_PROGRAMS = _table(
    read="cat head tail less more nl bat batcat wc jq yq xxd hexdump od strings stat file tac zcat sort uniq cut awk "
    "gawk sed diff cmp column md5 md5sum sha1sum sha256sum shasum base64 get-content type",
    search="grep egrep fgrep zgrep rg ag ack select-string fd fdfind locate find",
    list="ls tree exa eza dir du get-childitem",
    edit="apply_patch applypatch patch tee cp mv rm touch truncate install ln set-content",
    test="pytest py.test unittest tox nox jest vitest mocha ava karma rspec phpunit pest ctest gotestsum ginkgo bats "
    "busted nosetests tap behave cucumber trial testem minitest",
    check="flake8 pylint pycodestyle mypy pyright basedpyright ty pyre black isort autopep8 yapf eslint tsc "
    "vue-tsc prettier biome stylelint oxlint standard xo gofmt gofumpt goimports staticcheck revive "
    "shellcheck shfmt hadolint actionlint yamllint markdownlint rustfmt rubocop standardrb ktlint detekt swiftlint "
    "swiftformat clang-format clang-tidy cppcheck cmake ninja meson gcc g++ cc c++ clang clang++ rustc javac kotlinc "
    "webpack rollup esbuild tsup parcel bandit tflint checkstyle sqlfluff lint-imports vulture py_compile "
    "compileall codespell typos knip depcheck buf protoc msbuild ansible-lint",
    run="python python2 python3 node deno ruby php perl java lua julia Rscript elixir bash sh zsh fish dash pwsh "
    "ts-node tsx source . open uvicorn gunicorn flask hypercorn foreman",
    fetch="curl wget http https xh aria2c lynx w3m links ftp invoke-webrequest iwr youtube-dl yt-dlp",
    install="apt apt-get brew dnf yum apk pacman choco winget scoop conda mamba pip-sync nvm corepack rustup snap",
)

# A program with a subcommand or task. The subcommand is the first word that is no option.
_SUBCOMMANDS: dict[str, dict[str, str]] = {
    "git": _table(
        commit="commit",
        revert="revert",
        search="grep",
        list="ls-files ls-tree",
        edit="apply mv rm",
        fetch="clone",
    ),
    "go": _table(
        test="test",
        check="build vet fmt generate fix",
        run="run tool",
        install="get install mod",
        other="doc list env version",
    ),
    "cargo": _table(
        test="test nextest t bench",
        check="build b check c clippy fmt doc fix",
        run="run r",
        install="install add fetch update remove",
        fetch="search info",
    ),
    "npm": _table(
        test="test t tst",
        install="install i ci add update uninstall rebuild link",
        fetch="view info show search v audit outdated",
        run="start exec",
    ),
    "pnpm": _table(
        test="test t", install="install i add update up remove rebuild", fetch="view info search", run="start"
    ),
    "yarn": _table(
        test="test", install="install add upgrade remove up", fetch="info npm", run="start", check="tsc build"
    ),
    "bun": _table(test="test", install="install i add update remove", check="build", run="start run"),
    "deno": _table(test="test", check="lint fmt check compile", run="run task", install="install add cache"),
    "pip": _table(install="install uninstall", fetch="download index search", read="show list freeze", check="check"),
    "uv": _table(install="sync add remove lock venv tool", check="build"),
    "poetry": _table(install="install add update remove lock", check="build check"),
    "pdm": _table(install="install add update sync lock", check="build"),
    "hatch": _table(test="test", check="build fmt", install="env"),
    "pipenv": _table(install="install sync lock update"),
    "gem": _table(install="install update", fetch="fetch search"),
    "bundle": _table(install="install update add"),
    "composer": _table(test="test", install="install update require remove", fetch="show search"),
    "dotnet": _table(test="test", check="build format publish", run="run", install="restore add tool"),
    "mix": _table(test="test", check="compile format credo dialyzer", install="deps.get deps", run="run phx.server"),
    "swift": _table(test="test", check="build", run="run", install="package"),
    "zig": _table(test="test", check="build fmt", run="run"),
    "flutter": _table(test="test", check="build analyze", run="run", install="pub"),
    "dart": _table(test="test", check="analyze format compile", run="run", install="pub"),
    "bazel": _table(test="test", check="build", run="run"),
    "stack": _table(test="test", check="build", run="run exec", install="install"),
    "cabal": _table(test="test", check="build", run="run", install="install"),
    "terraform": _table(check="validate fmt plan", run="apply destroy", install="init"),
    "helm": _table(check="lint template", run="upgrade", install="dependency dep", fetch="pull"),
    "docker": _table(
        check="build buildx", run="run exec up start restart compose", fetch="pull", read="logs inspect ps"
    ),
    "playwright": _table(test="test", install="install"),
    "cypress": _table(test="run"),
    "next": _table(check="build lint", run="dev start"),
    "vite": _table(check="build", run="dev preview"),
    "rails": _table(test="test", run="server runner console db:migrate"),
    "mise": _table(install="install use trust", run="exec x"),
    "asdf": _table(install="install"),
    "gh": _table(fetch="api search browse"),
    "golangci-lint": _table(check="run fmt custom", other="version linters formatters help config cache"),
    "ruff": _table(check="check format", other="rule version help"),
    "pre-commit": _table(check="run", install="install autoupdate"),
    "mvn": {},
    "gradle": {},
    "make": {},
    "just": {},
    "task": {},
    "rake": {},
    "sbt": {},
    "lein": {},
    "nx": {},
    "turbo": {},
    "ng": {},
    "artisan": {},
    "manage.py": {},
}
_ALIASES = {
    "gmake": "make",
    "gradlew": "gradle",
    "mvnw": "mvn",
    "mvnd": "mvn",
    "pip3": "pip",
    "podman": "docker",
    "docker-compose": "docker",
    "go-task": "task",
    "tofu": "terraform",
    "gsed": "sed",
    "gawk": "awk",
    "python3": "python",
    "py": "python",
    "nodejs": "node",
}
_TASKS_BY_NAME = frozenset(
    "npm pnpm yarn bun deno mise make just task rake nx turbo ng mvn gradle sbt lein composer".split()
)
_GH_READS = frozenset("view list status diff checks watch download".split())

_WORDS = re.compile(r"[a-z0-9]+")
_TEST_WORDS = frozenset(
    "test tests testing spec specs e2e unit integration pytest jest vitest verify ci coverage t".split()
)
_CHECK_WORDS = frozenset(
    "lint fmt format check checks typecheck types type tsc vet build compile package assemble dist clean all prettier "
    "eslint ruff mypy style analyze analyse codegen generate gen quality validate".split()
)
_INSTALL_WORDS = frozenset("install deps setup bootstrap dependencies init".split())


def of_task(task: str) -> str:
    """What a task of a runner does, by its name: `test:ci`, `lint-fix`, `:app:assembleDebug`."""
    words = set(_WORDS.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", task[:100]).lower()))
    if "lint" in words or "typecheck" in words:
        return CHECK
    for kind, names in ((TEST, _TEST_WORDS), (CHECK, _CHECK_WORDS), (INSTALL, _INSTALL_WORDS)):
        if words & names:
            return kind
    return RUN


@lru_cache(maxsize=NAMES_KEPT)
def named(word: str) -> str:
    """A program as the tables know it: without its folder, `.exe` and other names for the same."""
    base = word.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    base = re.sub(r"\.(?:exe|cmd|bat|ps1)$", "", base, flags=re.IGNORECASE)
    base = re.sub(r"^(python|pip)[\d.]+$", r"\1", base)
    lower = base.lower()
    return _ALIASES.get(base) or (lower if lower in _PROGRAMS else base or word)


def of(program: str, subcommand: str, words: list[str]) -> str:
    """The kind of a command; the words are those after the program, subcommand included."""
    if program == "git":
        return _of_git(subcommand, words)
    if program == "gh":
        reads = subcommand in ("api", "search", "browse") or bool(_GH_READS & set(words[1:3]))
        return FETCH if reads else OTHER
    known = _SUBCOMMANDS.get(program)
    if program == "go" and subcommand == "mod" and words[1:2] not in (["tidy"], ["download"], ["vendor"]):
        return OTHER
    if known is None:
        return _of_program(program, words)
    if subcommand in known:
        return known[subcommand]
    if program == "yarn" and not subcommand:
        return INSTALL
    if program in _TASKS_BY_NAME:
        return of_task(subcommand or "build")
    return TEST if subcommand == "test" else RUN if subcommand else OTHER


def is_check(word: str) -> bool:
    """Whether a program only tests or checks code, by whatever folder or ending it is called."""
    return _PROGRAMS.get(named(word)) in (TEST, CHECK)


def has_subcommands(program: str) -> bool:
    """Whether a program's first word says what it does."""
    return program in _SUBCOMMANDS


def is_runner(program: str) -> bool:
    """Whether the program runs tasks that the project names itself."""
    return program in _TASKS_BY_NAME


def _of_program(program: str, words: list[str]) -> str:
    if program in ("sed", "perl", "awk") and any(_in_place(program, word) for word in words):
        return EDIT
    if program in ("bash", "sh", "zsh") and words[:1] == ["-n"]:
        return CHECK
    if program == "node" and "--test" in words:
        return TEST
    if program == "find" and not any(word in ("-name", "-iname", "-path", "-ipath", "-regex") for word in words):
        return LIST
    if program in _PROGRAMS:
        return _PROGRAMS[program]
    return RUN if "/" in program or re.search(r"\.(?:py|sh|js|ts|rb|pl|mjs)$", program) else OTHER


def _in_place(program: str, word: str) -> bool:
    if program == "awk":
        return word == "inplace"
    return word.startswith("--in-place") or bool(re.match(r"-(?:[a-zA-Z]{0,4}i|i\S{0,20}$)", word))


def _of_git(subcommand: str, words: list[str]) -> str:
    rest = words[1:]
    undoes = (
        (subcommand == "checkout" and ("--" in rest or "." in rest) and "-b" not in rest)
        or (subcommand == "restore" and ("--staged" not in rest or "--worktree" in rest))
        or (subcommand == "stash" and rest[:1] not in (["pop"], ["apply"], ["list"], ["show"], ["drop"], ["branch"]))
        or (subcommand == "reset" and "--hard" in rest)
        or (subcommand == "clean" and not any(word.startswith(("-n", "--dry")) for word in rest))
        or "--abort" in rest
    )
    return REVERT if undoes else _SUBCOMMANDS["git"].get(subcommand, GIT)
