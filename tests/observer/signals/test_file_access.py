import pytest

from holloway.observer.signals import file_access
from tests.observer.story import Story


def keys(found) -> list[str]:  # type: ignore[no-untyped-def]
    return [signal.key for signal in found]


def test_a_file_counts_by_the_most_that_was_done_to_it() -> None:
    told = Story().read("a.py", "b.py").edit("a.py").write("c.py").account()
    weights = {signal.key: signal.facts["weight"] for signal in file_access.detect_file_access(told)}
    assert weights == {"a.py": 2, "b.py": 1, "c.py": 3}


def test_files_that_the_shell_reads_count_too() -> None:
    assert keys(file_access.detect_file_access(Story().shell("cat src/a.py | head -20").account())) == ["src/a.py"]


def test_files_opened_near_each_other_were_opened_together() -> None:
    told = Story().read("a.py", "b.py").account()
    (pair,) = file_access.detect_co_access(told)
    assert (pair.key, pair.facts["edited"], pair.facts["first"]) == ("a.py|b.py", False, "a.py")


def test_files_far_apart_are_a_pair_only_if_both_were_changed() -> None:
    between = [f"x{n}.py" for n in range(6)]
    read = Story().read("a.py", *between, "z.py").account()
    assert "a.py|z.py" not in keys(file_access.detect_co_access(read))
    changed = Story().edit("a.py").read(*between).edit("z.py").account()
    assert [signal.key for signal in file_access.detect_co_access(changed) if signal.facts["edited"]] == ["a.py|z.py"]


def test_a_sweep_over_many_files_pairs_nothing() -> None:
    told = Story()
    for number in range(file_access.EDITED_TOGETHER_MAX + 1):
        told.edit(f"f{number:02}.py")
    assert not any(signal.facts["edited"] for signal in file_access.detect_co_access(told.account()))


def test_a_file_found_by_searching_right_after_another_was_chased() -> None:
    told = Story().read("a.py").search("def helper", "b.py").read("b.py").account()
    assert keys(file_access.detect_import_chase(told)) == ["a.py>b.py"]


def test_a_file_opened_without_a_search_was_not_chased() -> None:
    assert keys(file_access.detect_import_chase(Story().read("a.py").read("b.py").account())) == []


def test_a_file_opened_long_after_the_search_was_not_chased() -> None:
    told = (
        Story().read("a.py").search("x", "b.py").shell("make").shell("make lint").shell("ls").shell("pwd").read("b.py")
    )
    assert keys(file_access.detect_import_chase(told.account())) == []


def test_configuration_changed_with_the_code_of_a_folder() -> None:
    told = Story().edit("src/api/a.py").edit("src/api/b.py").edit("pyproject.toml").account()
    (signal,) = file_access.detect_config_touch(told)
    assert (signal.key, signal.facts["folder"]) == ("pyproject.toml|src/api", "src/api")


def test_tool_settings_at_the_root_are_configuration_and_code_of_the_same_name_is_not() -> None:
    session = Story().edit("src/api/a.py").edit("noxfile.py").edit("src/api/tasks.py").account()
    assert keys(file_access.detect_config_touch(session)) == ["noxfile.py|src/api"]


def test_configuration_alone_teaches_nothing() -> None:
    assert keys(file_access.detect_config_touch(Story().edit("pyproject.toml").account())) == []


def test_the_wrong_turn_is_a_namesake_that_was_left_for_the_real_place() -> None:
    told = Story().read("ipc/github.ts").read("ipc/github_issues.ts").edit("ipc/github_issues.ts").account()
    (signal,) = file_access.detect_read_abandon(told)
    assert (signal.facts["first"], signal.facts["final"]) == ("ipc/github.ts", "ipc/github_issues.ts")


def test_reading_something_else_first_is_no_wrong_turn() -> None:
    assert (
        keys(file_access.detect_read_abandon(Story().read("README.md", "util.ts").edit("ipc/github.ts").account()))
        == []
    )


def test_a_file_that_was_needed_again_was_no_wrong_turn() -> None:
    told = Story().read("ipc/github.ts").edit("ipc/github_issues.ts").read("ipc/github.ts").account()
    assert keys(file_access.detect_read_abandon(told)) == []


def test_what_lies_outside_of_the_project_is_no_file_of_it() -> None:
    told = Story().read("/etc/passwd").read("../x.py").read("C:/x").read(".git/config").account()
    assert keys(file_access.detect_file_access(told)) == []


def test_a_command_run_in_a_folder_names_the_files_there() -> None:
    assert keys(file_access.detect_file_access(Story().shell("cd web && cat src/app.ts").account())) == [
        "web/src/app.ts"
    ]
    assert keys(file_access.detect_file_access(Story().shell("cat ./src/../src/app.ts").account())) == ["src/app.ts"]


def _worked(actor: str, at: float) -> Story:
    return Story("s1", actor=actor, at=at).read("src/a.py").edit("src/a.py", ["x"], ["y"])


def _conflicts(*stories: Story) -> list[str]:
    merged = Story("s1")
    for event in sorted((event for story in stories for event in story.told[1:]), key=lambda event: event.at):
        merged.event(event)
    return [signal.key for signal in file_access.detect_parallel_conflict(merged.account())]


def test_two_agents_in_conflict_worked_on_the_file_at_the_same_time() -> None:
    assert _conflicts(_worked("one", 1_000.0), _worked("two", 1_030.0)) == ["src/a.py"]
    assert _conflicts(_worked("one", 1_000.0), _worked("two", 9_000.0)) == []


def test_an_agent_that_only_reads_is_in_no_conflict() -> None:
    reader = Story("s1", actor="two", at=1_030.0).read("src/a.py").read("src/a.py")
    assert _conflicts(_worked("one", 1_000.0), reader) == []


def test_of_more_pairs_than_the_limit_those_that_were_edited_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_access, "PAIRS_MAX", 1)
    told = Story().read("a.py", "b.py").edit("x.py").edit("y.py").account()
    assert keys(file_access.detect_co_access(told)) == ["x.py|y.py"]


def test_the_first_of_a_pair_is_the_one_that_was_opened_first() -> None:
    (pair,) = file_access.detect_co_access(Story().read("b.py", "a.py").account())
    assert (pair.key, pair.facts["first"]) == ("a.py|b.py", "b.py")


def test_a_session_that_changes_only_tests_has_no_wrong_turn() -> None:
    told = Story().read("ipc/github.ts").edit("ipc/github.test.ts").account()
    assert keys(file_access.detect_read_abandon(told)) == []
    assert keys(file_access.detect_read_abandon(Story().read("ipc/github.ts").account())) == []


@pytest.mark.parametrize(
    ("path", "other", "alike"),
    [
        ("ipc/github.ts", "ipc/github_issues.ts", True),
        ("ipc/GitHub.ts", "web/hub.ts", True),
        ("ipc/github.ts", "ipc/github.py", False),
        ("ipc/a_b.ts", "ipc/a_c.ts", False),
    ],
)
def test_namesakes_share_a_long_word_and_the_suffix(path: str, other: str, alike: bool) -> None:
    assert file_access.is_namesake(path, other) is alike
