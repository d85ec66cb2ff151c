"""Cards of modules and the graph that the map draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.service import module_map
from holloway.service.health import CoverageState
from holloway.service.module_map import LinkKind
from tests.observer.story import Story
from tests.service.learned import learn

if TYPE_CHECKING:
    import pytest

    import holloway
    from tests.conftest import Repository

PARTS = ("forms", "model", "store", "views")
TOGETHER = [("forms", "views")]
"""Files that do not import each other, but change together in one module."""


def grow(repository: Repository) -> None:
    """Turn the shop into two modules of four files; two files of one change together."""
    for module in ("auth", "billing"):
        for part in PARTS:
            imports = [
                f"from {module}.{other} import {other}_0"
                for other in PARTS
                if part < other and (part, other) not in TOGETHER
            ]
            if (module, part) == ("billing", "views"):
                imports.append("from auth.model import model_0")
            functions = [f"def {part}_{number}():\n    return {number}\n" for number in range(120)]
            path = repository.root / f"src/{module}/{part}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join([*imports, *functions]), "utf-8")
    repository.git("rm", "-rq", "src/shop")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "split the shop")
    for number in range(3):
        for part in TOGETHER[0]:
            path = repository.root / f"src/auth/{part}.py"
            path.write_text(f"{path.read_text('utf-8')}\nVERSION = {number}\n", "utf-8")
        repository.git("commit", "-qam", "sessions expire")


def names(graph: module_map.ModuleGraph, kind: LinkKind) -> set[tuple[str, str]]:
    return {(graph.nodes[link.source].name, graph.nodes[link.target].name) for link in graph.links if link.kind == kind}


def test_without_a_map_there_are_no_cards(memory: holloway.Holloway) -> None:
    assert module_map.list_cards(memory) == []
    assert module_map.build_graph(memory, []).nodes == ()


def test_a_card_counts_memories_and_sessions_also_under_the_names_before_an_edit(
    memory: holloway.Holloway, repository: Repository
) -> None:
    grow(repository)
    memory.map.update()
    memory.remember("Tokens expire after an hour", files=["src/auth/model.py"])
    learn(memory, Story("s1").read("src/auth/model.py").edit("src/auth/model.py"))
    card = next(card for card in module_map.list_cards(memory) if card.module.name == "auth")
    assert (card.memories > 0, card.sessions, card.state) == (True, 1, CoverageState.SHALLOW)
    memory.map.edit_module("auth", rename="login")
    renamed = next(card for card in module_map.list_cards(memory) if card.module.name == "login")
    assert renamed.names == ("login", "auth")
    assert (renamed.memories, renamed.sessions) == (card.memories, 1)


def test_hidden_modules_have_a_card_only_if_everything_is_asked_for(
    memory: holloway.Holloway, repository: Repository
) -> None:
    grow(repository)
    memory.map.update()
    memory.map.edit_module("auth", hide=True)
    assert "auth" not in [card.module.name for card in module_map.list_cards(memory)]
    assert "auth" in [card.module.name for card in module_map.list_cards(memory, everything=True)]
    memory.map.edit_module("auth", hide=False)
    assert "auth" in [card.module.name for card in module_map.list_cards(memory)]


def test_modules_are_linked_by_imports_from_the_one_that_imports(
    memory: holloway.Holloway, repository: Repository
) -> None:
    grow(repository)
    memory.map.update()
    graph = module_map.build_graph(memory, module_map.list_cards(memory))
    assert {node.name for node in graph.nodes} == {"auth", "billing"}
    assert names(graph, LinkKind.IMPORTS) == {("billing", "auth")}
    assert graph.left_out == 0


def test_an_opened_module_shows_its_files_with_their_links(memory: holloway.Holloway, repository: Repository) -> None:
    grow(repository)
    memory.map.update()
    graph = module_map.build_graph(memory, module_map.list_cards(memory), "auth")
    assert {node.name for node in graph.nodes if node.is_file} == {f"src/auth/{part}.py" for part in PARTS}
    imports = names(graph, LinkKind.IMPORTS)
    assert ("src/auth/forms.py", "src/auth/model.py") in imports
    assert ("billing", "src/auth/model.py") in imports
    assert names(graph, LinkKind.COCHANGE) == {("src/auth/forms.py", "src/auth/views.py")}


def test_a_map_has_a_limit_and_says_how_much_it_left_out(
    memory: holloway.Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(repository)
    memory.map.update()
    cards = module_map.list_cards(memory)
    monkeypatch.setattr(module_map, "MAP_NODES_MAX", 3)
    graph = module_map.build_graph(memory, cards, "auth")
    assert (len(graph.nodes), graph.left_out) == (3, 2)
    assert all(link.source < 3 and link.target < 3 for link in graph.links)
