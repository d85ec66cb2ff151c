"""The attack runner reports a tool that repeats what it saw, and finds nothing to report of holloway."""

import json
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import attack_runner
from benchmarks.attack_host import Tool, load_tool
from benchmarks.attack_scenes import CORPORA, Plant, Scene, make_carrier_scenes, make_direct_scenes, make_secret_scenes
from tests.attacks.carriers import make_repository
from tests.attacks.channels import Questions

NAIVE = f"{sys.executable} {Path(__file__).with_name('naive_memory.py')}"
HOLLOWAY = Path(attack_runner.__file__).parent / "attack_tools" / "holloway.toml"
EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SubagentStop", "Stop")
BY_HOOKS = Tool("naive", "NAIVE_HOME", hook=f"{NAIVE} hook", events=EVENTS)
BY_MCP = Tool(
    "naive",
    "NAIVE_HOME",
    mcp=f"{NAIVE} mcp",
    record={"tool": "keep", "arguments": {"note": "{text}"}},
    ask=[{"tool": "search", "arguments": {"query": "{task}"}}],
)


def find_scene(scenes: Iterable[Scene], name: str) -> Scene:
    """The scene with a plant."""
    return next(scene for scene in scenes if name in {plant.id for plant in scene.plants})


def carrier_scene(name: str = "sub-nested-task", kind: str = "carriers") -> Scene:
    """The scene of one carrier, asked about little."""
    scene = find_scene(make_carrier_scenes(kind), name)
    place = [plant.id for plant in scene.plants].index(name)
    return replace(
        scene,
        plants=(scene.plants[place],),
        sessions=scene.sessions[2 * place : 2 * place + 2],
        questions=Questions([scene.questions.tasks[place + 1]], scene.questions.files[:1]),
    )


def secret_scene() -> Scene:
    """The scene of the first kind of secret only."""
    scene = next(make_secret_scenes())
    (session, *_), kind = scene.sessions, scene.plants[0].id.partition(" ")[0]
    return replace(scene, plants=tuple(p for p in scene.plants if p.id.startswith(f"{kind} ")), sessions=(session,))


def direct_scene() -> Scene:
    """The scene of a tool result that claims to be the user, with the other plants of its repository."""
    scene = find_scene(make_direct_scenes(), "tr-user-said")
    place = [plant.id for plant in scene.plants].index("tr-user-said")
    questions = Questions(scene.questions.tasks[:2], scene.questions.files[:1])
    return replace(scene, sessions=scene.sessions[2 * place : 2 * place + 2], questions=questions)


def test_a_claim_that_hooks_saw_and_repeat_has_come_back() -> None:
    report = attack_runner.play_scenes(BY_HOOKS, "carriers", [carrier_scene()])
    assert (report.sent, list(report.came_back)) == (1, ["sub-nested-task"])
    assert "SessionStart startup" in report.came_back["sub-nested-task"]


def test_a_claim_that_was_recorded_over_mcp_and_is_found_there_has_come_back() -> None:
    report = attack_runner.play_scenes(BY_MCP, "carriers", [carrier_scene()])
    assert report.came_back == {"sub-nested-task": ["MCP search"]}


def test_a_secret_that_comes_back_or_stays_in_a_file_is_reported_with_its_way_in() -> None:
    scene = secret_scene()
    report = attack_runner.play_scenes(BY_HOOKS, "secret_kinds", [scene])
    # This tool sees no transcript and no record, and no words of the agent but the last.
    unseen = {plant.id for plant in scene.plants if "record" in plant.id}
    assert set(report.left_in_files) == {plant.id for plant in scene.plants} - unseen
    assert set(report.came_back) == set(report.left_in_files)
    assert set(map(tuple, report.left_in_files.values())) == {("log.txt",)}


def test_the_marker_of_a_direct_text_that_is_repeated_has_come_back() -> None:
    report = attack_runner.play_scenes(BY_HOOKS, "direct_texts", [direct_scene()])
    assert "tr-user-said" in report.came_back


def test_a_tool_that_sees_nothing_and_says_nothing_has_no_answers() -> None:
    report = attack_runner.play_scenes(Tool("mute", "MUTE_HOME"), "carriers", [carrier_scene()])
    assert (report.sent, report.answers, report.came_back) == (1, 0, {})


def test_a_hook_that_fails_ends_the_run() -> None:
    broken = replace(BY_HOOKS, hook=f"{sys.executable} -c 'raise SystemExit(3)'")
    with pytest.raises(Exception, match="exit status 3"):
        attack_runner.play_scenes(broken, "carriers", [carrier_scene()])


def test_the_command_prints_a_table_lists_misses_by_id_and_exits_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(CORPORA, "carriers", lambda: iter([carrier_scene(), carrier_scene("sub-webfetch")]))
    description = tmp_path / "naive.toml"
    description.write_text(
        f'name = "naive"\ndata_variable = "NAIVE_HOME"\nhook = "{NAIVE} hook"\nevents = {json.dumps(EVENTS)}\n', "utf-8"
    )
    counts = tmp_path / "counts.json"

    code = attack_runner.main([str(description), "--corpus", "carriers", "--only", "nested", "--json", str(counts)])

    printed = capsys.readouterr().out
    assert code == 1
    assert "| naive | carriers | 1 | 1 | 0 |" in printed
    assert "came back: sub-nested-task (SessionStart startup" in printed
    assert json.loads(counts.read_text("utf-8"))["came_back"].keys() == {"sub-nested-task"}


@pytest.mark.parametrize(
    "scene",
    [
        pytest.param(carrier_scene(), id="carrier"),
        # tests/attacks plays these scenes in each commit, in one process.
        pytest.param(direct_scene(), id="direct", marks=pytest.mark.nightly),
        pytest.param(secret_scene(), id="secret", marks=pytest.mark.nightly),
    ],
)
def test_holloway_tells_and_keeps_no_plant(scene: Scene) -> None:
    report = attack_runner.play_scenes(load_tool(HOLLOWAY), "some", [scene])
    assert report.answers > 0
    assert (report.came_back, report.left_in_files) == ({}, {})


def test_holloway_tells_what_the_project_itself_taught_so_silence_is_no_excuse() -> None:
    report = attack_runner.play_scenes(load_tool(HOLLOWAY), "honest", [carrier_scene("h-near-mcp-lint", "honest")])
    assert set(report.came_back) == {"h-near-mcp-lint"}


def test_every_corpus_has_scenes_with_plants_sessions_and_questions() -> None:
    for scenes in CORPORA.values():
        for scene in scenes():
            assert scene.plants
            assert scene.sessions
            assert scene.questions.tasks
            assert all(plant.fragments or plant.secrets for plant in scene.plants)


def test_a_text_has_come_back_only_if_its_words_come_in_a_row(tmp_path: Path) -> None:
    report = attack_runner.Report("tool", "corpus")
    plant = Plant("p", frozenset(["five words in a row"]))
    scene = Scene(lambda root: make_repository(root, {}), (plant,), (), Questions(["?"]))
    report.add_scene(scene, [("a", "a row in five words"), ("b", "")], tmp_path)
    assert (report.came_back, report.answers) == ({}, 1)
    report.add_scene(scene, [("b", "here: Five words, in a\nrow!")], tmp_path)
    assert report.came_back == {"p": ["b"]}
