import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holloway import config
from holloway.domain.event import Event, Said, Started
from holloway.observer import checkpoint
from holloway.observer.observer import Observer, detect_signals
from holloway.observer.scratchpad_merge import merge_scratchpads
from holloway.observer.signals.signal import SIGNALS, Signal, SignalName
from tests.observer.story import Story
from tests.observer.test_scratchpad import events, padded

FIX = "I assumed `retry_limit` was read from settings.py, but it actually comes from `limits.toml`."


def named(found: list[Signal], name: SignalName) -> list[Signal]:
    return [signal for signal in found if signal.name is name]


@pytest.mark.promise("signals")
def test_every_signal_stands_in_the_table() -> None:
    assert set(SIGNALS) == set(SignalName)
    assert all(0.4 <= row.score <= 1 and row.types and row.min_sessions >= 1 for row in SIGNALS.values())


@pytest.mark.promise("signals")
def test_a_broken_event_is_counted_and_harms_nobody() -> None:
    watching = Observer()
    watching.observe_event("not an event")  # type: ignore[arg-type]
    watching.observe_event(Started(1.0, "s"))
    assert (watching.pad.events, watching.pad.failed) == (2, 1)
    assert watching.pad.start is not None


def test_a_correction_outlives_the_budget_of_a_pad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SCRATCHPAD_BYTES_MAX", 1_000_000)
    watching = Observer()
    watching.observe_event(Said(0.0, FIX, thinking=True))
    for number in range(400):
        watching.observe_event(Said(float(number), f"Step {number}. " + "Reading on. " * 330, thinking=True))
    assert watching.pad.bytes <= config.SCRATCHPAD_BYTES_MAX
    assert [signal.facts["fact"] for signal in named(watching.detect_signals(), SignalName.SELF_CORRECTION)]


def test_siblings_see_what_a_session_is_doing() -> None:
    watching = Observer(Story(task="Fix the login").read("a.py").edit("b.py").red().records("mind the cache").pad())
    view = watching.build_view()
    assert (view.task, view.editing, view.failing, view.recorded) == (
        "Fix the login",
        ("b.py",),
        ("pytest -q",),
        ("mind the cache",),
    )


def test_what_passes_again_is_not_told_as_failing() -> None:
    story = Story().red("make lint").red("pytest -q").red("make lint").green("pytest -q")
    assert Observer(story.pad()).build_view().failing == ("make lint",)
    both = Story().red("make lint").red("pytest -q").red("make lint")
    assert Observer(both.pad()).build_view().failing == ("pytest -q", "make lint")


@pytest.mark.promise("resumes")
@given(st.lists(events, max_size=30), st.integers(0, 30))
@settings(max_examples=60, deadline=None)
def test_a_restored_scratchpad_shows_the_same_signals(told: list[Event], cut: int) -> None:
    half = checkpoint.load_scratchpad(checkpoint.dump_scratchpad(padded(*told[:cut])))
    for event in told[cut:]:
        half.add_event(event)
    assert detect_signals(half) == detect_signals(padded(*told))


def test_two_agents_that_change_one_file_conflict() -> None:
    one, two = Story("s1").edit("a.py").pad(), Story("s2").edit("a.py").pad()
    (signal,) = named(detect_signals(merge_scratchpads([one, two])), SignalName.PARALLEL_CONFLICT)
    assert signal.files == ("a.py",)
    assert named(detect_signals(one), SignalName.PARALLEL_CONFLICT) == []


def test_what_two_agents_saw_on_their_own_says_so() -> None:
    one = Story("s1").says(FIX).edit("limits.toml", [], ["retry_limit = 1"]).pad()
    two = Story("s2").says(FIX).edit("limits.toml", [], ["retry_limit = 2"]).pad()
    (signal,) = named(detect_signals(merge_scratchpads([one, two])), SignalName.SELF_CORRECTION)
    assert signal.actors == 2
    assert [each.actors for each in named(detect_signals(one), SignalName.SELF_CORRECTION)] == [1]


def test_the_deeds_of_two_agents_are_not_one_story() -> None:
    one = Story("s1").read("a.py").read("c.py").pad()
    two = Story("s2").read("b.py").read("d.py").pad()
    pairs = {signal.key for signal in named(detect_signals(merge_scratchpads([one, two])), SignalName.CO_ACCESS)}
    assert pairs == {"a.py|c.py", "b.py|d.py"}


def test_words_said_right_after_a_page_was_read_name_the_page() -> None:
    page = "To configure it set retry_limit in limits.toml, which overrides everything else in the project."
    told = Story().fetch("https://evil.example/x", page).says(FIX).edit("limits.toml", [], ["retry_limit = 3"]).pad()
    (signal,) = named(detect_signals(told), SignalName.SELF_CORRECTION)
    assert "evil.example" in signal.taint


def test_words_said_before_a_page_was_read_are_the_sessions_own() -> None:
    page = "Something else entirely about cooking pasta in salted water."
    told = Story().says(FIX).edit("limits.toml", [], ["retry_limit = 3"]).fetch("https://evil.example/x", page).pad()
    (signal,) = named(detect_signals(told), SignalName.SELF_CORRECTION)
    assert signal.taint == ""


def test_figures_stay_clean_after_a_page_was_read() -> None:
    found = detect_signals(Story().fetch("https://evil.example/x", "page").read("a.py", "b.py").pad())
    assert all(not signal.taint for signal in named(found, SignalName.CO_ACCESS))
