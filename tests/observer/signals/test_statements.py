import pytest

from holloway.domain.memory import MemoryType
from holloway.observer.signals import statements
from tests.observer.story import Story

WRONG = "I assumed `retry_limit` was read from settings.py, but it actually comes from `limits.toml`."


def test_a_rule_keeps_the_message_of_the_agent_that_it_answers() -> None:
    story = Story().says("Shall I log the token?", thinking=False).user("No, never log the token of a user anywhere.")
    (signal,) = statements.detect_user_corrections(story.account())
    assert signal.facts["answers"] == "Shall I log the token?"


@pytest.mark.parametrize(
    ("prompt", "rule"),
    [
        ("The total is too high, correct it. Never log the e-mail address.", "Never log the e-mail address"),
        (
            "The linter finds this in generated files. Never commit those files.",
            "The linter finds this in generated files. Never commit those files.",
        ),
    ],
)
def test_a_short_rule_takes_its_neighbours_along_only_if_it_refers_to_them(prompt: str, rule: str) -> None:
    (signal,) = statements.detect_user_corrections(Story().user(prompt).account())
    assert signal.facts["said"] == rule


def test_a_correction_that_later_work_bears_out_agrees() -> None:
    told = Story().read("settings.py").says(WRONG).edit("limits.toml", [], ["retry_limit = 3"]).account()
    (signal,) = statements.detect_self_corrections(told)
    assert signal.facts["agrees"] is True
    assert "limits.toml" in str(signal.facts["fact"])


def test_a_correction_that_nothing_bears_out_does_not_agree() -> None:
    told = Story().read("settings.py").says(WRONG).read("README.md").account()
    (signal,) = statements.detect_self_corrections(told)
    assert signal.facts["agrees"] is False


def test_a_change_that_failed_bears_nothing_out() -> None:
    told = Story().says(WRONG).edit("limits.toml", [], ["retry_limit = 3"], ok=False).account()
    assert [signal.facts["agrees"] for signal in statements.detect_self_corrections(told)] == [False]


@pytest.mark.promise("own-words")
def test_our_own_words_are_no_evidence() -> None:
    ours = f"holloway on settings.py: {WRONG} [hw:7f3a2c, 3 sessions, last 12 Oct]"
    assert list(statements.detect_self_corrections(Story().says(ours).edit("limits.toml").account())) == []


def test_what_the_user_lays_down_is_a_correction_of_a_type() -> None:
    told = Story().edit("api.py").user("No, we never use floats for money. Always use integer cents.").account()
    (signal,) = statements.detect_user_corrections(told)
    assert signal.type in (MemoryType.REQUIREMENT, MemoryType.PREFERENCE, MemoryType.GOTCHA)
    assert "integer cents" in str(signal.facts["said"]) or "floats" in str(signal.facts["said"])


def test_an_ordinary_request_is_none() -> None:
    assert (
        list(statements.detect_user_corrections(Story().user("Please add a test for the login page.").account())) == []
    )


def test_what_the_agent_records_keeps_its_type_and_files() -> None:
    told = (
        Story().records("The cache is not thread-safe", "gotcha", ("cache.py",)).records("x", "no such type").account()
    )
    one, other = statements.detect_agent_records(told)
    assert (one.type, one.files) == (MemoryType.GOTCHA, ("cache.py",))
    assert other.type is MemoryType.GOTCHA


def test_what_a_check_found_is_tied_to_the_files_it_names() -> None:
    told = Story().edit("src/login.py").qa("login.py accepts an empty password", passed=False).account()
    (signal,) = statements.detect_qa_findings(told)
    assert signal.files == ("src/login.py",)


def test_names_in_a_sentence() -> None:
    assert statements.extract_code_names("`FooBar` calls parse_http() in src/x.py") == {
        "foobar",
        "parse_http",
        "src/x.py",
    }
    assert statements.extract_code_names("nothing of the kind") == set()


@pytest.mark.parametrize(("filler", "is_confirmed"), [(978, True), (979, False)])
def test_a_fact_is_confirmed_by_the_first_thousand_characters_of_a_command(filler: int, is_confirmed: bool) -> None:
    command = f"make test {'x' * filler} retry_limit"
    activity = Story().green(command).account()
    assert (len(command) <= 1_000) is is_confirmed
    assert statements.is_confirmed_later(activity, 0, "it is `retry_limit`") is is_confirmed


def test_a_fact_is_confirmed_by_later_successful_work_on_what_it_names() -> None:
    fact = "it comes from `limits.toml`"
    assert statements.is_confirmed_later(Story().edit("limits.toml").account(), 0, fact)
    assert not statements.is_confirmed_later(Story().edit("limits.toml").account(), 1, fact)
    assert not statements.is_confirmed_later(Story().read("limits.toml").account(), 0, fact)
    assert not statements.is_confirmed_later(Story().edit("limits.toml", ok=False).account(), 0, fact)
    late = Story()
    for number in range(statements.EVIDENCE_STEPS):
        late.read(f"f{number}.py")
    assert not statements.is_confirmed_later(late.edit("limits.toml").account(), 0, fact)


def test_a_causal_statement_agrees_if_later_work_bears_it_out() -> None:
    statement = "Whenever `limits.toml` changes, `settings.py` must be regenerated too."
    story = Story().read("limits.toml").read("settings.py").says(statement)
    (signal,) = statements.detect_causal_statements(story.account())
    assert "limits.toml" in str(signal.facts["when"])
    assert "settings.py" in str(signal.facts["then"])
    assert signal.files == ("limits.toml", "settings.py")
    assert signal.facts["agrees"] is False
    assert signal.quotes == (signal.facts["when"], signal.facts["then"])


def test_findings_of_a_check_are_tied_to_the_edited_files_that_they_name() -> None:
    story = Story().edit("src/limits.toml").edit("src/a.py").qa("limits.toml has no upper bound", "slow", passed=False)
    first, second = statements.detect_qa_findings(story.account())
    assert (first.files, first.quotes) == (("src/limits.toml",), ("limits.toml has no upper bound",))
    assert first.facts == {"finding": "limits.toml has no upper bound", "passed": False}
    assert second.files == ()
    (passed,) = statements.detect_qa_findings(Story().edit("a.py").qa("fine", passed=True).account())
    assert passed.facts["passed"] is True


@pytest.mark.parametrize(("kind", "expected"), [("decision", MemoryType.DECISION), ("odd", MemoryType.GOTCHA)])
def test_a_record_of_an_unknown_type_is_a_gotcha(kind: str, expected: MemoryType) -> None:
    story = Story().records("Tokens live an hour", kind, ("a.py",)).records("  ")
    (signal,) = statements.detect_agent_records(story.account())
    assert (signal.type, signal.files, signal.quotes) == (expected, ("a.py",), ("Tokens live an hour",))


@pytest.mark.parametrize(
    ("output", "sha"),
    [
        ("[main 1234567] Round once\n 1 file changed", "1234567"),
        ("hook: ok\n[topic/a (root-commit) abcdef0123] First", "abcdef0123"),
        ("[main 12345] Too short", ""),
        ("see [main 1234567]", ""),
        ("", ""),
    ],
)
def test_the_hash_of_a_commit_is_read_from_the_output_of_git(output: str, sha: str) -> None:
    (entry,) = Story().shell("git commit -qm 'Round once'", output).account().filter_kinds("commit")
    assert statements.extract_sha(entry) == sha
