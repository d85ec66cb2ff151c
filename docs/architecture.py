"""Generates the architecture page from the packages' docstrings, layers and imports."""

from __future__ import annotations

import ast
import configparser
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "holloway"
CAPABILITIES = {
    "SQLite": ("sqlite3",),
    "the network": ("socket", "ssl", "http.client", "urllib.request"),
    "other programs": ("subprocess", "multiprocessing", "concurrent.futures"),
    "a model on this machine": ("holloway.embeddings.builtin_model", "tokenizers"),
    "grammars": ("tree_sitter",),
    "an agent's framework": ("pydantic_ai", "langchain", "langgraph", "claude_agent_sdk", "anthropic.lib"),
    "the terminal": ("click", "rich"),
}
"""Resources that only some packages use, by the modules that give access; `=` excludes submodules."""

HEAD = """# Architecture

Written by `make docs` from the packages themselves: their first line, their order in `.importlinter`, their imports.

holloway is a library with thin edges. The core is synchronous Python over SQLite, and there is no daemon: a hook is a
short process that appends a line to a journal and does one indexed lookup; one background worker per project runs the
longer jobs and exits.

```
 agents ──hooks──> journal ──> observer ─> scratchpad ─> promotion ─┐
   ^  │                                                             v
   │  └─transcripts, SDK, MCP ──────────────────────────────────> store
   │                                                              │  ^
   └──── injection <── retrieval <────────────────────────────────┘  └── codemap, embeddings (derived)
```

[How it learns](learning.md) describes how an event becomes a memory, [how it works](how-it-works.md) which file holds
what, [decisions](decisions) the reasons.
"""
LAYERS = """## The layers

A package may import packages in the rows below it, and nothing in its own row or above; `lint-imports` checks it with
every commit. The order guarantees some promises: observing never writes, because `observer` is below `store`. The
command line, the MCP server, the SDK adapters and the worker call `service`; of the rows below it they use only
`safety` and the rows from `text` down. Hooks may also look things up without it.

| layer | package | what it is |
| --- | --- | --- |"""
TOUCHES = """## What touches what

| only these | touch |
| --- | --- |"""
WALK = """## From an event to a memory

A tool event passes these files, in this order. In the hook and in the journal it is a plain dict whose keys are one
table, `capture/journal_fields.py`; the reader builds the observer's events from that dict. If the host's own transcript
can be read, the worker builds the same events from it (`capture/claude_code.py`, `codex.py`, `copilot.py`, `gemini.py`,
`qwen.py`, `droid.py`, `pi.py`, and `opencode.py`, which reads Kilo too) and uses the journal only without one.

| file | step |
| --- | --- |"""
WALK_STEPS = (
    ("hooks/entry.py", "reads the payload of one event from stdin"),
    ("capture/hosts.py", "recognises the host and gives the payload the names of Claude Code"),
    ("capture/journal.py", "bounds the payload, redacts secrets and appends one line to the session's journal"),
    ("capture/journal_fields.py", "names the fields of that line, for the writer and the reader"),
    ("capture/session_files.py", "opens the session's files in the worker and feeds their events to the observer"),
    ("capture/journal_reader.py", "reads the lines and drops repeated ones"),
    ("capture/session_reader.py", "matches each result with its call and follows the agent's folder and plan"),
    ("capture/tool_events.py", "classifies the tool and builds a `Call` for each file, and a `Result`"),
    ("domain/event.py", "defines these events"),
    ("observer/scratchpad.py", "joins call and result into one `Action` of the session, within its budget"),
    ("observer/activity.py", "splits actions into reads, edits, searches, test runs and commits"),
    ("observer/observer.py", "runs the detectors in `observer/signals`, which yield signals"),
    ("service/session_learning.py", "classifies the session, stores its observations and starts promotion"),
    ("promotion/pipeline.py", "turns signals into candidates, and each into a draft or a reason to drop it"),
    ("promotion/memory_text.py", "writes the text of a draft"),
    ("store/write_gate.py", "validates and redacts the draft"),
    ("store/memories.py", "stores it as a memory"),
)
TRACE = """These are the files in which the event changes its form. Many more only ask it something: detectors,
provenance, the code map. A trace of a small session with a failed command counts every file in which a function is
called: 24 files and 137 functions in the hook that notes the failure, 135 and 819 in the job that learns from the
session. Before the modules got their present names and layers it was 20 and 101, 105 and 629; what came since, such
as readers of further transcripts and proved fixes, added files.
"""
TAIL = """The hook's path (`hooks/entry.py` and what it loads to note an event or to look a file up) has an
import budget: the standard library only, and little of it, checked on `sys.modules`. A process that loads dataclasses
takes three times as long to start as bare Python.
"""


def render_page() -> str:
    """Render the page."""
    rows = [(number, name) for number, row in enumerate(_list_layers(), 1) for name in row]
    layers = [f"| {number} | {_render_link(name)} | {_first_line(name)} |" for number, name in rows]
    touches = [f"| {_list_users(modules)} | {capability} |" for capability, modules in CAPABILITIES.items()]
    walk = [f"| [`{path}`](../{(SOURCE / path).relative_to(ROOT)}) | {step} |" for path, step in WALK_STEPS]
    return "\n".join([HEAD, LAYERS, *layers, "", WALK, *walk, "", TRACE, TOUCHES, *touches, "", TAIL])


def _list_layers() -> Iterator[list[str]]:
    """Yield the rows of the layers, the highest first; siblings share a row."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", "utf-8")
    for row in contracts["importlinter:contract:layers"]["layers"].split("\n"):
        names = [name.strip(" ()") for name in row.split("|") if name.strip(" ()")]
        if names and names != ["__main__"]:
            yield sorted(names)


def _render_link(name: str) -> str:
    return f"[`{name}`](../{_find_path(name).relative_to(ROOT)})"


def _first_line(name: str) -> str:
    path = _find_path(name)
    docstring = (
        ast.get_docstring(ast.parse((path if path.is_file() else path / "__init__.py").read_text("utf-8"))) or ""
    )
    return docstring.partition("\n")[0]


def _find_path(name: str) -> Path:
    module = SOURCE / f"{name}.py"
    return module if module.exists() else SOURCE / name


def _list_users(modules: tuple[str, ...]) -> str:
    users = {
        path.relative_to(SOURCE).parts[0].removesuffix(".py")
        for path, imported_names in _list_imports()
        if _has_any(modules, imported_names)
    }
    return ", ".join(f"`{name}`" for name in sorted(users))


def _has_any(modules: tuple[str, ...], names: set[str]) -> bool:
    return any(name == module.lstrip("=") or name.startswith(f"{module}.") for module in modules for name in names)


@cache
def _list_imports() -> list[tuple[Path, set[str]]]:
    """Return the imports of each file at run time, without those for type checking."""
    return [(path, set(_list_names(ast.parse(path.read_text("utf-8"))))) for path in sorted(SOURCE.rglob("*.py"))]


def _list_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        yield from _list_names(node)
