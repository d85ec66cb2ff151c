"""What the roles around a piece of work read, and how work goes on after days and between agents."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from holloway.config import PREFETCH_CUT_TOKENS, PREFETCH_FILES_MAX, PREFETCH_TOKENS_MAX
from holloway.domain import event as events
from holloway.domain import methodology, work
from holloway.domain.event import PlanItem
from holloway.domain.memory import Draft, Memory, MemoryType, Source, State
from holloway.domain.memory_details import Calibration, DeadEnd, Prefetch, Recipe, RecipeStep, WorkUnitOutcome
from holloway.domain.methodology import Methodology, Relay
from holloway.domain.work import Outcome, WorkUnit
from holloway.errors import InvalidInput
from holloway.injection import roles
from holloway.service.holloway import Holloway
from holloway.service.project_finder import pause, resume
from holloway.service.session import Session
from holloway.store.filter import Filter
from holloway.store.write_gate import sanitize_draft
from holloway.testing import FakeClock
from holloway.text.tokens import MARGIN, estimate_tokens
from tests.conftest import Repository
from tests.domain.made import a_memory

TOKENS, SESSION = "src/shop/auth/tokens.py", "src/shop/auth/session.py"
INVOICE = "src/shop/billing/invoice.py"
TRAP = "refresh() burns the token; call it once"


def edited(session: Session, path: str, line: str = "x = 1") -> None:
    session.used("Edit", {"file_path": path, "old_string": "", "new_string": line}, "ok")


def kept(memory: Holloway, draft: Draft) -> Memory:
    added = memory.store.memories.add_memory(sanitize_draft(draft, str(memory.project.root))).memory
    assert added is not None
    return added


@pytest.fixture
def mapped(memory: Holloway) -> Holloway:
    memory.map.update()
    return memory


@pytest.fixture
def heard() -> Iterator[list[tuple[WorkUnit, Outcome]]]:
    """A methodology of a user's own, forgotten again after the test, and what it hears of ends."""
    told: list[tuple[WorkUnit, Outcome]] = []
    way = Methodology(
        "kanban",
        "Cards",
        {"doing": work.Phase.IMPLEMENT},
        ("board", "card"),
        (Relay("tester", "fixer", frozenset({MemoryType.ERROR_PATTERN})),),
        on_complete=lambda unit, outcome: told.append((unit, outcome)),
        types={"working_agreement": MemoryType.DECISION},
        relay_text=lambda giver, taker, lines: f"{giver} > {taker}: {len(lines)}",
        work_text=lambda state, text: f"CARD {state.task}",
    )
    methodology.register(way)
    yield told
    methodology._known.pop("kanban")


@pytest.mark.promise("points")
def test_calibration_appears_at_three_sessions(mapped: Holloway) -> None:
    module = mapped.map.module_of(TOKENS)
    assert module
    for number in range(3):
        later = mapped.session(task=f"Change {TOKENS}")
        assert later.step_limit(base=40) == 40
        assert "times the planned steps" not in later.planner_context()
        with mapped.session(f"s{number}", task=f"Change {TOKENS}", planned_steps=4) as session:
            for step in range(12):
                edited(session, TOKENS, f"x = {step}")
            session.used("bash", {"command": "pytest -q"}, "12 passed in 0.31s")
    later = mapped.session(task=f"Change {TOKENS}")
    assert later.step_limit(base=40) == 80
    assert later.step_limit(base=300) == 500
    assert "times the planned steps (3 sessions)" in later.planner_context()


@pytest.mark.promise("roles")
def test_a_plan_knows_constraints_scope_and_rules(mapped: Holloway) -> None:
    mapped.remember("Server sessions were tried; they do not scale", files=[TOKENS], type="dead_end")
    causal = {"when": TOKENS, "then": INVOICE, "reason": "both know the token"}
    mapped.remember("tokens and invoices change together", files=[TOKENS], type="causal_dependency", details=causal)
    mapped.remember("Tokens live at most an hour", files=[TOKENS], type="requirement")
    mapped.remember("The logo is blue", type="decision")
    session = mapped.session(task=f"Rotate what {TOKENS} makes")
    said = session.planner_context()
    assert "- Constraint, a dead end: Server sessions were tried" in said
    assert f"- Scope: when {TOKENS} changes, {INVOICE} does too (both know the token) [hw:" in said
    assert "- Requirement: Tokens live at most an hour [hw:" in said
    assert "logo" not in said
    assert session.planner_context() == ""


