"""Passages become signals: by rank, by speaker, and an agent's words only if no edit came after them."""

from __future__ import annotations

import pytest

from holloway.domain import event as events
from holloway.domain.memory import MemoryType
from holloway.observer.passage_ranker import score_passage
from holloway.observer.signals import explanations
from holloway.observer.signals.explanations import CONCLUSIONS_MAX, detect_explanations
from holloway.observer.signals.signal import Signal, SignalName
from tests.observer.story import Story

LESSON = "The cache must not be shared between threads because `refresh` is not atomic: two threads would write it."
OTHER = (
    "Without the explicit flush the last line is lost when the process is killed, because it is only written on close."
)
REPORT = "Updated the readme and bumped the version to 1.2.3."
RULE = "The invoice must not be rounded before the sum because the tax office does not accept it otherwise."


def detect(story: Story) -> list[Signal]:
    return list(detect_explanations(story.account()))


def texts(story: Story) -> list[str]:
    return [str(signal.facts["text"]) for signal in detect(story)]


def test_the_conclusion_of_an_agent_after_its_last_edit_is_told() -> None:
    (signal,) = detect(Story().edit("a.py", added=["x"]).says(f"{LESSON}\n\n{REPORT}", thinking=False))
    assert (signal.name, signal.quotes, signal.type) == (SignalName.CONCLUSION, (LESSON,), None)
    assert (signal.facts["text"], signal.facts["speaker"]) == (LESSON, "agent")
    assert signal.facts["score"] == round(score_passage(LESSON, "", "agent"), 3)


def test_the_words_of_an_agent_before_an_edit_are_not_told() -> None:
    early = Story().edit("a.py", added=["x"]).says(LESSON, thinking=False)
    assert texts(early) == [LESSON]
    assert texts(early.edit("b.py", added=["y"])) == []
    assert texts(early.says(OTHER, thinking=False)) == [OTHER]


def test_a_failed_edit_overtakes_nothing() -> None:
    story = Story().edit("a.py", added=["x"]).says(LESSON, thinking=False).edit("b.py", added=["y"], ok=False)
    assert texts(story) == [LESSON]


def test_the_words_of_an_agent_that_edits_nothing_are_told() -> None:
    assert texts(Story().says(LESSON, thinking=False)) == [LESSON]


def test_a_report_is_not_told() -> None:
    assert texts(Story().says(REPORT, thinking=False).commit(f"Release\n\n{REPORT}")) == []


def test_the_words_of_a_subagent_are_not_told() -> None:
    assert texts(Story(actor="sub").says(LESSON, thinking=False)) == []


def test_a_summary_is_told_although_an_edit_follows() -> None:
    summary = events.Summarized(1_001.0, f"1. Errors and fixes:\n   - {LESSON}\n2. Next step:\n   - {OTHER}")
    (signal,) = detect(Story().event(summary).edit("a.py", added=["x"]))
    assert (signal.name, signal.facts["text"]) == (SignalName.CONCLUSION, LESSON)


def test_the_body_of_a_commit_is_told_with_its_hash_and_no_file_that_was_edited_before() -> None:
    story = Story().edit("old.py", added=["x"]).commit("Begin", "1111111").edit("a.py", added=["x"])
    (signal,) = detect(story.commit(f"Share it\n\n{LESSON}", "2222222").edit("later.py"))
    assert (signal.name, signal.files) == (SignalName.COMMIT_AUTO, ())
    assert (signal.facts["sha"], signal.facts["context"]) == ("2222222", "Share it")


@pytest.mark.parametrize(
    "story",
    [
        Story().write("memory/cache.md", [LESSON]),
        Story().shell(f'gh pr create --title "Share it" --body "{LESSON}"', "created"),
    ],
)
def test_notes_and_pull_requests_are_told_as_notes_of_the_agent(story: Story) -> None:
    (signal,) = detect(story.edit("a.py", added=["x"]))
    assert (signal.name, signal.facts["text"]) == (SignalName.AGENT_NOTE, LESSON)


def test_a_passage_is_tied_to_the_file_that_it_names() -> None:
    story = Story().edit("src/tokens.py", added=["x"]).edit("src/other.py", added=["x"])
    (signal,) = detect(story.says(f"## In tokens.py\n\n{LESSON}", thinking=False))
    assert signal.files == ("src/tokens.py",)
    (signal,) = detect(Story().edit("src/tokens.py", added=["x"]).says(LESSON, thinking=False))
    assert signal.files == ()


def test_a_rule_of_a_person_is_a_preference_with_the_message_that_it_answers() -> None:
    story = Story().says(f"{'x' * 500} end", thinking=False).user(RULE).edit("a.py", added=["x"])
    (signal,) = detect(story)
    assert (signal.name, signal.type) == (SignalName.USER_STATEMENT, MemoryType.PREFERENCE)
    assert signal.facts["said"] == RULE
    assert signal.facts["answers"] == f"{'x' * 396} end"


@pytest.mark.parametrize(
    "text",
    [
        "Die Rechnung sollte niemals in der Datenbank doppelt stehen",
        "Das Token darf nicht in die Logdatei geschrieben werden",
        "Токен никогда не должен попадать в журнал сервера",
        "トークンは必ず暗号化して保存する",
    ],
)
def test_a_rule_in_another_language_needs_no_rank(text: str) -> None:
    assert texts(Story().user(text)) == [text]
    assert texts(Story().says(text, thinking=False)) == []


@pytest.mark.parametrize(
    "text",
    [
        RULE.replace(".", "?"),
        f"Please fix this: {RULE}",
        f"For now: {RULE}",
        "The cache is shared between threads because `refresh` is atomic and two threads do not write it.",
        "Die Rechnung steht schon lange doppelt in der Datenbank",
        f"Look at this:\n\n> {RULE}",
        f"<system-reminder>{RULE}</system-reminder>",
    ],
)
def test_a_question_a_task_a_statement_and_a_quote_of_a_person_are_no_rules(text: str) -> None:
    assert texts(Story().user(text)) == []


def test_a_rule_that_corrects_the_agent_is_no_statement_too() -> None:
    (signal,) = detect(Story().user("We should never log the token of a user in the billing code."))
    assert signal.name is SignalName.USER_CORRECTION


def test_the_best_conclusions_come_first_and_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanations, "score_passage", lambda text, context, speaker: len(text) / 150)
    note = "It is because of this that we do this, as we have said, and it is the shortest."
    story = Story().write("memory/cache.md", [note])
    for number in range(CONCLUSIONS_MAX + 2):
        story.says(f"It is because of {'x' * (80 + number)} that we do this.", thinking=False)
    signals = detect(story.says(f"It is because of {'x' * 120} that we do this.", thinking=False))
    conclusions = [signal for signal in signals if signal.name is SignalName.CONCLUSION]
    lengths = [len(str(signal.facts["text"])) for signal in conclusions]
    assert len(lengths) == CONCLUSIONS_MAX
    assert lengths == sorted(lengths, reverse=True)
    assert signals[-1].quotes == (note,)


def test_a_score_is_that_of_the_speaker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanations, "score_passage", lambda text, context, speaker: 0.45)
    story = Story().says(REPORT, thinking=False).commit(f"Release\n\n{LESSON}")
    assert texts(story) == [REPORT]
    monkeypatch.setattr(explanations, "score_passage", lambda text, context, speaker: 0.5)
    assert sorted(texts(story)) == sorted([REPORT, LESSON])
