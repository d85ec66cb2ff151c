"""Lint and format configuration as plain rules: only settings that an agent would otherwise get wrong."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from itertools import takewhile
from typing import TYPE_CHECKING

from holloway.domain.memory import MemoryType
from holloway.promotion.rules_files.markdown import RuleBlock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.promotion.rules_files.files import RulesFiles

Values = dict[str, object]
_KEY = re.compile(r"[\w.-]{1,60}")
_GLOB = re.compile(r"[^\s`]+(?:, [^\s`]+)*")
"""Globs have spaces only after commas; other text with spaces may be a prompt injection."""
_JSON_COMMENT = re.compile(r"^[ \t]*//[^\n]*$", re.MULTILINE)
_LINE_CHARS_MAX = 300


def read_lint_rules(files: RulesFiles) -> Iterator[RuleBlock]:
    """Yield the rules of each lint or format configuration."""
    for pattern, tell in _READERS:
        for name in files.list_matching(pattern):
            real, text = files.read_text(name)
            if not real:
                continue
            try:
                rules = tell(text)
            except (ValueError, RecursionError, AttributeError, TypeError) as error:
                files.problems[real] = f"it cannot be parsed ({type(error).__name__})"
                continue
            for rule in rules:
                yield RuleBlock(real, 1, f"{rule} (`{real}`)", type=MemoryType.PREFERENCE)


def _read_pyproject(text: str) -> list[str]:
    tools = _get_table(tomllib.loads(text), "tool")
    ruff, black, mypy = (_get_table(tools, name) for name in ("ruff", "black", "mypy"))
    rules = _render_style("Ruff", ruff.get("line-length"), _get_table(ruff, "format").get("quote-style"))
    rules += _render_style(
        "Black", black.get("line-length"), "preserve" if black.get("skip-string-normalization") else None
    )
    return rules + (["Type checking is strict (mypy): every function has annotations."] if mypy.get("strict") else [])


def _read_ruff(text: str) -> list[str]:
    values = tomllib.loads(text)
    return _render_style("Ruff", values.get("line-length"), _get_table(values, "format").get("quote-style"))


def _render_style(tool: str, width: object, quotes: object) -> list[str]:
    parts = [f"lines have at most {width} characters"] if isinstance(width, int) else []
    parts += [f"strings are in {quotes} quotes"] if quotes == "single" else []
    parts += ["quotes of strings stay as they are"] if quotes == "preserve" else []
    return [f"Python is formatted by {tool}: {', '.join(parts)}."] if parts else []


def _flake8(text: str) -> list[str]:
    width = _parse_flat(text).get("max-line-length", "")
    return [f"Python lines have at most {width} characters (flake8)."] if width.isdigit() else []


def _read_prettier(text: str) -> list[str]:
    values: Values = _parse_json(text) if text.lstrip().startswith("{") else {**_parse_flat(text)}
    return _script_style("Prettier", values.get("printWidth"), values)


def _script_style(tool: str, width: object, values: Values) -> list[str]:
    parts = [f"lines of at most {width} characters"] if str(width or "").isdigit() else []
    parts += ["no semicolons"] if _is_value(values.get("semi"), "false") else []
    parts += ["single quotes"] if _is_value(values.get("singleQuote"), "true") else []
    parts += ["tabs for indentation"] if _is_value(values.get("useTabs"), "true") else []
    parts += [f"{values['tabWidth']} spaces"] if str(values.get("tabWidth", "2")) in ("3", "4", "8") else []
    parts += ["no trailing commas"] if values.get("trailingComma") == "none" else []
    return [f"{tool} formats this project: {', '.join(parts)}."] if parts else []


def _read_biome(text: str) -> list[str]:
    values = _parse_json(text)
    shared, script = _get_table(values, "formatter"), _get_table(_get_table(values, "javascript"), "formatter")
    style: Values = {
        "semi": "false" if script.get("semicolons") == "asNeeded" else "",
        "singleQuote": "true" if script.get("quoteStyle") == "single" else "",
        "useTabs": "true" if shared.get("indentStyle") == "tab" else "",
    }
    return _script_style("Biome", shared.get("lineWidth"), style)


def _read_package_json(text: str) -> list[str]:
    manager = str(_parse_json(text).get("packageManager") or "").partition("@")[0]
    other = "npm" if manager != "npm" else "yarn or pnpm"
    return [f"Packages are managed with {manager}, not {other}."] if manager.isalpha() else []


def _read_editorconfig(text: str) -> list[str]:
    styles = []
    for section, body in _split_sections(text)[:8]:
        style, size, width = (body.get(key, "") for key in ("indent_style", "indent_size", "max_line_length"))
        parts = ["tabs"] if style == "tab" else [f"{size} spaces"] if style == "space" and size.isdigit() else []
        parts += [f"lines of at most {width} characters"] if width.isdigit() else []
        prefix = "" if section == "*" else f"`{section}` "
        styles += [prefix + ", ".join(parts)] if parts and _GLOB.fullmatch(section) else []
    return [f"Indentation: {'; '.join(styles)}."] if styles else []


def _read_golangci(text: str) -> list[str]:
    width = _parse_flat(text).get("line-length", "")
    rules = [f"Go lines have at most {width} characters (golangci-lint)."] if width.isdigit() else []
    linters = ", ".join(name for name in _parse_list(text, "enable:") if name in _STRICT_LINTERS)
    return [*rules, f"golangci-lint also enforces: {linters}."] if linters else rules


_STRICT_LINTERS = frozenset(
    "errorlint wrapcheck exhaustive exhaustruct forbidigo gochecknoglobals gochecknoinits testpackage paralleltest "
    "tparallel thelper depguard goheader godot nolintlint err113 goerr113 nestif funlen gocyclo cyclop gocognit dupl "
    "varnamelen nonamedreturns ireturn noctx contextcheck containedctx wsl".split()
)


def _read_rustfmt(text: str) -> list[str]:
    values = tomllib.loads(text)
    parts = [f"lines of at most {values['max_width']} characters"] if isinstance(values.get("max_width"), int) else []
    parts += ["tabs"] if values.get("hard_tabs") is True else []
    spaces = values.get("tab_spaces", 4)
    parts += [f"{spaces} spaces"] if isinstance(spaces, int) and spaces != 4 else []
    return [f"Rust is formatted by rustfmt with {', '.join(parts)}."] if parts else []


def _read_clang_format(text: str) -> list[str]:
    values = _parse_flat(text)
    parts = [f"{values['BasedOnStyle']} style"] if values.get("BasedOnStyle", "").isalpha() else []
    width = values.get("ColumnLimit", "0")
    parts += [f"lines of at most {width} characters"] if width.isdigit() and width != "0" else []
    parts += [f"{values['IndentWidth']} spaces"] if values.get("IndentWidth", "").isdigit() else []
    return [f"C and C++ are formatted by clang-format: {', '.join(parts)}."] if parts else []


def _read_commitlint(text: str) -> list[str]:
    conventional = "config-conventional" in text
    return ["Commit messages follow Conventional Commits; commitlint checks them."] if conventional else []


_READERS: tuple[tuple[re.Pattern[str], Callable[[str], list[str]]], ...] = tuple(
    (re.compile(pattern), tell)
    for pattern, tell in (
        (r"^pyproject\.toml$", _read_pyproject),
        (r"^\.?ruff\.toml$", _read_ruff),
        (r"^(?:\.flake8|setup\.cfg|tox\.ini)$", _flake8),
        (r"^\.prettierrc(?:\.json|\.ya?ml)?$", _read_prettier),
        (r"^biome\.jsonc?$", _read_biome),
        (r"^package\.json$", _read_package_json),
        (r"^\.editorconfig$", _read_editorconfig),
        (r"^\.golangci\.ya?ml$", _read_golangci),
        (r"^\.?rustfmt\.toml$", _read_rustfmt),
        (r"^\.clang-format$", _read_clang_format),
        (r"^(?:\.commitlintrc(?:\.\w+)?|commitlint\.config\.\w+)$", _read_commitlint),
    )
)


def _parse_json(text: str) -> Values:
    parsed = json.loads(_JSON_COMMENT.sub("", text))
    return parsed if isinstance(parsed, dict) else {}


def _get_table(values: object, key: str) -> Values:
    table = values.get(key) if isinstance(values, dict) else None
    return table if isinstance(table, dict) else {}


def _parse_flat(text: str) -> dict[str, str]:
    """Parse `key: value` and `key = value` at any depth, first occurrence only; enough for small configurations."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        bare = line[:_LINE_CHARS_MAX].split("#")[0].strip(" \t-,")
        at = min((place for mark in ":=" if (place := bare.find(mark)) > 0), default=0)
        key = bare[:at].strip(" \"'")
        if at and _KEY.fullmatch(key):
            values.setdefault(key, bare[at + 1 :].strip(" \t\"'"))
    return values


def _parse_list(text: str, key: str) -> list[str]:
    """Return the entries of the first list below a key."""
    lines = [line[:_LINE_CHARS_MAX].split("#")[0].strip() for line in text.splitlines()]
    after = lines[lines.index(key) + 1 :] if key in lines else []
    return [line[1:].strip() for line in takewhile(lambda line: not line or line.startswith("-"), after) if line]


def _split_sections(text: str) -> list[tuple[str, dict[str, str]]]:
    pieces = re.split(r"^\[([^\n]{1,200})\] *$", text, flags=re.MULTILINE)
    return [(name, _parse_flat(body)) for name, body in zip(pieces[1::2], pieces[2::2], strict=True)]


def _is_value(value: object, wanted: str) -> bool:
    return str(value).lower() == wanted
