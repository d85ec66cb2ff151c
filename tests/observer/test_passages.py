"""Prose is split into passages that are short enough to tell, and each passage has a speaker."""

from __future__ import annotations

import pytest

from holloway.config import LESSON_CHARS_MAX
from holloway.domain import event as events
from holloway.observer import passages
from holloway.observer.passages import (
    CONTEXT_CHARS_MAX,
    PASSAGE_WORDS_MIN,
    ProsePassage,
    Speaker,
    extract_typed_text,
    list_passages,
    split_commit_body,
    split_passages,
)
from tests.observer.story import Story

CAUSE = "The cache is shared by all threads."
REASON = "A token is valid for one request only."


def texts(story: Story, *speakers: Speaker) -> list[str]:
    return [passage.text for passage in list_passages(story.account()) if passage.speaker in speakers]


def test_a_paragraph_is_one_passage_on_one_line() -> None:
    assert split_passages("The cache is shared\nby all threads.\n\nA token is valid\nfor one request only.") == [
        (CAUSE, ""),
        (REASON, ""),
    ]


def test_a_passage_has_at_least_five_words() -> None:
    words = CAUSE.split()
    assert split_passages(" ".join(words[: PASSAGE_WORDS_MIN - 1])) == []
    assert split_passages(" ".join(words[:PASSAGE_WORDS_MIN])) == [(" ".join(words[:PASSAGE_WORDS_MIN]), "")]


def test_two_letters_of_a_script_without_spaces_count_as_a_word() -> None:
    assert split_passages("令牌必须加密之后") == [("令牌必须加密之后", "")]
    assert split_passages("令牌必须加密之") == []
    assert split_passages("Токен не хранится тут") == []


def test_a_heading_is_the_context_of_what_follows_until_the_next() -> None:
    text = f"## Root **cause** ##\n\n{CAUSE}\n\n{REASON}\n\n# Next\n- {CAUSE}"
    assert split_passages(text) == [(CAUSE, "Root cause"), (REASON, "Root cause"), (CAUSE, "Next")]


def test_a_heading_is_cut_to_the_limit_of_a_context() -> None:
    assert split_passages(f"# {'x' * 500}\n{CAUSE}") == [(CAUSE, "x" * CONTEXT_CHARS_MAX)]


def test_a_line_that_ends_with_a_colon_is_the_context_of_its_list_alone() -> None:
    items = f"- {CAUSE}\n- {REASON}"
    text = f"# Tokens\n\nTwo things broke the login of the shop:\n\n{items}\n\nThey were found by a test of mine."
    assert split_passages(text) == [
        (CAUSE, "Two things broke the login of the shop:"),
        (REASON, "Two things broke the login of the shop:"),
        ("They were found by a test of mine.", "Tokens"),
    ]


def test_the_lead_of_one_list_is_not_the_context_of_the_next() -> None:
    text = f"What broke the login of the shop:\n- {CAUSE}\n\nThat is all there is.\n\n- {REASON}"
    assert split_passages(text) == [
        (CAUSE, "What broke the login of the shop:"),
        ("That is all there is.", ""),
        (REASON, ""),
    ]


@pytest.mark.parametrize("mark", ["-", "*", "+", "•", "1.", "12)", "a."])
def test_the_marks_of_lists_begin_a_passage_and_are_left_out(mark: str) -> None:
    assert split_passages(f"{mark} {CAUSE}\n{mark} {REASON}") == [(CAUSE, ""), (REASON, "")]


def test_a_nested_item_continues_the_item_above_it() -> None:
    text = f"- {CAUSE}\n  - {REASON}\n    - So it is refreshed.\n- The log is flushed at the end."
    assert split_passages(text) == [
        (f"{CAUSE} {REASON} So it is refreshed.", ""),
        ("The log is flushed at the end.", ""),
    ]


def test_items_of_one_depth_belong_to_the_same_parent() -> None:
    text = f"- {CAUSE}\n  - one of its nested items\n  - two of its nested items"
    assert split_passages(text) == [(f"{CAUSE} one of its nested items two of its nested items", "")]


def test_a_nested_item_joins_its_parent_up_to_the_limit_of_a_passage() -> None:
    child = "It is refreshed by a timer."
    for length, count in ((LESSON_CHARS_MAX - 1, 1), (LESSON_CHARS_MAX, 2)):
        parent = f"The cache of {'x' * (length - len(child) - 31)} is shared by all."
        assert len(parent) + len(child) == length
        found = split_passages(f"- {parent}\n  - {child}")
        assert len(found) == count
        assert found[-1] == ((f"{parent} {child}", "") if count == 1 else (child, parent[:CONTEXT_CHARS_MAX]))
        assert all(len(text) <= LESSON_CHARS_MAX for text, _ in found)


