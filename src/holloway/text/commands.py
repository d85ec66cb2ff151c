"""What a shell command does: what it reads, searches, changes, tests, commits and fetches, whatever shell wrote it.

A command is not opaque: some agents do everything through a shell, and what they read there counts like a read. The
hook process may import this module: it loads nothing but `re`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from holloway.text import programs, shell
from holloway.text.programs import (
    COMMIT,
    EDIT,
    FETCH,
    GIT,
    LIST,
    OTHER,
    READ,
    REVERT,
    RUN,
    SEARCH,
    TEST,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STEPS_MAX = 64
WORDS_MAX = 2_000
WRAPPERS_MAX = 16
REMEMBERED_MAX = 256
"""How many commands are kept understood: several questions are asked about each."""
FLAG_VALUE_CHARS_MAX = 40
"""A longer value is an expression, not a setting; options are then compared by name."""
NESTING_MAX = 4
MESSAGE_CHARS_MAX = 4_000

_KEYWORDS = frozenset("do then else elif if while until ! { time".split())
_NO_COMMAND = frozenset("for case select function done fi esac } ;; in [[ [".split())
_SHELLS = frozenset("bash sh zsh dash fish".split())
_FILTERS = frozenset(
    "head tail less more cat grep egrep fgrep rg wc jq yq sort uniq cut awk sed column tr xxd nl tac".split()
)
_SILENT = frozenset(
    "echo printf : true false test [ [[ pwd sleep wait set export unset local declare exit return".split()
)


def _options(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Programs that run another command: which of their options take a value, and how many plain words come first.
_WRAPPERS: dict[str, tuple[frozenset[str], int]] = {
    "sudo": (_options("-u -g -h -p -C"), 0),
    "doas": (_options("-u"), 0),
    "timeout": (_options("-s -k --signal --kill-after"), 1),
    "gtimeout": (_options("-s -k --signal --kill-after"), 1),
    "nice": (_options("-n"), 0),
    "ionice": (_options("-c -n -p"), 0),
    "nohup": (frozenset(), 0),
    "time": (_options("-f -o"), 0),
    "env": (_options("-u -C -S"), 0),
    "xargs": (_options("-n -I -P -L -d -a -s -E"), 0),
    "stdbuf": (_options("-o -i -e"), 0),
    "command": (frozenset(), 0),
    "exec": (_options("-a"), 0),
    "builtin": (frozenset(), 0),
    "setsid": (frozenset(), 0),
    "watch": (_options("-n"), 0),
    "npx": (_options("-p --package"), 0),
    "bunx": (frozenset(), 0),
    "pnpx": (frozenset(), 0),
    "uvx": (_options("--from --with -p --python"), 0),
    "pipx run": (_options("--spec"), 0),
    "uv run": (_options("--with --extra --group -p --python --package --project --directory --env-file"), 0),
    "uv pip": (frozenset(), -1),
    "poetry run": (frozenset(), 0),
    "pdm run": (frozenset(), 0),
    "pipenv run": (frozenset(), 0),
    "hatch run": (frozenset(), 0),
    "rye run": (frozenset(), 0),
    "conda run": (_options("-n -p --name --prefix"), 0),
    "coverage run": (_options("--source --omit --include --rcfile"), 0),
    "bundle exec": (frozenset(), 0),
    "pnpm exec": (frozenset(), 0),
    "pnpm dlx": (frozenset(), 0),
    "yarn exec": (frozenset(), 0),
    "yarn dlx": (frozenset(), 0),
    "npm exec": (frozenset(), 0),
    "mise exec": (frozenset(), 0),
    "mise x": (frozenset(), 0),
    "direnv exec": (frozenset(), 1),
    "doppler run": (_options("-p -c --project --config"), 0),
    "docker run": (_options("-e -v -u -w -p --name --entrypoint --env --volume --network --platform --env-file"), 1),
    "docker exec": (_options("-e -u -w --env --user --workdir"), 1),
}

# Options that take a value, where a plain word after them is no path, pattern or subcommand.
_VALUED: dict[str, frozenset[str]] = {
    "git": _options(
        "-C -c --git-dir --work-tree -m -F --author --date -S -G -L -n --format --pretty --since --until -b -u"
    ),
    "go": _options("-C -run -count -timeout -tags -bench -o -coverprofile -ldflags -p -parallel -benchtime -mod"),
    "docker": _options("-f --file -H --context -p --profile --project-name -e -v -u -w"),
    "npm": _options("--prefix -C -w --workspace"),
    "pnpm": _options("-C --dir -F --filter"),
    "yarn": _options("--cwd workspace"),
    "bun": _options("--cwd --filter"),
    "make": _options("-C -f -j -l -o"),
    "mvn": _options("-f -pl -P --file --projects"),
    "gradle": _options("-p --project-dir -b --tests -x"),
    "cargo": _options("--manifest-path -p --package --test --bin --example --features -j --target --profile"),
    "pytest": _options("-k -m -n -c -p -o -W --maxfail --tb --cov --rootdir --ignore --durations --junitxml --timeout"),
    "jest": _options("-t --testNamePattern -c --config --testPathPattern"),
    "vitest": _options("-t --testNamePattern -c --config --root --project --reporter"),
    "grep": _options("-e -f -m -A -B -C --include --exclude --exclude-dir --color -d"),
    "rg": _options("-e -f -m -A -B -C -g --glob -t -T --type --type-not --max-count --max-depth -M --sort -r"),
    "ag": _options("-m -A -B -C -G --ignore"),
    "fd": _options("-e -t -d -E -x -X --extension --type --max-depth --exclude"),
    "head": _options("-n -c"),
    "tail": _options("-n -c"),
    "sort": _options("-k -t -o"),
    "cut": _options("-d -f -c -b"),
    "awk": _options("-F -v -f -i"),
    "sed": _options("-e -f -l"),
    "jq": _options("--arg --argjson --slurpfile --indent -f"),
    "tree": _options("-L -I -P"),
    "ls": _options("-I"),
    "bat": _options("-r -l --line-range --language --style"),
    "nl": _options("-b -s -w"),
    "stat": _options("-f -c -t"),
    "curl": _options("-X -H -d -o -u -A -e -F -b -c -m --data --header --request --output --user --max-time -w"),
    "wget": _options("-O -o -P -U --header --timeout -t"),
    "gh": _options("-R --repo -q --jq -X -f -F -H -t --template --json -b --body --method -L --limit"),
    "mypy": _options("-p -m -c --config-file --python-version"),
    "ruff": _options("--select --ignore --config --line-length"),
    "tsc": _options("-p --project --target --module"),
    "eslint": _options("-c --config --ext --max-warnings -f"),
    "golangci-lint": _options("-E -D -c --enable --disable --config --timeout --build-tags"),
    "perl": _options("-e -E"),
}
_SELECTORS = _options(
    "-run -k -t --testNamePattern --grep -g --filter --tests -Dtest -m --only --name --testPathPattern -e --example "
    "--scenario -bench"
)
"""Options that choose which tests are run."""

_TAKES_PATHS = frozenset("pytest py.test rspec unittest manage.py phpunit bats behave trial".split())
_SCRIPTED = frozenset(("sed", "awk", "jq", "yq", "perl"))
_URL = re.compile(r"(?:https?|ftp|ssh|git)://\S+|git@[\w.-]+:\S+|localhost[:/]\S*")
_PATCHED = re.compile(
    r"^\*\*\* (?:Update|Add|Delete) File: (.{1,500}?)[ \t\r]*$|^\+\+\+ (?:b/)?([^\t\n]{1,500})", re.MULTILINE
)
_PATH = re.compile(r"[/\\]|^\.{1,2}$|\.[A-Za-z][A-Za-z0-9]{0,9}(?::\S*)?$|::")
_REVISION_PATH = re.compile(r"[\w.~^@{}/-]{1,200}:(?!//)(\S+)")


class Step:
    """One thing that a command does. A plain class, because `typing` costs a hook milliseconds."""

    __slots__ = ("args", "directory", "env", "kind", "message", "paths", "pattern", "program", "url")

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
    ) -> None:
        self.kind = kind
        self.program = program
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
        shown = [f"{name}={value!r}" for name in sorted(self.__slots__) if (value := getattr(self, name))]
        return f"Step({', '.join(shown)})"


@lru_cache(maxsize=REMEMBERED_MAX)
def understand(command: str) -> tuple[Step, ...]:
    """What a command does, step by step; what only filters, changes folder or prints is no step of its own."""
    return tuple(_Reading().read(command, 0)[:STEPS_MAX])


class _Reading:
    """Goes through the simple commands and keeps what holds for those after: the folder and exported variables."""

    def __init__(self) -> None:
        self.directory = ""
        self.exported: list[str] = []

    def read(self, command: str, depth: int) -> list[Step]:
        steps: list[Step] = []
        before: shell.Simple | None = None
        for simple in shell.split(command)[: STEPS_MAX * 4]:
            steps += self._steps(simple, before if simple.after == "|" else None, depth)
            before = simple
        return steps

    def _steps(self, simple: shell.Simple, source: shell.Simple | None, depth: int) -> list[Step]:
        words, env = _unwrapped(simple.words)
        env = [word.split("=", 1)[0].rstrip("+") for word in simple.assignments] + env
        if not words:
            return self._assigned(simple, depth) + self._written(simple, env)
        if words[0] in ("cd", "pushd", "Set-Location"):
            self._go(words[1] if len(words) > 1 else "")
            return []
        if words[0] in ("export", "setenv"):
            self.exported += [word.split("=", 1)[0] for word in words[1:] if "=" in word][:STEPS_MAX]
            return []
        if depth < NESTING_MAX and (inner := _inner(words)):
            return self.read(inner, depth + 1)
        if source is not None and simple.words[0] in _FILTERS and not self._reads_files(words):
            return self._written(simple, env)
        quiet = words[0] in _SILENT or (words[0] == "cat" and len(words) == 1)
        main = [] if quiet else [self._step(words, (*self.exported, *env), simple, source)]
        return main + self._written(simple, env)

    def _assigned(self, simple: shell.Simple, depth: int) -> list[Step]:
        """The commands whose output becomes a variable's value."""
        values = [word.split("=", 1)[1] for word in simple.assignments]
        inner = [value[2:-1] for value in values if value.startswith("$(") and value.endswith(")")]
        return [step for one in inner if depth < NESTING_MAX for step in self.read(one, depth + 1)]

    def _go(self, folder: str) -> None:
        absolute = folder.startswith(("/", "~", "$")) or folder[1:2] == ":"
        self.directory = folder if absolute or not self.directory else f"{self.directory}/{folder}"[:1_000]

    @staticmethod
    def _reads_files(words: list[str]) -> bool:
        """A filter after a pipe that names a file of its own reads that, too."""
        program = programs.named(words[0])
        least = 1 if program in _SCRIPTED or program in ("grep", "egrep", "fgrep", "rg", "tr") else 0
        return any(_PATH.search(word) for word in _plain(program, words[1:])[least:])

    def _written(self, simple: shell.Simple, env: list[str]) -> list[Step]:
        files = [target for sign, target in simple.redirects if ">" in sign and not sign.endswith("&")]
        kept = tuple(name for name in files if not name.startswith(("/dev/", "&")) and not name.isdigit())
        return [Step(EDIT, ">", paths=kept, env=tuple(env), directory=self.directory)] if kept else []

    def _step(self, words: list[str], env: tuple[str, ...], simple: shell.Simple, source: shell.Simple | None) -> Step:
        program, kind, args = _identified(words)
        base = program.split(" ", 1)[0]
        folder = _folder_option(base, args)
        paths, pattern, url = _about(kind, base, args)
        documents = simple.documents or (source.documents or source.words[1:2] if source else [])
        if kind == EDIT and not paths:
            paths = _patched([*args, *documents])
        message = _message(args, documents) if kind == COMMIT else ""
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
        )


