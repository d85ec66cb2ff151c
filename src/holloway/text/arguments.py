"""What the words after a program say: options and their values, and the paths, patterns, addresses and messages.

The hook process may import this module: it loads nothing but `re`.
"""

from __future__ import annotations

import re

from holloway.text import shell
from holloway.text.programs import COMMIT, EDIT, FETCH, GIT, LIST, READ, REVERT, SEARCH, TEST

FILES_MAX = 64
"""How many files of one patch are named."""
MESSAGE_CHARS_MAX = 4_000


def options(text: str) -> frozenset[str]:
    """A set of options, written as one would type them."""
    return frozenset(text.split())


# Options that take a value, where a plain word after them is no path, pattern or subcommand.
VALUED: dict[str, frozenset[str]] = {
    "git": options(
        "-C -c --git-dir --work-tree -m -F --author --date -S -G -L -n --format --pretty --since --until -b -u"
    ),
    "go": options("-C -run -count -timeout -tags -bench -o -coverprofile -ldflags -p -parallel -benchtime -mod"),
    "docker": options("-f --file -H --context -p --profile --project-name -e -v -u -w"),
    "npm": options("--prefix -C -w --workspace"),
    "pnpm": options("-C --dir -F --filter"),
    "yarn": options("--cwd workspace"),
    "bun": options("--cwd --filter"),
    "make": options("-C -f -j -l -o"),
    "mvn": options("-f -pl -P --file --projects"),
    "gradle": options("-p --project-dir -b --tests -x"),
    "cargo": options("--manifest-path -p --package --test --bin --example --features -j --target --profile"),
    "pytest": options("-k -m -n -c -p -o -W --maxfail --tb --cov --rootdir --ignore --durations --junitxml --timeout"),
    "jest": options("-t --testNamePattern -c --config --testPathPattern"),
    "vitest": options("-t --testNamePattern -c --config --root --project --reporter"),
    "grep": options("-e -f -m -A -B -C --include --exclude --exclude-dir --color -d"),
    "rg": options("-e -f -m -A -B -C -g --glob -t -T --type --type-not --max-count --max-depth -M --sort -r"),
    "ag": options("-m -A -B -C -G --ignore"),
    "fd": options("-e -t -d -E -x -X --extension --type --max-depth --exclude"),
    "head": options("-n -c"),
    "tail": options("-n -c"),
    "sort": options("-k -t -o"),
    "cut": options("-d -f -c -b"),
    "awk": options("-F -v -f -i"),
    "sed": options("-e -f -l"),
    "jq": options("--arg --argjson --slurpfile --indent -f"),
    "tree": options("-L -I -P"),
    "ls": options("-I"),
    "bat": options("-r -l --line-range --language --style"),
    "nl": options("-b -s -w"),
    "stat": options("-f -c -t"),
    "curl": options("-X -H -d -o -u -A -e -F -b -c -m --data --header --request --output --user --max-time -w"),
    "wget": options("-O -o -P -U --header --timeout -t"),
    "gh": options("-R --repo -q --jq -X -f -F -H -t --template --json -b --body --method -L --limit"),
    "mypy": options("-p -m -c --config-file --python-version"),
    "ruff": options("--select --ignore --config --line-length"),
    "tsc": options("-p --project --target --module"),
    "eslint": options("-c --config --ext --max-warnings -f"),
    "golangci-lint": options("-E -D -c --enable --disable --config --timeout --build-tags"),
    "perl": options("-e -E"),
}
_SELECTORS = options(
    "-run -k -t --testNamePattern --grep -g --filter --tests -Dtest -m --only --name --testPathPattern -e --example "
    "--scenario -bench"
)
"""Options that choose which tests are run."""

_TAKES_PATHS = frozenset("pytest py.test rspec unittest manage.py phpunit bats behave trial".split())
SCRIPTED = frozenset(("sed", "awk", "jq", "yq", "perl"))
_URL = re.compile(r"(?:https?|ftp|ssh|git)://\S+|git@[\w.-]+:\S+|localhost[:/]\S*")
_PATCHED = re.compile(
    r"^\*\*\* (?:Update|Add|Delete) File: (.{1,500}?)[ \t\r]*$|^\+\+\+ (?:b/)?([^\t\n]{1,500})", re.MULTILINE
)
PATH = re.compile(r"[/\\]|^\.{1,2}$|\.[A-Za-z][A-Za-z0-9]{0,9}(?::\S*)?$|::")
_REVISION_PATH = re.compile(r"[\w.~^@{}/-]{1,200}:(?!//)(\S+)")


