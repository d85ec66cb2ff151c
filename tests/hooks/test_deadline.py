"""A hook that runs out of time gives the best answer that it has so far, and is counted."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock

import holloway
from holloway.hooks.deadline import Deadline
from holloway.service import background_worker
from holloway.store import answer_log, session_ledger
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
    return [(one.session, one.point, one.outcome, one.step) for one in answer_log.read_answers(str(folder))]


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


@pytest.mark.promise("nothing-is-lost-in-silence")
def test_a_given_answer_is_not_given_again_by_the_watch(tmp_path: Path) -> None:
    body = "deadline.offer('files', b'late')\ndeadline.give(b'whole')\n"
    done = run(tmp_path, f"{body}deadline.watch('prompt')\n{BLOCKS}")
    assert (done.returncode, done.stdout) == (0, "whole")
    assert outcomes(tmp_path) == [("s1", "prompt", "full", "")]


@pytest.mark.promise("nothing-is-lost-in-silence")
@pytest.mark.parametrize("late", ["deadline.give(b'whole')", "deadline.give_up('failed')"])
def test_an_answer_that_comes_while_the_watch_gives_its_own_waits_for_it(tmp_path: Path, late: str) -> None:
    slow = "then = lambda: (open(sys.argv[1], 'w').close(), time.sleep(0.3), print('noted', flush=True))\n"
    wait = "import os\nwhile not os.path.exists(sys.argv[1]): time.sleep(0.01)\n"
    body = f"sys.argv = ['', {str(tmp_path / 'given')!r}]\n{slow}deadline.offer('files', b'early ', then)\n"
    done = run(tmp_path, f"{body}deadline.watch('prompt')\n{wait}{late}")
    assert (done.returncode, done.stdout) == (0, "early noted\n")
    assert outcomes(tmp_path) == [("s1", "prompt", "degraded", "files")]


def test_the_whole_answer_counts_as_such_though_the_watch_gives_it(tmp_path: Path) -> None:
    done = run(tmp_path, f"deadline.offer('whole', b'all of it')\ndeadline.watch('prompt')\n{BLOCKS}")
    assert done.stdout == "all of it"
    assert outcomes(tmp_path) == [("s1", "prompt", "full", "whole")]


@pytest.mark.parametrize("body", ["deadline.folder = ''", "deadline.point = 'event'", "deadline.point = 'unknown'"])
def test_what_nobody_is_owed_is_not_counted(tmp_path: Path, home: Path, body: str) -> None:
    home.mkdir()
    run(tmp_path, f"{body}\ndeadline.watch('prompt')\n{BLOCKS}")
    assert outcomes(home) == outcomes(tmp_path) == []


def test_our_own_work_is_bounded_by_cpu_time_whatever_the_wall_time_allows(tmp_path: Path) -> None:
    roomy = "from holloway.hooks import deadline as module; module.HOOK_BUDGETS_MS = {'prompt': (3_000_000, 700)}\n"
    done = run(tmp_path, f"{roomy}deadline.watch('prompt')\n{COMPUTES}")
    assert done.returncode == 0
    assert outcomes(tmp_path) == [("s1", "prompt", "dropped", "")]


def test_each_event_of_one_process_begins_without_the_answer_of_the_one_before() -> None:
    deadline = Deadline()
    deadline.begin("event")
    deadline.offer("files", b"old")
    deadline.session = "old"
    deadline.begin("event")
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
    answer_log.append_answer(str(project_folder(memory)), "s1", "prompt", "degraded", "files", 4_000)
    answer_log.append_answer(str(project_folder(memory)), "s1", "prompt", "dropped", "", 4_000)
    answer_log.append_answer(str(project_folder(memory)), "s2", "prompt", "dropped", "", 4_000)
    hook(event(repository, "SessionEnd", reason="exit"))
    worker = [sys.executable, "-P", "-m", "holloway.worker", str(repository.root)]
    subprocess.run(worker, check=True, timeout=120)
    with FileLock(background_worker.lock_file(str(project_folder(memory))), timeout=120):
        figures = session_ledger.load_session_record(memory.store.database, "s1")
    assert (figures["answers_dropped"], figures["answers_degraded"]) == (1, {"files": 1})
    assert figures["answers"]["session_start"] == {"full": 1}
    assert figures["answer_ms_p95"] == 4_000


def test_a_prompt_that_cannot_reach_the_store_is_answered_with_the_files_that_have_its_words(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    memory.map.update()
    memory.close()
    with closing(sqlite3.connect(memory.project.database_path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        prompt = event(repository, "UserPromptSubmit", prompt="fix the refresh of auth tokens")
        answer = hook(prompt, environment=os.environ | {"HOLLOWAY_PATIENCE": "1"})
    assert "- src/shop/auth/tokens.py (speaks of " in answer.context
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
    assert outcomes(project_folder(memory)) == [("s1", "prompt", "dropped", "terminated")]


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
    assert [step for step, _ in offers] == ["rules", "whole"]
    for _, text in offers[:1]:
        assert "money is integer cents" in text
        assert "the tests hang without REDIS_URL" in text
        assert "Build and test" not in text
    assert "Build and test" in whole


def test_what_a_late_start_showed_is_not_shown_again_with_its_prompt(
    repository: Repository, memory: holloway.Holloway, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = taught(memory, "money is integer cents", type="decision", pin=True).id
    later: list[Callable[[], None]] = []
    monkeypatch.setattr(Deadline, "offer", lambda one, step, answer, then: later.append(then))
    for source in ("startup", "compact"):
        later.clear()
        ask(event(repository, "SessionStart", session="late", source=source))
        memory.store.database.execute("DELETE FROM injections")
        later[0]()
        shown = memory.store.database.fetch_rows("SELECT memory, context FROM injections WHERE session = 'late'")
        assert [row["memory"] for row in shown] == [rule]


def test_a_session_that_goes_on_is_offered_nothing_that_it_has(
    repository: Repository, memory: holloway.Holloway, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught(memory, "money is integer cents", type="decision", pin=True)
    ask(event(repository, "SessionStart", source="startup"))
    offers: list[str] = []
    monkeypatch.setattr(Deadline, "offer", lambda one, step, answer, then: offers.append(step))
    ask(event(repository, "SessionStart", source="resume"))
    assert offers == []


def test_a_prompt_offers_the_files_before_the_memories(
    repository: Repository, memory: holloway.Holloway, trap: str, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.map.update()
    offers: list[tuple[str, str]] = []
    monkeypatch.setattr(Deadline, "offer", lambda one, step, answer, then: offers.append((step, answer.decode())))
    prompt = "the token is refreshed twice in auth/tokens.py, why?"
    whole = ask(event(repository, "UserPromptSubmit", prompt=prompt)).context
    assert [step for step, _ in offers] == ["matching-files", "files", "whole"]
    assert all("src/shop/auth/tokens.py" in text and trap not in text for _, text in offers[:2])
    assert trap in whole


def test_status_and_doctor_tell_what_was_dropped(repository: Repository, memory: holloway.Holloway, trap: str) -> None:
    from holloway.service.doctor import examine
    from holloway.service.status import status

    folder = str(project_folder(memory))
    for outcome, step in (("full", ""), ("degraded", "files"), ("dropped", ""), ("dropped", "terminated")):
        answer_log.append_answer(folder, "s1", "prompt", outcome, step, 12.0)
    counted = status(memory)["answers"]
    # The clock of the tests stands still in the past; the log is written by real hooks.
    assert (counted["given"], counted["degraded"], counted["dropped"]) == (1, 1, 2)
    (check,) = [check for check in examine(repository.root, memory.home) if check.name == "answers"]
    assert check.seen == (
        "1 given, 1 shortened, 2 dropped in 7 days (prompt:deadline 1, prompt:files 1, prompt:terminated 1)"
    )
    assert str(check.finding) == "answers-dropped"


def test_the_status_line_tells_what_this_session_lost(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    from holloway.hooks import statusline

    answer_log.append_answer(str(project_folder(memory)), "s1", "prompt", "dropped", "", 4000)
    answer_log.append_answer(str(project_folder(memory)), "s2", "prompt", "degraded", "files", 4000)
    about = {"cwd": str(repository.root), "session_id": "s1"}
    assert statusline.line(json.dumps(about).encode()) == "holloway: 1 memory, 1 dropped"
    assert statusline.line(json.dumps(about | {"session_id": "s3"}).encode()) == "holloway: 1 memory"


def test_a_second_event_in_one_process_starts_from_nothing() -> None:
    deadline = Deadline()
    deadline.folder, deadline.session = "/first", "s1"
    deadline.begin("prompt")
    assert (deadline.folder, deadline.session, deadline.point) == ("/first", "s1", "prompt")
    deadline.offer("files", b"first")
    deadline.begin("tool_result")
    assert (deadline.folder, deadline.session, deadline.point) == ("", "", "tool_result")
    assert deadline._offered == ("", b"", None)


def test_an_event_gets_its_budget_in_a_process_that_watches_its_deadline() -> None:
    watched: list[str] = []

    class Watched(Deadline):
        def watch(self, point: str) -> None:
            watched.append(point)

    deadline = Watched()
    deadline.begin("prompt")
    assert watched == []
    deadline._watches = True
    deadline.begin("tool_result")
    assert watched == ["tool_result"]