def _unwrapped(words: list[str]) -> tuple[list[str], list[str]]:
    """The command inside its wrappers, and the variables that they set for it."""
    env: list[str] = []
    words = words[:WORDS_MAX]
    for _ in range(WRAPPERS_MAX):
        if not words or not words[0].strip() or words[0] in _NO_COMMAND:
            return [], env
        if words[0] in _KEYWORDS and (words[0] != "time" or not words[1:2] or not words[1].startswith("-")):
            words = words[1:]
            continue
        name = programs.named(words[0])
        if name == "docker" and words[1:2] == ["compose"] and words[2:3] in (["run"], ["exec"]):
            words = [words[0], *words[2:]]
        pair = f"{name} {words[1]}" if len(words) > 1 else ""
        wrapper = pair if pair in _WRAPPERS else name if name in _WRAPPERS else ""
        rest = _inside(words[2 if wrapper == pair else 1 :], wrapper) if wrapper else []
        if not rest:
            return words, env
        while wrapper == "env" and rest and "=" in rest[0]:
            env.append(rest.pop(0).split("=", 1)[0])
        words = rest
    return words, env


def _inside(words: list[str], wrapper: str) -> list[str]:
    """What follows a wrapper's own options and plain words."""
    valued, plain = _WRAPPERS[wrapper]
    if plain < 0:  # `uv pip install` is `pip install`
        return ["pip", *words]
    at = 0
    while at < len(words) and (words[at].startswith("-") or plain > 0):
        if words[at] == "--":
            return words[at + 1 :]
        if not words[at].startswith("-"):
            plain -= 1
        at += 2 if words[at] in valued else 1
    return words[at:]


