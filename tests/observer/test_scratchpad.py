from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holloway import config
from holloway.config import CALL_ID_CHARS_MAX
from holloway.domain.event import (
    Call,
    Ended,
    Event,
    Interrupted,
    Plan,
    PlanItem,
    Prompt,
    QaFindings,
    Recorded,
    Result,
    Said,
    Started,
    SubtaskDone,
    ToolKind,
    Usage,
)
from holloway.domain.work import Outcome, Phase, SessionType, WorkUnit
from holloway.observer import checkpoint, scratchpad
from holloway.observer.scratchpad import Action, Scratchpad, truncate_middle
from holloway.observer.scratchpad_merge import merge_scratchpads
from holloway.text.edit_lines import EDIT_LINE_CHARS_MAX
from holloway.text.sketch import digest_sentence


def padded(*events: Event) -> Scratchpad:
    pad = Scratchpad()
    for event in events:
        pad.add_event(event)
    return pad


def test_a_call_and_its_result_are_one_action() -> None:
    pad = padded(Call(1.0, "c1", ToolKind.READ, "Read", path="a.py"), Result(2.0, "c1", ok=True, text="x = 1"))
    (action,) = pad.actions
    assert (action.step, action.path, action.ok, action.ended_at) == (1, "a.py", True, 2.0)


def test_an_event_that_arrives_twice_counts_once() -> None:
    call, result = Call(1.0, "c1", ToolKind.SHELL, "Bash", command="ls"), Result(2.0, "c1", ok=False, text="no")
    pad = padded(call, call, result, Result(3.0, "c1", ok=True))
    assert pad.step == 1
    assert pad.actions[0].ok is False


def test_a_result_without_its_call_belongs_to_nothing() -> None:
    assert padded(Result(1.0, "never called")).actions == []


def test_a_long_result_keeps_its_beginning_and_its_end() -> None:
    text = "begin " + "x " * 2_500_000 + "FAILED at the end"
    pad = padded(Call(1.0, "c", ToolKind.SHELL, command="make"), Result(2.0, "c", ok=False, text=text))
    kept = pad.actions[0].text
    assert len(kept) <= config.SCRATCHPAD_RESULT_CHARS_MAX + 3
    assert kept.startswith("begin")
    assert kept.endswith("FAILED at the end")


def test_a_short_text_is_kept_whole() -> None:
    assert truncate_middle("abc", 3) == "abc"


def test_every_text_that_is_kept_has_a_bound() -> None:
    long = "x " * 50_000
    pad = padded(
        Started(0.0, "s", task=long),
        Call(1.0, "c", ToolKind.EDIT, path="a.py", removed=(long,), added=(long,)),
        Plan(2.0, (PlanItem(long),)),
        *(SubtaskDone(3.0, long, validated=True) for _ in range(config.SCRATCHPAD_SUBTASKS_MAX + 1)),
    )
    assert pad.start is not None
    assert len(pad.start.task) == config.SCRATCHPAD_TEXT_CHARS_MAX
    assert {len(line) for line in (*pad.actions[0].removed, *pad.actions[0].added)} == {EDIT_LINE_CHARS_MAX}
    assert pad.bytes > 2 * EDIT_LINE_CHARS_MAX
    assert len(pad.plan[0].text) == config.SHORT_TEXT_CHARS_MAX
    assert len(pad.subtasks) == config.SCRATCHPAD_SUBTASKS_MAX


def test_a_clock_that_jumps_back_does_not_shorten_anything() -> None:
    pad = padded(Call(100.0, "c", ToolKind.READ, path="a"), Result(50.0, "c"))
    assert pad.actions[0].ended_at == 100.0
    assert pad.last_at == 100.0


def test_the_first_plan_is_remembered_when_it_grows() -> None:
    small = Plan(1.0, (PlanItem("one"), PlanItem("two")))
    pad = padded(small, Plan(2.0, (*small.items, PlanItem("three", done=True))))
    assert (pad.first_plan, len(pad.plan)) == (2, 3)


