"""Links into the person's editor."""

from __future__ import annotations

from pathlib import Path

import pytest

from holloway.panel.editor_link import EDITORS, make_editor_link

ROOT = Path("/home/dev/my shop")


@pytest.mark.parametrize(
    ("editor", "address"),
    [
        ("vscode", "vscode://file/home/dev/my%20shop/src/a.py:7"),
        ("idea", "idea://open?file=/home/dev/my%20shop/src/a.py&line=7"),
        ("mine://go{path}#{line}", "mine://go/home/dev/my%20shop/src/a.py#7"),
        ("none", ""),
        ("javascript:alert(1)", ""),
        ("data:text/html,{path}", ""),
    ],
)
def test_an_editor_has_its_own_form_of_address(editor: str, address: str) -> None:
    assert make_editor_link(editor, ROOT, "src/a.py", 7) == address


def test_without_a_line_the_first_one_is_opened() -> None:
    assert make_editor_link("vscode", ROOT, "a.py").endswith("/a.py:1")


def test_a_path_cannot_leave_its_place_in_the_address() -> None:
    link = make_editor_link("idea", ROOT, 'a&line=1#"><b>.py', 2)
    assert link == "idea://open?file=/home/dev/my%20shop/a%26line%3D1%23%22%3E%3Cb%3E.py&line=2"


def test_the_documentation_of_the_setting_names_every_editor() -> None:
    from holloway.config import SETTINGS

    assert all(f"`{name}`" in SETTINGS["panel.editor"].meaning for name in EDITORS)
