"""Every module has a test file of its name in the mirror of its folder, or a reason why not."""

from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "holloway"
TESTS = Path(__file__).parent
ELSEWHERE = {
    "__main__.py": "every test that runs `python -m holloway` runs it",
    "capture/opencode_storage.py": "capture/test_opencode.py reads its files through the reader of OpenCode",
    "codemap/modules/module.py": "codemap/modules/test_detection.py",
    "codemap/modules/module_summary.py": "codemap/modules/test_module_names.py",
    "codemap/modules/overview.py": "injection/test_project_map.py",
    "domain/event.py": "shapes without logic",
    "domain/work.py": "shapes without logic",
    "install/connection_checks.py": "service/test_doctor.py breaks each connection",
    "install/file_content.py": "install/test_configurations.py",
    "install/hooks_json.py": "install/test_configurations.py",
    "install/install_plan.py": "install/test_install.py",
    "install/original_files.py": "install/test_install.py",
    "install/slash_commands.py": "install/test_plugin.py",
    "observer/signals/command_runs.py": "observer/signals/test_error_retry.py",
    "observer/signals/error_fix.py": "hooks/test_proved_fixes.py proves fixes from the first event to the answer",
    "observer/signals/signal.py": "shapes without logic",
    "observer/words/sentences.py": "observer/words/test_bounds.py",
    "panel/": "panel/ asks every page over HTTP and in a browser",
    "promotion/own_repository.py": "promotion/test_history_harvest.py",
    "promotion/reader/lesson_evidence.py": "promotion/reader/test_lesson_checks.py",
    "promotion/rules_files/rules_export.py": "promotion/rules_files/test_rules_import.py",
    "service/first_steps.py": "panel/ shows them",
    "service/panel_address.py": "names of store/test_panel_address.py",
    "store/bulk_changes.py": "service/test_bulk_actions.py",
}
"""Modules, or folders of them, without a test file of their name, and what tests them."""


def test_every_module_has_its_test_file_or_a_reason() -> None:
    names = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if path.name != "__init__.py"}
    missing = {name for name in names if not (TESTS / name).with_name(f"test_{Path(name).name}").exists()}
    reasons = {name: next((row for row in ELSEWHERE if name == row or _is_below(name, row)), "") for name in missing}
    assert [name for name in sorted(missing) if not reasons[name]] == []
    assert ELSEWHERE.keys() - reasons.values() == set(), "these have their test file, or are gone"


def _is_below(name: str, row: str) -> bool:
    return row.endswith("/") and name.startswith(row)


def test_a_reason_that_names_a_test_file_names_one_that_exists() -> None:
    named = [word for reason in ELSEWHERE.values() for word in reason.split() if word.endswith(".py")]
    assert [name for name in named if not (TESTS / name).exists()] == []
