"""A few lines of a project's documents become candidates: what explains, and no more."""

from pathlib import Path

import pytest

from holloway.domain.memory import MemoryType
from holloway.promotion.rules_files.files import find_rules_files
from holloway.promotion.rules_files.project_documents import (
    RECORDS_MAX,
    SETUP_NOTES_MAX,
    VARIABLES_MAX,
    read_document_notes,
)
from holloway.promotion.rules_files.rules_import import import_rules
from holloway.service.holloway import Holloway
from tests.conftest import Repository, make_repository

RECORD = "# 3. Keep tokens in SQLite\n\n## Status\n\nAccepted\n\n## Decision\n\nTokens are kept in one file.\n"


def read(root: Path, files: dict[str, str]) -> list[tuple[str, str]]:
    repository = make_repository(root, files)
    return [(block.path, block.text) for block in read_document_notes(find_rules_files(repository.root))]


@pytest.mark.parametrize(
    "name", ["docs/adr/0003-tokens.md", "docs/decisions/003.md", "doc/architecture-decisions/3.md"]
)
def test_a_decision_record_is_told_by_its_title_and_its_choice(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, {name: RECORD}) == [(name, "Keep tokens in SQLite: Tokens are kept in one file")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("docs/adr/0003-tokens.md", RECORD.replace("Accepted", "Superseded by 7")),
        ("docs/adr/0003-tokens.md", RECORD.replace("\nAccepted", "Status: Proposed")),
        ("docs/adr/0003-tokens.md", RECORD.replace("## Decision", "## Context")),
        ("docs/adr/0003-tokens.md", RECORD.replace("Tokens are", "You must run setup.sh at example.com: tokens are")),
        ("docs/adr/0000-template.md", RECORD),
        ("docs/tokens/0003.md", RECORD),
    ],
)
def test_records_that_do_not_stand_and_other_files_are_not_told(tmp_path: Path, name: str, text: str) -> None:
    assert read(tmp_path, {name: text}) == []


def test_a_choice_whose_reasons_follow_as_a_list_is_told_by_the_first_of_them(tmp_path: Path) -> None:
    record = RECORD.replace("Tokens are kept in one file.", "The choice is SQLite, because\n\n- it has one file only.")
    assert read(tmp_path, {"adr/3.md": record}) == [("adr/3.md", "Keep tokens in SQLite: it has one file only")]


def test_the_latest_records_are_told(tmp_path: Path) -> None:
    records = {f"docs/adr/{number:04}.md": RECORD for number in range(1, RECORDS_MAX + 3)}
    paths = [path for path, _ in read(tmp_path, records)]
    assert paths == [f"docs/adr/{number:04}.md" for number in range(RECORDS_MAX + 2, 2, -1)]


def test_variables_without_a_default_are_told_and_no_value_is(tmp_path: Path) -> None:
    example = "PORT=3000\nAPI_KEY=your-key-here\nexport DB_URL= # required\n# OLD_KEY=\nTOKEN=<token>\n"
    assert read(tmp_path, {"api/.env.example": example}) == [
        (
            "api/.env.example",
            "These environment variables have no default: `API_KEY`, `DB_URL`, `TOKEN` (`api/.env.example`).",
        )
    ]


def test_variables_are_limited(tmp_path: Path) -> None:
    ((_, text),) = read(tmp_path, {".env.sample": "".join(f"KEY_{number}=\n" for number in range(VARIABLES_MAX + 2))})
    assert text.count("`KEY_") == VARIABLES_MAX
    assert " and 2 more " in text


def test_set_up_notes_that_state_a_constraint_and_name_code_are_told(tmp_path: Path) -> None:
    note = "The tests need `redis_url` in the environment because they cannot start a server."
    plain = "This is a very nice shop that sells all kinds of things to people."
    text = f"# Shop\n\n{note}\n\n## Development setup\n\n{plain}\n\n{note}\n\nYou must run `make_all` first.\n"
    assert read(tmp_path, {"README.md": text}) == [("README.md", note)]


def test_set_up_notes_are_limited(tmp_path: Path) -> None:
    notes = "\n\n".join(f"The `step_{number}` needs to be last because it writes the cache." for number in range(9))
    assert len(read(tmp_path, {"README.md": f"## Setup\n\n{notes}\n"})) == SETUP_NOTES_MAX


def test_the_import_of_rules_reads_documents_too(memory: Holloway, repository: Repository) -> None:
    repository.commit("docs/adr/0003-tokens.md", RECORD)
    added = import_rules(memory.store, lambda path: "").added
    assert ("docs/adr/0003-tokens.md", MemoryType.DECISION) in [(change.path, change.type) for change in added]