def _inner(words: list[str]) -> str:
    """The command line that a shell is given as one word: `bash -lc "…"`, `eval "…"`."""
    if words[0] == "eval":
        return " ".join(words[1:])
    if programs.named(words[0]) not in _SHELLS:
        return ""
    for at, word in enumerate(words[1:-1], 1):
        if not word.startswith("-"):
            return ""
        if re.fullmatch(r"-[a-z]{0,4}c", word):
            return words[at + 1]
    return ""


_INTERPRETERS = frozenset(("python", "php", "ruby", "node"))
_TWO_DEEP = frozenset(
    ("go mod", "docker compose", "gh pr", "gh issue", "gh run", "gh repo", "gh release", "gh workflow")
)
_OF_INTERPRETERS = ("manage.py", "artisan", "rails")


def _identified(words: list[str]) -> tuple[str, str, list[str]]:
    """The program with its subcommand or task, its kind, and the other words."""
    program = programs.named(words[0])
    if program in _INTERPRETERS and len(words) > 2 and words[1] == "-m":
        inside = _identified(words[2:])
        return inside if inside[1] != OTHER else (f"{program} -m {words[2]}", RUN, words[3:])
    if program in _INTERPRETERS and len(words) > 1 and programs.named(words[1]) in _OF_INTERPRETERS:
        return _identified(words[1:])
    if not programs.has_subcommands(program):
        kind = programs.of(program, "", words[1:])
        return program, RUN if kind == OTHER and "/" in words[0] else kind, words[1:]
    return _with_subcommand(program, words[1:])


