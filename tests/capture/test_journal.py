import json
import random
import string
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holloway.capture import journal
from holloway.config import SCRATCHPAD_LINES_MAX, SCRATCHPAD_RESULT_CHARS_MAX
from holloway.text.sketch import SKETCH_DIGESTS_ALONE, digest_name, sketch_text
from tests.conftest import Repository

NOW = "2026-03-01T10:00:00.000Z"
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
ENTRY_CHARS_MAX = 60_000
"""The longest that an entry may get: three texts, 50 names of files, the digests of 50 files of a patch."""


def kept(root: Path, tool: str = "Bash", name: str = "PostToolUse", **fields: object) -> dict[str, object]:
    event = {"hook_event_name": name, "tool_name": tool, "cwd": str(root), "session_id": "s1", **fields}
    return journal.entry_of(event, NOW, str(root), "claude-code")


def test_of_a_long_answer_both_ends_are_kept(tmp_path: Path) -> None:
    printed = "first line\n" + "noise\n" * 5_000 + "1 failed\n"
    entry = kept(tmp_path, tool_input={"command": "pytest"}, tool_response={"stdout": printed, "stderr": ""})
    said = str(entry["text"])
    assert said.startswith("first line")
    assert said.endswith("1 failed\n")
    assert len(said) <= SCRATCHPAD_RESULT_CHARS_MAX
    assert "failed" not in entry


@pytest.mark.parametrize(
    "given",
    [
        {"old_string": "a = 1", "new_string": "a = 2\nb = 3"},
        {"old_str": "a = 1", "new_str": "a = 2\nb = 3"},
        {"edits": [{"old_string": "a = 1", "new_string": "a = 2"}, {"old_string": "", "new_string": "b = 3"}]},
        {"content": "a = 2\nb = 3"},
        {"new_source": "a = 2\nb = 3"},
    ],
)
def test_the_lines_of_an_edit_are_digests_of_the_same_lines_whatever_the_tool_calls_them(
    tmp_path: Path, given: dict[str, object]
) -> None:
    whole = kept(tmp_path, "Write", tool_input={"file_path": "a.py", "content": "a = 2\nb = 3"})
    entry = kept(tmp_path, "Edit", tool_input={"file_path": "a.py", **given})
    assert entry["added"] == whole["added"]
    assert len(set(whole["added"])) == 2  # type: ignore[call-overload]
    assert "a = " not in str(entry)


def test_a_call_that_changes_nothing_has_no_lines(tmp_path: Path) -> None:
    entry = kept(tmp_path, "Read", tool_input={"file_path": "a.py"})
    assert "added" not in entry
    assert "removed" not in entry


def test_lines_that_are_removed_and_added_are_told_apart(tmp_path: Path) -> None:
    entry = kept(tmp_path, "Edit", tool_input={"file_path": "a.py", "old_string": "a = 1", "new_string": "a = 2"})
    back = kept(tmp_path, "Edit", tool_input={"file_path": "a.py", "old_string": "a = 2", "new_string": "a = 1"})
    assert (entry["removed"], entry["added"]) == (back["added"], back["removed"])
    assert entry["removed"] != entry["added"]


@pytest.mark.promise("journal")
@pytest.mark.parametrize(
    ("tool", "response", "said"),
    [
        ("Bash", "printed", "printed"),
        ("Bash", {"stdout": "out", "stderr": "err"}, "out\nerr"),
        ("Grep", {"mode": "content", "content": "a.py:1:x", "filenames": []}, "a.py:1:x"),
        ("WebFetch", {"code": 200, "result": "the page"}, "the page"),
        ("mcp__github__get_issue", [{"type": "text", "text": "the issue"}], "the issue"),
        ("mcp__github__get_issue", {"content": [{"type": "text", "text": "the issue"}]}, "the issue"),
        ("Read", {"file": {"content": "SOURCE"}}, None),
        ("Read", "SOURCE", None),
        ("Edit", {"originalFile": "SOURCE", "content": "SOURCE"}, None),
        ("SomethingNew", "SOURCE", None),
    ],
)
def test_answers_are_kept_but_not_the_contents_of_files(
    tmp_path: Path, tool: str, response: object, said: str | None
) -> None:
    entry = kept(tmp_path, tool, tool_input={}, tool_response=response)
    assert entry.get("text") == said
    assert "SOURCE" not in json.dumps(entry)