@pytest.mark.promise("roles")
def test_a_specification_knows_requirements_decisions_preferences_and_patterns(mapped: Holloway) -> None:
    mapped.remember("Tests are named as sentences", type="preference")
    mapped.remember("Money is integer cents", type="decision")
    mapped.remember("Tokens live at most an hour", files=[TOKENS], type="requirement")
    mapped.remember("Handlers return a result, they do not raise", files=[TOKENS], type="pattern")
    mapped.remember("Builds are numbered without gaps", files=["README.md"], modules=["docs"], type="requirement")
    mapped.remember("refresh() burns the token", files=[TOKENS], type="gotcha")
    session = mapped.session(task=f"Rotate what {TOKENS} makes")
    said = session.spec_context().split("\n")
    assert said[0] == "holloway: for specifying this, from earlier sessions:"
    assert [text.split(": ")[0] for text in said[1:]] == ["- Requirement", "- Decision", "- Preference", "- Pattern"]
    assert "Tokens live at most an hour" in said[1]
    assert session.spec_context() == ""


@pytest.mark.promise("roles")
def test_a_check_knows_what_failed_before_and_what_to_look_at(mapped: Holloway) -> None:
    error = {"error": "jwt expired at the 24 h boundary", "fix": "verify with a leeway of 10 s"}
    mapped.remember("expiry at the boundary", files=[TOKENS], type="error_pattern", details=error)
    for kind, text in (("timing", "The modal needs 300 ms"), ("precondition", "Log in as ada first")):
        mapped.remember(text, files=[TOKENS], type="e2e_observation", details={"kind": kind})
    lines = mapped.session(agent="qa").qa_context([TOKENS]).split("\n")
    assert lines[1].startswith(
        "- Known failure: jwt expired at the 24 h boundary; what solved it: verify with a leeway of 10 s [hw:"
    )
    assert lines[2].startswith("- Seen in the application (precondition): Log in as ada first")
    assert lines[3].startswith("- Seen in the application (timing): The modal needs 300 ms")


def left_behind(memory: Holloway) -> None:
    """A session that ends with a plan half done and a red test."""
    unit = ("spec-42", "subtask-3")
    with memory.session("first", task="Rotate refresh tokens", agent="coder", work_unit=unit, way="native") as session:
        items = (PlanItem("write rotate()", True), PlanItem("revoke the old token"), PlanItem("document it"))
        session.observe(events.Plan(session.now(), items))
        edited(session, TOKENS)
        red = "FAILED tests/auth/test_tokens.py::test_rotation_race - AssertionError\n1 failed in 0.3s"
        session.used("bash", {"command": "pytest tests/auth"}, red, ok=False)


