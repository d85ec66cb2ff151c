"""The address of a running panel, as the edges use it."""

from holloway.store.panel_address import PANEL_FOLDER, find_panel, panel_lock_file, write_panel_port

__all__ = ["PANEL_FOLDER", "find_panel", "panel_lock_file", "write_panel_port"]
