"""Where work goes that enters a project."""

from __future__ import annotations

from holloway.codemap.modules.module_store import group_by_caller, render_flows, trace_flow

MODULES = {
    "cli.py": "cli",
    "api.py": "api",
    "serve.py": "service",
    "db.py": "store",
    "log.py": "log",
    "sql.py": "store",
}
CALLS = group_by_caller(
    [
        ("cli.py", "serve.py", 3),
        ("cli.py", "log.py", 1),
        ("serve.py", "db.py", 2),
        ("serve.py", "log.py", 9),
        ("db.py", "serve.py", 1),
        ("db.py", "sql.py", 4),
    ]
)


def test_modules_are_named_step_by_step_where_they_are_first_reached() -> None:
    assert trace_flow("cli.py", CALLS, MODULES) == (("cli",), ("service", "log"), ("store",))


def test_what_calls_nothing_or_only_its_own_module_has_no_flow() -> None:
    assert trace_flow("log.py", CALLS, MODULES) == ()
    assert trace_flow("unknown.py", CALLS, MODULES) == ()
    assert trace_flow("db.py", group_by_caller([("db.py", "sql.py", 1)]), MODULES) == ()


def test_entry_points_with_the_same_flow_are_told_once() -> None:
    both = group_by_caller([("cli.py", "serve.py", 1), ("api.py", "serve.py", 1)])
    modules = {**MODULES, "api.py": "cli"}
    assert render_flows(["cli.py", "api.py", "log.py"], both, modules) == ("cli → service",)


def test_a_step_names_the_modules_that_most_calls_lead_to() -> None:
    wide = group_by_caller(("main.py", f"part{n}.py", float(n)) for n in range(10))
    modules = {"main.py": "main"} | {f"part{n}.py": f"part{n}" for n in range(10)}
    assert trace_flow("main.py", wide, modules) == (("main",), ("part9", "part8", "part7"))
