"""Pausing: all of it or a part, here or everywhere; and what is paused stays so until somebody says otherwise."""

import json
from itertools import product
from pathlib import Path

import pytest

from holloway.errors import InvalidInput
from holloway.hooks import entry
from holloway.service.holloway import Holloway
from holloway.service.project_finder import pause, paused_where, resume
from holloway.store.pause_state import PARTS, read_uncaptured
from tests.conftest import Repository

TRAP = "refresh() burns the token"
FILE = "src/shop/auth/tokens.py"
CHOICES = [None, *PARTS]
BOTH = list(product(CHOICES, CHOICES))


def parts(here: str | None, everywhere: str | None) -> set[str]:
    return (PARTS[here] if here else set()) | (PARTS[everywhere] if everywhere else set())


@pytest.mark.promise("pause")
@pytest.mark.parametrize(("here", "everywhere"), BOTH)
def test_a_session_obeys_both_what_is_paused_here_and_what_is_paused_everywhere(
    memory: Holloway, repository: Repository, here: str | None, everywhere: str | None
) -> None:
    memory.remember(TRAP, files=[FILE])
    session = memory.session("s1", task="rotate")
    before = session.pad.events
    for what, wide in ((here, False), (everywhere, True)):
        if what:
            pause(str(repository.root), what, everywhere=wide)
    said = session.used("Read", {"file_path": FILE}, "def refresh(token): ...")
    assert (session.pad.events == before) is ("capture" in parts(here, everywhere))
    assert (TRAP not in said) is ("injection" in parts(here, everywhere))


@pytest.mark.promise("pause")
@pytest.mark.parametrize(("here", "everywhere"), BOTH)
def test_so_does_a_hook(
    memory: Holloway,
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    here: str | None,
    everywhere: str | None,
) -> None:
    memory.remember(TRAP, files=[FILE])
    for what, wide in ((here, False), (everywhere, True)):
        if what:
            pause(str(repository.root), what, everywhere=wide)
    event = {
        "session_id": "s1",
        "cwd": str(repository.root),
        "hook_event_name": "PostToolUse",
        "tool_name": "Read",
        "tool_use_id": "t1",
        "tool_input": {"file_path": str(repository.root / FILE)},
    }
    said, _ = entry.respond(json.dumps(event).encode())
    assert (not list(memory.project.journal_folder.glob("*.jsonl"))) is ("capture" in parts(here, everywhere))
    assert (TRAP.encode() not in said) is ("injection" in parts(here, everywhere))


def test_pausing_one_part_does_not_take_back_the_pause_of_the_other(repository: Repository, memory: Holloway) -> None:
    root = str(repository.root)
    assert pause(root, "capture") == "capture"
    assert pause(root, "injection") == "all"
    assert resume(root, "injection")
    assert paused_where(root) == {"here": "capture"}
    assert not resume(root, "injection")
    pause(root, everywhere=True)
    assert resume(root)
    assert paused_where(root) == {"everywhere": "all"}
    assert resume(root, everywhere=True)
    assert paused_where(root) == {}


def test_when_nothing_was_captured_is_written_down_whatever_parts_were_paused_meanwhile(
    repository: Repository, memory: Holloway
) -> None:
    root, folder = str(repository.root), memory.project.folder
    pause(root, "injection")
    assert read_uncaptured(folder) == []
    pause(root, "capture")
    resume(root, "injection")
    ((start, end),) = read_uncaptured(folder)
    assert end is None
    resume(root)
    ((start_again, end),) = read_uncaptured(folder)
    assert start_again == start
    assert end is not None
    assert end >= start


def test_a_word_that_nobody_knows_pauses_everything(memory: Holloway, repository: Repository) -> None:
    Path(memory.project.folder / "paused").write_bytes(b"\xff\xfe\x00 capture please")
    assert paused_where(str(repository.root)) == {"here": "all"}


def test_what_cannot_be_paused_is_an_error(repository: Repository, memory: Holloway) -> None:
    with pytest.raises(InvalidInput):
        pause(str(repository.root), "everything")


@pytest.mark.promise("pause")
def test_while_injection_is_paused_no_files_are_handed_over_and_no_figures_used(
    memory: Holloway, repository: Repository
) -> None:
    memory.map.update()
    module = memory.map.module_of(FILE)
    for number in range(3):
        with memory.session(f"s{number}", task=f"Change {FILE}", planned_steps=4) as session:
            for step in range(12):
                session.used("Edit", {"file_path": FILE, "old_string": "", "new_string": f"x = {step}"}, "ok")
            session.used("bash", {"command": "pytest -q"}, "12 passed in 0.31s")
    details = {"module": module, "always": [FILE]}
    memory.remember("auth opens tokens", type="prefetch_pattern", details=details, modules=[module])
    later = memory.session("later", task=f"Change {FILE}")
    assert ([each.path for each in later.prefetch(module).files], later.step_limit(40)) == ([FILE], 80)
    pause(str(repository.root), "injection")
    assert (later.prefetch(module).files, later.step_limit(40)) == ((), 40)
