import pytest

from holloway.domain.event import Started
from holloway.domain.work import Outcome, Phase, SessionType
from holloway.observer.activity import SessionActivity
from holloway.observer.outcome import classify_session, infer_outcome, infer_session_type
from holloway.observer.scratchpad import Scratchpad
from tests.observer.story import Story


@pytest.mark.promise("what-it-was-for")
@pytest.mark.parametrize(
    ("story", "expected"),
    [
        (Story().edit("src/a.py"), SessionType.BUILD),
        (Story().read("src/a.py").search("x"), SessionType.INSIGHTS),
        (Story().edit("CHANGELOG.md"), SessionType.CHANGELOG),
        (Story().edit("docs/roadmap.md"), SessionType.ROADMAP),
        (Story().edit("docs/plans/new-cache.md"), SessionType.SPEC_CREATION),
        (Story().read("a.py").plan(mode=True), SessionType.SPEC_CREATION),
        (Story().user("Review this PR please").read("a.py"), SessionType.PR_REVIEW),
        (Story().shell("docker ps").shell("kubectl get pods").shell("make deploy"), SessionType.TERMINAL),
        (Story(), SessionType.INSIGHTS),
    ],
)
def test_what_a_session_was_for(story: Story, expected: SessionType) -> None:
    kind, why = infer_session_type(story.account())
    assert kind is expected
    assert why


@pytest.mark.promise("outcome")
@pytest.mark.parametrize(
    ("story", "expected"),
    [
        (Story().edit("a.py").green(), Outcome.SUCCESS),
        (Story().edit("a.py").red(), Outcome.FAILURE),
        (Story().edit("a.py").green().edit("a.py"), Outcome.PARTIAL),
        (Story().edit("a.py").red().green(), Outcome.SUCCESS),
        (Story().edit("a.py").commit(), Outcome.SUCCESS),
        (Story().edit("a.py").commit().edit("a.py"), Outcome.PARTIAL),
        (Story().edit("a.py").red().commit(), Outcome.SUCCESS),
        (Story().edit("a.py"), Outcome.PARTIAL),
        (Story().edit("a.py").interrupted(), Outcome.CANCELLED),
        (Story().user("Fix it").interrupted(), Outcome.CANCELLED),
        (Story().edit("a.py").interrupted().user("No, we always use integer cents for money"), Outcome.PARTIAL),
        (Story().edit("a.py").interrupted().user("Go on").interrupted(), Outcome.CANCELLED),
        (Story().edit("a.py").interrupted().user("Use the other file instead").edit("b.py"), Outcome.PARTIAL),
        (Story().edit("a.py").qa(passed=True), Outcome.SUCCESS),
        (Story().edit("a.py").green().qa("broken", passed=False), Outcome.FAILURE),
        (Story().edit("a.py").green().ends(Outcome.FAILURE), Outcome.FAILURE),
        (Story(), Outcome.PARTIAL),
    ],
)
def test_how_a_session_ended(story: Story, expected: Outcome) -> None:
    outcome, proof = infer_outcome(story.account())
    assert outcome is expected
    assert proof


@pytest.mark.promise("outcome", "what-it-was-for")
def test_what_the_caller_says_stands() -> None:
    pad = Scratchpad()
    pad.add_event(Started(0.0, "s", type=SessionType.PR_REVIEW, phase=Phase.REFINE))
    judged = classify_session(SessionActivity(pad))
    assert (judged.type, judged.phase) == (SessionType.PR_REVIEW, Phase.REFINE)
    assert "the caller said so" in judged.evidence


def test_the_evidence_names_the_run_that_decided() -> None:
    assert "npm test" in classify_session(Story().edit("a.ts").green("npm test").account()).evidence


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        (Story().read("a.py").shell("gh pr diff 7"), SessionType.PR_REVIEW),
        (Story().read("a.py").user("Look at the cache"), SessionType.INSIGHTS),
        (Story().shell("docker ps").shell("make deploy").read("a.py"), SessionType.INSIGHTS),
        (Story().shell("docker ps").shell("make deploy").shell("uptime").read("a.py"), SessionType.TERMINAL),
        (Story().edit("CHANGELOG.md").edit("src/a.py"), SessionType.BUILD),
        (Story().edit("SPEC-cache.md"), SessionType.SPEC_CREATION),
        (Story().edit("docs/specification.md"), SessionType.BUILD),
    ],
)
def test_the_type_follows_most_of_what_was_done(story: Story, expected: SessionType) -> None:
    assert infer_session_type(story.account())[0] is expected


@pytest.mark.parametrize(
    ("kind", "phase"),
    [
        (Story().edit("src/a.py"), Phase.IMPLEMENT),
        (Story().read("src/a.py"), Phase.EXPLORE),
        (Story().edit("docs/roadmap.md"), Phase.DEFINE),
        (Story().shell("docker ps"), Phase.REFINE),
        (Story().edit("CHANGELOG.md"), Phase.REFLECT),
        (Story().user("Review this PR please"), Phase.VALIDATE),
    ],
)
def test_the_phase_follows_from_the_type(kind: Story, phase: Phase) -> None:
    assert classify_session(kind.account()).phase is phase


@pytest.mark.parametrize(
    ("story", "evidence"),
    [
        (Story().edit("a.py").edit("b.py"), "build: 2 files edited; partial: it just ended"),
        (Story().edit("a.py"), "build: 1 file edited; partial: it just ended"),
        (Story().edit("a.py").commit(), "build: 1 file edited; success: the change was committed"),
        (
            Story().edit("a.py").commit().edit("a.py"),
            "build: 1 file edited; partial: a part was committed, edits came after it",
        ),
        (
            Story().edit("a.py").red(".venv/bin/pytest"),
            "build: 1 file edited; failure: the last test run was red (pytest)",
        ),
    ],
)
def test_the_evidence_says_what_decided(story: Story, evidence: str) -> None:
    assert classify_session(story.account()).evidence == evidence