def commit_as(root: Path, author: str, message: str, at: str) -> None:
    (root / TOKENS).write_text(f"# {message}\n", "utf-8")
    identity = ["-c", f"user.name={author}", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false"]
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    subprocess.run(["git", *identity, "commit", "-qam", message], cwd=root, env=os.environ | dates, check=True)


@pytest.mark.promise("resume")
def test_resume_after_days_tells_how_far_the_work_was_and_that_its_files_changed_since(
    memory: Holloway, repository: Repository, clock: FakeClock
) -> None:
    clock.advance(hours=1)
    left_behind(memory)
    clock.advance(days=3)
    commit_as(repository.root, "Ada", "Store tokens hashed", "2026-01-07T09:00:00Z")
    session = memory.session(task="go on")
    said = session.resume()
    assert said.startswith('Open work, 3 days ago: "Rotate refresh tokens", 1 of 3 steps done [hw:')
    assert f"Not committed then: {TOKENS}" in said
    assert "Since then, on those files: 1 commit (" in said
    assert not any(quoted in said for quoted in ("rotate()", "revoke", "rotation_race", "Ada", "hashed"))
    assert 'Open work, 3 days ago: "Rotate refresh tokens"' in session.brief()


@pytest.mark.promise("resume")
def test_unfinished_work_is_told_of_for_a_month_and_not_from_quarantine(memory: Holloway, clock: FakeClock) -> None:
    left_behind(memory)
    clock.advance(days=29)
    assert not memory.prune().faded
    assert memory.session().resume().startswith("Open work, 29 days ago")
    state = memory.work_state()
    assert state is not None
    memory.store.memories.update_memory(state, "tainted", state=State.QUARANTINED)
    assert memory.session().resume() == ""
    memory.confirm(state.id)
    clock.advance(days=31)
    assert memory.session().resume() == ""
    assert memory.prune().faded == (state.id,)


@pytest.mark.promise("roles")
def test_a_second_attempt_knows_the_first(memory: Holloway) -> None:
    left_behind(memory)
    memory.remember("Locking the token row was tried; it deadlocks", files=[TOKENS], type="dead_end")
    session = memory.session(
        "second", task="Rotate refresh tokens", agent="coder", work_unit=("spec-42", "subtask-3"), way="native"
    )
    said = session.recovery_context()
    assert "- The attempt: Spec spec-42 / Subtask subtask-3 did not succeed in 2 steps" in said
    assert "Locking the token row was tried" in said
    assert 'Open work, today: "Rotate refresh tokens"' in said


@pytest.mark.promise("roles")
def test_one_role_hands_to_the_next_what_it_needs(memory: Holloway) -> None:
    unit = WorkUnit("native", ("spec-42",))
    shared = {"agent": "qa_reviewer", "work_unit": unit, "source": Source.USER_TAUGHT}
    kept(memory, Draft("expiry fails at midnight", MemoryType.ERROR_PATTERN, **shared))  # type: ignore[arg-type]
    kept(memory, Draft("the review took an hour", MemoryType.MODULE_INSIGHT, **shared))  # type: ignore[arg-type]
    elsewhere = shared | {"work_unit": WorkUnit("native", ("spec-7",))}
    kept(memory, Draft("totals are off by one", MemoryType.ERROR_PATTERN, **elsewhere))  # type: ignore[arg-type]
    reviewer = memory.session(agent="qa_reviewer", work_unit=("spec-42",), way="native")
    reviewer.record("the token is logged", type="requirement")
    reviewer.record("nice naming", type="pattern")
    fixer = memory.session(agent="qa_fixer", work_unit=("spec-42", "fix"), way="native")
    fixer.siblings.append(reviewer)
    said = fixer.relay("qa_reviewer", "qa_fixer")
    assert said.split("\n")[0] == "holloway: from qa_reviewer to qa_fixer:"
    assert "- Error pattern: expiry fails at midnight" in said
    assert "- Noted, not yet validated (requirement): the token is logged" in said
    for other in ("an hour", "off by one", "nice naming"):
        assert other not in said
    with pytest.raises(InvalidInput, match="hands nothing from 'coder' to 'planner'"):
        fixer.relay("coder", "planner")


@pytest.mark.promise("quarantine")
def test_a_note_that_repeats_a_web_page_is_not_handed_on(memory: Holloway) -> None:
    page = "The client keeps its release tokens in the harbour vault, which every worker may open without a password."
    coder = memory.session(agent="coder", way="native")
    coder.record("refresh() burns the token", type="gotcha")
    coder.used("WebFetch", {"url": "https://docs.example.org/x"}, page)
    coder.record("The client keeps its release tokens in the harbour vault", type="gotcha")
    reviewer = memory.session(agent="qa_reviewer", way="native")
    reviewer.siblings.append(coder)
    said = reviewer.relay("coder", "qa_reviewer")
    assert "refresh() burns the token" in said
    assert "harbour" not in said


@pytest.mark.promise("roles", "methodologies")
def test_a_methodology_of_ones_own_maps_words_and_hears_of_the_end(
    memory: Holloway, heard: list[tuple[WorkUnit, Outcome]]
) -> None:
    left_behind(memory)
    with memory.session(task="t", phase="doing", work_unit=("b1", "c2"), way="kanban", agent="fixer") as session:
        assert session.resume() == "CARD Rotate refresh tokens"
        tester = memory.session(agent="tester", work_unit=("b1",), way="kanban")
        tester.record("boom", type="error_pattern")
        session.siblings.append(tester)
        assert session.relay("tester", "fixer") == "tester > fixer: 1"
        session.siblings.clear()
        assert session.pad.start is not None
        assert session.pad.start.phase == work.Phase.IMPLEMENT
        session.finish(outcome="success")
    assert heard == [(WorkUnit("kanban", ("b1", "c2"), "Board b1 / Card c2"), Outcome.SUCCESS)]


@pytest.mark.promise("roles", "methodologies")
def test_a_methodology_may_add_types_each_a_kind_of_one_of_ours(
    memory: Holloway, heard: list[tuple[WorkUnit, Outcome]]
) -> None:
    with memory.session("s1", way="kanban", type="build") as session:
        session.record("The board shows at most three cards in each column", type="working_agreement")
        edited(session, TOKENS)
        session.used("bash", {"command": "pytest -q"}, "12 passed in 0.31s")
    (found,) = memory.memories(Filter(types=(MemoryType.DECISION,)))
    assert found.content == "Working agreement: The board shows at most three cards in each column"


@pytest.mark.promise("roles")
def test_siblings_see_each_other_at_work_and_change_nothing(memory: Holloway) -> None:
    one, two = memory.session("one", task="Split tokens"), memory.session("two")
    two.siblings.append(one)
    before = two.siblings[0].view()
    edited(one, TOKENS)
    one.used("bash", {"command": "pytest -q"}, "FAILED tests/test_x.py::test_y - KeyError: 'a'", ok=False)
    one.record("refresh() burns the token")
    seen = two.siblings[0].view()
    assert before.editing == ()
    assert (seen.task, seen.editing, seen.recorded) == ("Split tokens", (TOKENS,), ("refresh() burns the token",))
    assert seen.failing
    with pytest.raises(AttributeError):
        seen.task = "mine"  # type: ignore[misc]


@pytest.mark.promise("prefetch")
def test_files_are_handed_over_within_the_budget(memory: Holloway, repository: Repository) -> None:
    def write(name: str, lines: int) -> str:
        (repository.root / name).write_text("value = compute(one, two)\n" * lines, "utf-8")
        return name

    big, always = write("src/big.py", 3_000), [write(f"src/a{n}.py", 500) for n in range(6)]
    often = [write(f"src/o{n}.py", 20) for n in range(9)]
    gone, inside = "src/gone.py", "README.md"
    details = Prefetch("auth", (big, gone, inside, *always), tuple(often), 10)
    draft = Draft("auth opens these", MemoryType.PREFETCH_PATTERN, details=details, modules=("auth",))
    kept(memory, draft)
    plan = memory.session().prefetch("auth", skip=[inside])
    paths = [file.path for file in plan.files]
    assert paths[:2] == [big, always[0]]
    assert gone not in paths
    assert inside not in paths
    assert len(paths) <= PREFETCH_FILES_MAX
    assert plan.tokens <= PREFETCH_TOKENS_MAX
    assert plan.files[0].cut
    assert estimate_tokens(plan.files[0].text) * MARGIN <= PREFETCH_CUT_TOKENS
    assert plan.files[0].text.endswith("\n")
    assert not plan.files[1].cut
    assert plan.left_out
    assert memory.session().prefetch("billing").files == ()


@pytest.mark.promise("points")
def test_two_parallel_sessions_merge_with_a_quorum_and_their_conflict_is_found(memory: Holloway) -> None:
    def worker(name: str) -> Session:
        session = memory.session(name, agent=name, task="Split the token module", type="build")
        edited(session, TOKENS, f"owner = '{name}'")
        for path in (SESSION, INVOICE):
            session.used("Read", {"file_path": path}, "")
            edited(session, path, f"touched_by = '{name}'")
        session.record("The token module is loaded before the settings are read", type="gotcha")
        session.used("bash", {"command": "pytest -q"}, "12 passed in 0.31s")
        return session

    one, two = worker("one"), worker("two")
    one.siblings.append(two)
    learned = one.finish(outcome="success")
    names = {str(each.signal.name): each.signal for each in learned.promotion.candidates}
    assert names["parallel_conflict"].facts["agents"] == ["one", "two"]
    assert max(signal.actors for signal in names.values()) == 2


@pytest.mark.promise("pause")
def test_a_paused_project_captures_and_injects_nothing(mapped: Holloway, repository: Repository) -> None:
    mapped.remember(TRAP, files=[TOKENS], type="gotcha")
    mapped.remember("Redis was tried", files=[TOKENS], type="dead_end")
    prompt = f"Change refresh() in {TOKENS}"
    pause(str(repository.root))
    before = mapped.store.memories.count_memories(Filter())
    with mapped.session("quiet", task=prompt) as session:
        said = [session.brief(), session.context_for(prompt), session.used("Read", {"file_path": TOKENS}, "")]
        said += [session.before_step(), session.search_first("refresh") or "", session.resume()]
        said += [session.planner_context(), session.qa_context([TOKENS]), session.recovery_context()]
        assert said == [""] * len(said)
        assert session.pad.events == 0
    assert mapped.store.memories.count_memories(Filter()) == before
    assert mapped.store.database.fetch_value("SELECT COUNT(*) FROM sessions") == 0
    resume(str(repository.root))
    again = mapped.session("loud", task=prompt)
    assert TRAP in again.used("Read", {"file_path": TOKENS}, "")
    assert again.pad.events == 3


def test_a_calibration_with_two_samples_changes_nothing(mapped: Holloway) -> None:
    module = mapped.map.module_of(TOKENS)
    details = Calibration(module, 40.0, 10.0, 2)
    kept(mapped, Draft("auth takes longer", MemoryType.TASK_CALIBRATION, details=details, modules=(module,)))
    assert mapped.session(task=f"Change {TOKENS}").step_limit(base=40) == 40


@pytest.mark.promise("session-record")
def test_the_record_tells_when_a_memory_was_shown_and_which_files_were_handed_over_for_nothing(
    memory: Holloway, clock: FakeClock
) -> None:
    told = memory.remember(TRAP, files=[TOKENS], type="gotcha").memory
    assert told is not None
    details = Prefetch("auth", (TOKENS, SESSION))
    kept(memory, Draft("auth opens these", MemoryType.PREFETCH_PATTERN, details=details, modules=("auth",)))
    with memory.session("s1") as session:
        handed_over = session.prefetch("auth").files
        tokens_handed_over = [file.tokens for file in handed_over]
        assert [file.path for file in handed_over] == [TOKENS, SESSION]
        clock.advance(seconds=90)
        session.used("Read", {"file_path": TOKENS}, "def refresh(token): ...")
    assert session.learned is not None
    record = session.learned.record
    assert (record["prefetched"], record["prefetched_read_again"]) == (2, 1)
    assert (record["prefetched_tokens"], record["prefetch_hit_rate"]) == (sum(tokens_handed_over), 0.5)
    ((shown, point, tokens, seconds),) = record["shown"]
    assert (shown, point, seconds) == (told.id, "tool_result", 90)
    assert tokens > 0


def failed_attempt(memory: Holloway, number: int, unit: tuple[str, ...], files: tuple[str, ...] = ()) -> Memory:
    """The outcome of a session that did not succeed."""
    label = " / ".join(unit)
    draft = Draft(
        f"Attempt {number} of {label} failed",
        MemoryType.WORK_UNIT_OUTCOME,
        details=WorkUnitOutcome(succeeded=False, failure="race"),
        files=files,
        session=f"s{number}",
        work_unit=WorkUnit("native", unit, label),
    )
    return kept(memory, draft)


@pytest.mark.promise("roles")
def test_a_second_attempt_reads_of_two_attempts_at_its_work_and_without_a_work_unit_of_one(
    memory: Holloway, clock: FakeClock
) -> None:
    for number in range(3):
        failed_attempt(memory, number, ("spec-42", "subtask-3"))
        clock.advance(hours=1)
    failed_attempt(memory, 9, ("spec-7",))
    again = memory.session("again", task="go on", work_unit=("spec-42", "subtask-3"), way="native")
    assert [text[:24] for text in again.recovery_context().split("\n")[1:]] == [
        "- The attempt: Attempt 2",
        "- The attempt: Attempt 1",
    ]
    inner = memory.session("inner", task="go on", work_unit=("spec-42",), way="native")
    assert inner.recovery_context().count("spec-42 / subtask-3") == 2
    free = memory.session("free", task="go on")
    assert free.recovery_context().count("- The attempt:") == 1


@pytest.mark.promise("roles")
def test_a_second_attempt_reads_the_dead_ends_of_the_first_each_once(memory: Holloway) -> None:
    failed_attempt(memory, 1, ("spec-42",), (TOKENS,))
    dead_end = {"type": MemoryType.DEAD_END, "state": State.CONFIRMED, "source": Source.USER_TAUGHT}
    kept(memory, Draft("Locking in another file deadlocks", session="s1", files=(INVOICE,), **dead_end))  # type: ignore[arg-type]
    kept(memory, Draft("Hashing the cookie was too slow", files=(TOKENS,), **dead_end))  # type: ignore[arg-type]
    kept(memory, Draft("Kerning broke the logo", session="s2", files=("README.md",), **dead_end))  # type: ignore[arg-type]
    kept(memory, Draft("Swallowing zebra errors hid crashes", session="s3", files=("README.md",), **dead_end))  # type: ignore[arg-type]
    again = memory.session("again", task="Handle zebra errors", work_unit=("spec-42",), way="native")
    said = again.recovery_context()
    for text in ("Locking in another", "Hashing the cookie", "Swallowing zebra"):
        assert said.count(text) == 1
    assert "Kerning" not in said
    assert said.index("Swallowing") > max(said.index("Locking"), said.index("Hashing"))


def test_a_role_hands_on_the_latest_first(memory: Holloway, clock: FakeClock) -> None:
    for text in ("the schema comes first", "the cache comes second"):
        kept(memory, Draft(text, MemoryType.DECISION, agent="planner", confidence=0.9))
        clock.advance(hours=1)
    said = memory.session(agent="coder", way="native").relay("planner", "coder")
    assert said.index("the cache") < said.index("the schema")


def test_a_recipe_is_told_with_the_times_it_worked_and_its_steps() -> None:
    steps = (RecipeStep("edit urls.py"), RecipeStep("run it"))
    recipe = a_memory(MemoryType.WORKFLOW_RECIPE, details=Recipe("add a route", steps, success_count=3))
    once = a_memory(MemoryType.WORKFLOW_RECIPE, details=Recipe("add a route", steps), sessions=("s1",))
    lines = [roles.render_planner([memory]).text.split("\n")[1] for memory in (recipe, once)]
    assert lines[0] == "- Done before (3 times): add a route; steps: edit urls.py -> run it [hw:abcdef]"
    assert lines[1].startswith("- Done before (once): add a route")


def test_memories_without_details_are_told_by_their_summary() -> None:
    told = {"summary": "watch the cache", "details": None}
    planned = [MemoryType.CAUSAL_DEPENDENCY, MemoryType.WORKFLOW_RECIPE]
    text = roles.render_planner([a_memory(kind, **told) for kind in planned]).text
    assert "- Causal dependency: watch the cache [hw:abcdef]" in text
    assert "- Workflow recipe: watch the cache [hw:abcdef]" in text
    checked = [MemoryType.ERROR_PATTERN, MemoryType.E2E_OBSERVATION]
    text = roles.render_qa([a_memory(kind, **told) for kind in checked]).text
    assert "- Known failure: watch the cache [hw:abcdef]" in text
    assert "- Seen in the application (behaviour): watch the cache [hw:abcdef]" in text


def test_a_doubt_and_a_reason_that_the_summary_does_not_give_are_told() -> None:
    details = DeadEnd("Redis", "CI has none")
    memory = a_memory(MemoryType.DEAD_END, summary="Redis for sessions", details=details, state=State.UNCONFIRMED)
    line = roles.render_recovery([memory], "", "").text.split("\n")[1]
    assert line == "- Constraint, a dead end, unconfirmed: Redis for sessions; CI has none [hw:abcdef]"
    said = a_memory(MemoryType.DEAD_END, summary="Redis: CI has none", details=details)
    assert roles.render_recovery([said], "", "").text.count("CI has none") == 1


def test_without_a_module_no_figures_of_other_modules_are_used(memory: Holloway) -> None:
    figures = Calibration("auth", 30, 10, 5)
    kept(memory, Draft("steps", MemoryType.TASK_CALIBRATION, details=figures, modules=("auth",)))
    assert memory.session(task="").step_limit(base=40) == 40