def _with_subcommand(program: str, words: list[str]) -> tuple[str, str, list[str]]:
    plain = [at for at, word in _plain_at(program, words) if "=" not in word or program not in ("make", "just")]
    said = [words[at] for at in plain[:3]]
    taken = 1
    if said[:1] and said[0] in ("run", "run-script", "r", "task") and len(said) > 1 and programs.is_runner(program):
        taken, kind = 2, programs.of_task(said[1])
        said[0] = "run"
    elif program in ("make", "mvn", "gradle", "just", "sbt", "lein", "rake"):
        taken = len(said)
        kinds = [programs.of(program, goal, words) for goal in said] or [programs.of(program, "", words)]
        kind = TEST if TEST in kinds else kinds[-1]
    else:
        taken = 2 if f"{program} {(said or [''])[0]}" in _TWO_DEEP else 1
        kind = programs.of(program, said[0] if said else "", words[plain[0] :] if plain else words)
    out = set(plain[:taken])
    return " ".join([program, *said[:taken]]), kind, [word for at, word in enumerate(words) if at not in out]


def _plain_at(program: str, words: list[str]) -> list[tuple[int, str]]:
    """The words that are neither options nor values of options, with their places."""
    valued = _VALUED.get(program) or _VALUED.get({"egrep": "grep", "fgrep": "grep", "fdfind": "fd"}.get(program, ""))
    found, skip = [], False
    for at, word in enumerate(words):
        if skip:
            skip = False
        elif word == "--":
            found += [(later, words[later]) for later in range(at + 1, len(words))]
            break
        elif word.startswith("-") and len(word) > 1:
            skip = bool(valued and word in valued)
        elif valued and word in valued:
            skip = True
        else:
            found.append((at, word))
    return found


def _plain(program: str, words: list[str]) -> list[str]:
    return [word for _, word in _plain_at(program, words)]


