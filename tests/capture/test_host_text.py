"""Tests of the text that a host delivers in an attachment."""

from __future__ import annotations

import pytest

from holloway.capture.host_text import read_attachment


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
