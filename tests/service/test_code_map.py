import json
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

import holloway
from holloway.codemap import file_watcher, graph, health
from holloway.codemap.health import MapBusy
from holloway.codemap.index import PARALLEL_FILES_MIN
from holloway.errors import InvalidInput
from holloway.service.code_map import MAP_COUPLED_COMMITS_MIN
from tests.codemap.scip.index_bytes import METADATA, P, document, occurrence
from tests.conftest import FILES, Repository
from tests.store.test_memories import taught

TOKENS = "src/shop/auth/tokens.py"


@pytest.mark.promise("private-files")
def test_the_map_is_readable_by_its_owner_only(memory: holloway.Holloway) -> None:
    memory.map.update()
    for path in memory.project.folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


@pytest.mark.promise("map-reads-what-changed")
def test_only_what_changed_is_read_again(memory: holloway.Holloway, repository: Repository) -> None:
    assert memory.map.update().read == 6
    old = time.time() - 60
    for path in repository.root.rglob("*.*"):
        if ".git" not in path.parts:
            os.utime(path, (old, old))
    memory.map.update()
    repository.commit("src/shop/new.py", "x = 1\n")
    done = memory.map.update()
    assert (done.read, done.files) == (1, 7)


def test_the_files_with_most_of_some_words_come_first(memory: holloway.Holloway, repository: Repository) -> None:
    words = ("weights", "stored", "gross", "subtracted")
    assert memory.map.find_files_with_words(words, 0.6) == []
    repository.commit("docs/some.md", "Weights are stored gross.\n")
    repository.commit("docs/most.md", "Weights are stored gross, the tare is subtracted.\n")
    repository.commit("docs/few.md", "Weights.\n")
    memory.map.update()
    assert memory.map.find_files_with_words(words, 0.6) == ["docs/most.md", "docs/some.md"]
    assert memory.map.find_files_with_words((), 0.6) == []


def test_a_second_process_is_told_that_one_is_at_work(memory: holloway.Holloway) -> None:
    with FileLock(memory.map.path.with_suffix(".lock")), pytest.raises(MapBusy):
        memory.map.update(wait=False)


def test_a_name_that_several_files_define_is_asked_back_and_an_unknown_one_is_told(
    memory: holloway.Holloway, repository: Repository
) -> None:
    repository.commit("src/shop/billing/refunds.py", "def refresh(refund):\n    return refund\n")
    repository.commit("src/shop/billing/only.py", "def rounded(amount):\n    return amount\n")
    memory.map.update()
    with pytest.raises(InvalidInput, match="refresh is defined in several places") as wrong:
        memory.map.impact("refresh")
    assert wrong.value.hint == "Say which: src/shop/auth/tokens.py:refresh, src/shop/billing/refunds.py:refresh."
    assert [str(node) for node in memory.map.impact("rounded").impact.target] == ["src/shop/billing/only.py:rounded"]
    with pytest.raises(InvalidInput, match="The place is empty"):
        memory.map.impact(" ")
    with pytest.raises(InvalidInput, match="src/shop is not in the map") as wrong:
        memory.map.impact("src/shop")
    assert wrong.value.hint.startswith("src/shop is a folder: give a file, for example src/shop/")
    with pytest.raises(InvalidInput) as wrong:
        memory.map.impact(f"{TOKENS}:zeppelin")
    assert wrong.value.hint == f"{TOKENS} has no such symbol."


@pytest.mark.promise("map-edits-stick")
def test_memories_follow_a_renamed_file_and_come_back(memory: holloway.Holloway, repository: Repository) -> None:
    trap = taught(memory, "refresh() burns the token", files=[TOKENS])
    memory.map.update()
    repository.git("checkout", "-qb", "feature")
    repository.git("mv", TOKENS, "src/shop/auth/jwt.py")
    repository.git("commit", "-qm", "rename")
    memory.map.update()
    assert memory.get(trap.id).files == ("src/shop/auth/jwt.py",)
    assert "moved" in repr(memory.why(trap.id).history)
    repository.git("checkout", "-q", "main")
    memory.map.update()
    assert memory.get(trap.id).files == (TOKENS,)


