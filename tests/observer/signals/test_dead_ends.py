from holloway.domain.event import Call, Result, ToolKind
from holloway.observer.signals import dead_ends
from tests.observer.story import Story


def test_lines_changed_again_soon_after_were_taken_back() -> None:
    told = Story().edit("a.py", ["x = 1"], ["x = 2"]).read("config.py").edit("a.py", ["x = 2"], ["x = 3"]).account()
    (signal,) = dead_ends.detect_backtrack(told)
    assert (signal.key, signal.facts["read"], signal.facts["cause"]) == ("a.py", ["config.py"], "missing_context")


def test_other_lines_of_the_same_file_are_no_way_back() -> None:
    told = Story().edit("a.py", ["x = 1"], ["x = 2"]).edit("a.py", ["y = 1"], ["y = 2"]).account()
    assert list(dead_ends.detect_backtrack(told)) == []


def test_the_same_lines_much_later_are_no_way_back() -> None:
    told = Story().edit("a.py", ["x = 1"], ["x = 2"])
    for number in range(dead_ends.BACKTRACK_STEPS):
        told.read(f"f{number}.py")
    assert list(dead_ends.detect_backtrack(told.edit("a.py", ["x = 2"], ["x = 3"]).account())) == []


def long_approach(steps: int) -> Story:
    told = Story()
    for number in range(steps):
        told.edit(f"redis/f{number % 4}.py")
    return told.says("Redis sessions won't work because Redis is not available in CI. Let me use SQLite instead.")


def test_an_approach_that_was_followed_long_and_left_for_other_files_is_a_dead_end() -> None:
    told = long_approach(dead_ends.DEAD_END_STEPS).edit("sqlite/a.py").edit("sqlite/b.py").account()
    (signal,) = dead_ends.detect_dead_end(told)
    assert "not available in CI" in str(signal.facts["reason"])
    assert signal.files[0].startswith("redis/")


def test_an_approach_that_was_left_soon_was_a_try() -> None:
    told = long_approach(dead_ends.DEAD_END_STEPS - 1).edit("sqlite/a.py").account()
    assert list(dead_ends.detect_dead_end(told)) == []


def test_going_on_with_the_same_files_is_no_dead_end() -> None:
    told = long_approach(dead_ends.DEAD_END_STEPS)
    for number in range(4):
        told.edit(f"redis/f{number}.py")
    assert list(dead_ends.detect_dead_end(told.account())) == []


def test_time_counts_only_with_trouble() -> None:
    told = Story().read(*(f"f{n}.py" for n in range(10)), after_s=1.0)
    told.edit("hard.py", ["x = 1"], ["x = 2"]).read("late.py", after_s=900.0)
    assert list(dead_ends.detect_time_anomaly(told.account())) == []
    told.edit("hard.py", ["x = 2"], ["x = 3"])
    (signal,) = dead_ends.detect_time_anomaly(told.account())
    assert (signal.key, signal.facts["backtrack"]) == ("hard.py", True)


def test_a_folder_that_a_failed_search_looked_through_is_no_file_that_took_long() -> None:
    told = Story().read(*(f"f{n}.py" for n in range(10)), after_s=1.0)
    told.event(Call(1_000.0, "looked", ToolKind.SEARCH, "Grep", path="src", pattern="limit"))
    told.event(Result(1_001.0, "looked", ok=False, text="timed out")).event(
        Call(5_000.0, "late", ToolKind.READ, path="a.py")
    )
    assert list(dead_ends.detect_time_anomaly(told.account())) == []


def test_how_far_two_stretches_of_work_lie_apart() -> None:
    assert dead_ends.measure_divergence({"a", "b"}, {"a", "b"}) == 0.0
    assert dead_ends.measure_divergence({"a"}, {"b"}) == 1.0
    assert dead_ends.measure_divergence(set(), {"b"}) == 0.0


def test_an_error_and_what_solved_it_is_a_signal() -> None:
    told = Story().shell(
        "pytest -q", "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379", ok=False
    )
    told.shell("REDIS_URL=fake:// pytest -q", "12 passed in 0.3s")
    (signal,) = dead_ends.detect_error_retry(told.account())
    assert "REDIS_URL" in str(signal.facts["fix"])
    assert signal.facts["telling"] is True


def find_cause(story: Story) -> str:
    (signal,) = dead_ends.detect_backtrack(story.edit("a.py", ["x = 2"], ["x = 3"]).account())
    return str(signal.facts["cause"])


def test_the_cause_of_a_way_back_is_what_happened_in_between() -> None:
    def start() -> Story:
        return Story().red().read("early.py").edit("a.py", ["x = 1"], ["x = 2"])

    assert find_cause(start()) == "unknown"
    assert find_cause(start().green()) == "unknown"
    assert find_cause(start().red()) == "cascading_change"
    assert find_cause(start().red().read("config.py")) == "missing_context"
    assert find_cause(start().read("a.py")) == "unknown"


def test_a_way_back_counts_its_turns_and_the_files_that_were_read() -> None:
    story = Story().edit("a.py", ["x = 1"], ["x = 2"])
    story.read("b.py", "b.py", *(f"f{number}.py" for number in range(5))).edit("a.py", ["x = 2"], ["x = 1"])
    (signal,) = dead_ends.detect_backtrack(story.edit("a.py", ["x = 1"], ["x = 2"]).account())
    assert (signal.facts["times"], signal.files) == (2, ("a.py",))
    assert signal.facts["read"] == ["b.py", "f0.py", "f1.py", "f2.py", "f3.py"]


def test_a_solved_error_is_told_with_its_fix_and_its_key_names_both() -> None:
    refused = "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused."
    story = Story().edit("a.py").shell("pytest -q", refused, ok=False)
    (signal,) = dead_ends.detect_error_retry(story.shell("REDIS_URL=fake:// pytest -q", "12 passed in 0.3s").account())
    assert signal.facts["command"] == "pytest -q"
    assert "Connection refused" in str(signal.facts["error"])
    assert "REDIS_URL" in str(signal.facts["fix"])
    assert signal.quotes == (signal.facts["error"], signal.facts["fix"])
    assert signal.key.startswith(f"{signal.facts['fingerprint']} ")
    assert list(dead_ends.detect_error_retry(Story().shell("pytest -q", refused, ok=False).account())) == []


def test_files_of_two_stretches_of_work_differ_by_their_share() -> None:
    assert dead_ends.measure_divergence({"a", "b"}, {"a", "b"}) == 0
    assert dead_ends.measure_divergence({"a"}, {"b"}) == 1
    assert dead_ends.measure_divergence({"a", "b", "c", "d"}, {"a"}) == 0.75
    assert dead_ends.measure_divergence(set(), {"a"}) == 0
    assert dead_ends.measure_divergence({"a"}, set()) == 0
