import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import holloway
from holloway.capture import journal
from holloway.domain.memory import MemoryType
from holloway.service.session_learning import Learning
from holloway.store import candidates, privacy, session_ledger
from holloway.store.filter import Filter
from holloway.store.vectors import EmbeddingCache
from holloway.testing import CountedIds, FakeClock
from tests.conftest import Repository
from tests.observer.story import Story
from tests.store.test_memories import taught

CANARY = "zanzibarquokka"
SENTENCE = f"The {CANARY} must never be petted on a Tuesday, says the étude"


def places_of(folder: Path, needle: str) -> list[str]:
    """Every file that still has the needle, as text, as JSON escapes it, or as UTF-16."""
    needles = [needle.encode(), json.dumps(needle)[1:-1].encode(), needle.encode("utf-16-le")]
    held = {path: _bytes(path) for path in folder.rglob("*") if path.is_file()}
    return sorted(str(path.relative_to(folder)) for path, data in held.items() if any(n in data for n in needles))


def _bytes(path: Path) -> bytes:
    """What a file holds: nothing where a worker that still runs has removed it meanwhile."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


@pytest.fixture
def full(repository: Repository, clock: FakeClock) -> Iterator[holloway.Holloway]:
    """A memory with a canary in every place it can get to."""
    with holloway.open(repository.root, clock=clock, ids=CountedIds()) as memory:
        for number in range(60):
            taught(memory, f"an ordinary memory, number {number}, about tokens")
        made = taught(memory, SENTENCE, files=["src/shop/auth/tokens.py"], tags=[CANARY])
        memory.edit(made.id, content=f"{SENTENCE}, edited")
        memory.pin(made.id)
        for _ in range(3):
            clock.advance(days=2)
            memory.store.create_backup()
        memory.recall(CANARY)
        event: dict[str, object] = {
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": f"holloway remember '{SENTENCE}, edited'"},
        }
        journal.append_entry(
            str(memory.project.journal_folder), "s1", journal.entry_of(event, "2026-01-05T09:00:00.000Z")
        )
        journal.append_entry(str(memory.project.journal_folder), "s1", {"event": "Stop"})
        yield memory


@pytest.mark.promise("forget")
def test_after_a_hard_forget_no_byte_is_left_in_the_data_folder(full: holloway.Holloway, home: Path) -> None:
    assert len(places_of(home, CANARY)) >= 5
    made = full.recall(CANARY)[0].memory
    done = full.forget([made], hard=True)
    assert done.left == ()
    assert places_of(home, CANARY) == []
    full.close()
    assert places_of(home, CANARY) == []
    assert places_of(home, "étude") == []


@pytest.mark.promise("forget")
def test_a_hard_forget_leaves_the_rest_whole_and_is_not_learned_again(full: holloway.Holloway) -> None:
    made = full.recall(CANARY)[0].memory
    full.forget([made], hard=True)
    assert full.store.memories.count_memories(Filter()) == 60
    assert full.store.database.check_integrity() == []
    assert full.store.memories.is_rejected(f"{SENTENCE}, edited")
    assert (full.project.journal_folder / "s1.jsonl").read_text() == '{"event":"Stop"}\n'


@pytest.mark.promise("forget")
def test_hard_forgetting_everything_leaves_no_words_at_all(full: holloway.Holloway, home: Path) -> None:
    full.forget(full.chosen(everything=True), hard=True)
    full.close()
    assert places_of(home, CANARY) == []
    assert places_of(home, "ordinary memory") == []


@pytest.mark.promise("forget")
def test_what_was_forgotten_softly_before_can_be_hard_forgotten_too(full: holloway.Holloway, home: Path) -> None:
    made = full.recall(CANARY)[0].memory
    full.forget([made])
    assert places_of(home, CANARY) != []
    full.forget([full.get(made.id)], hard=True)
    assert places_of(home, CANARY) == []


@pytest.mark.promise("forget")
def test_replaced_words_go_with_a_hard_forget_of_the_replaced_memory(full: holloway.Holloway, home: Path) -> None:
    made = full.recall(CANARY)[0].memory
    new = full.wrong(made.id, "outdated", instead="nothing about animals")
    full.edit(new.id, tags=["plain"])
    full.forget([full.get(made.id)], hard=True)
    assert places_of(home, CANARY) == []
    assert full.why(new.id).replaced == ()


def test_a_reader_that_holds_the_log_is_reported_not_waited_for(
    full: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    monkeypatch.setattr("holloway.store.database.WAL_TRUNCATE_WAIT_MS", 10)
    reader = sqlite3.connect(full.project.database_path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memories").fetchone()
    taught(full, "something in between")
    done = full.forget([full.recall(CANARY)[0].memory], hard=True)
    reader.close()
    assert len(done.left) == 1
    assert "another process is reading it" in done.left[0]


@pytest.mark.promise("journal")
def test_what_nobody_learned_from_is_dropped_after_a_week(memory: holloway.Holloway) -> None:
    project = memory.project
    for name, days in (
        ("journal/old.jsonl", 8),
        ("journal/new.jsonl", 6),
        ("checkpoints/old.json", 8),
        ("checkpoints/new.json", 6),
        ("checkpoints/mcp-old.json", 8),
        ("checkpoints/mcp-old.lock", 8),
    ):
        log = project.folder / name
        log.parent.mkdir(exist_ok=True)
        log.write_text("{}\n")
        then = time.time() - days * 86_400
        os.utime(log, (then, then))
    assert privacy.delete_old_journals(project, datetime.now(UTC)) == 2
    left = [
        log.name for folder in (project.journal_folder, project.checkpoints_folder) for log in sorted(folder.iterdir())
    ]
    assert left == ["new.jsonl", "mcp-old.json", "mcp-old.lock", "new.json"]


def test_the_log_of_a_damaged_copy_that_has_the_text_is_told_of(full: holloway.Holloway) -> None:
    log = full.project.backups_folder / "replaced-2026-01-05T090000000Z.db-wal"
    log.write_bytes(b"\0page\0" + f"{SENTENCE}, edited".encode())
    (left,) = full.forget([full.recall(CANARY)[0].memory], hard=True).left
    assert left == f"{log}: the log of a damaged backup, which still has the text"


@pytest.mark.promise("forget")
def test_a_log_that_cannot_be_read_is_told_of_and_the_rest_is_forgotten(full: holloway.Holloway, home: Path) -> None:
    log = full.project.backups_folder / "replaced-2026-01-05T090000000Z.db-wal"
    log.mkdir()
    (left,) = full.forget([full.recall(CANARY)[0].memory], hard=True).left
    assert left.startswith(f"{log}: the log of a backup, which may still have the text: ")
    assert places_of(home, CANARY) == []


@pytest.mark.promise("forget")
@pytest.mark.parametrize("name", ["replaced-2026-01-05T090000000Z.db-wal", "memory-2026-01-01T090000000Z.db"])
def test_a_copy_that_is_rolled_away_meanwhile_holds_nothing_up(full: holloway.Holloway, home: Path, name: str) -> None:
    (full.project.backups_folder / name).symlink_to(full.project.backups_folder / "gone")
    assert full.forget([full.recall(CANARY)[0].memory], hard=True).left == ()
    assert places_of(home, CANARY) == []


@pytest.mark.promise("forget")
def test_what_sessions_repeat_of_it_goes_too(memory: holloway.Holloway, home: Path) -> None:
    note = f"The {CANARY} cache of the étude must be flushed by hand before every release"
    learning = Learning(memory.opened)
    learning.learn(Story("bad").edit("README.md").records(note, "gotcha").red().pad())
    learning.learn(Story("good", task=f"No: {note}").edit("README.md").records(note, "gotcha").green().pad())
    (said,) = (each for each in memory.memories() if each.type == "gotcha")
    memory.forget([said], hard=True)
    assert places_of(home, CANARY) == []


@pytest.mark.promise("forget")
def test_what_the_history_of_another_memory_tells_of_it_goes_too(
    memory: holloway.Holloway, repository: Repository, home: Path
) -> None:
    repository.commit("AGENTS.md", "- Use the helper `day` for dates.\n")
    memory.import_rules()
    repository.commit("AGENTS.md", f"- Use the {CANARY} helper `day` for days.\n")
    memory.import_rules()
    (said,) = (each for each in memory.memories() if CANARY in each.content)
    memory.forget([said], hard=True)
    assert places_of(home, CANARY) == []
    (old,) = memory.memories(Filter(superseded=True))
    assert [kind for _, kind, _ in memory.why(old.id).history] == ["created", "replaced"]


def test_what_only_names_a_field_that_was_edited_once_stays(memory: holloway.Holloway) -> None:
    note = "The visibility of the menu is set in the template, not in the style sheet"
    Learning(memory.opened).learn(
        Story("bad", task="Fix the visibility").edit("README.md").records(note, "gotcha").red().pad()
    )
    said, other = (taught(memory, text) for text in ("Deploys wait for the smoke test", "Carts are kept for a week"))
    for each in (said, other):
        memory.edit(each.id, visibility="team")
    before = candidates.list_session_candidates(memory.store.database, "bad")
    assert before
    memory.forget([memory.get(said.id)], hard=True)
    assert candidates.list_session_candidates(memory.store.database, "bad") == before
    assert session_ledger.find_sessions(memory.store.database, "bad")[0].task == "Fix the visibility"
    assert ("edited", "visibility") in [(kind, detail) for _, kind, detail in memory.why(other.id).history]


@pytest.mark.promise("forget")
def test_all_cached_vectors_go_with_a_hard_forget(memory: holloway.Holloway, clock: FakeClock) -> None:
    cache = EmbeddingCache(memory.store.database, clock)
    cache.put_vector("a question about it", "model", b"\x00" * 8)
    matrix = memory.project.folder / "vectors-model.matrix"
    matrix.write_bytes(b"\x00" * 8)
    made = taught(memory, "the staging key lies in the vault")
    memory.forget([made])
    assert cache.get_vector("a question about it") is not None
    assert matrix.exists()
    memory.forget([memory.get(made.id)], hard=True)
    assert cache.get_vector("a question about it") is None
    assert not matrix.exists()


FIGURES = {
    MemoryType.PREFETCH_PATTERN: {"module": "auth", "always": ["README.md"]},
    MemoryType.TASK_CALIBRATION: {"module": "auth", "actual_steps": 9.0, "planned_steps": 6.0, "samples": 3},
    MemoryType.CONTEXT_COST: {"module": "auth", "mean_tokens": 7000.0, "p90_tokens": 9000.0, "samples": 3},
}


@pytest.mark.promise("forget")
@pytest.mark.parametrize("kind", MemoryType)
def test_no_kind_of_memory_leaves_a_part_of_its_sentence_in_other_words_of_the_data_folder(
    memory: holloway.Holloway, home: Path, kind: MemoryType
) -> None:
    words = f"{CANARY} cache of {kind.label} must be flushed by hand"
    said = taught(memory, f"Note that the {words} before the release.", type=kind, details=FIGURES.get(kind))
    repeated = f"No!  the {words.upper().replace(' MUST', chr(0x2014) + 'must')} and then deploy"
    learning = Learning(memory.opened)
    learning.learn(Story("open", task=repeated).edit("README.md").plan(repeated, "Other").red().pad())
    learning.learn(Story("bad").edit("README.md").records(f"Remember, the {words}", "gotcha").red().pad())
    memory.store.create_backup()
    folder = str(memory.project.journal_folder)
    prompt: dict[str, object] = {"hook_event_name": "UserPromptSubmit", "prompt": repeated}
    journal.append_entry(folder, "s1", journal.entry_of(prompt, "2026-01-05T09:00:00.000Z"))
    memory.session("cut short", task=repeated).checkpoint()
    assert len(places_of(home, CANARY) + places_of(home, CANARY.upper())) >= 4
    assert memory.forget([said], hard=True).left == ()
    assert places_of(home, CANARY) + places_of(home, CANARY.upper()) == []


@pytest.mark.promise("forget")
def test_a_sentence_without_spaces_is_found_in_parts(memory: holloway.Holloway, home: Path) -> None:
    said = taught(memory, "本番環境のデータベースは手動で移行してください")
    task = "お願い:本番環境のデータベースは手動で移行し、その後デプロイ"
    Learning(memory.opened).learn(Story("open", task=task).edit("README.md").red().pad())
    memory.forget([said], hard=True)
    assert places_of(home, "データベースは手動") == []


@pytest.mark.promise("forget")
def test_an_exported_block_and_a_living_memory_that_have_the_text_are_named(
    memory: holloway.Holloway, repository: Repository
) -> None:
    said = taught(memory, SENTENCE)
    memory.export_rules("AGENTS.md")
    other = taught(memory, f"{SENTENCE}, and the {CANARY} is fed on Wednesdays by somebody else")
    left = memory.forget([said], hard=True).left
    assert left[0] == f"memory {other.id}, which has a part of the text"
    assert str(repository.root / "AGENTS.md") in left[1]
    assert memory.get(other.id).is_alive


@pytest.mark.promise("forget")
def test_a_damaged_backup_is_told_of_and_left_as_it_was(full: holloway.Holloway) -> None:
    damaged = full.project.backups_folder / "memory-2026-01-01T090000000Z.db"
    damaged.write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)
    (left,) = full.forget([full.recall(CANARY)[0].memory], hard=True).left
    assert damaged.name in left
    assert damaged.stat().st_size == 5_016
    assert not list(full.project.backups_folder.glob("*.cleaning*"))
