"""What people and agents add to the map: bounded, said again in newer words, and taken back."""

import pytest

from holloway.config import PATH_CHARS_MAX
from holloway.errors import InvalidInput
from holloway.service.holloway import Holloway
from holloway.store import contributions
from holloway.store.contributions import CodeRelation

AT = "2026-01-05T09:00:00.000Z"


def relation(target: str = "b.py", **fields: str) -> CodeRelation:
    return CodeRelation("a.py", "flows_to", target, "user", "", "", AT)._replace(**fields)


def test_a_relation_said_again_has_the_newer_words_even_where_there_is_no_room_for_more(
    memory: Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contributions, "CODE_RELATIONS_MAX", 2)
    database = memory.store.database
    contributions.save_relation(database, relation("b.py"))
    contributions.save_relation(database, relation("c.py"))
    with pytest.raises(InvalidInput, match="2 relations already"):
        contributions.save_relation(database, relation("d.py"))
    contributions.save_relation(database, relation("c.py", note="through the queue"))
    assert [(one.target, one.note) for one in contributions.list_relations(database)] == [
        ("b.py", ""),
        ("c.py", "through the queue"),
    ]


@pytest.mark.parametrize("wrong", [{"kind": "likes"}, {"source": ""}, {"target": "x" * 5_000}])
def test_what_is_no_relation_is_not_kept(memory: Holloway, wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        contributions.save_relation(memory.store.database, relation(**wrong))
    assert contributions.list_relations(memory.store.database) == []


def test_the_relations_of_a_file_are_those_with_an_end_in_it(memory: Holloway) -> None:
    database = memory.store.database
    for target in ("b_c.py", "b_c.py:run", "bxc.py", "b_c.pyi"):
        contributions.save_relation(database, relation(target))
    assert [one.target for one in contributions.list_relations(database, "b_c.py")] == ["b_c.py", "b_c.py:run"]
    assert len(contributions.list_relations(database, "a.py")) == 4
    assert contributions.delete_relation(database, "a.py", "flows_to", "bxc.py")
    assert not contributions.delete_relation(database, "a.py", "flows_to", "bxc.py")
    assert len(contributions.list_relations(database)) == 3


def test_of_a_modules_names_only_the_latest_counts_even_where_there_is_no_room_for_more(
    memory: Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contributions, "MODULE_EDITS_MAX", 2)
    database = memory.store.database
    contributions.edit_module(database, "name", "src/auth", "sign-in", AT)
    contributions.edit_module(database, "files", "src/auth", "src/tokens/*", AT)
    contributions.edit_module(database, "name", "src/auth", "log-in", AT)
    with pytest.raises(InvalidInput, match="2 edits of modules already"):
        contributions.edit_module(database, "purpose", "src/auth", "who you are", AT)
    assert contributions.list_module_edits(database) == [
        ("files", "src/auth", "src/tokens/*"),
        ("name", "src/auth", "log-in"),
    ]
    assert contributions.reset_module(database, "src/auth") == 2
    assert contributions.list_module_edits(database) == []


def test_resetting_a_module_separates_what_was_merged_under_its_name(memory: Holloway) -> None:
    database = memory.store.database
    contributions.edit_module(database, "name", "src/billing", "money", AT)
    contributions.edit_module(database, "name", "src/auth", "money", AT)
    contributions.edit_module(database, "purpose", "src/web", "money", AT)
    assert contributions.reset_module(database, "src/auth", "money") == 2
    assert contributions.list_module_edits(database) == [("purpose", "src/web", "money")]


def test_statements_of_agents_wait_and_are_bounded(memory: Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    database = memory.store.database
    monkeypatch.setattr(contributions, "PROPOSALS_MAX", 2)
    for target in ("b.py", "c.py", "c.py"):
        contributions.propose_relation(database, relation(target, origin="agent", agent="mcp"))
    with pytest.raises(InvalidInput, match="2 statements"):
        contributions.propose_relation(database, relation("d.py", origin="agent"))
    assert contributions.list_relations(database) == []
    first, second = contributions.list_proposals(database)
    assert (first.statement, second.statement) == ("a.py flows_to b.py", "a.py flows_to c.py")
    contributions.accept_proposal(database, first, AT)
    contributions.drop_proposal(database, second)
    assert contributions.list_proposals(database) == []
    assert contributions.list_relations(database) == [relation("b.py", agent="mcp")]


def test_a_statement_about_a_module_becomes_an_edit_once_it_is_accepted(memory: Holloway) -> None:
    database = memory.store.database
    purpose = relation("auth", source="auth", kind=contributions.HAS_PURPOSE, note="Signs people in", origin="agent")
    member = relation("auth", source="README.md", kind=contributions.BELONGS_TO, origin="agent")
    for statement in (purpose, member):
        contributions.propose_relation(database, statement)
    proposals = contributions.list_proposals(database)
    assert {proposal.statement for proposal in proposals} == {
        "Purpose of auth: Signs people in",
        "README.md belongs to auth",
    }
    assert all(len(proposal.id) == len("map-") + 8 for proposal in proposals)
    assert len({proposal.id for proposal in proposals}) == 2
    for proposal in proposals:
        contributions.accept_proposal(database, proposal, AT)
    assert sorted(contributions.list_module_edits(database)) == [
        ("files", "auth", "README.md"),
        ("purpose", "auth", "Signs people in"),
    ]
    assert contributions.list_relations(database) == []


def test_a_statement_that_a_person_made_already_is_not_proposed(memory: Holloway) -> None:
    database = memory.store.database
    contributions.save_relation(database, relation(note="through the queue"))
    contributions.propose_relation(database, relation(origin="agent", note="otherwise"))
    assert contributions.list_proposals(database) == []
    assert [one.note for one in contributions.list_relations(database)] == ["through the queue"]


def test_a_file_belongs_to_the_module_it_was_given_to_last_and_a_long_path_is_cut(memory: Holloway) -> None:
    database = memory.store.database
    for module in ("auth", "billing"):
        contributions.edit_module(database, "files", module, "README.md", AT)
    assert contributions.list_module_edits(database) == [("files", "billing", "README.md")]
    contributions.edit_module(database, "files", "auth", "x" * (PATH_CHARS_MAX + 1), AT)
    assert contributions.list_module_edits(database)[-1] == ("files", "auth", "x" * PATH_CHARS_MAX)
    contributions.save_relation(database, relation("y" * PATH_CHARS_MAX))
    with pytest.raises(InvalidInput, match="two ends"):
        contributions.save_relation(database, relation("y" * (PATH_CHARS_MAX + 1)))