def test_an_agent_may_record_only_so_much() -> None:
    pad = padded(*(Recorded(1.0, f"note {n}") for n in range(80)))
    assert len(pad.notes) == config.RECORDS_PER_SESSION_MAX


@pytest.mark.promise("bounded-watching")
def test_over_its_budget_a_pad_lets_go_of_the_least_telling_first() -> None:
    pad = Scratchpad()
    big = "x" * 4_000
    pad.add_event(Said(0.0, "I was wrong about the port: it is 8080, not 80."))
    pad.add_event(Call(0.0, "edit", ToolKind.EDIT, path="a.py"))
    pad.add_event(Result(0.0, "edit"))
    pad.add_event(Call(0.0, "bad", ToolKind.SHELL, command="make"))
    pad.add_event(Result(0.0, "bad", ok=False))
    for number in range(14_000):
        pad.add_event(Call(float(number), f"c{number}", ToolKind.SHELL, command=big))
        pad.add_event(Result(float(number), f"c{number}"))
    assert pad.bytes <= config.SCRATCHPAD_BYTES_MAX
    assert pad.evicted[:3] == ("time_anomaly", "file_access", "sequence")
    kept = {action.call for action in pad.actions}
    assert {"edit", "bad"} <= kept
    assert pad.notes


def test_past_its_budget_by_words_alone_a_pad_keeps_those_that_must_never_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SCRATCHPAD_BYTES_MAX", 1_000_000)
    pad = Scratchpad()
    pad.protect_notes(lambda words: "8080" in words)
    pad.add_event(Said(0.0, "I was wrong about the port: it is 8080, not 80.", thinking=True))
    for number in range(400):
        pad.add_event(Said(float(number), f"{number} " + "thinking " * 480, thinking=True))
    assert pad.bytes <= config.SCRATCHPAD_BYTES_MAX
    assert pad.notes[0].text.startswith("I was wrong about the port")
    assert pad.notes[-1].text.startswith("399 ")


def test_what_a_shell_wrote_outlives_what_it_only_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SCRATCHPAD_BYTES_MAX", 1_000_000)
    pad = Scratchpad()
    pad.add_event(Call(0.0, "wrote", ToolKind.SHELL, command="sed -i s/a/b/ src/app.py"))
    pad.add_event(Result(0.0, "wrote"))
    for number in range(400):
        pad.add_event(Call(float(number), f"c{number}", ToolKind.SHELL, command="make " + "x" * 4_000))
    assert pad.bytes <= config.SCRATCHPAD_BYTES_MAX
    assert pad.actions[0].call == "wrote"