@pytest.mark.parametrize("command", ["cat a.py", "sed -n 1,9p a.py", "cd src && head -5 a.py", "git diff"])
def test_a_file_that_a_command_prints_is_a_file_that_was_read(tmp_path: Path, command: str) -> None:
    entry = kept(tmp_path, tool_input={"command": command}, tool_response={"stdout": "SOURCE", "stderr": ""})
    assert "text" not in entry
    failed = kept(tmp_path, tool_input={"command": command}, tool_response={"stderr": "no file", "is_error": True})
    assert failed["text"] == "no file"


def test_a_failure_is_kept_with_its_end(tmp_path: Path) -> None:
    error = "Exit code 1\n" + "noise\n" * 2_000 + "AssertionError"
    entry = kept(tmp_path, name="PostToolUseFailure", tool_input={"command": "x"}, error=error, is_interrupt=True)
    assert (entry["failed"], entry["interrupted"]) == (True, True)
    assert str(entry["error"]).startswith("Exit code 1\n")
    assert str(entry["error"]).endswith("AssertionError")
    assert len(str(entry["error"])) <= SCRATCHPAD_RESULT_CHARS_MAX
    for response in ({"is_error": True}, {"success": False}, {"interrupted": True}, {"error": "no"}):
        assert kept(tmp_path, "Write", tool_input={}, tool_response=response)["failed"] is True


def test_of_a_search_the_number_and_the_projects_files_are_kept(tmp_path: Path) -> None:
    named = [f"src/{n}.py" for n in range(80)]
    listed = [str(tmp_path / "a.py"), "/etc/passwd", "~/.ssh/config", *named]
    entry = kept(tmp_path, "Glob", tool_input={"pattern": "*"}, tool_response={"filenames": listed, "numFiles": 83})
    assert entry["count"] == 83
    assert entry["files"] == ["a.py", *named[:47]]


def test_an_edit_leaves_digests_of_its_lines_and_nothing_to_read(tmp_path: Path) -> None:
    one = kept(tmp_path, "Edit", tool_input={"file_path": "a.py", "old_string": "alpha", "new_string": "beta"})
    other = kept(tmp_path, "Edit", tool_input={"file_path": "a.py", "old_string": "  beta", "new_string": "alpha"})
    assert (one["removed"], one["added"]) == (other["added"], other["removed"])
    assert one["removed"] != one["added"]
    assert "alpha" not in json.dumps(one)
    lines = "\n".join(f"line {n}" for n in range(500))
    written = kept(tmp_path, "Write", tool_input={"file_path": "a.py", "content": lines})
    digests = written["added"]
    assert isinstance(digests, list)
    assert [len(digests), {len(digest) for digest in digests}] == [SCRATCHPAD_LINES_MAX, {8}]


def test_a_patch_is_kept_as_its_files(tmp_path: Path) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: src/a.py\n-alpha\n+beta\n*** Add File: /etc/cron.d/x\n+gamma\n*** End Patch"
    )
    entry = kept(tmp_path, "apply_patch", tool_input={"command": patch})
    edits = entry["edits"]
    assert isinstance(edits, list)
    assert [(edit.get("path"), edit.get("outside"), edit["kind"]) for edit in edits] == [
        ("src/a.py", None, "edit"),
        (None, True, "write"),
    ]
    assert not any(word in json.dumps(entry) for word in ("alpha", "beta", "gamma", "cron"))


