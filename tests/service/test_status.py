import os
from datetime import timedelta
from pathlib import Path

import pytest

import holloway
from holloway import config
from holloway.domain.memory import Draft, Source
from holloway.domain.ports import format_stamp
from holloway.promotion.pipeline import STRICT_FACTOR
from holloway.service import project_finder, status
from holloway.service.doctor import RECENT_DAYS
from holloway.service.holloway import Holloway
from holloway.store import answer_log
from holloway.store.llm_usage import LlmUsageLedger, TokenCap
from holloway.store.write_gate import sanitize_draft
from tests.conftest import Repository, make_repository
from tests.service.learned import corrected, learn, solved
from tests.store.test_memories import taught


def test_a_new_memory_has_figures_of_nothing(memory: Holloway, repository: Repository) -> None:
    figures = status.status(memory)
    assert (figures["project"], figures["key"]) == (memory.project.name, memory.project.key)
    assert (figures["root"], figures["folder"]) == (str(repository.root), str(memory.project.folder))
    assert (figures["branch"], figures["unconfirmed"], figures["paused"]) == ("main", None, None)
    assert (figures["memories"], figures["by_type"], figures["by_state"]) == (0, {}, {})
    assert (figures["to_review"], figures["forgotten"], figures["user_memories"], figures["sessions"]) == (0, 0, 0, 0)
    assert (figures["trust_level"], figures["trust_offer"], figures["sessions_watched"]) == (1, None, 0)
    assert (figures["language_model"], figures["last_backup"]) == (None, None)
    assert figures["observer"]["rejection_rate"] is None


def test_memories_are_counted_by_type_and_state(memory: Holloway) -> None:
    taught(memory, "Money is integer cents")
    gone = taught(memory, "Dates are local")
    taught(memory, "We chose JWT", type="decision")
    memory.remember("I prefer tabs", user=True)
    memory.store.memories.add_memory(sanitize_draft(Draft("From afar", source=Source.FOREIGN_FILE)))
    memory.forget([gone])
    figures = status.status(memory)
    assert (figures["memories"], figures["forgotten"], figures["user_memories"]) == (3, 1, 1)
    assert figures["by_type"] == {"gotcha": 2, "decision": 1}
    assert figures["by_state"] == {"confirmed": 2, "quarantined": 1}
    assert figures["to_review"] == memory.count_to_review()


def test_the_observer_is_counted_by_signal_and_by_review(memory: Holloway) -> None:
    for number in range(2):
        learn(memory, solved(f"s{number}"))
    figures = status.status(memory)
    observer = figures["observer"]
    assert figures["sessions"] == 2
    assert observer["signals"]["error_retry"]["fired"] == 2
    assert (observer["signals"]["error_retry"]["promoted"], observer["signals"]["error_retry"]["reinforced"]) == (1, 1)
    assert observer["promoted"] == sum(signal["promoted"] for signal in observer["signals"].values())
    assert observer["dropped"] == sum(signal["dropped"] for signal in observer["signals"].values())
    assert (observer["strict"], observer["threshold_factor"]) == (False, 1.0)


def test_the_rejection_rate_is_of_what_people_reviewed(memory: Holloway) -> None:
    learn(memory, solved("s1"))
    learn(memory, corrected("s2"))
    stored = [found.id for found in memory.memories() if found.source is not Source.USER_TAUGHT]
    memory.confirm(stored[0])
    observer = status.status(memory)["observer"]
    assert (observer["confirmed_by_people"], observer["rejected_by_people"], observer["rejection_rate"]) == (1, 0, 0.0)
    memory.wrong(stored[1], "incorrect")
    observer = status.status(memory)["observer"]
    assert (observer["confirmed_by_people"], observer["rejected_by_people"], observer["rejection_rate"]) == (1, 1, 0.5)


def test_a_strict_project_says_by_how_much(memory: Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "is_strict", lambda store: True)
    observer = status.status(memory)["observer"]
    assert (observer["strict"], observer["threshold_factor"]) == (True, STRICT_FACTOR)