def test_past_its_budget_by_edits_alone_a_pad_still_knows_who_changed_what(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SCRATCHPAD_BYTES_MAX", 1_000_000)
    pad = Scratchpad()
    lines = tuple(f"line {number}" for number in range(config.SCRATCHPAD_LINES_MAX))
    for number in range(200):
        pad.add_event(Call(float(number), f"c{number}", ToolKind.EDIT, path=f"{number}.py", removed=lines, added=lines))
    assert pad.bytes <= config.SCRATCHPAD_BYTES_MAX
    assert len(pad.actions) == 200


def failing(number: int) -> list[Event]:
    call = Call(float(number), f"c{number}", ToolKind.SHELL, command="make")
    return [call, Result(float(number), f"c{number}", ok=False, text="x" * 1_200)]


def test_past_its_budget_by_failures_alone_a_pad_keeps_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SCRATCHPAD_BYTES_MAX", 100_000)
    pad = Scratchpad()
    pad.add_event(Call(0.0, "edit", ToolKind.EDIT, path="a.py"))
    for number in range(300):
        for event in failing(number):
            pad.add_event(event)
        assert pad.bytes <= config.SCRATCHPAD_BYTES_MAX
        assert pad.actions[-1].call == f"c{number}"
    assert pad.actions[0].call == "edit"


def test_no_number_of_changes_takes_a_pad_past_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SCRATCHPAD_BYTES_MAX", 100_000)
    pad = padded(*(Call(float(n), f"c{n}", ToolKind.EDIT, path=f"{n}.py") for n in range(1_000)))
    assert pad.bytes <= config.SCRATCHPAD_BYTES_MAX
    assert pad.actions[-1].path == "999.py"


def test_only_words_that_would_go_are_looked_at_for_what_must_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SCRATCHPAD_BYTES_MAX", 100_000)
    asked: list[str] = []

    def carries(words: str) -> bool:
        asked.append(words)
        return False

    pad = Scratchpad()
    pad.protect_notes(carries)
    said = [Said(float(number), f"{number} " + "x " * 2_000) for number in range(25)]
    for event in said:
        pad.add_event(event)
    assert [words.split()[0] for words in asked] == [str(number) for number in range(11)]


def test_a_checkpoint_after_something_was_let_go_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SCRATCHPAD_BYTES_MAX", 100_000)
    reads = [Call(float(n), f"c{n}", ToolKind.READ, path="a.py", pattern="x" * 500) for n in range(200)]
    whole = padded(*reads)
    assert len(whole.actions) < len(reads)
    half = checkpoint.load_scratchpad(checkpoint.dump_scratchpad(whole))
    for pad in (whole, half):
        pad.add_event(reads[0])
        pad.add_event(Result(300.0, "c0"))
    assert checkpoint.dump_scratchpad(half) == checkpoint.dump_scratchpad(whole)


def test_a_checkpoint_between_a_call_and_its_result_knows_a_call_by_a_long_name() -> None:
    name = "call " * CALL_ID_CHARS_MAX
    pad = checkpoint.load_scratchpad(checkpoint.dump_scratchpad(padded(Call(1.0, name, ToolKind.READ, path="a.py"))))
    pad.add_event(Result(2.0, name))
    assert pad.actions[0].ok is True


paths = st.sampled_from(["a.py", "b.py", "src/c.py", "tests/test_a.py"])
times = st.floats(0, 1e6)
ids = st.sampled_from([f"c{n}" for n in range(12)])
texts = st.text(max_size=60)
events = st.one_of(
    st.builds(Started, times, st.just("s1"), st.just("agent"), type=st.sampled_from([None, SessionType.BUILD])),
    st.builds(Prompt, times, texts),
    st.builds(Call, times, ids, st.sampled_from(ToolKind), texts, paths, texts, texts),
    st.builds(Result, times, ids, st.booleans(), texts, st.lists(paths, max_size=3).map(tuple)),
    st.builds(Said, times, texts, st.booleans()),
    st.builds(Usage, times, st.integers(0, 9_999), st.integers(0, 9_999), st.integers(0, 9_999)),
    st.builds(Recorded, times, texts, st.just("gotcha"), st.lists(paths, max_size=2).map(tuple)),
    st.builds(SubtaskDone, times, texts, st.booleans()),
    st.builds(QaFindings, times, st.booleans(), st.lists(texts, max_size=2).map(tuple)),
    st.builds(Plan, times, st.lists(st.builds(PlanItem, texts, st.booleans()), max_size=3).map(tuple)),
    st.builds(Interrupted, times),
    st.builds(Ended, times, texts, st.sampled_from([None, *Outcome])),
)


@given(st.lists(events, max_size=40), st.integers(0, 40))
@settings(max_examples=150, deadline=None)
def test_a_checkpoint_at_any_event_changes_nothing(told: list[Event], cut: int) -> None:
    whole = padded(*told)
    half = checkpoint.load_scratchpad(checkpoint.dump_scratchpad(padded(*told[:cut])))
    for event in told[cut:]:
        half.add_event(event)
    assert checkpoint.dump_scratchpad(half) == checkpoint.dump_scratchpad(whole)


def test_a_checkpoint_carries_what_the_caller_said() -> None:
    unit = WorkUnit("native", ("spec-42", "subtask-3"), "Spec 42")
    start = Started(1.0, "s", "coder", "main", "abc", SessionType.BUILD, Phase.IMPLEMENT, "do it", unit, 20)
    assert checkpoint.load_scratchpad(checkpoint.dump_scratchpad(padded(start))).start == start


@given(st.lists(st.lists(events, max_size=15), min_size=1, max_size=3))
@settings(max_examples=80, deadline=None)
def test_merging_does_not_depend_on_the_order(parts: list[list[Event]]) -> None:
    pads = [padded(Started(float(n), f"s{n}"), *part) for n, part in enumerate(parts)]
    there, back = merge_scratchpads(pads), merge_scratchpads(list(reversed(pads)))
    assert checkpoint.dump_scratchpad(there) == checkpoint.dump_scratchpad(back)


def test_a_merge_keeps_who_did_what() -> None:
    one = padded(Started(0.0, "s1"), Call(2.0, "x", ToolKind.EDIT, path="a.py"))
    two = padded(Started(1.0, "s2"), Call(1.5, "y", ToolKind.EDIT, path="a.py"))
    merged = merge_scratchpads([one, two])
    assert [(action.actor, action.step) for action in merged.actions] == [("s2", 1), ("s1", 2)]


def test_in_a_merge_words_stand_after_the_same_deeds_as_before() -> None:
    lead = padded(
        Started(0.0, "lead"),
        Call(1.0, "x", ToolKind.READ, path="a.py"),
        Call(5.0, "y", ToolKind.EDIT, path="a.py", actor="helper"),
        Prompt(6.0, "no, not that one"),
        Said(7.0, "I see"),
        SubtaskDone(7.0, "first", validated=True),
        Interrupted(8.0),
    )
    sibling = padded(Started(0.5, "other"), *(Call(2.0 + n, f"z{n}", ToolKind.READ, path="b.py") for n in range(2)))
    merged = merge_scratchpads([sibling, lead])
    assert [action.path for action in merged.actions] == ["a.py", "b.py", "b.py", "a.py"]
    assert [note.step for note in merged.notes] == [4, 4]
    assert (merged.interrupted_at, merged.subtasks[0].step) == (4, 4)


def test_in_a_merge_words_before_a_pads_first_deed_stand_after_what_others_did_by_then() -> None:
    lead = padded(Started(0.0, "lead"), *(Call(1.0 + n, f"x{n}", ToolKind.READ, path="a.py") for n in range(3)))
    sibling = padded(Started(0.5, "other"), Said(2.5, "I see"), Call(2.5, "y", ToolKind.READ, path="b.py"))
    merged = merge_scratchpads([sibling, lead])
    assert [action.path for action in merged.actions] == ["a.py", "a.py", "b.py", "a.py"]
    assert [note.step for note in merged.notes] == [2]


def test_in_a_merge_the_last_interruption_says_whether_the_user_went_on() -> None:
    went_on = padded(Started(0.0, "one"), Call(1.0, "x", ToolKind.READ), Interrupted(2.0), Prompt(3.0, "go on"))
    stopped = padded(Started(0.0, "two"), Call(4.0, "y", ToolKind.READ), Interrupted(5.0))
    merged = merge_scratchpads([went_on, stopped])
    assert (merged.interrupted_at, merged.redirected) == (2, False)
    assert merge_scratchpads([went_on]).redirected


def test_merging_nothing_gives_an_empty_pad() -> None:
    assert merge_scratchpads([]).actions == []


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([True], [False], (False,)),
        ([False, True], [True], (False, True)),
        ([], [True], (True,)),
        ([], [], ()),
    ],
)
def test_of_several_agents_the_one_that_was_checked_most_tells_how_the_checks_went(
    first: list[bool], second: list[bool], expected: tuple[bool, ...]
) -> None:
    pads = [
        padded(Started(1.0, name), *(QaFindings(2.0, passed) for passed in verdicts))
        for name, verdicts in (("one", first), ("two", second))
    ]
    assert merge_scratchpads(pads).qa_verdicts == merge_scratchpads(pads[::-1]).qa_verdicts == expected


