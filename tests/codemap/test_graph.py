from pathlib import Path

import pytest

from holloway.codemap import graph, queries
from holloway.codemap.database import MapDatabase
from tests.codemap.resolve.drawn import mapped

PROJECT = {
    "core.py": "def base():\n    pass\n\nclass Thing:\n    def go(self):\n        base()\n",
    "middle.py": "from core import base\n\ndef layer():\n    base()\n",
    "top.py": "from middle import layer\n\ndef main():\n    layer()\n",
    "loose.py": "def f(x):\n    x.go()\n",
    "tests/test_core.py": "from core import base\n\ndef test_base():\n    base()\n",
}


@pytest.fixture
def database(tmp_path: Path) -> MapDatabase:
    return mapped(tmp_path, PROJECT)


def test_a_symbol_is_reached_from_its_callers_and_theirs(database: MapDatabase) -> None:
    found = graph.compute_impact(database, graph.find_nodes(database, "core.py", "base"), depth=2)
    by_name = {str(one.node): one for one in found.reached}
    assert by_name["middle.py:layer"].depth == 1
    assert by_name["top.py:main"].depth == 2
    assert found.trace_chain(by_name["top.py:main"]) == ["core.py:base", "middle.py:layer", "top.py:main"]
    assert found.complete
    assert found.tests == ("tests/test_core.py",)


def test_depth_one_stops_at_the_direct_users(database: MapDatabase) -> None:
    found = graph.compute_impact(database, graph.find_nodes(database, "core.py", "base"), depth=1)
    assert "top.py:main" not in {str(one.node) for one in found.reached}


def test_forward_is_what_it_needs(database: MapDatabase) -> None:
    found = graph.compute_impact(database, graph.find_nodes(database, "top.py"), depth=3, forward=True)
    assert {path for path, _ in found.files} == {"middle.py", "core.py"}


def test_a_file_is_reached_through_everything_in_it(database: MapDatabase) -> None:
    found = graph.compute_impact(database, graph.find_nodes(database, "core.py"), depth=2)
    assert dict(found.files) == {"middle.py": 1, "tests/test_core.py": 1, "top.py": 2}


@pytest.mark.promise("map-does-not-guess")
def test_mentions_that_could_not_be_followed_are_counted(database: MapDatabase) -> None:
    assert graph.compute_impact(database, graph.find_nodes(database, "core.py", "Thing.go")).mentions == 1


def test_a_class_is_reached_through_everything_in_it_however_deep(tmp_path: Path) -> None:
    shop = "class Shop:\n    class Cart:\n        def add(self):\n            pass\n\nclass Shopping:\n    def go(self):\n        pass\n"
    user = "from shop import Shop, Shopping\n\ndef buy():\n    Shop.Cart().add()\n\ndef other():\n    Shopping().go()\n"
    database = mapped(tmp_path, {"shop.py": shop, "user.py": user})
    found = graph.compute_impact(database, graph.find_nodes(database, "shop.py", "Shop"))
    assert [str(node) for node in found.target] == ["shop.py:Shop", "shop.py:Shop.Cart", "shop.py:Shop.Cart.add"]
    assert {str(one.node) for one in found.reached} == {"user.py", "user.py:buy"}


def test_a_file_is_looked_through_once_for_all_classes_of_a_name(tmp_path: Path) -> None:
    forms = "".join(
        f"class Form{number}:\n    class Meta:\n        def go(self):\n            pass\n" for number in range(30)
    )
    database = mapped(tmp_path, {"forms.py": forms})
    asked: list[str] = []
    database.connection.set_trace_callback(asked.append)
    assert len(graph.find_nodes(database, "forms.py", "Meta")) == 60
    assert len(asked) == 2


def test_what_was_counted_before_and_what_is_outside_is_not_counted_with_a_hub(tmp_path: Path) -> None:
    users = {
        f"m{number}.py": f"import p{number}\nfrom hub import hub\n\ndef f{number}():\n    hub()\n    p{number}.go()\n"
        for number in range(500)
    }
    wide = {"wide.py": "".join(f"import p{number}\n" for number in range(500)) + "from hub import hub\n"}
    database = mapped(tmp_path, {"hub.py": "def hub():\n    hub()\n"} | users | wide)
    assert graph.compute_impact(database, graph.find_nodes(database, "hub.py", "hub"), depth=1).total == 1_001
    own = [node for number in range(500) for node in graph.find_nodes(database, f"m{number}.py")]
    assert graph.compute_impact(database, own, depth=1, forward=True).total == 2
    assert graph.compute_impact(database, graph.find_nodes(database, "wide.py"), depth=1, forward=True).total == 2