def test_places_are_kept_as_the_project_names_them(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    entry = kept(tmp_path, "Grep", tool_input={"pattern": "x", "path": str(tmp_path / "src")})
    assert entry["path"] == "src"
    entry = kept(tmp_path, cwd=str(tmp_path / "web"), tool_input={"command": "npm test"})
    assert entry["cwd"] == "web"


def test_a_folder_with_a_token_for_its_name_is_kept_without_it(tmp_path: Path) -> None:
    entry = kept(tmp_path, cwd=str(tmp_path / TOKEN), tool_input={"command": "npm test"})
    assert entry["cwd"] == "[REDACTED: github-pat]"
    entry = kept(tmp_path, "Read", tool_input={"file_path": "/etc/passwd"})
    assert entry["outside"] is True
    assert "passwd" not in json.dumps(entry)


def test_plans_and_corrections_of_edits_are_kept(tmp_path: Path) -> None:
    todos = [{"content": "one", "status": "completed"}, {"content": "two", "status": "pending"}]
    assert kept(tmp_path, "TodoWrite", tool_input={"todos": todos})["plan"] == [["one", True], ["two", False]]
    assert kept(tmp_path, "TaskCreate", tool_input={"subject": "one"})["subject"] == "one"
    assert kept(tmp_path, "Edit", tool_input={}, tool_response={"userModified": True})["changed"] is True


def test_a_session_says_where_its_transcript_is(repository: Repository) -> None:
    root, about = repository.root, {"transcript_path": "/x/t.jsonl", "model": "m1", "permission_mode": "plan"}
    start = kept(root, "", "SessionStart", source="startup", **about)
    assert (start["transcript"], start["model"], start["mode"], start["session"]) == ("/x/t.jsonl", "m1", "plan", "s1")
    commit = repository.git("rev-parse", "HEAD")
    assert (start["host"], start["branch"], start["commit"]) == ("claude-code", "main", commit)
    assert kept(root, "", "SessionEnd", **about)["transcript"] == "/x/t.jsonl"
    assert "transcript" not in kept(root, tool_input={"command": "x"}, **about)


@pytest.mark.promise("no-secret")
@pytest.mark.parametrize("before", [0, 150, 390, 410, 2_000, 4_250, 4_390])
def test_no_secret_is_left_of_an_answer_wherever_it_is_cut(tmp_path: Path, before: int) -> None:
    body = "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=2_560))
    long = f"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{body[:700]}.{body[:43]}"
    lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----"
    for secret in (TOKEN, long, key):
        after = ("dolor sit " * 500)[: 5_000 - before]
        printed = f"{('lorem ipsum ' * 500)[:before]}\n{secret}\n{after}"
        said = str(kept(tmp_path, tool_input={}, tool_response=printed).get("text"))
        assert said.startswith(printed[: min(before, 300)])
        assert not any(secret[at : at + 12] in said for at in range(40, len(secret) - 40))
        assert TOKEN[4:20] not in said


@pytest.mark.promise("no-secret")
@pytest.mark.parametrize("kept_chars", [10, 25, 39])
def test_a_token_at_the_end_of_the_examined_output_is_dropped(tmp_path: Path, kept_chars: int) -> None:
    before = ("lorem ipsum " * 20_000)[: journal.ANSWER_CHARS_MAX - kept_chars - 1] + "\n"
    for fields in ({"tool_response": before + TOKEN}, {"error": before + TOKEN}):
        entry = kept(tmp_path, "Bash", "PostToolUseFailure", tool_input={"command": "x"}, **fields)
        assert TOKEN[:10] not in json.dumps(entry)
        assert "lorem ipsum" in json.dumps(entry)
    entry = kept(tmp_path, tool_input={"command": "x"}, tool_response="x" * journal.ANSWER_CHARS_MAX + TOKEN)
    assert "text" not in entry


def test_tests_that_passed_are_told_from_passwords(tmp_path: Path) -> None:
    printed = "3 passed in 0.1s\npassword=Xk29fjQpassed81mZ\n"
    said = str(kept(tmp_path, tool_input={"command": "pytest"}, tool_response=printed)["text"])
    assert said.startswith("3 passed in 0.1s\npassword=[REDACTED")
    assert "fjQ" not in said
    assert kept(tmp_path, tool_input={}, tool_response="3 passed in 0.1s")["text"] == "3 passed in 0.1s"


def write_lines(folder: Path, *entries: dict[str, object]) -> None:
    for entry in entries:
        journal.append_entry(str(folder), "s1", entry)


def test_suggested_files_are_noted_without_secrets() -> None:
    entry = journal.located_entry(["src/a.py", f"src/{TOKEN}"], NOW)
    assert entry == {"at": NOW, "event": "Located", "files": ["src/a.py", "src/[REDACTED: github-pat]"]}


@pytest.mark.parametrize(
    ("second", "is_new"), [("10:00:02", False), ("10:00:03", True), ("09:59:58", False), ("11:00:00", True), ("", True)]
)
def test_an_equal_event_is_new_unless_it_was_noted_moments_ago(tmp_path: Path, second: str, is_new: bool) -> None:
    entry: dict[str, object] = {"at": NOW, "event": "Stop", "same": "0a1b2c3d"}
    assert journal.append_entry(str(tmp_path), "s1", entry)
    assert journal.append_entry(str(tmp_path), "s1", {**entry, "same": "ffffffff"})
    assert journal.append_entry(str(tmp_path), "s1", {**entry, "at": f"2026-03-01T{second}.000Z"}) is is_new


def test_events_without_a_digest_are_all_new(tmp_path: Path) -> None:
    assert journal.append_entry(str(tmp_path), "s1", {"at": NOW})
    assert journal.append_entry(str(tmp_path), "s1", {"at": NOW})


def test_a_full_journal_takes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lines(tmp_path, {"at": NOW, "event": "Stop"})
    file = Path(journal.file_of(str(tmp_path), "s1"))
    size = file.stat().st_size
    monkeypatch.setattr(journal, "JOURNAL_FILE_BYTES_MAX", 2 * size)
    write_lines(tmp_path, {"at": NOW, "event": "Stop"}, {"at": NOW, "event": "Stop"})
    assert file.stat().st_size == 2 * size


def test_the_last_prompt_is_the_newest_one_with_text(tmp_path: Path) -> None:
    assert journal.last_prompt(str(tmp_path), "s1") == ""
    prompts: list[dict[str, object]] = [
        {"event": "UserPromptSubmit", "prompt": text} for text in ("first", "second", "", 7)
    ]
    write_lines(tmp_path, *prompts, {"event": "Stop", "prompt": "no prompt"})
    with Path(journal.file_of(str(tmp_path), "s1")).open("a") as file:
        file.write('{"event":"UserPromptSubmit","prompt":"cut off')
    assert journal.last_prompt(str(tmp_path), "s1") == "second"
    assert journal.last_prompt(str(tmp_path), "s2") == ""


def test_only_the_end_of_a_journal_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lines(tmp_path, {"event": "UserPromptSubmit", "prompt": "first"})
    size = Path(journal.file_of(str(tmp_path), "s1")).stat().st_size
    monkeypatch.setattr(journal, "LOOKED_BACK_BYTES", size)
    assert journal.last_prompt(str(tmp_path), "s1") == "first"
    write_lines(tmp_path, {"event": "Stop"})
    assert journal.last_prompt(str(tmp_path), "s1") == ""


def test_a_compaction_was_told_if_the_session_restarted_after_it(tmp_path: Path) -> None:
    restart: dict[str, object] = {"event": "SessionStart", "source": "compact"}
    assert not journal.compaction_was_told(str(tmp_path), "s1")
    write_lines(tmp_path, {"event": "PreCompact"})
    assert not journal.compaction_was_told(str(tmp_path), "s1")
    write_lines(tmp_path, restart)
    assert journal.compaction_was_told(str(tmp_path), "s1")
    write_lines(tmp_path, {"event": "PreCompact"})
    assert not journal.compaction_was_told(str(tmp_path), "s1")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
ARGUMENTS = "file_path path command input old_string new_string content edits todos plan subject taskId pattern".split()
ANSWERS = "stdout content result filenames numFiles interrupted userModified error".split()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from(["PostToolUse", "PostToolUseFailure", "SessionStart", "Stop", "UserPromptSubmit"]),
    st.sampled_from(["Bash", "Edit", "Grep", "Read", "mcp__a__b"]),
    st.dictionaries(st.sampled_from(ARGUMENTS), JSON, max_size=5) | JSON,
    st.dictionaries(st.sampled_from(ANSWERS), JSON, max_size=5) | JSON,
    st.dictionaries(st.sampled_from(["prompt", "error", "model", "transcript_path", "cwd"]), JSON, max_size=3),
)
def test_any_event_makes_an_entry_that_can_be_written(
    tmp_path: Path, name: str, tool: str, arguments: object, answer: object, fields: dict[str, object]
) -> None:
    entry = kept(tmp_path, tool, name, **{"tool_input": arguments, "tool_response": answer, **fields})
    assert len(json.dumps(entry)) < ENTRY_CHARS_MAX