@pytest.mark.promise("no-secret")
@pytest.mark.parametrize("make", [Prompt, Said, Recorded])
def test_a_secret_is_cut_out_of_words_before_anything_changes_their_lines(make: type[Prompt | Said | Recorded]) -> None:
    pad = Scratchpad()
    pad.add_event(make(1.0, "$ cat ~/.pgpass\ndb.example.com:5432:shop:app:ENDvHBYg8hHJ8Lcpcb"))
    assert "db.example.com" in pad.notes[0].text
    assert "ENDvHBYg8hHJ8Lcpcb" not in pad.notes[0].text


@pytest.mark.promise("no-secret")
def test_words_are_scanned_for_secrets_when_they_are_read_and_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scanned: list[str] = []

    def redact(text: str) -> tuple[str, tuple[str, ...]]:
        scanned.append(text)
        return text.upper(), ()

    monkeypatch.setattr(scratchpad, "redact_secrets", redact)
    pad = Scratchpad()
    for text in ("one", "two"):
        pad.add_event(Recorded(1.0, text))
    assert (scanned, pad.count_notes("record"), pad.count_notes("user")) == ([], 2, 0)
    assert [note.text for note in pad.notes] == ["ONE", "TWO"]
    pad.add_event(Prompt(2.0, "three"))
    assert [note.text for note in pad.notes] == ["ONE", "TWO", "THREE"]
    assert scanned == ["one", "two", "three"]


