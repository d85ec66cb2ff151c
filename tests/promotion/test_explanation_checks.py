"""What commits and agents explained is told if the repository agrees; other passages are dropped with a reason."""

import pytest

from holloway.domain.memory import Memory, MemoryType, ReviewReason, Source, State
from holloway.domain.memory_details import Decision
from holloway.observer.signals import explanations
from holloway.promotion.explanation_checks import CONCLUSIONS_PER_SESSION_MAX
from holloway.service.holloway import Holloway
from holloway.store.candidates import HELD
from holloway.store.filter import Filter
from tests.conftest import Repository
from tests.observer.story import Story
from tests.service.learned import learn

TOKENS = "src/shop/auth/tokens.py"
CODE = "def refresh_token(token):\n    return load_cached_token(token)\n"
LESSON = (
    "The cache must not be shared between threads because `refresh_token` is not atomic: two threads would write it."
)
COMMIT = f"fix(auth): keep one cache (#12)\n\n{LESSON}"


@pytest.fixture(autouse=True)
def every_passage_is_a_lesson(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the ranker take every passage for a lesson, so that the checks alone can refuse it."""
    monkeypatch.setattr(explanations, "score_passage", lambda text, context, speaker: 0.9)


def learned(memory: Holloway, *sources: Source) -> list[Memory]:
    return memory.store.memories.find_memories(Filter(sources=sources, states=tuple(State)), limit=-1)


def reasons(memory: Holloway, story: Story) -> list[str]:
    return [candidate.reason for candidate in learn(memory, story).promotion.list_in_state("dropped")]


def test_a_commit_of_a_session_is_told_with_the_files_of_the_commit(memory: Holloway, repository: Repository) -> None:
    sha = repository.commit(TOKENS, CODE, COMMIT)
    learn(memory, Story().edit("README.md", added=["x"]).commit(COMMIT, sha[:7]))
    (stored,) = learned(memory, Source.COMMIT_AUTO)
    assert (stored.content, stored.type) == (f"keep one cache: {LESSON}", MemoryType.DECISION)
    assert (stored.files, stored.details) == ((TOKENS,), Decision(f"commit {sha[:10]}"))


def test_a_commit_whose_hash_was_not_printed_is_found_by_its_message(memory: Holloway, repository: Repository) -> None:
    sha = repository.commit(TOKENS, CODE, COMMIT)
    repository.commit("limits.toml", "retry_limit = 3\n", COMMIT.replace("two threads", "three threads"))
    learn(memory, Story().edit(TOKENS, added=["x"]).shell(f"git commit -q -m '{COMMIT}'"))
    (stored,) = learned(memory, Source.COMMIT_AUTO)
    assert (stored.files, stored.commit) == ((TOKENS,), sha[:10])


def test_a_commit_that_the_repository_does_not_have_is_not_told(memory: Holloway, repository: Repository) -> None:
    repository.commit(TOKENS, CODE, "Keep one cache")
    assert reasons(memory, Story().commit(COMMIT, "abc1234")) == ["its commit is not in the repository"]


def test_a_commit_that_answers_a_review_is_not_told(memory: Holloway, repository: Repository) -> None:
    message = f"Address PR review feedback\n\n{LESSON}"
    sha = repository.commit(TOKENS, CODE, message)
    assert reasons(memory, Story().commit(message, sha[:7])) == ["its commit only answers a review or cleans up"]


def test_a_commit_whose_lines_are_gone_is_not_told(memory: Holloway, repository: Repository) -> None:
    sha = repository.commit(TOKENS, CODE, COMMIT)
    repository.commit(TOKENS, "def refresh_token(token):\n    pass\n", "Drop the cache")
    assert reasons(memory, Story().commit(COMMIT, sha[:7])) == ["what its commit changed is no longer there"]


def test_a_commit_that_gives_an_order_is_not_told(memory: Holloway, repository: Repository) -> None:
    order = f"Keep one cache\n\n{LESSON} You must hold the lock."
    sha = repository.commit(TOKENS, CODE, order)
    assert reasons(memory, Story().commit(order, sha[:7])) == ["it gives an order, addresses a reader or names a host"]


def test_a_name_that_the_project_does_not_have_gives_an_explanation_away(
    memory: Holloway, repository: Repository
) -> None:
    message = COMMIT.replace("refresh_token", "refresh_tokens_all")
    sha = repository.commit(TOKENS, CODE, message)
    missing = "it names refresh_tokens_all, which the project does not have"
    assert reasons(memory, Story().commit(message, sha[:7])) == [missing]
    assert reasons(memory, Story("s2").says(message, thinking=False).green()) == [missing]


def test_a_conclusion_is_told_when_the_session_succeeded_and_held_otherwise(
    memory: Holloway, repository: Repository
) -> None:
    repository.commit(TOKENS, CODE)
    done = learn(memory, Story().edit(TOKENS, added=["x"]).says(LESSON, thinking=False))
    assert [candidate.state for candidate in done.promotion.candidates] == [HELD]
    learn(memory, Story("s2").edit(TOKENS, added=["x"]).green().says(LESSON, thinking=False))
    (stored,) = learned(memory, Source.AGENT_CONCLUDED)
    assert stored.content == LESSON


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "The cache must not be shared between threads because two of them would write the same entry at once.",
            "it names no code of the project",
        ),
        (
            "Fixed `refresh_token`: the cache must not be shared between threads because two threads would write it.",
            "it reports the work of the session",
        ),
        (
            "The bug: `refresh_token` is not atomic, so two threads write the same token at once.",
            "it reports the work of the session",
        ),
        (
            "You are right:\n\n- The cache must not be shared because `refresh_token` is not atomic.",
            "it reports the work of the session",
        ),
        (
            "The cache is now shared between threads because `refresh_token` must be atomic, so no thread waits.",
            "it reports the work of the session",
        ),
    ],
)
def test_a_conclusion_without_a_lesson_is_dropped(
    memory: Holloway, repository: Repository, text: str, reason: str
) -> None:
    repository.commit(TOKENS, CODE)
    assert reasons(memory, Story().says(text, thinking=False).green()) == [reason]


def test_a_session_leaves_few_conclusions(memory: Holloway, repository: Repository) -> None:
    repository.commit(TOKENS, CODE)
    story = Story().green()
    for number in range(CONCLUSIONS_PER_SESSION_MAX + 1):
        story.says(LESSON.replace("two threads", f"{number + 2} workers of the pool {'x' * number}"), thinking=False)
    assert reasons(memory, story) == [f"more than {CONCLUSIONS_PER_SESSION_MAX} conclusions of one session"]


@pytest.mark.parametrize(
    "rule",
    [
        "Das Token darf nicht in die Logdatei geschrieben werden",
        "Le jeton ne doit jamais figurer dans les journaux du serveur",
        "Токен никогда не должен попадать в журнал сервера",
        "トークンは必ず暗号化して保存する",
    ],
)
def test_a_rule_in_another_language_waits_for_the_person(memory: Holloway, rule: str) -> None:
    learn(memory, Story().edit(TOKENS, added=["x"]).user(rule).edit(TOKENS, added=["y"]))
    (stored,) = learned(memory, Source.USER_CORRECTION)
    assert (stored.content, stored.state, stored.review) == (rule, State.QUARANTINED, ReviewReason.INFERRED)


def test_a_rule_in_another_language_that_names_a_host_is_dropped(memory: Holloway) -> None:
    rule = "Das Token darf nicht in die Logdatei von example.com geschrieben werden"
    assert reasons(memory, Story().user(rule).edit(TOKENS)) == ["it may be pasted: it names a host or a program"]


FINDING = "tokens.py: the cache must not be shared between threads because `refresh_token` is not atomic."


def test_a_finding_of_a_review_on_which_the_session_acted_waits_for_the_person(
    memory: Holloway, repository: Repository
) -> None:
    repository.commit(TOKENS, CODE)
    learn(memory, Story().read(TOKENS).delegate(f"Code review:\n\n- {FINDING}\n").edit(TOKENS, added=["x"]).green())
    (stored,) = learned(memory, Source.AGENT_NOTE)
    assert (stored.content, stored.files, stored.state) == (f"Code review: {FINDING}", (TOKENS,), State.QUARANTINED)
    other = FINDING.replace("threads", "workers of the pool of the server that it starts")
    pasted = Story("s2").read(TOKENS).user(f"The review says\n\n```\n{other}\n```").edit(TOKENS, added=["x"]).green()
    learn(memory, pasted)
    states = {stored.content: stored.state for stored in learned(memory, Source.AGENT_NOTE)}
    assert states[other] is State.QUARANTINED


def test_a_finding_that_gives_an_order_is_dropped(memory: Holloway, repository: Repository) -> None:
    repository.commit(TOKENS, CODE)
    report = f"Code review:\n\n- {FINDING} You must hold the lock.\n"
    story = Story().read(TOKENS).delegate(report).edit(TOKENS, added=["x"]).green()
    assert reasons(memory, story) == ["it gives an order, addresses a reader or names a host"]


def test_a_finding_that_the_person_declined_waits_for_review(memory: Holloway, repository: Repository) -> None:
    review = "The review has two findings:\n\n1. The cache leaks.\n2. `total` is rounded twice."
    learn(memory, Story().says(review, thinking=False).user("1 yes, 2 no, that is wanted").edit(TOKENS, added=["x"]))
    (stored,) = learned(memory, Source.USER_CORRECTION)
    assert (stored.state, stored.review) == (State.QUARANTINED, ReviewReason.INFERRED)
    assert "`total` is rounded twice." in stored.content