@pytest.mark.promise("hubs-are-bounded")
def test_a_hub_is_answered_with_the_nearest_and_a_count(tmp_path: Path) -> None:
    users = {f"m{number}.py": f"from hub import hub\n\ndef f{number}():\n    hub()\n" for number in range(500)}
    database = mapped(tmp_path, {"hub.py": "def hub():\n    pass\n"} | users)
    asked: list[str] = []
    database.connection.set_trace_callback(asked.append)
    found = graph.compute_impact(database, graph.find_nodes(database, "hub.py", "hub"), depth=1)
    database.connection.set_trace_callback(None)
    counts = next(statement for statement in asked if statement.startswith("SELECT COUNT"))
    assert any("COVERING INDEX edges_in" in row[3] for row in database.fetch_rows(f"EXPLAIN QUERY PLAN {counts}"))
    assert len(found.reached) == graph.NODES_SHOWN_MAX
    assert found.total == 1_000
    assert not found.complete


def test_a_symbol_may_be_named_by_its_end(database: MapDatabase) -> None:
    assert [str(node) for node in graph.find_nodes(database, "core.py", "go")] == ["core.py:Thing.go"]
    assert [str(node) for node in graph.find_definitions(database, "layer")] == ["middle.py:layer"]
    assert graph.find_nodes(database, "core.py", "nothing") == []


def test_a_class_is_not_another_one_than_its_constructor(tmp_path: Path) -> None:
    files = {
        "Shop.java": "class Shop {\n  Shop() {}\n  class Till {}\n}\n",
        "Old.java": "class Old { class Till {} }\n",
    }
    database = mapped(tmp_path, files)
    assert [str(node) for node in graph.find_definitions(database, "Shop")] == ["Shop.java:Shop"]
    assert len(graph.find_definitions(database, "Till")) == 2


@pytest.mark.promise("hubs-are-bounded")
def test_no_question_looks_through_a_whole_table(tmp_path: Path) -> None:
    database = mapped(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/a.py": "class A:\n    def one(self):\n        return two()\n\ndef two():\n    return 2\n",
            "pkg/b.py": "from pkg.a import A, two\n\ndef use():\n    A().one()\n    two()\n",
            "tests/test_a.py": "from pkg.a import A\n\ndef test_one():\n    A().one()\n",
        },
    )
    asked: list[str] = []
    database.connection.set_trace_callback(asked.append)
    for path, symbol in (("pkg/a.py", ""), ("pkg/a.py", "A"), ("pkg/a.py", "A.one"), ("pkg/a.py", "two")):
        for forward in (False, True):
            graph.compute_impact(database, graph.find_nodes(database, path, symbol), depth=3, forward=forward)
    queries.find_tests(database, ["pkg/a.py"], 5)
    queries.find_neighbours(database, ["pkg/a.py"])
    queries.find_connected(database, ["pkg/a.py"], ["pkg/b.py"])
    database.connection.set_trace_callback(None)
    plans = {
        row[3]
        for statement in asked
        if statement.startswith("SELECT")
        for row in database.fetch_rows(f"EXPLAIN QUERY PLAN {statement}")
    }
    assert len(plans) > 5
    tables = {"n", "f", "x", "e", "t", "s", "nodes", "files", "edges", "unresolved"}
    assert [plan for plan in plans if plan.startswith("SCAN ") and plan.split()[1] in tables] == []


def test_files_are_tied_where_either_uses_the_other(database: MapDatabase) -> None:
    assert queries.find_connected(database, ["middle.py"], ["core.py", "nowhere.py"]) == {"core.py"}
    assert queries.find_connected(database, ["core.py"], ["middle.py"]) == {"middle.py"}
    assert queries.find_connected(database, ["top.py"], ["core.py"]) == set()
    assert queries.find_connected(database, ["nowhere.py", "top.py"], ["core.py", "middle.py"]) == {"middle.py"}


def test_paths_and_names_that_may_not_be_shown_are_withheld_and_counted(database: MapDatabase) -> None:
    found = graph.compute_impact(database, graph.find_nodes(database, "core.py", "base"), depth=2)
    reached_before = len(found.reached)
    hidden = [one for one in found.reached if one.node.path == "middle.py"]
    found.hide_paths(lambda path: path != "middle.py", lambda name: name != "main")
    assert found.withheld == ("main", "middle.py")
    assert len(found.reached) == reached_before - len(hidden)
    assert "middle.py" not in dict(found.files)
    assert dict(found.files)["top.py"] == 2
    assert [one.node.name for one in found.reached if one.node.path == "top.py" and one.node.kind != "file"] == [""]
    assert [str(node) for node in found.target] == ["core.py:base"]


def test_a_target_whose_path_may_not_be_shown_stays_the_target(database: MapDatabase) -> None:
    found = graph.compute_impact(database, graph.find_nodes(database, "core.py", "base"), depth=1)
    found.hide_paths(lambda path: False, lambda name: True)
    assert [node.path for node in found.target] == ["core.py"]
    assert (found.reached, found.files) == ((), ())
    assert "middle.py" in found.withheld
    assert "core.py" not in found.withheld, "it is shown"