def _folder_option(program: str, args: list[str]) -> str:
    """The folder that a program is told to work in: `git -C x`, `make -C x`, `npm --prefix x`."""
    names = {"git": "-C", "make": "-C", "go": "-C", "npm": "--prefix", "pnpm": "-C", "yarn": "--cwd", "bun": "--cwd"}
    option = names.get(program)
    return args[args.index(option) + 1] if option and option in args[:-1] else ""


def _option(args: list[str], names: frozenset[str]) -> list[str]:
    """The values of these options, given as `-m value`, `--message=value` or `-run=value`."""
    found = [args[at + 1] for at, word in enumerate(args[:-1]) if word in names]
    return found + [word.split("=", 1)[1] for word in args if "=" in word and word.split("=", 1)[0] in names]


def _about(kind: str, program: str, args: list[str]) -> tuple[tuple[str, ...], str, str]:
    """The paths, pattern and address that a command is about."""
    plain = _plain(program, args)
    if kind == FETCH:
        return (), "", next((word for word in args if _URL.match(word)), plain[0] if plain else "")
    if kind in (SEARCH, LIST) and program == "find":
        paths = [word for word in args[: _first_test(args)] if word not in ("-L", "-H")]
        patterns = _option(args, frozenset(("-name", "-iname", "-path", "-ipath", "-regex")))
        return tuple(paths), next(iter(patterns), ""), ""
    if kind == SEARCH:
        plain = _plain("grep", args) if program == "git" else plain
        given = [] if program in ("fd", "fdfind") else _option(args, frozenset(("-e", "--regexp")))
        paths = plain if given else plain[1:]
        return tuple(paths), (given or [*plain, ""])[0], ""
    if kind in (READ, EDIT):
        return _files(program, args, plain), "", ""
    if kind == TEST:
        paths = plain if program in _TAKES_PATHS else list(filter(_PATH.search, plain))
        return tuple(paths), " ".join(_option(args, _SELECTORS)), ""
    if kind in (GIT, REVERT, COMMIT):
        return _git_paths(args, plain), "", ""
    return tuple(plain if kind == LIST else filter(_PATH.search, plain)), "", ""


def _first_test(args: list[str]) -> int:
    starts = (at for at, word in enumerate(args) if word[:1] in ("-", "(", "!") and word not in ("-L", "-H"))
    return next(starts, len(args))


def _files(program: str, args: list[str], plain: list[str]) -> tuple[str, ...]:
    if program == "git":
        return tuple(plain)
    if program in _SCRIPTED:
        given = any(word in ("-e", "-f", "--expression") or re.fullmatch(r"-[a-z]*p?[eE]", word) for word in args)
        plain = [word for word in plain if word]
        if program == "perl" and given:
            return tuple(word for word in plain if _PATH.search(word) and not re.match(r"\W*(?:s|m|tr|y)\W", word))
        return tuple(plain if given else plain[1:])
    return tuple(word for word in plain if not (program == "tail" and word.startswith("+")))


def _git_paths(args: list[str], plain: list[str]) -> tuple[str, ...]:
    if "--" in args:
        return tuple(args[args.index("--") + 1 :])
    named = [found[1] if (found := _REVISION_PATH.fullmatch(word)) else word for word in plain]
    return tuple(
        word
        for word in named
        if re.search(r"\.[A-Za-z][A-Za-z0-9]{0,9}$|^\.{1,2}(?:/|$)|/$", word) and ".." not in word[1:]
    )


def _patched(texts: list[str]) -> tuple[str, ...]:
    found = [named[1] or named[2] for text in texts for named in _PATCHED.finditer(text)]
    return tuple(dict.fromkeys(name for name in found[:STEPS_MAX] if name != "/dev/null"))


def _message(args: list[str], documents: list[str]) -> str:
    """A commit's message, from `-m`, `-am`, `--message=`, a substituted here-document or the standard input."""
    names = frozenset(word for word in args if re.fullmatch(r"-[a-ln-z]{0,3}m", word)) | {"--message"}
    parts = [_document_of(value) for value in _option(args, names)]
    parts += [word[2:] for word in args if re.match(r"-m[^-=\s]", word)]
    if not parts and documents and {"-F", "--file", "-F-"} & set(args):
        parts = [documents[0]]
    return "\n\n".join(parts).strip()[:MESSAGE_CHARS_MAX]