@pytest.mark.promise("no-secret")
def test_a_secret_that_nobody_has_read_yet_reaches_no_checkpoint_and_no_merged_scratchpad() -> None:
    secret = "ENDvHBYg8hHJ8Lcpcb"
    words = Said(2.0, f"$ cat ~/.pgpass\ndb.example.com:5432:shop:app:{secret}")
    assert secret.encode() not in checkpoint.dump_scratchpad(padded(Started(1.0, "one"), words))
    (note,) = merge_scratchpads([padded(words)]).notes
    assert secret not in note.text
    assert "db.example.com" in note.text


def test_notes_that_are_replaced_leave_nothing_unread() -> None:
    pad = padded(Said(1.0, "one"))
    pad.notes = []
    assert pad.notes == []
    assert pad.count_notes("agent") == 0


def test_every_note_is_read_once_while_several_threads_read_and_one_writes() -> None:
    pad = Scratchpad()
    texts = [f"note {number}" for number in range(300)]
    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(lambda: [len(pad.notes) for _ in range(200)]) for _ in range(2)]
        for text in texts:
            pad.add_event(Said(1.0, text))
    assert all(counts == sorted(counts) for counts in (reader.result() for reader in readers))
    assert [note.text for note in pad.notes] == texts


@pytest.mark.parametrize(("kind", "is_whole"), [(ToolKind.READ, True), (ToolKind.SHELL, True), (ToolKind.EDIT, False)])
def test_a_long_result_is_kept_whole_unless_it_answers_a_change(kind: ToolKind, is_whole: bool) -> None:
    text = "x" * (config.SCRATCHPAD_RESULT_CHARS_MAX + 1)
    pad = Scratchpad()
    for event in (Call(1.0, "c1", kind, path="a.py"), Result(2.0, "c1", text=text)):
        pad.add_event(event)
    (action,) = pad.actions
    assert (action.whole == text) is is_whole


def test_a_dropped_text_leaves_digests_by_which_a_part_of_a_sentence_is_recognised() -> None:
    sentence = "Ferry captains collect the morning keys from the harbour office before the first tide."
    action = Action(1, 1.0, ToolKind.READ, whole=f"{sentence}\n\nMore.")
    action.drop_whole_text()
    assert action.whole == ""
    assert set(action.digests) == set(digest_sentence(sentence))