@pytest.mark.parametrize(
    "block",
    [
        "```python\nthe cache = is not shared by threads\n```",
        "~~~\nthe cache is not shared by threads\n~~~",
        "| column | the cache is not shared by threads |\n|---|---|",
        "> the cache is not shared by threads",
        "---",
    ],
)
def test_code_tables_quotes_and_rules_are_dropped_and_end_a_paragraph(block: str) -> None:
    assert split_passages(f"{CAUSE}\n{block}\n{REASON}") == [(CAUSE, ""), (REASON, "")]


def test_emphasis_is_dropped_and_names_keep_their_underscores() -> None:
    assert split_passages("**The cache** is __shared__ by `load_all_tokens` now.") == [
        ("The cache is shared by `load_all_tokens` now.", "")
    ]


def test_a_long_paragraph_is_split_between_sentences() -> None:
    sentences = [f"Sentence number {number} says why {'x' * 80} is here." for number in range(7)]
    found = [text for text, _ in split_passages(" ".join(sentences))]
    assert " ".join(found) == " ".join(sentences)
    assert [text.count("Sentence") for text in found] == [2, 2, 2, 1]
    assert all(text.startswith("Sentence") for text in found)


def test_a_sentence_that_is_too_long_is_left_out_and_never_cut() -> None:
    endless = f"This one names {'x' * LESSON_CHARS_MAX} and goes on."
    assert split_passages(f"{CAUSE} {endless} {REASON}") == [(CAUSE, ""), (REASON, "")]


def test_the_trailers_of_a_commit_are_dropped() -> None:
    body = (
        f"\n{CAUSE}\n\nCo-Authored-By: Somebody Else <somebody@example.invalid>\n"
        "Signed-off-by: A Person of the team here\n"
        "🤖 Generated with a tool that writes code\nGenerated with a tool that writes code\n"
    )
    assert split_commit_body(body) == [CAUSE]


def test_a_sentence_with_a_colon_is_no_trailer() -> None:
    assert split_commit_body("the reason: a token is valid for one request") == [
        "the reason: a token is valid for one request"
    ]


def test_the_body_of_a_commit_is_told_with_its_subject() -> None:
    story = Story().edit("a.py", added=["x"]).commit(f"Share the cache\n\n{CAUSE}")
    (passage,) = list_passages(story.account())
    assert passage == ProsePassage(2, passage.at, Speaker.COMMIT, CAUSE, "Share the cache")


def test_a_failed_commit_says_nothing() -> None:
    assert list_passages(Story().shell(f'git commit -m "Share it\n\n{CAUSE}"', "error", ok=False).account()) == []


def test_the_body_of_a_pull_request_is_told_with_its_heading_or_its_title() -> None:
    command = f'gh pr create --title "Share the cache" --body "{CAUSE}\n\n## Why\n{REASON}"'
    told = list_passages(Story().shell(command, "created").account())
    assert [(passage.speaker, passage.text, passage.context) for passage in told] == [
        (Speaker.PULL_REQUEST, CAUSE, "Share the cache"),
        (Speaker.PULL_REQUEST, REASON, "Why"),
    ]
    assert list_passages(Story().shell(command, "no remote", ok=False).account()) == []
    assert list_passages(Story().shell(command.replace("create", "edit"), "done").account()) == []


@pytest.mark.parametrize(
    ("path", "is_note"),
    [
        ("memory/cache.md", True),
        (".learnings/cache.md", True),
        ("docs/decisions/0001-cache.md", True),
        ("docs/adr/cache.md", True),
        ("docs\\ADRs\\cache.md", True),
        ("docs/cache.md", False),
        ("memory/cache.py", False),
        ("memory/old/cache.md", False),
        ("inmemory/cache.md", False),
    ],
)
def test_a_file_of_notes_is_known_by_its_folder(path: str, is_note: bool) -> None:
    story = Story().write(path, ["# Cache", CAUSE])
    found = [(passage.speaker, passage.text, passage.context) for passage in list_passages(story.account())]
    assert found == ([(Speaker.NOTE, CAUSE, "Cache")] if is_note else [])


def test_a_note_that_failed_or_that_a_subagent_wrote_says_nothing() -> None:
    assert list_passages(Story().edit("memory/cache.md", added=[CAUSE]).account()) != []
    assert list_passages(Story().edit("memory/cache.md", added=[CAUSE], ok=False).account()) == []
    assert list_passages(Story(actor="sub").edit("memory/cache.md", added=[CAUSE]).account()) == []


def test_a_read_file_of_notes_is_not_told() -> None:
    assert list_passages(Story().read("memory/cache.md").account()) == []