PAGE = "The client keeps its release tokens in the harbour vault, which every worker may open."


@pytest.mark.promise("quarantine")
def test_where_no_transcript_exists_an_output_that_is_not_kept_leaves_its_sketch(tmp_path: Path) -> None:
    digests = [f"{digest:x}" for digest in sketch_text(PAGE, 100, SKETCH_DIGESTS_ALONE)]
    filler = "x " * SCRATCHPAD_RESULT_CHARS_MAX
    assert kept(tmp_path, "Read", tool_input={"file_path": "notes.md"}, tool_response=PAGE)["digests"] == digests
    page = kept(tmp_path, "WebFetch", tool_input={}, tool_response={"result": f"{filler}\n\n{PAGE}\n\n{filler}"})
    assert set(digests) <= set(page["digests"])  # type: ignore[call-overload]
    assert "harbour" not in json.dumps(page)


@pytest.mark.promise("quarantine")
def test_the_sketch_of_an_output_has_its_odd_names_and_is_bounded(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"The host part-{number}.example keeps tokens of worker {number} there." for number in range(3_000)
    )
    digests = kept(tmp_path, "Read", tool_input={"file_path": "notes.md"}, tool_response=text)["digests"]
    assert isinstance(digests, list)
    assert f"{digest_name('part-1.example'):x}" in digests
    assert len(digests) == journal.DIGESTS_KEPT_MAX


