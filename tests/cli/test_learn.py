"""The learn command: past sessions are listed, read once, and the result is told."""

from pathlib import Path

import click
import pytest

from holloway.capture.session_files import Transcript
from holloway.cli.learn import learn_command, print_learned
from holloway.cli.recall import PHASES
from holloway.domain.work import Phase
from holloway.service.past_sessions import AGENTS, PastLessons, PastSessions
from tests.cli.conftest import Cli
from tests.conftest import Repository
from tests.service.on_disk import transcript


def test_what_can_be_chosen_here_is_what_the_program_knows() -> None:
    (agent,) = (each for each in learn_command.params if each.name == "agent")
    assert isinstance(agent.type, click.Choice)
    assert tuple(agent.type.choices) == AGENTS
    assert tuple(Phase) == PHASES


def describe(past: PastSessions, lessons: PastLessons, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    print_learned(past, lessons)
    return capsys.readouterr().out.splitlines()


SESSION = Transcript("codex", Path("/x/rollout.jsonl"), "s1", 0.0, 10, 0.0)


def test_the_result_is_told_with_what_was_skipped_and_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    past = PastSessions((SESSION,), (SESSION,), known=1_200, running=2)
    lessons = PastLessons(read=1, kept={"a1", "b2"}, to_review=1, held=3, failed=["s9: no"], interrupted=True)
    assert describe(past, lessons, capsys) == [
        "1 session read; 1,200 already read, 2 still running",
        "  2 memories stored, 1 of them waiting for review; 3 held until their work is committed or tested",
        "  could not learn from s9: no",
        "Interrupted: finished sessions are stored; `holloway learn` continues from there.",
        "Next: review what was learned with `holloway review`.",
    ]


def test_sessions_that_taught_nothing_say_where_the_reason_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert describe(PastSessions((SESSION,), (SESSION,)), PastLessons(read=2), capsys) == [
        "2 sessions read",
        "  no memory stored; `holloway explain SESSION --dropped` shows why",
    ]


@pytest.mark.parametrize(
    ("known", "running", "reason"),
    [
        (0, 0, ": no agent session of this project is on this machine"),
        (3, 0, "; 3 already read"),
        (0, 1, "; 1 still running"),
    ],
)
def test_nothing_to_learn_from_has_a_reason(
    known: int, running: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = describe(PastSessions((), (), known, running), PastLessons(), capsys)
    assert told == [f"Nothing new to learn from{reason}."]


def test_a_dry_run_lists_the_sessions_and_reads_none(cli: Cli, repository: Repository) -> None:
    for number in range(12):
        transcript(repository.root, f"before-{number}", number)
    told = cli("learn", "--dry-run").out.splitlines()
    assert told[0].startswith("12 sessions would be read (0.0 MB)")
    assert told[1] == "  2026-01-04 09:00  claude-code  before-0"
    assert len(told) == 12
    assert told[-1] == "  and 2 more"
    rows = cli("learn", "--dry-run", "--json").json["sessions"]
    assert (len(rows), rows[0]["session"], rows[0]["started_at"]) == (12, "before-0", "2026-01-04T09:00:00+00:00")
    assert rows[0]["bytes"] == Path(rows[0]["path"]).stat().st_size


def test_sessions_are_chosen_by_day_and_by_agent_and_read_once(cli: Cli, repository: Repository) -> None:
    transcript(repository.root, "before")
    assert cli("learn", "--dry-run", "--agent", "codex", "--json").json["sessions"] == []
    assert cli("learn", "--dry-run", "--since", "2026-01-06", "--json").json["sessions"] == []
    done = cli("learn", "--since", "2026-01-01", "--agent", "claude-code", "--json").json
    assert (done["read"], done["known"], done["failed"], done["interrupted"]) == (1, 0, [], False)
    assert len(done["kept"]) == 1
    assert cli("learn", "--json").json["known"] == 1