def plain_at(program: str, words: list[str]) -> list[tuple[int, str]]:
    """The words that are neither options nor values of options, with their places."""
    valued = VALUED.get(program) or VALUED.get({"egrep": "grep", "fgrep": "grep", "fdfind": "fd"}.get(program, ""))
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


def plain_words(program: str, words: list[str]) -> list[str]:
    """The words that are neither options nor values of options."""
    return [word for _, word in plain_at(program, words)]


def folder_option(program: str, args: list[str]) -> str:
    """The folder that a program is told to work in: `git -C x`, `make -C x`, `npm --prefix x`."""
    names = {"git": "-C", "make": "-C", "go": "-C", "npm": "--prefix", "pnpm": "-C", "yarn": "--cwd", "bun": "--cwd"}
    name = names.get(program)
    return args[args.index(name) + 1] if name and name in args[:-1] else ""


def values_of(args: list[str], names: frozenset[str]) -> list[str]:
    """The values of these options, given as `-m value`, `--message=value` or `-run=value`."""
    found = [args[at + 1] for at, word in enumerate(args[:-1]) if word in names]
    return found + [word.split("=", 1)[1] for word in args if "=" in word and word.split("=", 1)[0] in names]


def about(kind: str, program: str, args: list[str]) -> tuple[tuple[str, ...], str, str]:
    """The paths, pattern and address that a command is about."""
    plain = plain_words(program, args)
    if kind == FETCH:
        return (), "", next((word for word in args if _URL.match(word)), plain[0] if plain else "")
    if kind in (SEARCH, LIST) and program == "find":
        paths = [word for word in args[: _first_test(args)] if word not in ("-L", "-H")]
        patterns = values_of(args, frozenset(("-name", "-iname", "-path", "-ipath", "-regex")))
        return tuple(paths), next(iter(patterns), ""), ""
    if kind == SEARCH:
        plain = plain_words("grep", args) if program == "git" else plain
        given = [] if program in ("fd", "fdfind") else values_of(args, frozenset(("-e", "--regexp")))
        paths = plain if given else plain[1:]
        return tuple(paths), (given or [*plain, ""])[0], ""
    if kind in (READ, EDIT):
        return _files(program, args, plain), "", ""
    if kind == TEST:
        paths = plain if program in _TAKES_PATHS else list(filter(PATH.search, plain))
        return tuple(paths), " ".join(values_of(args, _SELECTORS)), ""
    if kind in (GIT, REVERT, COMMIT):
        return _git_paths(args, plain), "", ""
    return tuple(plain if kind == LIST else filter(PATH.search, plain)), "", ""


def _first_test(args: list[str]) -> int:
    starts = (at for at, word in enumerate(args) if word[:1] in ("-", "(", "!") and word not in ("-L", "-H"))
    return next(starts, len(args))


def _files(program: str, args: list[str], plain: list[str]) -> tuple[str, ...]:
    if program == "git":
        return tuple(plain)
    if program in SCRIPTED:
        given = any(word in ("-e", "-f", "--expression") or re.fullmatch(r"-[a-z]*p?[eE]", word) for word in args)
        plain = [word for word in plain if word]
        if program == "perl" and given:
            return tuple(word for word in plain if PATH.search(word) and not re.match(r"\W*(?:s|m|tr|y)\W", word))
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


def patched(texts: list[str]) -> tuple[str, ...]:
    """The files that patches change."""
    found = [named[1] or named[2] for text in texts for named in _PATCHED.finditer(text)]
    return tuple(dict.fromkeys(name for name in found[:FILES_MAX] if name != "/dev/null"))


def message(args: list[str], documents: list[str]) -> str:
    """A commit's message, from `-m`, `-am`, `--message=`, a substituted here-document or the standard input."""
    names = frozenset(word for word in args if re.fullmatch(r"-[a-ln-z]{0,3}m", word)) | {"--message"}
    parts = [_document_of(value) for value in values_of(args, names)]
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
