"""What merely runs another command: shell words, wrappers such as `sudo` and `uv run`, and shells given a command line.

The hook process may import this module: it loads nothing but `re`.
"""

from __future__ import annotations

import re

from holloway.text import programs
from holloway.text.arguments import options

WORDS_MAX = 2_000
WRAPPERS_MAX = 16

_KEYWORDS = frozenset("do then else elif if while until ! { time".split())
_NO_COMMAND = frozenset("for case select function done fi esac } ;; in [[ [".split())
_SHELLS = frozenset("bash sh zsh dash fish".split())


# Programs that run another command: which of their options take a value, and how many plain words come first.
_WRAPPERS: dict[str, tuple[frozenset[str], int]] = {
    "sudo": (options("-u -g -h -p -C"), 0),
    "doas": (options("-u"), 0),
    "timeout": (options("-s -k --signal --kill-after"), 1),
    "gtimeout": (options("-s -k --signal --kill-after"), 1),
    "nice": (options("-n"), 0),
    "ionice": (options("-c -n -p"), 0),
    "nohup": (frozenset(), 0),
    "time": (options("-f -o"), 0),
    "env": (options("-u -C -S"), 0),
    "xargs": (options("-n -I -P -L -d -a -s -E"), 0),
    "stdbuf": (options("-o -i -e"), 0),
    "command": (frozenset(), 0),
    "exec": (options("-a"), 0),
    "builtin": (frozenset(), 0),
    "setsid": (frozenset(), 0),
    "watch": (options("-n"), 0),
    "npx": (options("-p --package"), 0),
    "bunx": (frozenset(), 0),
    "pnpx": (frozenset(), 0),
    "uvx": (options("--from --with -p --python"), 0),
    "pipx run": (options("--spec"), 0),
    "uv run": (options("--with --extra --group -p --python --package --project --directory --env-file"), 0),
    "uv pip": (frozenset(), -1),
    "poetry run": (frozenset(), 0),
    "pdm run": (frozenset(), 0),
    "pipenv run": (frozenset(), 0),
    "hatch run": (frozenset(), 0),
    "rye run": (frozenset(), 0),
    "conda run": (options("-n -p --name --prefix"), 0),
    "coverage run": (options("--source --omit --include --rcfile"), 0),
    "bundle exec": (frozenset(), 0),
    "pnpm exec": (frozenset(), 0),
    "pnpm dlx": (frozenset(), 0),
    "yarn exec": (frozenset(), 0),
    "yarn dlx": (frozenset(), 0),
    "npm exec": (frozenset(), 0),
    "mise exec": (frozenset(), 0),
    "mise x": (frozenset(), 0),
    "direnv exec": (frozenset(), 1),
    "doppler run": (options("-p -c --project --config"), 0),
    "docker run": (options("-e -v -u -w -p --name --entrypoint --env --volume --network --platform --env-file"), 1),
    "docker exec": (options("-e -u -w --env --user --workdir"), 1),
}


def unwrapped(words: list[str]) -> tuple[list[str], list[str]]:
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


def inner(words: list[str]) -> str:
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