def test_a_person_is_told_apart_from_the_agent_and_answers_its_last_message() -> None:
    story = Story().user(REASON).says(CAUSE, thinking=False).user("The cache should not be shared.")
    assert [(passage.speaker, passage.text, passage.answers) for passage in list_passages(story.account())] == [
        (Speaker.PERSON, REASON, ""),
        (Speaker.AGENT, CAUSE, ""),
        (Speaker.PERSON, "The cache should not be shared.", CAUSE),
    ]


def test_thoughts_and_records_are_no_passages() -> None:
    assert list_passages(Story().says(CAUSE).records(CAUSE).account()) == []


def test_the_words_of_a_subagent_are_never_read() -> None:
    story = Story(actor="sub").says(CAUSE, thinking=False)
    assert list_passages(story.account()) == []
    assert texts(Story().says(CAUSE, thinking=False), Speaker.AGENT) == [CAUSE]


def test_a_person_does_not_answer_a_subagent() -> None:
    story = Story().event(events.Said(1_001.0, CAUSE, thinking=False, actor="sub")).user(REASON)
    (passage,) = list_passages(story.account())
    assert (passage.speaker, passage.answers) == (Speaker.PERSON, "")


SUMMARY = f"""This session is being continued from a previous conversation.

1. Primary Request and Intent:
   The user asked for a cache that is shared.

2. Key Technical Concepts:
   - {CAUSE}

3. Files and Code Sections:
   - tokens.py was changed to share the cache.

4. **Errors and fixes**:
   - The login failed after an hour.
     - {REASON}

5. Problem Solving:
   The lock is taken before the cache is read.

6. All user messages:
   - "We should never share the cache of tokens."

7. Pending Tasks:
   - The tests of the cache are to be written.

8. User feedback
   The person wants the cache to be small.
"""


@pytest.mark.parametrize(
    "summary",
    [
        f"## Goal\n\n{REASON}\n\n## Discoveries\n\n- {CAUSE}\n\n## Relevant files\n\n- {REASON}",
        f"**Current progress**\n{REASON}\n\n**Key decisions**\n- {CAUSE}\n\n**Next steps:**\n- {REASON}",
    ],
)
def test_the_sections_of_a_summary_may_have_headings_instead_of_numbers(summary: str) -> None:
    assert texts(Story().event(events.Summarized(1_001.0, summary)), Speaker.SUMMARY) == [CAUSE]


def test_only_the_sections_of_a_summary_that_state_causes_and_facts_are_told() -> None:
    story = Story().event(events.Summarized(1_001.0, SUMMARY))
    told = list_passages(story.account())
    assert {passage.speaker for passage in told} == {Speaker.SUMMARY}
    assert [passage.text for passage in told] == [
        CAUSE,
        f"The login failed after an hour. {REASON}",
        "The lock is taken before the cache is read.",
        "The person wants the cache to be small.",
    ]


def test_what_the_host_added_is_not_typed() -> None:
    prompt = f"<system-reminder>{REASON}</system-reminder>\n{CAUSE}\n<ide_selection>{REASON}</ide_selection>"
    assert extract_typed_text(prompt) == CAUSE
    assert extract_typed_text(f"This session is being continued from a previous conversation. {CAUSE}") == ""
    assert extract_typed_text(f"<command-args>{CAUSE}</command-args>") == CAUSE


@pytest.mark.parametrize(
    "pasted",
    [
        f"```\n{REASON}\n```",
        f"> {REASON}\n> {REASON}",
        f"<issue>\n{REASON}\n</issue>",
        f"# A document\n\n{REASON}",
        f"12:01:07 {REASON}\n12:01:08 {REASON}",
        f"{REASON} {'x' * 600}",
    ],
)
def test_what_was_pasted_is_not_typed(pasted: str) -> None:
    prompt = f"{CAUSE}\n\n{pasted}"
    assert extract_typed_text(prompt).strip() == CAUSE
    assert texts(Story().user(prompt), Speaker.PERSON) == [CAUSE]


def test_several_lines_below_a_colon_are_not_typed() -> None:
    typed = "Somebody wrote this to me:"
    assert extract_typed_text(f"{typed}\n\n{REASON}\n{REASON}") == typed


def test_text_of_our_own_is_not_told_again() -> None:
    told = "<holloway-memory>\n- " + CAUSE + " [hw:abc]\n</holloway-memory>"
    assert CAUSE not in " ".join(texts(Story().user(f"{told}\n\n{REASON}"), Speaker.PERSON))


def test_passages_are_in_order_and_the_last_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passages, "PASSAGES_MAX", 2)
    story = Story().says(CAUSE, thinking=False).edit("memory/a.md", added=[REASON]).says(CAUSE, thinking=False)
    assert [passage.speaker for passage in list_passages(story.account())] == [Speaker.NOTE, Speaker.AGENT]