def test_answers_of_hooks_are_counted_for_some_days_and_for_the_last_session(memory: Holloway) -> None:
    folder = str(memory.project.folder)
    assert status.status(memory)["answers"] == {
        "days": RECENT_DAYS,
        "given": 0,
        "degraded": 0,
        "dropped": 0,
        "by_step": {},
        "last_session": None,
    }
    now = memory.clock.now()

    def log(*rows: tuple[str, str, str], days: float = 0.0) -> None:
        at = format_stamp(now - timedelta(days=days))
        lines = (f"{at} {session} prompt {outcome} {step} 5\n" for session, outcome, step in rows)
        Path(folder, answer_log.LOG_FILE_NAME).write_text("".join(lines))

    log(("s1", "full", "-"), ("s2", "degraded", "files"), ("s2", "dropped", "-"))
    answers = status.status(memory)["answers"]
    assert (answers["given"], answers["degraded"], answers["dropped"]) == (1, 1, 1)
    assert answers["by_step"] == {"prompt:files": 1, "prompt:deadline": 1}
    last = answers["last_session"]
    assert (last["full"], last["degraded"], last["dropped"]) == (0, 1, 1)
    log(("s1", "full", "-"), days=RECENT_DAYS + 1)
    assert status.status(memory)["answers"]["given"] == 0


def test_the_size_counts_regular_files_only(memory: Holloway, tmp_path: Path) -> None:
    before = status.status(memory)["bytes"]
    folder = memory.project.folder / "more"
    folder.mkdir()
    (folder / "a").write_bytes(b"x" * 1_000)
    (folder / "gone").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder / "pipe")
    assert status.status(memory)["bytes"] == before + 1_000


def test_the_last_backup_is_named(memory: Holloway) -> None:
    taught(memory, "Money is integer cents")
    memory.opened.maintain()
    backups = sorted(path.name for path in memory.project.backups_folder.iterdir())
    assert status.status(memory)["last_backup"] == backups[-1]


def test_a_pause_and_a_chosen_level_are_told(memory: Holloway, repository: Repository) -> None:
    project_finder.pause(str(repository.root), "injection")
    memory.trust.choose("3")
    figures = status.status(memory)
    assert (figures["paused"], figures["trust_level"]) == ("injection", 3)


def test_a_language_model_is_told_once_it_is_configured_or_was_used(memory: Holloway) -> None:
    ledger = LlmUsageLedger(memory.store.database, memory.clock)
    call, _ = ledger.reserve_tokens((TokenCap("2026-01", 1_000),), 50, "fake", "fake", "ask")
    ledger.settle_call(call, 30, 12)
    figures = status.status(memory)["language_model"]
    assert (figures["month"], figures["tokens"]) == ("2026-01", 42)
    assert figures["cap"] == config.Settings.load_settings(memory.project.key).get_number("llm.monthly_tokens")
    assert [call["purpose"] for call in figures["calls"]] == ["ask"]


def test_search_is_by_text_and_says_why_without_an_embedder(memory: Holloway) -> None:
    choice = memory.search.choice
    figures = status.status(memory)
    expected = "text and meaning" if choice.embedder else "text"
    assert (figures["search"], figures["model"]) == (expected, choice.embedder.model if choice.embedder else None)
    assert figures["search_note"] == (choice.reason or None)
    assert figures["to_embed"] == memory.search.to_embed()


def test_a_checkout_that_only_names_the_origin_is_told_as_unconfirmed(
    memory: Holloway, repository: Repository, tmp_path: Path
) -> None:
    address = "https://example.invalid/shop.git"
    repository.git("remote", "add", "origin", address)
    holloway.open(repository.root).close()
    other = make_repository(tmp_path / "other", {"a.py": "another history\n"})
    other.git("remote", "add", "origin", address)
    with holloway.open(other.root, create=False) as passing:
        figures = status.status(passing)
    assert (figures["unconfirmed"], figures["folder"]) == (project_finder.find_claim(str(other.root)), None)
    assert figures["unconfirmed"]
