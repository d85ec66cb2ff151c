"""Reads the commands that CI pipelines run; a line-based reader, because near-YAML is enough here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from holloway.codemap.build_commands.build_file import BuildFiles, is_safe

FILES_READ_MAX = 20
LINES_READ_MAX = 3_000
PLAIN_WORDS_MAX = 3
"""Alphabetic words after the tool: with more, it may be a sentence meant as prompt injection."""

_WORKFLOW = re.compile(r"\.github/workflows/[\w. -]{1,80}\.ya?ml\Z")
_OTHERS = (".gitlab-ci.yml", ".circleci/config.yml", "azure-pipelines.yml", ".travis.yml", "bitbucket-pipelines.yml")
_RUN = re.compile(r"(\s*)(- )?(run|command|script|bash)\s*:\s*(.*)\Z")
_BLOCK = re.compile(r"[|>][+-]?\d?\s*\Z")
_ENVIRONMENT = re.compile(r"([A-Z_][A-Z0-9_]*=[\w./:-]* +)+")
_WRAPPER = re.compile(
    r"(uv run|poetry run|pdm run|pipenv run|hatch run|pixi run|rye run|bundle exec|npx|bunx|pnpm exec|pnpm dlx|yarn dlx"
    r"|xvfb-run|env|time|python3?|coverage run)( +-[\w-]+(=[\w./-]+)?| +-m| +(?<=group )[\w-]+| +(?<=extra )[\w-]+)* +"
)
_JS = r"(npm|pnpm|yarn|bun)( -r| --\S+)*( run)?"
_TEST = re.compile(
    rf"(pytest|tox|nox|unittest|(\./)?[\w/.-]*runtests\.py|go test|cargo (nextest run|test)|{_JS} test(:[\w:-]+)?"
    r"|vitest|jest|mocha|ctest|rspec|rake( test| spec)?|(vendor/bin/|bin/)?(phpunit|pest)|composer test|dotnet test"
    r"|(\./)?mvnw? .*\b(test|verify)\b|(\./)?gradlew? .*\b(test|check)\b|make (test|check)\S*|just test\S*"
    r"|mise run test\S*|task test\S*|deno test|mix test|swift test|bin/rails test|meson test|bazel test)(?=\s|\Z)"
)
_LINT = re.compile(
    r"(ruff|flake8|black|mypy|pyright|pylint|isort|pre-commit run"
    rf"|{_JS} (lint|typecheck|type-check|format:check|check)\S*"
    r"|eslint|biome|prettier|tsc|cargo (clippy|fmt)|golangci-lint run|go vet|gofmt|rubocop|(vendor/bin/)?phpstan"
    r"|(\./)?mvnw? .*\b(spotless|checkstyle):check|(\./)?gradlew? .*\b(spotlessCheck|ktlintCheck|detekt)|make lint\S*"
    r"|just lint\S*|mise run lint\S*|task lint\S*|dotnet format|mix format|composer (lint|phpstan)\S*)(?=\s|\Z)"
)
_BUILD = re.compile(
    rf"({_JS} build\S*|cargo build|go build|(\./)?mvnw? .*\b(compile|package|install)\b"
    r"|(\./)?gradlew? .*\b(build|assemble)\b|make( build| all|(?=\s*\Z))|cmake --build|dotnet build|mise run build"
    r"|just build|uv sync|poetry install|pip3? install -e|bundle install|composer install"
    r"|meson compile|mix compile)(?=\s|\Z)"
)


def read_commands(project: BuildFiles) -> dict[str, list[str]]:
    """Return the commands that CI runs to build, test and lint, most frequent first."""
    counts_by_kind: dict[str, Counter[str]] = {"build": Counter(), "test": Counter(), "lint": Counter()}
    for name in _list_pipelines(project):
        for line in _parse_steps(project.read_text(name)):
            command = " ".join(line.split())
            if is_safe(command) and (kind := kind_of(command)):
                counts_by_kind[kind][command] += 1
    return {
        kind: sorted(counts, key=lambda command: (-counts[command], len(command), command))
        for kind, counts in counts_by_kind.items()
    }


def kind_of(command: str) -> str:
    """Return `build`, `test` or `lint`; empty if the command does not begin with a known tool."""
    plain = _ENVIRONMENT.sub("", command, count=1) if _ENVIRONMENT.match(command) else command
    while match := _WRAPPER.match(plain):
        plain = plain[match.end() :]
    for kind, pattern in (("test", _TEST), ("lint", _LINT), ("build", _BUILD)):
        if pattern.match(plain):
            prose = [word for word in plain.split()[1:] if word.isalpha()]
            return kind if len(prose) <= PLAIN_WORDS_MAX else ""
    return ""


def _list_pipelines(project: BuildFiles) -> list[str]:
    workflows = sorted(name for name in project.names if _WORKFLOW.match(name))
    return [*workflows[:FILES_READ_MAX], *(name for name in _OTHERS if project.has_file(name))]


def _parse_steps(text: str) -> Iterator[str]:
    """Yield the command lines of a pipeline. A step that runs in another folder is left out."""
    lines = text.split("\n")[:LINES_READ_MAX]
    position = 0
    while position < len(lines):
        match = _RUN.match(lines[position])
        position += 1
        if not match:
            continue
        indent = len(match[1]) + len(match[2] or "")
        value = match[4].strip()
        step_lines: list[str] = []
        if not value or _BLOCK.match(value):
            while position < len(lines) and (
                not lines[position].strip() or _indent_width(lines[position]) > indent - 2 * (not value)
            ):
                step_lines.append(lines[position].strip().removeprefix("- ").strip("\"'"))
                position += 1
        else:
            step_lines.append(value.strip("\"'"))
        if not _has_working_directory(lines, position, indent):
            yield from step_lines


def _indent_width(line: str) -> int:
    return len(line) - len(line.lstrip())


def _has_working_directory(lines: list[str], at: int, indent: int) -> bool:
    """Whether the settings that follow a step's command at the same depth set a working directory."""
    for line in lines[at : at + 8]:
        if not line.strip():
            continue
        if _indent_width(line) < indent or line.lstrip().startswith("- "):
            return False
        if line.lstrip().startswith("working-directory"):
            return True
    return False
