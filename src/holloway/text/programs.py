"""Classifying programs: what a command does, by its program and subcommand. The table is `data/programs.toml`.

The hook process may import this module: it loads nothing but `re` and `json`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from holloway.data import load_table
from holloway.text.tools import EDIT, LIST, OTHER, READ, SEARCH

TEST, CHECK, RUN, COMMIT, REVERT = "test", "check", "run", "commit", "revert"
GIT, FETCH, INSTALL = "git", "fetch", "install"
PROGRAM_KINDS = (READ, SEARCH, LIST, EDIT, TEST, CHECK, RUN, COMMIT, REVERT, GIT, FETCH, INSTALL, OTHER)
PROGRAMS_CACHED_MAX = 512
"""A session calls the same few programs again and again."""

TABLE = load_table("programs")
_PROGRAMS: dict[str, str] = TABLE["programs"]
_SUBCOMMANDS: dict[str, dict[str, str]] = TABLE["subcommands"]
_ALIASES: dict[str, str] = TABLE["aliases"]
_TASK_RUNNERS = frozenset(TABLE["task_runners"])
_GITHUB_READS = frozenset(TABLE["github_reads"])
_TASK_WORDS = tuple((kind, frozenset(TABLE[f"{kind}_tasks"])) for kind in (TEST, CHECK, INSTALL))
_WORDS = re.compile(r"[a-z0-9]+")


def classify_task(task: str) -> str:
    """Classify a task of a runner by its name: `test:ci`, `lint-fix`, `:app:assembleDebug`."""
    words = set(_WORDS.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", task[:100]).lower()))
    if "lint" in words or "typecheck" in words:
        return CHECK
    return next((kind for kind, names in _TASK_WORDS if words & names), RUN)


@lru_cache(maxsize=PROGRAMS_CACHED_MAX)
def normalise_name(word: str) -> str:
    """Reduce a program to its name in the tables: without its folder and `.exe`, aliases resolved."""
    base = word.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    base = re.sub(r"\.(?:exe|cmd|bat|ps1)$", "", base, flags=re.IGNORECASE)
    base = re.sub(r"^(python|pip)[\d.]+$", r"\1", base)
    lower = base.lower()
    return _ALIASES.get(base) or (lower if lower in _PROGRAMS else base or word)


def classify_command(program: str, subcommand: str, words: list[str]) -> str:
    """Classify a command; the words are those after the program, subcommand included."""
    if program == "git":
        return _classify_git(subcommand, words)
    if program == "gh":
        is_read = subcommand in ("api", "search", "browse") or bool(_GITHUB_READS & set(words[1:3]))
        return FETCH if is_read else OTHER
    subcommands = _SUBCOMMANDS.get(program)
    if program == "go" and subcommand == "mod" and words[1:2] not in (["tidy"], ["download"], ["vendor"]):
        return OTHER
    if subcommands is None:
        return _classify_program(program, words)
    if subcommand in subcommands:
        return subcommands[subcommand]
    if program == "yarn" and not subcommand:
        return INSTALL
    if program in _TASK_RUNNERS:
        return classify_task(subcommand or "build")
    return TEST if subcommand == "test" else RUN if subcommand else OTHER


def is_check(word: str) -> bool:
    """Whether a program only tests or checks code, whatever its folder or ending."""
    return _PROGRAMS.get(normalise_name(word)) in (TEST, CHECK)


def has_subcommands(program: str) -> bool:
    """Whether a program's first word says what it does."""
    return program in _SUBCOMMANDS


def is_runner(program: str) -> bool:
    """Whether the program runs tasks that the project names itself."""
    return program in _TASK_RUNNERS


def _classify_program(program: str, words: list[str]) -> str:
    if program in ("sed", "perl", "awk") and any(_is_in_place(program, word) for word in words):
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


def _is_in_place(program: str, word: str) -> bool:
    if program == "awk":
        return word == "inplace"
    return word.startswith("--in-place") or bool(re.match(r"-(?:[a-zA-Z]{0,4}i|i\S{0,20}$)", word))


def _classify_git(subcommand: str, words: list[str]) -> str:
    arguments = words[1:]
    stash_keeps = ("pop", "apply", "list", "show", "drop", "branch")
    is_revert = (
        (subcommand == "checkout" and ("--" in arguments or "." in arguments) and "-b" not in arguments)
        or (subcommand == "restore" and ("--staged" not in arguments or "--worktree" in arguments))
        or (subcommand == "stash" and not (arguments and arguments[0] in stash_keeps))
        or (subcommand == "reset" and "--hard" in arguments)
        or (subcommand == "clean" and not any(word.startswith(("-n", "--dry")) for word in arguments))
        or "--abort" in arguments
    )
    return REVERT if is_revert else _SUBCOMMANDS["git"].get(subcommand, GIT)
