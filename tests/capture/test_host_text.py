"""What the person typed in an entry, and what the host delivered in their name or in an attachment."""

from __future__ import annotations

import pytest

from holloway.capture import host_text
from holloway.capture.host_text import (
    HostText,
    extract_user_text,
    list_inserted_texts,
    may_be_expanded,
    read_attachment,
    read_host_entry,
)


@pytest.mark.parametrize("kind", ["prompt_snapshot", "environment", "model", "date"])
def test_the_system_prompt_of_the_host_delivers_nothing(kind: str) -> None:
    assert read_attachment({"type": kind, "text": "You are an agent"}).text == ""


def test_of_a_hook_only_what_the_agent_reads_is_delivered() -> None:
    text = read_attachment({"type": "hook_success", "content": "lint is red", "stdout": '{"continue": true}'}).text
    assert text == "lint is red"


def test_an_attached_file_is_delivered_with_its_path() -> None:
    attached = read_attachment({"type": "file", "filename": "notes.md", "content": {"file": {"content": "wash it"}}})
    assert "wash it" in attached.text
    assert attached.path == "notes.md"


@pytest.mark.parametrize("name", ["filename", "filePath", "file_path", "path"])
def test_a_path_has_one_of_four_names(name: str) -> None:
    assert read_attachment({"type": "file", name: "notes.md"}).path == "notes.md"


def test_only_a_notification_is_a_report() -> None:
    assert read_attachment({"type": "queued_command", "commandMode": "task-notification", "prompt": "done"}).report
    assert not read_attachment({"type": "queued_command", "commandMode": "prompt", "prompt": "go on"}).report


def test_texts_are_read_to_a_bounded_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_text._join_strings, "__defaults__", (2,))
    assert read_attachment({"type": "", "a": ["one", {"b": "two"}]}).text == "one"
    assert read_attachment({"type": "", "a": ["one", "two"]}).text == "one\n\ntwo"


@pytest.mark.parametrize(
    ("entry", "typed"),
    [
        ("  Fix the login  ", "Fix the login"),
        ("<command-name>/review</command-name><command-args> the cache </command-args>", "/review the cache"),
        ("<command-name>review</command-name>", "/review"),
        ("<command-name>/compact</command-name>", ""),
        ("<system-reminder>Be brief</system-reminder>Fix it", "Fix it"),
        ("Fix <ide_selection>a</ide_selection>it<ide_selection>b</ide_selection>", "Fix it"),
        ("<bash-stdout>3 passed</bash-stdout>", ""),
        ("<task-notification>done</task-notification>", ""),
        ("This session is being continued from a previous conversation that ran out", ""),
        ("Caveat: The messages below were generated", ""),
        ("<system-reminder>never closed", ""),
        ("<b>bold</b> wishes", "<b>bold</b> wishes"),
    ],
)
def test_only_what_the_person_typed_is_theirs(entry: str, typed: str) -> None:
    assert extract_user_text(entry) == typed


def test_a_command_may_be_expanded_unless_it_is_about_the_host() -> None:
    assert may_be_expanded("<command-name>/review</command-name>")
    assert not may_be_expanded("<command-name>/compact</command-name>")
    assert not may_be_expanded("review the cache")
    assert not may_be_expanded(" " * 2_000 + "<command-name>/review</command-name>")


def test_inserted_texts_are_apart_from_output_and_from_documents() -> None:
    selection = "The user selected the lines 3 to 5 from src/shop.py:\nreturn 3"
    blocks = [
        {"type": "text", "text": f"Fix it <ide_selection>{selection}</ide_selection><bash-stdout>red</bash-stdout>"},
        {"type": "document", "source": {"data": "wash it"}, "text": "wash it"},
        {"type": "tool_result", "content": "no document"},
    ]
    inserted, output, documents = list_inserted_texts(blocks)
    assert inserted == HostText(selection, "src/shop.py")
    assert output == HostText("red")
    assert "wash it" in documents.text
    assert "no document" not in documents.text


def test_a_notification_is_one_report() -> None:
    text = "<task-notification>The review found <bash-stdout>red</bash-stdout></task-notification>"
    assert list(list_inserted_texts([{"type": "text", "text": text}])) == [HostText(text, report=True)]
    assert read_host_entry(text) == HostText(text, report=True)


def test_the_text_of_a_skill_belongs_to_its_file() -> None:
    skill = "Base directory for this skill: /home/ada/.claude/skills/review\nLook at the diff."
    assert read_host_entry(skill) == HostText(skill, "/home/ada/.claude/skills/review/SKILL.md")
    assert read_host_entry("Look at the diff.") == HostText("Look at the diff.")
