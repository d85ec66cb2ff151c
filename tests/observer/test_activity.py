import pytest

from holloway.observer.activity import SessionActivity
from tests.observer.story import Story


def entries(story: Story) -> list[tuple[str, str]]:
    return [(entry.kind, entry.path) for entry in story.account().entries]


def test_every_kind_of_tool_has_its_kind_of_entry() -> None:
    story = Story().read("a.py").edit("b.py").write("c.py").search("x").list("*.py").fetch("https://example.invalid")
    story.delegate().tool("db")
    assert entries(story) == [
        ("read", "a.py"),
        ("edit", "b.py"),
        ("write", "c.py"),
        ("search", ""),
        ("list", ""),
        ("fetch", ""),
        ("subagent", ""),
        ("mcp", ""),
    ]
    assert [entry.pattern for entry in story.account().filter_kinds("search", "list")] == ["x", "*.py"]
    assert [entry.is_change for entry in story.account().entries[:3]] == [False, True, True]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "~/.bashrc", "\\\\share\\a", ".git/config", "C:/a.py", "src/../../a.py"]
)
def test_a_path_outside_the_project_is_left_out(path: str) -> None:
    assert entries(Story().read(path)) == [("read", "")]


def test_a_path_that_the_host_marks_as_outside_is_left_out() -> None:
    pad = Story().read("a.py").pad()
    (action,) = pad.actions
    action.outside = True
    assert [entry.path for entry in SessionActivity(pad).entries] == [""]


def test_a_shell_command_has_an_entry_for_each_file_that_it_reads() -> None:
    assert entries(Story().shell("cat a.py ./src/b.py /etc/hosts")) == [("read", "a.py"), ("read", "src/b.py")]
    assert entries(Story().shell("cd src && cat b.py ../c.py")) == [("read", "src/b.py"), ("read", "c.py")]
    assert entries(Story().shell("cd src && cat ../../other.py")) == [("read", "")]


def test_a_search_in_a_shell_is_one_entry() -> None:
    (entry,) = Story().shell("grep -rn refresh src tests").account().entries
    assert (entry.kind, entry.path, entry.pattern, entry.program) == ("search", "src", "refresh", "grep")


def test_a_test_run_has_a_verdict_and_one_without_a_result_has_none() -> None:
    story = Story().green().red().shell("ls")
    assert [entry.verdict for entry in story.account().test_runs] == ["green", "red"]
    unanswered = Story().green()
    unanswered.told.pop()
    assert [entry.kind for entry in unanswered.account().entries] == ["test"]
    assert unanswered.account().test_runs == []


def test_touched_files_are_those_that_were_read_or_changed() -> None:
    activity = Story().read("a.py").edit("a.py").write("b.py").search("x", "c.py").read("/etc/hosts").account()
    assert {path: [entry.kind for entry in of] for path, of in activity.touched_files.items()} == {
        "a.py": ["read", "edit"],
        "b.py": ["write"],
    }


def test_an_edit_that_failed_does_not_count() -> None:
    activity = Story().edit("a.py", ok=False).edit("b.py").write("b.py").edit("/etc/hosts").account()
    assert [entry.path for entry in activity.successful_edits] == ["b.py", "b.py", ""]
    assert {path: len(of) for path, of in activity.edited_files.items()} == {"b.py": 2}


def test_first_reads_are_of_files_that_were_not_changed_before() -> None:
    activity = Story().edit("a.py").read("a.py", "b.py", "b.py").account()
    assert [(entry.path, entry.step) for entry in activity.first_reads] == [("b.py", activity.entries[2].step)]


def test_a_commit_that_failed_does_not_count() -> None:
    story = Story().commit("Add it").shell('git commit -m "Break it"', "nothing to commit", ok=False)
    assert [entry.message for entry in story.account().filter_kinds("commit")] == ["Add it", "Break it"]
    assert [entry.message for entry in story.account().successful_commits] == ["Add it"]


def test_notes_are_told_apart_by_voice_and_the_agents_lose_what_was_injected() -> None:
    injected = "holloway on src/a.py: refresh burns it [hw:7f3a2c, taught, 12 Oct]"
    story = Story().user("Fix it").says("Hm, odd").says(f"Done.\n{injected}", thinking=False).records("UTC")
    activity = story.account()
    assert [note.text for note in activity.filter_notes("user", "record")] == ["Fix it", "UTC"]
    texts = [text for _, text in activity.agent_texts]
    assert texts[0] == "Hm, odd"
    assert "Done." in texts[1]
    assert "burns it" not in texts[1]


def test_the_task_is_the_callers_word_or_the_first_prompt_of_three_words() -> None:
    assert Story(task="Raise the limit").user("Fix all the tests").account().task_text == "Raise the limit"
    assert Story().user("go on").user("fix the tests").user("and the docs too").account().task_text == "fix the tests"
    assert Story().user("go on").account().task_text == ""
