"""Findings of a review are kept if the session changed the file that they name, or if the person declined them."""

import pytest

from holloway.domain.memory import MemoryType
from holloway.observer.signals import reviews
from holloway.observer.signals.reviews import REVIEW_FINDINGS_MAX, detect_declined_findings, detect_review_findings
from holloway.observer.signals.signal import SignalName
from tests.observer.story import Story

FINDING = (
    "tokens.py: the cache must not be shared between threads because `refresh` is not atomic: two threads would write "
    "the same token at once."
)
REPORT = f"# Code review\n\nTwo findings:\n\n1. {FINDING}\n2. Nice tests.\n"


def texts(story: Story) -> list[str]:
    return [str(signal.facts["text"]) for signal in detect_review_findings(story.account())]


def test_a_finding_of_a_subagent_is_kept_if_the_session_then_changed_its_file() -> None:
    story = Story().read("src/tokens.py").delegate(REPORT).edit("src/tokens.py", added=["lock"])
    (signal,) = detect_review_findings(story.account())
    assert (signal.name, signal.files) == (SignalName.AGENT_NOTE, ("src/tokens.py",))
    assert (signal.facts["text"], signal.quotes) == (FINDING, (FINDING,))
    assert "pasted" not in signal.facts


def test_a_finding_on_which_nobody_acted_is_not_kept() -> None:
    assert texts(Story().edit("src/tokens.py", added=["x"]).delegate(REPORT)) == []
    assert texts(Story().edit("src/tokens.py").delegate(REPORT).edit("src/other.py", added=["x"])) == []
    assert texts(Story().read("src/tokens.py").delegate(REPORT).edit("src/tokens.py", added=["x"], ok=False)) == []


def test_a_report_that_is_no_review_is_not_read() -> None:
    story = Story().read("src/tokens.py").delegate(REPORT.replace("review", "map").replace("findings", "things"))
    assert texts(story.edit("src/tokens.py", added=["lock"])) == []


def test_a_pasted_review_is_marked_and_typed_words_are_no_finding() -> None:
    prompt = f"Copilot left a review, please look:\n\n```\n{FINDING}\n```"
    story = Story().read("src/tokens.py").user(prompt).edit("src/tokens.py", added=["lock"])
    (signal,) = detect_review_findings(story.account())
    assert (signal.facts["text"], signal.facts["pasted"]) == (FINDING, True)
    typed = Story().read("src/tokens.py").user(f"My review: {FINDING}").edit("src/tokens.py", added=["lock"])
    assert texts(typed) == []


def test_a_finding_has_its_score_to_three_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "score_passage", lambda text, context, speaker: 0.91239)
    story = Story().read("src/tokens.py").delegate(REPORT).edit("src/tokens.py", added=["lock"])
    assert {signal.facts["score"] for signal in detect_review_findings(story.account())} == {0.912}


def test_findings_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "score_passage", lambda text, context, speaker: 0.9)
    items = "".join(
        f"- tokens.py is wrong in line {number} of the cache\n" for number in range(REVIEW_FINDINGS_MAX + 2)
    )
    story = Story().read("tokens.py").delegate(f"Review:\n\n{items}").edit("tokens.py", added=["x"])
    assert len(texts(story)) == REVIEW_FINDINGS_MAX


@pytest.mark.parametrize(
    "answer",
    ["1 yes, 2 no", "1. fix it\n2. leave it, it is wanted", "2: by design", "1) yes 3) later\n2) don't touch it"],
)
def test_a_finding_that_the_person_declines_says_what_is_wanted(answer: str) -> None:
    review = "The review has three findings:\n\n1. The cache leaks.\n2. `total` rounds twice.\n3. A typo."
    (signal,) = detect_declined_findings(Story().says(review, thinking=False).user(answer).account())
    assert (signal.name, signal.type) == (SignalName.USER_STATEMENT, MemoryType.PREFERENCE)
    assert "`total` rounds twice." in str(signal.facts["text"])
    assert signal.facts["declined"] is True


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("The review has two findings:\n\n1. The cache leaks.\n2. A typo.", "1 yes, 2 later"),
        ("The review has two findings:\n\n1. The cache leaks.\n2. A typo.", "3 no"),
        ("Which files shall I open?\n\n1. tokens.py\n2. total.py", "1 yes, 2 no"),
        ("The review found one thing, the cache leaks.", "2 no"),
    ],
)
def test_other_answers_decline_nothing(message: str, answer: str) -> None:
    assert list(detect_declined_findings(Story().says(message, thinking=False).user(answer).account())) == []
