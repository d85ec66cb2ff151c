from holloway.observer.signals import statements
from tests.observer.story import Story


def test_a_session_that_only_reads_is_confirmed_by_the_file_that_the_correction_names() -> None:
    story = (
        Story()
        .read("settings.py")
        .says("I assumed `retry_limit` was a constant, but it actually comes from `load_limits` in limits.py.")
    )
    assert _agrees(story) is False
    assert _agrees(story.shell("cat limits.py", "def load_limits():\n    return 3")) is True


def test_reading_proves_nothing_without_the_name_or_in_another_file_or_in_a_session_that_edits() -> None:
    said = "I assumed `retry_limit` was a constant, but it actually comes from `load_limits` in limits.py."
    assert _agrees(Story().says(said).shell("cat limits.py", "retries = 3")) is False
    assert _agrees(Story().shell("cat other.py", "load_limits()").says(said).read("limits.py")) is False
    told = Story().shell("cat limits.py", "def load_limits():").says(said)
    assert _agrees(told) is True
    assert _agrees(told.edit("README.md")) is False


def test_a_search_that_shows_the_name_on_a_line_of_the_file_proves_it() -> None:
    said = "I assumed `retry_limit` was a constant, but it actually comes from `load_limits` in limits.py."
    found = "src/other.py:3:load_limits()\nlimits.py:1:def load_limits():"
    assert _agrees(Story().says(said).read("limits.py").shell("rg load_limits", found)) is True
    assert _agrees(Story().says(said).read("limits.py").shell("rg load_limits", found.split("\n")[0])) is False


def _agrees(story: Story) -> object:
    (signal,) = statements.detect_self_corrections(story.account())
    return signal.facts["agrees"]