def test_impact_brings_tests_coupled_files_relations_and_memories(
    memory: holloway.Holloway, repository: Repository
) -> None:
    repository.commit(
        "src/shop/auth/login.py", "from shop.auth.tokens import refresh\n\ndef login():\n    refresh(1)\n"
    )
    for number in range(3):
        (repository.root / TOKENS).write_text(f"def refresh(token):\n    return token  # {number}\n")
        repository.commit("docs/tokens.md", f"{number}\n", "tokens")
    taught(memory, "refresh() burns the token", files=[TOKENS])
    memory.map.relate("docs/tokens.md", "documents", TOKENS, note="explains it")
    memory.map.update()
    found = memory.map.impact(f"{TOKENS}:refresh")
    assert [str(one.node) for one in found.impact.reached if one.node.name] == ["src/shop/auth/login.py:login"]
    assert "tests/auth/test_tokens.py" in found.impact.tests
    assert found.coupled[0][0] == "docs/tokens.md"
    assert [relation.note for relation in found.relations] == ["explains it"]
    assert [memory.content for memory in found.memories] == ["refresh() burns the token"]


def test_tests_that_no_import_leads_to_are_told_by_common_changes(
    memory: holloway.Holloway, repository: Repository
) -> None:
    (repository.root / "test").mkdir()
    for number in range(MAP_COUPLED_COMMITS_MIN):
        (repository.root / "test/sums.js").write_text(f"require('..')  // {number}\n")
        (repository.root / "test/sums.json").write_text(f"{number}\n")
        (repository.root / "docs.md").write_text(f"{number}\n")
        repository.commit("lib/total.js", f"exports.total = () => {number}\n")
    memory.map.update()
    found = memory.map.impact("lib/total.js")
    assert found.impact.tests == ("test/sums.js",)
    assert sorted(path for path, *_ in found.coupled) == ["docs.md", "test/sums.json"]


def test_a_file_that_code_ties_to_another_is_not_told_as_changing_with_it_for_no_reason(
    memory: holloway.Holloway, repository: Repository
) -> None:
    user = "src/shop/auth/login.py"
    for number in range(MAP_COUPLED_COMMITS_MIN):
        (repository.root / user).write_text(f"from shop.auth.tokens import refresh\n\nrefresh({number})\n")
        (repository.root / "docs.md").write_text(f"{number}\n")
        text = f"def refresh(token):\n    return token\n\n\ndef issue():\n    return {number}\n"
        repository.commit(TOKENS, text)
    memory.map.update()
    for asked in (user, f"{TOKENS}:issue", TOKENS):
        assert [path for path, *_ in memory.map.impact(asked).coupled] == ["docs.md"]
    assert [path for path, *_ in memory.map.impact(TOKENS, forward=True).coupled] == ["docs.md"]


