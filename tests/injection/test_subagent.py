"""What a subagent reads when it starts, by its role."""

import pytest

from holloway.injection.project_map import ProjectMap
from holloway.injection.session_state import new_state
from holloway.injection.subagent import choose_role, inject
from holloway.service.holloway import Holloway
from holloway.store.store import Store
from tests.injection.test_reader import reader
from tests.store.test_memories import taught

TOKENS = "src/shop/auth/tokens.py"
TASK = f"Rotate what {TOKENS} makes and check it"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Plan", "planner"),
        ("software-architect", "planner"),
        ("code-reviewer", "qa"),
        ("TestRunner", "qa"),
        ("debugger", "recovery"),
        ("bug-fixer", "recovery"),
        ("general-purpose", "coder"),
        ("", "coder"),
    ],
)
def test_the_role_of_a_subagent_follows_from_its_name(name: str, role: str) -> None:
    assert choose_role(name) == role


@pytest.mark.parametrize(
    ("agent_type", "kind", "shown"),
    [
        ("Plan", "requirement", "holloway: for planning this"),
        ("reviewer", "requirement", "holloway: for checking this"),
        ("debugger", "dead_end", "holloway: what is known of the attempt"),
        ("coder", "gotcha", "holloway: files for this task"),
    ],
)
def test_each_role_reads_its_own_context_once(memory: Holloway, agent_type: str, kind: str, shown: str) -> None:
    memory.map.update()
    told = taught(memory, "Tokens live at most an hour", type=kind, files=[TOKENS]).id
    state = new_state()
    project = memory.project
    project_map = ProjectMap(str(project.folder), str(project.root))

    def ask() -> tuple[str, tuple[str, ...]]:
        agent, opened = reader(memory), lambda: Store(project)
        rendered = inject(agent, project_map, state, agent_type, TASK, opened)
        return (rendered.text, rendered.memories) if rendered else ("", ())

    text, ids = ask()
    assert text.startswith(shown)
    assert ids == (told,)
    assert ask()[1] == ()
    assert state["prompts"] == (3 if agent_type == "coder" else 0)
