import pytest

from holloway.observer.words import user_correction
from holloway.observer.words.sentences import CLAUSE_CHARS_MAX


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("no, we use pnpm here, not npm", "preference"),
        ("Don't touch the generated clients under api/gen.", "preference"),
        ("always run the migrations first", "requirement"),
        ("Never push to the release branch.", "requirement"),
        ("please remember that the fixtures are shared with the mobile team", "preference"),
        ("From now on write the tests before the code.", "preference"),
        ("stop adding comments that repeat the code", "preference"),
        ("Use httpx instead of requests.", "preference"),
        ("use pnpm, not npm", "preference"),
        ("Whenever you change the schema, run the generator.", "preference"),
        ("that is not correct, the worker reads its queue from redis and never from disk", "gotcha"),
        ("be careful: never run the seed script twice, it breaks the counters", "gotcha"),
    ],
)
def test_what_is_meant_to_last_is_found_with_its_kind(prompt: str, kind: str) -> None:
    found = user_correction.find_user_correction(prompt)
    assert found is not None
    assert found.kind == kind
    assert found.text in prompt


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "yes please",
        "no, delete that line",
        "use the other button here",
        "don't fix anything, just tell me what you see",
        "do not commit yet",
        "can we use a set instead of a list?",
        "should we always run the linter",
        "it always lists the same three branches",
        "the function is defined but never called",
        "don't use it for now",
        "why don't we cache this?",
        "I think we don't need the second index",
        "never mind",
        "Please add a test for the empty file.",
    ],
)
def test_questions_tasks_and_what_holds_only_now_are_none(prompt: str) -> None:
    assert user_correction.find_user_correction(prompt) is None


def test_what_the_host_wrote_is_none() -> None:
    rule = "Always run the formatter before you commit."
    assert user_correction.find_user_correction(rule) is not None
    assert user_correction.find_user_correction(f"<system-reminder>{rule}</system-reminder>") is None
    assert user_correction.find_user_correction(f"Base directory for this skill: /skills/x\n\n{rule}") is None
    assert user_correction.find_user_correction(f"look at this\n```\n{rule}\n```") is None


def test_an_interruption_and_an_edit_before_make_a_denial_a_correction() -> None:
    prompt = "we don't store sessions on the server"
    assert user_correction.find_user_correction(prompt) is None
    alone = user_correction.find_user_correction(prompt, interrupted=True)
    both = user_correction.find_user_correction(prompt, after_edit=True, interrupted=True)
    assert alone is not None
    assert both is not None
    assert both.score > alone.score


def test_the_surest_of_several_sentences_is_taken_also_with_small_letters() -> None:
    found = user_correction.find_user_correction(
        "the page looks fine. from now on use the spacing tokens. add one more button"
    )
    assert found is not None
    assert found.text == "from now on use the spacing tokens"


def test_a_document_is_a_task_and_no_rule() -> None:
    rule = "Always validate the input. "
    assert user_correction.find_user_correction(rule + "It is short. " * 20) is not None
    assert user_correction.find_user_correction(rule + "It is long.\n" * 400) is None


def test_the_text_is_bounded() -> None:
    found = user_correction.find_user_correction("From now on use " + "the very long name of a thing " * 12)
    assert found is not None
    assert len(found.text) <= CLAUSE_CHARS_MAX


@pytest.mark.parametrize(
    "said",
    [
        "Actually, the tests need REDIS_URL set to fake://, not a real server",
        "No, actually the worker uses `jobs.lock` here",
    ],
)
def test_a_contradiction_that_names_something_is_heard(said: str) -> None:
    assert user_correction.find_user_correction(said) is not None


@pytest.mark.parametrize("said", ["Actually, let's use the other one", "actually the build needs to be done"])
def test_a_change_of_mind_is_no_correction(said: str) -> None:
    assert user_correction.find_user_correction(said) is None
