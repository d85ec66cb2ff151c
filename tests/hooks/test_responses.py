"""The response to each event, called as the hook calls it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import holloway
from holloway.capture import journal, journal_reader
from holloway.config import HOOK_STORE_WAIT_MS, SERVICE_STORE_WAIT_MS
from holloway.domain.memory import Source
from holloway.hooks import responses
from holloway.hooks.responses import HookReader
from holloway.injection import session_state, step
from holloway.service import background_worker
from holloway.store import project as projects
from tests.conftest import Repository, make_repository
from tests.hooks.asking import TRAP, TRAP_FILE
from tests.service.learned import learn, solved
from tests.store.test_memories import taught

NOW = "2026-01-05T09:00:00.000Z"
ASKED = f"Fix refresh in {TRAP_FILE}: it returns the old token"


class Offers(dict[str, str]):
    """The stages that were offered, with their texts."""

    def __call__(self, stage: str, text: str, record: Callable[[], None] | None) -> None:
        self[stage] = text


def reader_of(
    memory: holloway.Holloway, *, agent_id: str = "", is_captured: bool = True, offers: Offers | None = None
) -> HookReader:
    folder, root = str(memory.project.folder), str(memory.project.root)
    return HookReader(
        folder=folder,
        root=root,
        session="s1",
        agent_id=agent_id,
        host="claude-code",
        now=NOW,
        is_captured=is_captured,
        offer=Offers() if offers is None else offers,
    )


def read_call(memory: holloway.Holloway, path: str = TRAP_FILE) -> dict[str, object]:
    return {"tool_name": "Read", "tool_input": {"file_path": str(memory.project.root / path)}}


def test_a_subagent_reads_under_its_own_name(memory: holloway.Holloway) -> None:
    main, sub = reader_of(memory), reader_of(memory, agent_id="a1")
    assert (main.session, main.main_session) == ("s1", "s1")
    assert (sub.session, sub.main_session) == ("s1/a1", "s1")
    assert len(reader_of(memory, agent_id="a" * 1_000).session) == 400
    assert main.journal == str(memory.project.folder / "journal")


def test_only_a_patient_reader_waits_long_and_creates_a_store(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLLOWAY_PATIENCE", "2")
    memory.close()
    for path in memory.project.folder.glob("memory.db*"):
        path.unlink()
    reader = reader_of(memory)
    assert reader.wait_ms == 2 * HOOK_STORE_WAIT_MS
    assert reader.connect() is None
    reader.be_patient()
    assert reader.wait_ms == 2 * SERVICE_STORE_WAIT_MS
    connection = reader.connect()
    assert connection is not None
    connection.close()


def test_a_tool_result_brings_the_trap_of_its_file(memory: holloway.Holloway, trap: str) -> None:
    assert TRAP in responses.respond_to_tool(reader_of(memory), read_call(memory))
    assert responses.respond_to_tool(reader_of(memory), read_call(memory, "README.md")) == ""


def test_steps_are_counted_over_processes_and_their_calls_are_read_in_the_folder_of_the_step(
    memory: holloway.Holloway,
) -> None:
    taught(memory, "Redis was tried; CI has none", type="dead_end", files=[TRAP_FILE])
    call = {"tool_name": "Bash", "tool_input": {"command": "sed -n 1,9p tokens.py"}}
    event: dict[str, object] = {"cwd": str(memory.project.root / "src/shop/auth"), "tool_calls": [7, call]}
    assert "Redis was tried" in responses.respond_to_step(reader_of(memory), event)
    assert responses.respond_to_step(reader_of(memory), {"tool_calls": "x"}) == ""
    assert session_state.load_state(reader_of(memory).journal, "s1")["step"] == 2


def test_a_step_reads_so_many_calls(memory: holloway.Holloway) -> None:
    taught(memory, "Redis was tried; CI has none", type="dead_end", files=[TRAP_FILE])
    others: list[object] = [None] * step.CALLS_MAX
    assert responses.respond_to_step(reader_of(memory), {"tool_calls": [*others, read_call(memory)]}) == ""
    assert responses.respond_to_step(reader_of(memory), {"tool_calls": [*others[1:], read_call(memory)]}) != ""


def test_memories_of_a_rules_file_that_the_host_loaded_are_not_shown(
    memory: holloway.Holloway, repository: Repository
) -> None:
    rules = "src/shop/auth/CLAUDE.md"
    repository.commit(rules, "# Rules\n\n- Never edit a token by hand: it is generated\n")
    memory.import_rules()
    (rule,) = [memory_row for memory_row in memory.memories(limit=-1) if "generated" in memory_row.content]
    memory.confirm(rule.id)
    for named in (None, "", 7, "/etc/CLAUDE.md", str(repository.root / "CLAUDE.md")):
        responses.note_loaded_rules(reader_of(memory), {"file_path": named})
    assert "generated" in responses.respond_to_tool(reader_of(memory, agent_id="before"), read_call(memory))
    responses.note_loaded_rules(reader_of(memory), {"file_path": str(repository.root / rules)})
    assert responses.respond_to_tool(reader_of(memory), read_call(memory)) == ""


def test_after_a_compaction_everything_may_come_again_unless_a_start_told_of_it(
    memory: holloway.Holloway, trap: str
) -> None:
    reader = reader_of(memory)
    assert responses.respond_to_tool(reader, read_call(memory))
    assert responses.respond_to_tool(reader, read_call(memory)) == ""
    start: dict[str, object] = {"hook_event_name": "SessionStart", "session_id": "s1", "source": "compact"}
    entry = journal.entry_of(start, NOW, reader.root, "claude-code")
    journal.append_entry(reader.journal, "s1", entry)
    responses.note_compaction(reader)
    assert responses.respond_to_tool(reader, read_call(memory)) == ""
    shutil.rmtree(reader.journal)
    responses.note_compaction(reader)
    assert responses.respond_to_tool(reader, read_call(memory))


@pytest.mark.parametrize("is_captured", [True, False])
def test_a_prompt_is_counted_and_the_files_it_is_pointed_to_are_noted_where_events_are(
    memory: holloway.Holloway, is_captured: bool
) -> None:
    memory.map.update()
    offers = Offers()
    reader = reader_of(memory, is_captured=is_captured, offers=offers)
    assert responses.respond_to_prompt(reader, "go on") == ""
    text = responses.respond_to_prompt(reader, "The refresh of a token returns the old token of the session")
    assert TRAP_FILE in text
    assert offers["whole"] == text
    assert session_state.load_state(reader.journal, "s1")["prompts"] == 2
    assert reader.wait_ms > HOOK_STORE_WAIT_MS * 20
    located = journal_reader.located_files(Path(reader.journal) / "s1.jsonl") if is_captured else {}
    assert (TRAP_FILE in located) is is_captured
    assert Path(reader.journal, "s1.jsonl").exists() is is_captured


def test_a_subagent_is_told_about_the_last_prompt_of_its_session(memory: holloway.Holloway, trap: str) -> None:
    memory.map.update()
    reader = reader_of(memory, agent_id="a1")
    assert responses.respond_to_subagent(reader, "Explore") == ""
    prompt: dict[str, object] = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": ASKED}
    journal.append_entry(reader.journal, "s1", journal.entry_of(prompt, NOW, reader.root, "claude-code"))
    assert TRAP in responses.respond_to_subagent(reader, "Explore")
    assert Path(reader.journal, "s1/a1.step").exists() or list(Path(reader.journal).glob("*a1*.step"))


def test_a_session_starts_with_a_brief_for_the_agent_and_a_line_for_the_person(
    memory: holloway.Holloway,
) -> None:
    taught(memory, "a pinned trap", files=[TRAP_FILE], pin=True)
    memory.remember("The deploy key lies in the vault", source=Source.FOREIGN_FILE, user=True)
    database = memory.opened.user.database
    with database.write_transaction():
        database.execute("UPDATE memories SET review = 'imported'")
    offers = Offers()
    text, line = responses.respond_to_start(reader_of(memory, offers=offers), "startup")
    assert "a pinned trap" in text
    assert offers["whole"] == text
    assert line == "holloway: briefed with 1 memory; 1 to review (holloway review)"
    assert responses.respond_to_start(reader_of(memory), "startup")[1].startswith("holloway: briefed from 1 session,")


def test_the_end_of_a_turn_tells_what_was_learned_once(memory: holloway.Holloway) -> None:
    assert responses.respond_to_turn_end(reader_of(memory)) == ""
    learn(memory, solved("s1"))
    assert responses.respond_to_turn_end(reader_of(memory, agent_id="a1")).startswith("holloway: learned: ")
    assert responses.respond_to_turn_end(reader_of(memory)) == ""


def test_without_a_store_a_turn_and_rules_are_met_with_silence(memory: holloway.Holloway) -> None:
    memory.close()
    for path in memory.project.folder.glob("memory.db*"):
        path.unlink()
    assert responses.respond_to_turn_end(reader_of(memory)) == ""
    responses.note_loaded_rules(reader_of(memory), {"file_path": str(memory.project.root / "CLAUDE.md")})
    responses.note_compaction(reader_of(memory))
    assert list(memory.project.folder.glob("memory.db")) == []


def test_the_end_of_a_session_deletes_its_state_only(memory: holloway.Holloway) -> None:
    reader = reader_of(memory, agent_id="a1")
    for name in ("s1", "s2"):
        session_state.save_state(reader.journal, name, session_state.new_state())
    responses.end_session(reader)
    assert [path.name for path in Path(reader.journal).glob("*.step")] == ["s2.step"]


def test_a_project_that_moved_is_resolved_and_an_unknown_one_is_not(
    memory: holloway.Holloway, repository: Repository, tmp_path: Path
) -> None:
    repository.root.rename(tmp_path / "moved")
    moved = str(tmp_path / "moved")
    assert responses.resolve_project(moved, moved) == (memory.project.key, moved, "")
    other = str(make_repository(tmp_path / "other", {"a.py": "x = 1\n"}).root)
    assert responses.resolve_project(other, other) == ("", "", "")


def test_a_checkout_that_only_names_the_origin_of_a_project_is_asked_about_once(
    memory: holloway.Holloway, repository: Repository, tmp_path: Path, home: Path
) -> None:
    address = "https://example.invalid/shop.git"
    repository.git("remote", "add", "origin", address)
    projects.resolve_project(repository.root, home)
    other = make_repository(tmp_path / "other", {"a.py": "another history\n"})
    other.git("remote", "add", "origin", address)
    place = str(other.root)
    claim = projects.find_claim(other.root, home)
    assert claim is not None
    question = f"holloway: {claim.reason}; {projects.JOIN_HINT}"
    assert responses.resolve_project(place, place) == ("", "", question)
    assert responses.resolve_project(place, place) == ("", "", "")


@pytest.mark.parametrize(("event", "started"), [("Stop", False), ("SessionEnd", True)])
def test_the_end_of_a_turn_starts_a_worker_only_seldom(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch, event: str, started: bool
) -> None:
    folder = str(memory.project.folder)
    background_worker.write_state(folder, {"ended": NOW})
    begun: list[object] = []
    monkeypatch.setattr("subprocess.Popen", lambda arguments, **options: begun.append(arguments))
    monkeypatch.setattr(background_worker, "_started", [])
    responses.start_worker(folder, str(memory.project.root), event)
    assert bool(begun) is started


def test_the_state_is_saved_even_where_the_response_fails(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(reader: object, project: object, state: dict[str, int], *given: object) -> None:
        state["prompts"] += 1
        raise ZeroDivisionError

    monkeypatch.setattr("holloway.injection.prompt.inject", fail)
    with pytest.raises(ZeroDivisionError):
        responses.respond_to_prompt(reader_of(memory), ASKED)
    saved = json.loads(Path(reader_of(memory).journal, "s1.step").read_text())
    assert saved["prompts"] == 1
