"""Parsing shell commands into steps, without their wrappers: what each reads, searches, edits, tests, commits.

A command is not opaque: some agents do everything through a shell, and what they read there counts like a read. The
hook process may import this module: it loads nothing but `re`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from holloway.text import arguments, programs, shell
from holloway.text.programs import COMMIT, RUN, TABLE, TEST, normalise_name
from holloway.text.tools import EDIT, OTHER

COMMAND_STEPS_MAX = 64
REMEMBERED_MAX = 1_024
"""Number of parsed commands that are cached, because several detectors parse the same command."""
COMMAND_NESTING_MAX = 4

_FILTERS = frozenset(
    "head tail less more cat grep egrep fgrep rg wc jq yq sort uniq cut awk sed column tr xxd nl tac".split()
)
_SILENT = frozenset(
    "echo printf : true false test [ [[ pwd sleep wait set export unset local declare exit return".split()
)
COMMAND_LINE_WORDS_MAX = 2_000
WRAPPERS_MAX = 16

_KEYWORDS = frozenset(TABLE["shell_keywords"])
_NO_COMMAND = frozenset(TABLE["shell_syntax"])
_SHELLS = frozenset(TABLE["shells"])
_INERT_WRAPPERS = frozenset(TABLE["inert_wrappers"])


class Step:
    """One action of a command. A plain class, because importing `typing` costs a hook milliseconds."""

    __slots__ = (
        *("args", "call", "directory", "env", "kind", "message", "paths", "pattern", "program", "program_path", "url"),
    )

    def __init__(
        self,
        kind: str,
        program: str,
        *,
        paths: tuple[str, ...] = (),
        pattern: str = "",
        url: str = "",
        message: str = "",
        args: tuple[str, ...] = (),
        env: tuple[str, ...] = (),
        directory: str = "",
        program_path: str = "",
        call: str = "",
    ) -> None:
        self.kind = kind
        self.program = program
        self.call = call or program
        """How the program was called, with its runner: `uv run pytest`, `.venv/bin/python -m pytest`."""
        self.program_path = program_path
        """The path by which the program was called; empty for a program that is found by its name."""
        self.paths = paths
        self.pattern = pattern
        self.url = url
        self.message = message
        self.args = args
        """The words after the program, subcommands left out."""
        self.env = env
        """The names of the variables that are set for it."""
        self.directory = directory

    def __repr__(self) -> str:
        field_texts = [f"{name}={value!r}" for name in sorted(self.__slots__) if (value := getattr(self, name))]
        return f"Step({', '.join(field_texts)})"


@lru_cache(maxsize=REMEMBERED_MAX)
def parse_command(command: str) -> tuple[Step, ...]:
    """Parse a command into its steps; pure filters, changes of folder and printing are not steps."""
    return tuple(_Reading().read_command(command, 0)[:COMMAND_STEPS_MAX])


class _Reading:
    """Parser state across simple commands: the current folder and the exported variables."""

    def __init__(self) -> None:
        self.directory = ""
        self.exported: list[str] = []

    def read_command(self, command: str, depth: int) -> list[Step]:
        steps: list[Step] = []
        before: shell.Simple | None = None
        for simple in shell.split_commands(command)[: COMMAND_STEPS_MAX * 4]:
            steps += self._read_steps(simple, before if simple.after == "|" else None, depth)
            before = simple
        return steps

    def _read_steps(self, simple: shell.Simple, source: shell.Simple | None, depth: int) -> list[Step]:
        words, env, runner = unwrap_command(simple.words)
        env = [word.split("=", 1)[0].rstrip("+") for word in simple.assignments] + env
        if not words:
            return self._assigned_commands(simple, depth) + self._redirect_writes(simple, env)
        if words[0] in ("cd", "pushd", "Set-Location"):
            self._change_folder(words[1] if len(words) > 1 else "")
            return []
        if words[0] in ("export", "setenv"):
            self.exported += [word.split("=", 1)[0] for word in words[1:] if "=" in word][:COMMAND_STEPS_MAX]
            return []
        if depth < COMMAND_NESTING_MAX and (inner := find_command_line(words)):
            return self.read_command(inner, depth + 1)
        if source is not None and simple.words[0] in _FILTERS and not self._reads_files(words):
            return self._redirect_writes(simple, env)
        quiet = words[0] in _SILENT or simple.words == ["cat"]
        main = [] if quiet else [self._build_step(words, runner, (*self.exported, *env), simple, source)]
        return main + self._redirect_writes(simple, env)

    def _assigned_commands(self, simple: shell.Simple, depth: int) -> list[Step]:
        """Return the steps of commands whose output is assigned to a variable."""
        values = [word.split("=", 1)[1] for word in simple.assignments]
        command_lines = [value[2:-1] for value in values if value.startswith("$(") and value.endswith(")")]
        return [
            step
            for command_line in command_lines
            if depth < COMMAND_NESTING_MAX
            for step in self.read_command(command_line, depth + 1)
        ]

    def _change_folder(self, folder: str) -> None:
        absolute = folder.startswith(("/", "~", "$")) or folder[1:2] == ":"
        self.directory = folder if absolute or not self.directory else f"{self.directory}/{folder}"[:1_000]

    @staticmethod
    def _reads_files(words: list[str]) -> bool:
        """Return whether a filter after a pipe also names a file to read."""
        program = programs.normalise_name(words[0])
        skipped_count = (
            1 if program in arguments.TAKES_SCRIPT or program in ("grep", "egrep", "fgrep", "rg", "tr") else 0
        )
        return any(
            arguments.PATH.search(word) for word in arguments.list_plain_words(program, words[1:])[skipped_count:]
        )

    def _redirect_writes(self, simple: shell.Simple, env: list[str]) -> list[Step]:
        steps = []
        for program in (">", ">>"):
            files = [
                target
                for sign, target in simple.redirects
                if ">" in sign and not sign.endswith("&") and (">>" in sign) is (program == ">>")
            ]
            paths = tuple(name for name in files if not name.startswith(("/dev/", "&")) and not name.isdigit())
            if paths:
                steps.append(Step(EDIT, program, paths=paths, env=tuple(env), directory=self.directory))
        return steps

    def _build_step(
        self,
        words: list[str],
        runner: list[str],
        env: tuple[str, ...],
        simple: shell.Simple,
        source: shell.Simple | None,
    ) -> Step:
        program, kind, args = _identify_program(words)
        base = program.split(" ", 1)[0]
        folder = arguments.find_folder(base, args)
        paths, pattern, url = arguments.find_subject(kind, base, args)
        documents = simple.documents or (source.documents or source.words[1:2] if source else [])
        if kind == EDIT and not paths:
            paths = arguments.list_patched_files([*args, *documents])
        message = arguments.find_commit_message(args, documents) if kind == COMMIT else ""
        if program == PULL_REQUEST_PROGRAM:
            message = arguments.find_pull_request_text(args, documents)
        return Step(
            kind,
            program,
            paths=paths,
            pattern=pattern,
            url=url,
            message=message,
            args=tuple(args),
            env=env,
            directory=f"{self.directory}/{folder}" if folder and self.directory else folder or self.directory,
            program_path=words[0] if "/" in words[0] else "",
            call=" ".join([*runner, *_list_call_words(words, program)]),
        )


def _list_call_words(words: list[str], program: str) -> list[str]:
    """Return the words that call a program: its path, its toolchain, its interpreter, its subcommand."""
    name = programs.normalise_name(words[0])
    if program.startswith(f"{name} -m "):
        return words[:3]
    if name in _INTERPRETERS and program != name:
        return [*words[: 3 if words[1] == "-m" else 2], *program.split(" ")[1:]]
    toolchain = words[1:2] if _is_toolchain(words) else []
    return [words[0], *toolchain, *program.split(" ")[1:]]


def _is_toolchain(words: list[str]) -> bool:
    """Whether the first word after a program chooses its version: `cargo +nightly test`."""
    return words[0] in ("cargo", "rustc", "rustfmt") and len(words) > 1 and words[1].startswith("+")


PULL_REQUEST_PROGRAM = "gh pr create"
_INTERPRETERS = frozenset(("python", "php", "ruby", "node"))
_TWO_DEEP = frozenset(
    ("go mod", "docker compose", "gh pr", "gh issue", "gh run", "gh repo", "gh release", "gh workflow")
)
_OF_INTERPRETERS = ("manage.py", "artisan", "rails")


def _identify_program(words: list[str]) -> tuple[str, str, list[str]]:
    """Return the program with its subcommand or task, its kind, and the remaining words."""
    program = programs.normalise_name(words[0])
    if program in _INTERPRETERS and len(words) > 2 and words[1] == "-m":
        inside = _identify_program(words[2:])
        return inside if inside[1] != OTHER else (f"{program} -m {words[2]}", RUN, words[3:])
    if program in _INTERPRETERS and len(words) > 1 and programs.normalise_name(words[1]) in _OF_INTERPRETERS:
        return _identify_program(words[1:])
    if _is_toolchain(words):
        words = [words[0], *words[2:]]
    if not programs.has_subcommands(program):
        kind = programs.classify_command(program, "", words[1:])
        return program, RUN if kind == OTHER and "/" in words[0] else kind, words[1:]
    return _with_subcommand(program, words[1:])


def _with_subcommand(program: str, words: list[str]) -> tuple[str, str, list[str]]:
    plain = [
        at
        for at, word in arguments.find_plain_words(program, words)
        if "=" not in word or program not in ("make", "just")
    ]
    subcommands = [words[at] for at in plain[:3]]
    subcommand_count = 1
    if (
        subcommands[:1]
        and subcommands[0] in ("run", "run-script", "r", "task")
        and len(subcommands) > 1
        and programs.is_runner(program)
    ):
        subcommand_count, kind = 2, programs.classify_task(subcommands[1])
        subcommands[0] = "run"
    elif program in ("make", "mvn", "gradle", "just", "sbt", "lein", "rake"):
        subcommand_count = len(subcommands)
        kinds = [programs.classify_command(program, goal, words) for goal in subcommands] or [
            programs.classify_command(program, "", words)
        ]
        kind = TEST if TEST in kinds else kinds[-1]
    else:
        subcommand_count = 2 if f"{program} {(subcommands or [''])[0]}" in _TWO_DEEP else 1
        kind = programs.classify_command(
            program, subcommands[0] if subcommands else "", words[plain[0] :] if plain else words
        )
    out = set(plain[:subcommand_count])
    return (
        " ".join([program, *subcommands[:subcommand_count]]),
        kind,
        [word for at, word in enumerate(words) if at not in out],
    )


def unwrap_command(words: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Find the command inside its wrappers; return its words, the variables that the wrappers set, and its runner.

    The runner is those wrappers that decide in which environment the command runs: `uv run`, `docker compose exec web`.
    """
    env: list[str] = []
    runner: list[str] = []
    words = words[:COMMAND_LINE_WORDS_MAX]
    for _ in range(WRAPPERS_MAX):
        if not words or not words[0].strip() or words[0] in _NO_COMMAND:
            return [], env, runner
        if words[0] in _KEYWORDS and (words[0] != "time" or not words[1:2] or not words[1].startswith("-")):
            words = words[1:]
            continue
        wrapped = words
        name = normalise_name(words[0])
        if name == "docker" and words[1:2] == ["compose"] and words[2:3] in (["run"], ["exec"]):
            words = [words[0], *words[2:]]
        pair = f"{name} {words[1]}" if len(words) > 1 else ""
        wrapper = pair if pair in TABLE["wrappers"] else name if name in TABLE["wrappers"] else ""
        inner_words = _skip_options(words[2 if wrapper == pair else 1 :], wrapper) if wrapper else []
        if not inner_words:
            return words, env, runner
        if wrapper not in _INERT_WRAPPERS:
            runner += wrapped[: len(wrapped) - len(inner_words)]
        while wrapper == "env" and inner_words and "=" in inner_words[0]:
            env.append(inner_words.pop(0).split("=", 1)[0])
        words = ["python", *inner_words] if wrapper == "uv run" and inner_words[0].endswith(".py") else inner_words
    return words, env, runner


def _skip_options(words: list[str], wrapper: str) -> list[str]:
    """Skip the options and plain words of a wrapper itself."""
    row = TABLE["wrappers"][wrapper]
    if "runs" in row:  # `uv pip install` is `pip install`
        return [row["runs"], *words]
    valued_options, plain_words = row.get("options", ()), row.get("plain_words", 0)
    index = 0
    while index < len(words) and (words[index].startswith("-") or plain_words > 0):
        if words[index] == "--":
            return words[index + 1 :]
        if not words[index].startswith("-"):
            plain_words -= 1
        index += 2 if words[index] in valued_options else 1
    return words[index:]


def find_command_line(words: list[str]) -> str:
    """Find the command line that a shell is given as one word: `bash -lc "…"`, `eval "…"`."""
    if words[0] == "eval":
        return " ".join(words[1:])
    if normalise_name(words[0]) not in _SHELLS:
        return ""
    for index, word in enumerate(words[1:-1], 1):
        if not word.startswith("-"):
            return ""
        if re.fullmatch(r"-[a-z]{0,4}c", word):
            return words[index + 1]
    return ""
