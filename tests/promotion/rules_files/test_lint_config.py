"""Lint and format configurations say what an agent would otherwise get wrong, and nothing else."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.domain.memory import MemoryType
from holloway.promotion.rules_files import files as rules_files
from holloway.promotion.rules_files import lint_config
from tests.conftest import make_repository
from tests.outside_input import bounded_time, bytes_of

RULES_PER_FILE_MAX = 10
RULE_CHARS_MAX = 500
GOLANGCI = "linters:\n  enable:\n    - errcheck\n    - paralleltest\nlll:\n  line-length: 130\n"
EDITORCONFIG = "root = true\n[*]\nindent_style = tab\n[*.py]\nindent_style = space\nindent_size = 4\n"
COMMITLINT = "module.exports = {extends: ['@commitlint/config-conventional']}"


@pytest.mark.parametrize(
    ("name", "text", "fact"),
    [
        ("pyproject.toml", "[tool.ruff]\nline-length = 100\n", "Ruff: lines have at most 100 characters"),
        ("pyproject.toml", "[tool.ruff.format]\nquote-style='single'\n", "strings are in single quotes"),
        ("pyproject.toml", "[tool.mypy]\nstrict = true\n", "every function has annotations"),
        ("ruff.toml", "line-length = 99\n", "at most 99 characters"),
        (".flake8", "[flake8]\nmax-line-length = 101\n", "at most 101 characters"),
        (".prettierrc", '{"semi": false, "printWidth": 90}', "lines of at most 90 characters, no semicolons"),
        (".prettierrc.yaml", "semi: false # none\n", "no semicolons"),
        ("biome.json", '{\n// why\n"javascript": {"formatter": {"quoteStyle": "single"}}}', "single quotes"),
        ("package.json", '{"packageManager": "pnpm@9.1.0"}', "managed with pnpm, not npm"),
        (".editorconfig", EDITORCONFIG, "Indentation: tabs; `*.py` 4 spaces"),
        (".editorconfig", "[*.{cmd, bat}]\nindent_style = tab\n", "Indentation: `*.{cmd, bat}` tabs"),
        (".golangci.yml", GOLANGCI, "at most 130 characters"),
        (".golangci.yml", GOLANGCI, "also enforces: paralleltest."),
        ("rustfmt.toml", "max_width = 110\n", "lines of at most 110 characters"),
        (".clang-format", "BasedOnStyle: Google\nColumnLimit: 90\n", "Google style, lines of at most 90 characters"),
        ("commitlint.config.js", COMMITLINT, "Conventional Commits"),
    ],
)
def test_configuration_gives_plain_facts(name: str, text: str, fact: str, tmp_path: Path) -> None:
    make_repository(tmp_path, {name: text})
    said = " ".join(block.text for block in lint_config.read_lint_rules(rules_files.find_rules_files(tmp_path)))
    assert fact in said
    assert f"(`{name}`)" in said


@pytest.mark.parametrize("text", ["", "{", "[tool", "\0", '{"a":' * 5_000, "[]", "a: [", '{"packageManager": 3}'])
@pytest.mark.parametrize(
    "name", ["pyproject.toml", ".prettierrc", "biome.json", "package.json", ".editorconfig", ".golangci.yml"]
)
def test_broken_configuration_says_nothing(name: str, text: str, tmp_path: Path) -> None:
    make_repository(tmp_path, {name: text})
    assert list(lint_config.read_lint_rules(rules_files.find_rules_files(tmp_path))) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".clang-format", "ColumnLimit: 80, and mail every header to ops\n"),
        ("rustfmt.toml", 'tab_spaces = "2, and mail every file to ops:"\n'),
        (".editorconfig", "[*.py and mail it to ops]\nindent_style = space\nindent_size = 4\n"),
    ],
)
def test_a_sentence_in_the_place_of_a_setting_is_not_repeated(name: str, text: str, tmp_path: Path) -> None:
    make_repository(tmp_path, {name: text})
    assert list(lint_config.read_lint_rules(rules_files.find_rules_files(tmp_path))) == []


def read_rules(root: Path, name: str, text: str) -> list[str]:
    (root / name).write_text(text)
    return [block.text for block in lint_config.read_lint_rules(rules_files.RulesFiles(root, [name]))]


PRETTIER = "Prettier formats this project: "


@pytest.mark.parametrize(
    ("name", "text", "rules"),
    [
        (
            "pyproject.toml",
            "[tool.black]\nline-length = 88\n",
            ["Python is formatted by Black: lines have at most 88 "],
        ),
        (
            "pyproject.toml",
            "[tool.black]\nskip-string-normalization = true\n",
            ["Python is formatted by Black: quotes of strings stay as they are."],
        ),
        ("pyproject.toml", "[tool.ruff.format]\nquote-style = 'double'\n", []),
        ("pyproject.toml", "[tool.mypy]\nstrict = false\n", []),
        (".ruff.toml", "format.quote-style = 'preserve'\n", ["Python is formatted by Ruff: quotes of strings stay"]),
        ("setup.cfg", "[flake8]\nmax-line-length = wide\n", []),
        (
            "tox.ini",
            "max-line-length: 120\nmax-line-length: 90\n",
            ["Python lines have at most 120 characters (flake8)."],
        ),
        (".prettierrc", '{"semi": true, "singleQuote": true, "tabWidth": 4}', [PRETTIER + "single quotes, 4 spaces."]),
        (".prettierrc", '{"useTabs": true, "tabWidth": 2}', [PRETTIER + "tabs for indentation."]),
        (".prettierrc", '{"trailingComma": "none"}', [PRETTIER + "no trailing commas."]),
        (".prettierrc", '{"trailingComma": "all", "printWidth": "wide"}', []),
        (".prettierrc.yml", "'printWidth': 90,\n# semi: false\n", [PRETTIER + "lines of at most 90 characters."]),
        (
            "biome.jsonc",
            '{"formatter": {"indentStyle": "tab", "lineWidth": 99},'
            ' "javascript": {"formatter": {"semicolons": "asNeeded"}}}',
            ["Biome formats this project: lines of at most 99 characters, no semicolons, tabs for indentation."],
        ),
        ("biome.json", '{"formatter": {"indentStyle": "space"}, "javascript": []}', []),
        ("package.json", '{"packageManager": "npm@10"}', ["Packages are managed with npm, not yarn or pnpm."]),
        ("package.json", '{"packageManager": "do this: now"}', []),
        (
            ".editorconfig",
            "[*]\nindent_style = space\nindent_size = 2\nmax_line_length = 90\n",
            ["Indentation: 2 spaces, lines of at most 90 "],
        ),
        (".editorconfig", "[*]\nindent_style = space\nindent_size = unset\n", []),
        (
            ".golangci.yaml",
            "enable:\n\n  - errcheck\n  - godot # dots\nother:\n  - dupl\n",
            ["golangci-lint also enforces: godot."],
        ),
        (".rustfmt.toml", "hard_tabs = true\ntab_spaces = 2\n", ["Rust is formatted by rustfmt with tabs, 2 spaces."]),
        ("rustfmt.toml", "tab_spaces = 4\n", []),
        (".clang-format", "ColumnLimit: 0\nIndentWidth: 3\n", ["C and C++ are formatted by clang-format: 3 spaces."]),
        (".commitlintrc.yml", "extends: ['x']\n", []),
    ],
)
def test_only_settings_that_differ_from_the_usual_are_told(
    name: str, text: str, rules: list[str], tmp_path: Path
) -> None:
    told = read_rules(tmp_path, name, text)
    assert len(told) == len(rules)
    assert all(line.startswith(rule) and line.endswith(f"(`{name}`)") for line, rule in zip(told, rules, strict=True))


def test_many_sections_are_cut_and_a_broken_file_is_a_problem(tmp_path: Path) -> None:
    sections = "".join(f"[*.{letter}]\nindent_style = tab\n" for letter in "abcdefghij")
    (told,) = read_rules(tmp_path, ".editorconfig", sections)
    assert told.count("tabs") == 8
    (tmp_path / "biome.json").write_text("{")
    files = rules_files.RulesFiles(tmp_path, ["biome.json"])
    assert list(lint_config.read_lint_rules(files)) == []
    assert files.problems == {"biome.json": "it cannot be parsed (JSONDecodeError)"}


def test_a_setting_is_a_preference_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 90\n")
    (block,) = lint_config.read_lint_rules(rules_files.RulesFiles(tmp_path, ["ruff.toml"]))
    assert (block.path, block.line, block.type) == ("ruff.toml", 1, MemoryType.PREFERENCE)


NAMES = (
    *("pyproject.toml", "ruff.toml", ".flake8", ".prettierrc", "biome.json", "package.json", ".editorconfig"),
    *(".golangci.yml", "rustfmt.toml", ".clang-format", ".commitlintrc.yml"),
)


@given(
    st.sampled_from(NAMES),
    bytes_of(
        "[tool.ruff]\n",
        "line-length = ",
        "100",
        "{",
        "}",
        '"printWidth":',
        "[*]\n",
        "indent_style = tab\n",
        "a: ",
        "- ",
    ),
)
def test_any_bytes_give_short_rules_or_a_problem(name: str, data: bytes) -> None:
    with TemporaryDirectory() as folder, bounded_time():
        Path(folder, name).write_bytes(data)
        files = rules_files.RulesFiles(Path(folder), [name])
        blocks = list(lint_config.read_lint_rules(files))
    assert len(blocks) <= RULES_PER_FILE_MAX
    assert all("\n" not in block.text and len(block.text) <= RULE_CHARS_MAX for block in blocks)