@pytest.mark.parametrize("host", ["gemini", "qwen", "droid", "pi"])
def test_an_output_that_the_hosts_transcript_has_is_not_kept_as_digests(tmp_path: Path, host: str) -> None:
    (tmp_path / "t.jsonl").touch()
    event: dict[str, object] = {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {}}
    event |= {"tool_response": PAGE, "transcript_path": str(tmp_path / "t.jsonl"), "cwd": str(tmp_path)}
    assert "digests" not in journal.entry_of(event, NOW, str(tmp_path), host)


@pytest.mark.promise("quarantine")
@pytest.mark.parametrize(("host", "name"), [("cline", "t.jsonl"), ("cursor", "t.jsonl"), ("claude-code", "t.json")])
def test_a_transcript_that_holloway_cannot_read_is_none(tmp_path: Path, host: str, name: str) -> None:
    (tmp_path / name).touch()
    event: dict[str, object] = {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {}}
    event |= {"tool_response": PAGE, "transcript_path": str(tmp_path / name), "cwd": str(tmp_path), "session_id": "s1"}
    assert journal.entry_of(event, NOW, str(tmp_path), host)["digests"]


@pytest.mark.promise("quarantine")
def test_a_transcript_that_is_not_there_is_none(tmp_path: Path) -> None:
    missing = {"transcript_path": str(tmp_path / "missing.jsonl")}
    assert kept(tmp_path, "Read", tool_input={}, tool_response=PAGE, **missing)["digests"]


def test_an_output_that_is_kept_or_that_a_transcript_has_leaves_no_sketch(tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.touch()
    read = kept(tmp_path, "Read", tool_input={}, tool_response=PAGE, transcript_path=str(transcript))
    assert "digests" not in read
    assert "digests" not in kept(tmp_path, "WebFetch", tool_input={}, tool_response={"result": PAGE})
    assert "digests" not in kept(tmp_path, "Edit", tool_input={}, tool_response=PAGE)
