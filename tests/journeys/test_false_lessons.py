"""Sessions that end in a false lesson: none of it may be told to a later agent, and of two rules the newer one is."""

from holloway.service.holloway import Holloway
from holloway.store import lookup
from holloway.testing import FakeClock
from tests.observer.story import Story
from tests.service.learned import learn

TOKENS = "src/shop/auth/tokens.py"
INVOICE = "src/shop/billing/invoice.py"
TEST_FILE = "tests/auth/test_tokens.py"
LEVEL_EARNED = 2
DAY_S = 86_400.0


def list_told(memory: Holloway, clock: FakeClock, level: int = LEVEL_EARNED) -> str:
    """Return the texts of all memories that an agent may be told at a trust level."""
    connection = memory.store.database.connection
    viewer = lookup.Viewer(session="next", context=0, branch="", now=clock.now().isoformat(), level=level)
    ids = [str(row[0]) for row in connection.execute("SELECT id FROM memories ORDER BY seq")]
    return "\n".join(memory.get(str(row["id"])).content for row in lookup.find_unseen(connection, ids, viewer))


def test_a_false_report_of_success_is_not_told(memory: Holloway, clock: FakeClock) -> None:
    story = (
        Story(task="Make refresh() safe to call twice")
        .read(TOKENS)
        .edit(TOKENS, ["    return token"], ["    return token or None"])
        .red()
        .says(
            "Fixed: refresh() failed because the token cache was shared between workers, so `refresh` now returns "
            "None for an empty token. All tests pass.",
            thinking=False,
        )
        .ends()
    )
    learn(memory, story)
    assert "token cache was shared" not in list_told(memory, clock)


def test_a_root_cause_that_is_corrected_two_turns_later_is_not_told(memory: Holloway, clock: FakeClock) -> None:
    story = (
        Story(task="The invoice total is wrong")
        .read(INVOICE)
        .says(
            "The root cause is that `total` in invoice.py rounds each item because the currency table has no cents.",
            thinking=False,
        )
        .user("are you sure? look at the items")
        .read(TOKENS)
        .user("go on")
        .says(
            "I was wrong about the rounding: `total` is off because `items` contains the deposit twice.",
            thinking=False,
        )
        .edit(INVOICE, ["    return sum(items)"], ["    return sum(set(items))"])
        .green()
        .commit("Count the deposit once")
        .ends()
    )
    learn(memory, story)
    assert "currency table" not in list_told(memory, clock)


def test_of_a_rule_and_its_reversal_nine_days_later_the_newer_is_told(memory: Holloway, clock: FakeClock) -> None:
    start = clock.now().timestamp() - 10 * DAY_S
    for session, at, rule in (
        ("s1", start, "Always squash the commits of a branch before you merge it."),
        ("s2", start + 9 * DAY_S, "Never squash the commits of a branch before you merge it."),
    ):
        learn(memory, Story(session, task="Merge the branch", at=at).user(rule).edit(TOKENS).green().ends())
    told = list_told(memory, clock)
    assert "Never squash" in told
    assert "Always squash" not in told


def test_a_test_that_was_loosened_until_it_passed_teaches_no_fix(memory: Holloway, clock: FakeClock) -> None:
    story = (
        Story(task="Make the tests green")
        .edit(TOKENS, ["    return token"], ["    return str(token)"])
        .shell("pytest -q", "FAILED tests/auth/test_tokens.py::test_refresh - AssertionError: assert 3 == 4", ok=False)
        .edit(TEST_FILE, ["    assert refresh(1) == 4"], ["    assert refresh(1)"])
        .green()
        .commit("Make the tests green")
        .ends()
    )
    learn(memory, story)
    assert list_told(memory, clock) == ""


def test_a_wish_for_one_task_is_not_told(memory: Holloway, clock: FakeClock) -> None:
    story = (
        Story(task="Rename the invoice module. In this PR, don't touch the tests, for now always use the old name.")
        .user("for now never run the migrations, and in this PR use pnpm instead of npm")
        .edit(INVOICE)
        .green()
        .commit("Rename it")
        .ends()
    )
    learn(memory, story)
    assert list_told(memory, clock) == ""