def _document_of(value: str) -> str:
    """What `$(cat <<EOF …)` stands for; any other value stands for itself."""
    if not value.startswith("$("):
        return value
    inner = shell.split(value[2:-1] if value.endswith(")") else value[2:])
    return next((document for simple in inner for document in simple.documents), value)


_ROOTED = re.compile(r"(?<![\w.…-])(?:~|\$HOME|[A-Za-z]:)?[/\\](?:[^\s/\\:'\"=,;]+[/\\])+([^\s/\\:'\"=,;]*)")
_TEMPORARY = re.compile(r"(?:/private)?/(?:tmp|var/folders|var/tmp)/[^\s:'\"=,;]+|%TEMP%\S*")
_MATTERS = frozenset((TEST, "check", RUN, COMMIT, REVERT, GIT, FETCH, "install"))


def purpose(command: str) -> Step | None:
    """The step that a command is there for: the last that does more than look; else the first."""
    return chief(understand(command))


def chief(steps: Sequence[Step]) -> Step | None:
    """The one of these steps that the others prepare."""
    telling = [step for step in steps if step.kind in _MATTERS and step.program != "git add"]
    return telling[-1] if telling else steps[0] if steps else None


def normalised(command: str) -> str:
    """The form in which commands are compared across machines: no folder, values of variables or output filters."""
    rendered = [_rendered(step) for step in understand(command)]
    return " && ".join(rendered) if rendered else " ".join(_reduced(command[: shell.COMMAND_CHARS_MAX]).split())


def _rendered(step: Step) -> str:
    words = [word if word and not re.search(r"\s", word) else f"'{' '.join(word.split())}'" for word in step.args]
    paths = step.paths if step.program == ">" else ()
    return " ".join([*(f"{name}=" for name in step.env), step.program, *map(_reduced, [*words, *paths])])


def _reduced(text: str) -> str:
    """Absolute paths by their last name, temporary ones without it."""
    return _ROOTED.sub(r"…/\1", _TEMPORARY.sub("<tmp>", text))


def family(command: str) -> str:
    """What makes commands one for "the same command passed later": program, task, paths and chosen tests, no flags."""
    step = purpose(command)
    if step is None:
        return normalised(command)
    parts = [step.program, *sorted(_reduced(path) for path in step.paths), step.pattern]
    return " ".join(part for part in parts if part)


def differences(failed: str, passed: str) -> tuple[str, ...]:
    """What the passing command had that the failing one had not: `env NAME`, `flag -x`, `directory d`, `program p`.

    `without -x` is a flag that had to go.
    """
    before, after = purpose(failed), purpose(passed)
    return differing(before, after) if before and after else ()


def differing(before: Step, after: Step) -> tuple[str, ...]:
    """What one step has that another has not, as `differences` says it."""
    found = [f"env {name}" for name in after.env if name not in before.env]
    if after.program != before.program:
        return (*found, f"program {after.program}")
    if after.directory != before.directory:
        found.append(f"directory {after.directory or '.'}")
    old, new = _flags(before), _flags(after)
    found += [f"flag {flag}" for flag in new if flag not in old]
    return (*found, *(f"without {flag}" for flag in old if flag not in new))


def _flags(step: Step) -> list[str]:
    """The options that change what a command does, with their values: `-tags=integration`."""
    valued = _VALUED.get(step.program.split(" ", 1)[0], frozenset())
    said = {
        f"{word}={following}" if word in valued and 0 < len(following) <= FLAG_VALUE_CHARS_MAX else word: None
        for word, following in zip(step.args, (*step.args[1:], ""), strict=False)
        if word.startswith("-") and len(word) > 1 and not _QUIET_FLAG.fullmatch(word)
    }
    return list(said)


_QUIET_FLAG = re.compile(
    r"--?(?:v{1,3}|verbose|q{1,3}|quiet|x|s|count(?:=.*)?|timeout(?:=.*)?|tb(?:=.*)?|color(?:=.*)?|no-color|run(?:=.*)?|k|t|m|"
    r"testNamePattern(?:=.*)?|maxfail(?:=.*)?|no-pager|\d+|-)"
)
"""Options that change what is shown, or which of the tests are run, and not whether they can pass."""


def hides_status(command: str) -> bool:
    """Whether the command can end well although what it is there for failed: `… | tail`, `… || true`, `…; echo $?`."""
    return any(simple.after in ("|", "||", ";") for simple in shell.split(command)[1:])
