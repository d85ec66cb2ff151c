import pytest

from holloway.capture.gemini_parts import (
    ToolResponse,
    list_applied_lines,
    list_parts,
    list_responses,
    split_hook_text,
    split_user_text,
)


@pytest.mark.parametrize(
    ("content", "typed", "added"),
    [
        ("Fix it", "Fix it", ""),
        ([{"text": "Fix it"}, "in a.py"], "Fix it\nin a.py", ""),
        ({"text": " Fix it "}, "Fix it", ""),
        ([{"text": "<hook_context>a trap</hook_context>\n\nFix it"}], "Fix it", "a trap"),
        (
            [
                {"text": "Fix it"},
                {"text": "<qwen:user-prompt-submit-context>\na trap\n</qwen:user-prompt-submit-context>"},
            ],
            "Fix it",
            "a trap",
        ),
        (
            [{"text": "Look at @a.md"}, {"text": "\n--- Content from referenced files ---"}, {"text": "never do that"}],
            "Look at @a.md",
            "never do that",
        ),
        ([{"inlineData": {}}, 3, None], "", ""),
        (None, "", ""),
    ],
)
def test_the_words_of_the_person_are_separated_from_what_the_host_adds(content: object, typed: str, added: str) -> None:
    assert split_user_text(content) == (typed, added)


def test_text_without_hook_text_stays_as_it_is() -> None:
    assert split_hook_text("  a < b  ") == ("  a < b  ", "")


def test_plain_text_is_one_part() -> None:
    assert list_parts("x") == [{"text": "x"}]


def test_results_are_read_with_their_errors() -> None:
    blocks = [{"type": "text", "text": "from a server"}]
    content = [
        {"functionResponse": {"id": "a", "response": {"output": "fine"}}},
        {"functionResponse": {"id": "b", "response": {"error": "bad"}}},
        {"functionResponse": {"id": "c", "response": {"content": blocks}}},
        {"text": "words"},
    ]
    assert list(list_responses(content)) == [
        ToolResponse("a", "fine", False),
        ToolResponse("b", "bad", True),
        ToolResponse("c", "from a server", False),
    ]


def test_lines_are_the_persons_only_where_the_person_changed_the_proposal() -> None:
    diff = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n"
    assert list_applied_lines({"fileDiff": diff, "diffStat": {"user_added_lines": 1}}) == ("y",)
    assert list_applied_lines({"fileDiff": diff, "diffStat": {"model_added_lines": 1, "user_added_lines": 0}}) is None
    assert list_applied_lines("a text") is None
