"""Each kind of rules file: found, read, with where it applies."""

from pathlib import Path

import pytest

from holloway.promotion.rules_files import files as rules_files
from holloway.promotion.rules_files.file_kinds import read_rules_texts
from holloway.promotion.rules_files.split_blocks import split_rule_blocks
from tests.conftest import make_repository

Said = dict[str, tuple[str, str, tuple[str, ...]]]


def read(root: Path, contents: dict[str, str]) -> tuple[Said, rules_files.RulesFiles]:
    """What each rule of a project says: its file, folder and globs."""
    make_repository(root, contents)
    files = rules_files.find_rules_files(root)
    found = [block for text in read_rules_texts(files) for block in split_rule_blocks(text)]
    return {block.text: (block.path, block.folder, block.globs) for block in found}, files


@pytest.mark.promise("rules-files")
@pytest.mark.parametrize(
    ("name", "head", "folder", "globs"),
    [
        ("CLAUDE.md", "", "", ()),
        (".claude/CLAUDE.md", "", "", ()),
        ("src/api/CLAUDE.md", "", "src/api", ()),
        (".claude/rules/deep/tests.md", "---\npaths:\n  - tests/**\n  - 'e2e/**'\n---\n", "", ("tests/**", "e2e/**")),
        ("AGENTS.md", "", "", ()),
        ("packages/web/AGENTS.md", "", "packages/web", ()),
        (".cursorrules", "", "", ()),
        (
            ".cursor/rules/api.mdc",
            "---\nglobs: src/*.ts, lib/*.ts\nalwaysApply: false\n---\n",
            "",
            ("src/*.ts", "lib/*.ts"),
        ),
        (".cursor/rules/all.mdc", "---\ndescription: all\nglobs:\nalwaysApply: true\n---\n", "", ()),
        (".github/copilot-instructions.md", "", "", ()),
        (".github/instructions/py.instructions.md", '---\napplyTo: "**/*.py"\n---\n', "", ("**/*.py",)),
        ("GEMINI.md", "", "", ()),
        (".windsurfrules", "", "", ()),
        (".windsurf/rules/a.md", "---\ntrigger: glob\nglobs: src/**\n---\n", "", ("src/**",)),
        (".clinerules", "", "", ()),
    ],
)
def test_every_kind_is_read_with_where_it_applies(
    name: str, head: str, folder: str, globs: tuple[str, ...], tmp_path: Path
) -> None:
    found, files = read(tmp_path, {name: f"{head}# Rules\n\n- Never use wildcard imports\n"})
    assert found == {"Never use wildcard imports": (name, folder, globs)}
    assert files.problems == {}


def test_contributing_and_readme_give_their_conventions(tmp_path: Path) -> None:
    text = "# Shop\n\nYou must see it.\n\n## Code style\n\nLines must be short.\n"
    found, _ = read(tmp_path, {"README.md": text, ".github/CONTRIBUTING.md": text.replace("short", "few")})
    assert {path for path, _, _ in found.values()} == {"README.md", ".github/CONTRIBUTING.md"}
    assert set(found) == {"Lines must be short.", "Lines must be few."}


def test_what_is_vendored_or_a_fixture_is_not_the_projects_word(tmp_path: Path) -> None:
    rule = "# Rules\n\n- Never use tabs here\n"
    found, _ = read(
        tmp_path, {"vendor/x/AGENTS.md": rule, "tests/fixtures/CLAUDE.md": rule, "node_modules/CLAUDE.md": rule}
    )
    assert found == {}


def test_imports_are_followed_but_not_in_code_and_not_twice(tmp_path: Path) -> None:
    found, files = read(
        tmp_path,
        {
            "CLAUDE.md": "See @docs/style.md and `@docs/no.md`.\n\n```\n@docs/no.md\n```\n",
            "docs/style.md": "# Rules\n\n- Use tabs in Makefiles\n\n@../CLAUDE.md and @style.md\n",
            "docs/no.md": "# Rules\n\n- Never read this file\n",
        },
    )
    assert found == {"Use tabs in Makefiles": ("docs/style.md", "", ())}
    assert sorted(files.read) == ["CLAUDE.md", "docs/style.md"]


def test_imports_end_after_four_hops(tmp_path: Path) -> None:
    chain = {f"r{number}.md": f"# Rules\n\n- Use rule number {number}\n\n@r{number + 1}.md\n" for number in range(1, 7)}
    found, files = read(tmp_path, {"CLAUDE.md": "@r1.md\n", **chain})
    assert sorted(found) == [f"Use rule number {number}" for number in range(1, 5)]
    assert "4 deep" in files.problems["r5.md"]


def test_an_imported_readme_gives_only_its_conventions_and_the_importing_file_all_its_rules(tmp_path: Path) -> None:
    readme = "# Shop\n\nYou must see it.\n\n## Code style\n\nLines must be short.\n"
    found, _ = read(
        tmp_path, {"CLAUDE.md": "# Anything\n\nYou must run `make` first.\n\n@README.md\n", "README.md": readme}
    )
    assert found == {
        "You must run `make` first.": ("CLAUDE.md", "", ()),
        "Lines must be short.": ("README.md", "", ()),
    }
