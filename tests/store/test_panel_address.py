"""Tests of the published address of a running panel."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock

from holloway.store import panel_address


def test_an_address_counts_only_while_the_panel_runs(tmp_path: Path) -> None:
    folder = str(tmp_path)
    (tmp_path / panel_address.PANEL_FOLDER).mkdir()
    panel_address.write_panel_port(folder, 8123)
    assert panel_address.find_page(folder, panel_address.REVIEW_PAGE) == ""
    with FileLock(panel_address.panel_lock_file(folder)):
        assert panel_address.find_panel(folder) == "http://127.0.0.1:8123"
        assert panel_address.find_page(folder, panel_address.REVIEW_PAGE) == "http://127.0.0.1:8123/go/review"
    assert panel_address.find_panel(folder) == ""


def test_a_panel_that_is_starting_has_no_address_yet(tmp_path: Path) -> None:
    (tmp_path / panel_address.PANEL_FOLDER).mkdir()
    with FileLock(panel_address.panel_lock_file(str(tmp_path))):
        assert panel_address.find_panel(str(tmp_path)) == ""