def test_an_impact_is_that_of_one_map_though_another_is_written_meanwhile(
    memory: holloway.Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    login = "src/shop/auth/login.py"
    repository.commit(login, "from shop.auth.tokens import refresh\n\ndef login():\n    refresh(1)\n")
    memory.map.update()
    walk = graph.compute_impact

    def interrupted(*given: Any, **options: Any) -> graph.ImpactReport:
        repository.commit(login, "def login():\n    pass\n")
        with holloway.open(repository.root, home=memory.home) as other:
            other.map.update()
        return walk(*given, **options)

    monkeypatch.setattr(graph, "compute_impact", interrupted)

    assert login in [path for path, _ in memory.map.impact(f"{TOKENS}:refresh").impact.files]


def test_what_is_not_in_the_map_is_met_with_the_closest(memory: holloway.Holloway) -> None:
    memory.map.update()
    with pytest.raises(InvalidInput) as wrong:
        memory.map.impact("src/shop/auth/token.py")
    assert wrong.value.hint == f"Did you mean {TOKENS}?"
    with pytest.raises(InvalidInput) as wrong:
        memory.map.impact(f"{TOKENS}:refesh")
    assert wrong.value.hint == f"Did you mean {TOKENS}:refresh?"
    with pytest.raises(InvalidInput):
        memory.map.module("nowhere")
    with pytest.raises(InvalidInput):
        memory.map.relate(TOKENS, "likes", TOKENS)


@pytest.mark.promise("map-edits-stick")
def test_edits_of_modules_stay_after_every_index(memory: holloway.Holloway, repository: Repository) -> None:
    memory.map.update()
    first = memory.map.modules()[0].name
    memory.map.edit_module(first, rename="login", purpose="Who you are")
    repository.commit("src/shop/more.py", "x = 1\n")
    memory.map.update()
    shown = memory.map.module("login")
    assert shown.purpose == "Who you are"
    memory.map.reset_module("login")
    assert first in [module.name for module in memory.map.modules()]


def test_a_secret_in_a_note_is_not_kept(memory: holloway.Holloway) -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
    assert token not in memory.map.relate(TOKENS, "documents", "README.md", note=f"use {token}").note


def test_locate_names_files_with_reasons_and_leads_on_from_known_ones(
    memory: holloway.Holloway, repository: Repository
) -> None:
    for number in range(12):
        repository.commit("notes.md", f"{number}\n", f"Note number {number}")
    repository.commit(TOKENS, "def refresh(token):\n    return token + 1\n", "Refresh the token only once")
    memory.map.update()
    found = memory.map.locate("the token is refreshed twice")
    assert found.files[0].path == TOKENS
    assert any(reason.startswith("changed in commits about ") for reason in found.files[0].reasons)
    assert TOKENS not in [file.path for file in memory.map.locate("token", known=[TOKENS]).files]
    assert memory.map.locate("").files == () or memory.map.locate("").files[0].reasons


@pytest.mark.parametrize(
    "task", ["", "\x00", '" OR *', "a" * 50_000, "NEAR(a b)", "💥 ../../../etc/passwd", "(" * 5_000]
)
def test_any_task_is_answered(memory: holloway.Holloway, task: str) -> None:
    memory.map.update()
    assert memory.map.locate(task, limit=3).files is not None


@pytest.mark.promise("watch")
def test_a_watcher_sees_a_change_and_the_map_has_it(memory: holloway.Holloway, repository: Repository) -> None:
    memory.map.update()
    stop = threading.Event()
    seen: list[list[str]] = []

    def follow() -> None:
        for changed in file_watcher.watch_changes(repository.root, stop):
            seen.append(changed)
            stop.set()

    watcher = threading.Thread(target=follow)
    watcher.start()
    deadline = time.monotonic() + 30
    number = 0
    while not seen and time.monotonic() < deadline:
        number += 1
        (repository.root / "src/shop/seen.py").write_text(f"def seen_{number}():\n    pass\n")
        watcher.join(0.7)
    stop.set()
    watcher.join(30)
    assert "src/shop/seen.py" in seen[0]
    memory.map.update(only=seen[0])
    assert memory.map.impact("src/shop/seen.py").impact.target


def test_who_finds_another_at_the_map_leaves_word_of_its_progress_alone(memory: holloway.Holloway) -> None:
    told = memory.map.path.with_suffix(".progress")
    told.write_text(json.dumps({"stage": "reading", "done": 1, "total": 2, "at": time.time()}))
    with FileLock(memory.map.path.with_suffix(".lock")), pytest.raises(MapBusy):
        memory.map.update(wait=False)
    assert memory.map.progress() == "30 %"


def test_progress_of_another_process_is_read_and_a_dead_one_ignored(memory: holloway.Holloway) -> None:
    told = memory.map.path.with_suffix(".progress")
    told.write_text(json.dumps({"stage": "reading", "done": 50, "total": 100, "at": time.time()}))
    assert memory.map.progress() == "30 %"
    told.write_text('{"stage": "reading", "done": 1, "total": 2, "at": 0}')
    assert memory.map.progress() == ""
    told.write_text("{")
    assert memory.map.progress() == ""


def test_an_index_tells_how_far_it_has_come(memory: holloway.Holloway) -> None:
    seen: set[str] = set()
    memory.map.update(progress=lambda stage, done, total: seen.add(memory.map.progress()))
    assert any(said.endswith("%") for said in seen)
    assert memory.map.progress() == ""


def test_two_checkouts_of_one_project_have_a_map_each(
    memory: holloway.Holloway, repository: Repository, tmp_path: Path, home: Path
) -> None:
    memory.map.update()
    repository.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    (tmp_path / "other" / "extra.py").write_text("x = 1\n")
    with holloway.open(tmp_path / "other", home=home) as there:
        there.map.update()
        assert there.project.key == memory.project.key
        assert there.map.impact("extra.py").impact.target
    with pytest.raises(InvalidInput):
        memory.map.impact("extra.py")


def test_a_plain_script_maps_a_project_of_many_files(repository: Repository) -> None:
    for number in range(PARALLEL_FILES_MIN + 10):
        (repository.root / f"m{number}.py").write_text(f"def f{number}():\n    pass\n")
    script = repository.root.parent / "script.py"
    script.write_text(
        f"import holloway\nwith holloway.open({str(repository.root)!r}) as memory:\n"
        "    print(memory.map.update().files)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (done.stderr, int(done.stdout)) == ("", len(FILES) + PARALLEL_FILES_MIN + 10)


def test_a_language_whose_calls_are_not_followed_says_so(memory: holloway.Holloway, repository: Repository) -> None:
    repository.commit("src/Cart.cs", "public class Cart { public int Total() { return 1; } }\n")
    repository.commit("src/Shop.cs", "public class Shop { int Sum() { return new Cart().Total(); } }\n")
    memory.map.update()

    assert memory.map.impact("src/Cart.cs:Cart.Total").unfollowed == ("C#",)
    assert memory.map.impact(TOKENS).unfollowed == ()


def test_a_precise_index_tells_of_calls_where_syntax_does_not(
    memory: holloway.Holloway, repository: Repository
) -> None:
    repository.commit("src/Cart.cs", "public class Cart {\n  public int Total() { return 1; }\n}\n")
    repository.commit("src/Shop.cs", "public class Shop {\n  int Sum() { return new Cart().Total(); }\n}\n")
    memory.map.update()
    assert memory.map.impact("src/Cart.cs:Cart.Total").unfollowed == ("C#",)
    total = f"{P}Cart#Total()."
    parts = (
        document("src/Cart.cs", occurrence(total, (1, 13, 18), 1, (1, 2, 1, 34))),
        document(
            "src/Shop.cs", occurrence(f"{P}Shop#Sum().", (1, 6, 9), 1, (1, 2, 1, 42)), occurrence(total, (1, 32, 37))
        ),
    )
    (repository.root / "index.scip").write_bytes(METADATA + b"".join(parts))
    memory.map.update()
    found = memory.map.impact("src/Cart.cs:Cart.Total")
    assert [(str(one.node), one.via) for one in found.impact.reached] == [("src/Shop.cs:Shop.Sum", "calls")]
    assert found.unfollowed == ()


def test_the_map_of_a_shallow_clone_is_behind_only_when_head_has_moved(tmp_path: Path, repository: Repository) -> None:
    repository.commit("src/shop/new.py", "x = 1\n")
    clone = Repository(tmp_path / "clone")
    repository.git("clone", "-q", "--depth", "1", repository.root.as_uri(), str(clone.root))
    with holloway.open(clone.root, home=tmp_path / "home") as memory:
        memory.map.update()
        assert not memory.map.is_behind
        found = health.examine_map(memory.map.path)
        assert found is not None
        assert found.tip == clone.git("rev-parse", "HEAD").strip()
        clone.commit("src/shop/new.py", "x = 2\n")
        assert memory.map.is_behind


def test_sessions_on_the_default_branch_are_not_one_piece_of_work(
    memory: holloway.Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from holloway.retrieval import locate

    memory.map.update()
    heard: list[str] = []
    monkeypatch.setattr(locate, "locate_files", lambda *given, branch, **rest: heard.append(branch))
    memory.map.locate("refresh the token")
    repository.git("checkout", "-qb", "feature")
    memory.map.locate("refresh the token")
    assert heard == ["", "feature"]


def test_the_page_of_a_map_that_another_version_made_is_not_read(memory: holloway.Holloway) -> None:
    memory.map.update()
    assert memory.map.overview().files
    memory.map.database.execute("PRAGMA user_version = 9")
    assert memory.map.overview().files == 0


def test_an_impact_reaches_two_steps_unless_more_are_asked_for(
    memory: holloway.Holloway, repository: Repository
) -> None:
    for name, used in (("b", "a"), ("c", "b"), ("d", "c")):
        repository.commit(f"src/shop/{name}.py", f"from shop.{used} import {used}\n\ndef {name}():\n    {used}()\n")
    repository.commit("src/shop/a.py", "def a():\n    pass\n")
    memory.map.update()
    spec = "src/shop/a.py:a"
    reached = [
        {entry.node.name for entry in consequences.impact.reached if entry.node.name}
        for consequences in (memory.map.impact(spec), memory.map.impact(spec, depth=3))
    ]
    assert reached == [{"b", "c"}, {"b", "c", "d"}]
