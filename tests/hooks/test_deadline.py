"""A hook that runs out of time gives the best answer that it has so far, and is counted."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock

import holloway
from holloway.hooks.deadline import Deadline
from holloway.service import background
from holloway.store import answer_log, sessions
from tests.conftest import Repository
from tests.hooks.asking import Asking, event, hook
from tests.store.test_memories import taught

SOURCE = str(Path(holloway.__file__).parents[1])
HURRIED = {"HOLLOWAY_PATIENCE": "0.1"}
BLOCKS = "time.sleep(60)"
COMPUTES = "while True: pass"


def run(folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    """A process that has a deadline for a prompt and does something until then."""
    code = (
        f"import sys, time; sys.path.insert(0, {SOURCE!r})\n"
        "from holloway.hooks.deadline import Deadline\n"
        f"deadline = Deadline(); deadline.folder = {str(folder)!r}\n"
        "deadline.session, deadline.point = 's1', 'prompt'\n" + body
    )
    command = [sys.executable, "-I", "-c", code]
    return subprocess.run(command, env=os.environ | HURRIED, capture_output=True, text=True, timeout=60, check=False)


def outcomes(folder: Path) -> list[tuple[str, str, str, str]]:
    return [(one.session, one.point, one.outcome, one.step) for one in answer_log.read(str(folder))]


@pytest.mark.promise("nothing-is-lost-in-silence")
@pytest.mark.parametrize("work", [BLOCKS, COMPUTES], ids=["wall time", "CPU time"])
def test_when_a_budget_is_used_up_the_best_answer_so_far_is_given(tmp_path: Path, work: str) -> None:
    offers = "deadline.offer('named-files', b'first'); deadline.offer('files', b'second')\n"
    done = run(tmp_path, f"{offers}deadline.watch('prompt')\n{work}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "second", "")
    assert outcomes(tmp_path) == [("s1", "prompt", "degraded", "files")]


@pytest.mark.promise("nothing-is-lost-in-silence")
def test_without_an_answer_so_far_the_drop_is_counted(tmp_path: Path) -> None:
    done = run(tmp_path, f"deadline.watch('prompt')\n{BLOCKS}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert outcomes(tmp_path) == [("s1", "prompt", "dropped", "")]


def test_what_a_late_answer_showed_is_noted_after_it(tmp_path: Path) -> None:
    shown = f"open({str(tmp_path / 'shown')!r}, 'w').write('yes')"
    run(tmp_path, f"deadline.offer('rules', b'x', lambda: {shown})\ndeadline.watch('prompt')\n{BLOCKS}")
    assert (tmp_path / "shown").read_text() == "yes"


def test_a_given_answer_is_not_given_again_by_the_watch(tmp_path: Path) -> None:
    body = "deadline.offer('files', b'late')\nassert deadline.finish()\nprint('whole', flush=True)\n"
    done = run(tmp_path, f"{body}deadline.watch('prompt')\n{BLOCKS}")
    assert (done.returncode, done.stdout) == (0, "whole\n")
    assert outcomes(tmp_path) == []


def test_an_unknown_project_is_counted_in_the_data_folder(home: Path) -> None:
    home.mkdir()
    run(Path(), f"deadline.folder = ''\ndeadline.watch('unknown')\n{BLOCKS}")
    assert [(point, outcome) for _, point, outcome, _ in outcomes(home)] == [("prompt", "dropped")]


def test_each_event_of_one_process_begins_without_the_answer_of_the_one_before() -> None:
    deadline = Deadline()
    deadline.begin_point("event")
    deadline.offer("files", b"old")
    deadline.session = "old"
    deadline.begin_point("event")
    assert (deadline.session, deadline._offered) == ("", ("", b"", None))


def project_folder(memory: holloway.Holloway) -> Path:
    return memory.project.folder


@pytest.mark.promise("nothing-is-lost-in-silence")
def test_each_answer_is_counted_for_its_session(repository: Repository, memory: holloway.Holloway, trap: str) -> None:
    memory.map.update()
    hook(event(repository, "SessionStart", source="startup"))
    hook(event(repository))
    hook(event(repository))
    hook(event(repository, "UserPromptSubmit", prompt="the token is refreshed twice in tokens.py, why?"))
    hook(event(repository, "Stop"))
    assert outcomes(project_folder(memory)) == [
        ("s1", "session_start", "full", ""),
        ("s1", "tool_result", "full", ""),
        ("s1", "tool_result", "empty", ""),
        ("s1", "prompt", "full", ""),
    ]


def test_the_record_of_a_session_has_what_became_of_its_answers(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    hook(event(repository, "SessionStart", source="startup"))
    hook(event(repository))
    answer_log.append(str(project_folder(memory)), "s1", "prompt", "degraded", "files", 4_000)
    answer_log.append(str(project_folder(memory)), "s1", "prompt", "dropped", "", 4_000)
    answer_log.append(str(project_folder(memory)), "s2", "prompt", "dropped", "", 4_000)
    hook(event(repository, "SessionEnd", reason="exit"))
    worker = [sys.executable, "-P", "-m", "holloway.worker", str(repository.root)]
    subprocess.run(worker, check=True, timeout=120)
    with FileLock(background.lock_file(str(project_folder(memory))), timeout=120):
        figures = sessions.record_of(memory.store.database, "s1")
    assert (figures["answers_dropped"], figures["answers_degraded"]) == (1, {"files": 1})
    assert figures["answers"]["session_start"] == {"full": 1}
    assert figures["answer_ms_p95"] == 4_000


def test_a_prompt_that_cannot_reach_the_store_is_answered_with_the_files_that_it_names(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    memory.close()
    with closing(sqlite3.connect(memory.project.database, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        prompt = event(repository, "UserPromptSubmit", prompt="look at src/shop/auth/tokens.py and fix the refresh")
        answer = hook(prompt, environment=os.environ | {"HOLLOWAY_PATIENCE": "1"})
    assert "- src/shop/auth/tokens.py (named in the prompt)" in answer.context
    (counted,) = outcomes(project_folder(memory))
    assert counted[:3] == ("s1", "prompt", "degraded")


@pytest.mark.promise("nothing-is-lost-in-silence")
def test_a_host_that_ends_the_hook_early_is_given_what_there_is(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    taught(memory, "money is integer cents", type="decision", pin=True)
    body = (
        "deadline.offer('rules', b'rules')\n"
        "from holloway.hooks import entry; entry.DEADLINE = deadline; entry._obey_termination()\n"
        f"import os, signal; os.kill(os.getpid(), signal.SIGTERM)\n{BLOCKS}"
    )
    done = run(project_folder(memory), body)
    assert (done.returncode, done.stdout) == (0, "rules")
    assert outcomes(project_folder(memory)) == [("s1", "prompt", "degraded", "terminated")]


@pytest.mark.promise("nothing-is-lost-in-silence")
def test_a_session_that_cannot_wait_for_its_brief_starts_with_its_rules_and_traps(
    repository: Repository, memory: holloway.Holloway, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught(memory, "money is integer cents", type="decision", pin=True)
    taught(memory, "the tests hang without REDIS_URL", type="gotcha", pin=True)
    memory.map.update()
    offers: list[tuple[str, str]] = []
    monkeypatch.setattr(Deadline, "offer", lambda one, step, answer, then: offers.append((step, answer.decode())))
    whole = ask(event(repository, "SessionStart", source="startup")).context
    assert [step for step, _ in offers] == ["rules", "without-map"]
    for _, text in offers:
        assert "money is integer cents" in text
        assert "the tests hang without REDIS_URL" in text
        assert "Build and test" not in text
    assert "Build and test" in whole


def test_a_prompt_offers_the_files_before_the_memories(
    repository: Repository, memory: holloway.Holloway, trap: str, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.map.update()
    offers: list[tuple[str, str]] = []
    monkeypatch.setattr(Deadline, "offer", lambda one, step, answer, then: offers.append((step, answer.decode())))
    prompt = "the token is refreshed twice in src/shop/auth/tokens.py, why?"
    whole = ask(event(repository, "UserPromptSubmit", prompt=prompt)).context
    assert [step for step, _ in offers] == ["named-files", "files"]
    assert all("src/shop/auth/tokens.py" in text and trap not in text for _, text in offers)
    assert trap in whole


def test_status_and_doctor_tell_what_was_dropped(repository: Repository, memory: holloway.Holloway, trap: str) -> None:
    from holloway.service.doctor import examine
    from holloway.service.status import status

    folder = str(project_folder(memory))
    for outcome, step in (("full", ""), ("degraded", "files"), ("dropped", ""), ("dropped", "terminated")):
        answer_log.append(folder, "s1", "prompt", outcome, step, 12.0)
    counted = status(memory)["answers"]
    # The clock of the tests stands still in the past; the log is written by real hooks.
    assert (counted["given"], counted["degraded"], counted["dropped"]) == (1, 1, 2)
    (check,) = [check for check in examine(repository.root, memory.home) if check.name == "answers"]
    assert check.seen == "1 given, 1 shortened, 2 dropped in 7 days (prompt:files 1)"
    assert str(check.finding) == "answers-dropped"


def test_the_status_line_tells_what_this_session_lost(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    from holloway.hooks import statusline

    answer_log.append(str(project_folder(memory)), "s1", "prompt", "dropped", "", 4000)
    answer_log.append(str(project_folder(memory)), "s2", "prompt", "degraded", "files", 4000)
    about = {"cwd": str(repository.root), "session_id": "s1"}
    assert statusline.line(json.dumps(about).encode()) == "holloway: 1 memory, 1 dropped"
    assert statusline.line(json.dumps(about | {"session_id": "s3"}).encode()) == "holloway: 1 memory"
