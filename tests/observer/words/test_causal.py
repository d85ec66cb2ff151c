import pytest

from holloway.observer.words.causal import CausalStatement, find_causal_statement


@pytest.mark.parametrize(
    ("text", "causal"),
    [
        (
            "Whenever I touch the login flow I must update the e2e fixtures.",
            CausalStatement("touch the login flow", "update the e2e fixtures"),
        ),
        (
            "When you change the schema, also run the generator.",
            CausalStatement("change the schema", "run the generator"),
        ),
        (
            "If you rename a column, you have to bump the cache version.",
            CausalStatement("rename a column", "bump the cache version"),
        ),
        (
            "The lock file must be regenerated whenever you edit pyproject.toml.",
            CausalStatement("edit pyproject.toml", "The lock file must be regenerated"),
        ),
        (
            "routes.ts and menu.json must be changed together.",
            CausalStatement("routes.ts", "menu.json"),
        ),
        (
            "Adding an event type requires an entry in the registry.",
            CausalStatement("Adding an event type", "an entry in the registry"),
        ),
    ],
)
def test_a_change_that_asks_for_another_is_found(text: str, causal: CausalStatement) -> None:
    assert find_causal_statement(text) == causal


@pytest.mark.parametrize(
    "text",
    [
        "",
        "When I changed the schema, the test failed.",
        "Should we also update the docs when we change the flags?",
        "If you change this, it might also break the build.",
        "I must update the fixtures.",
        "Let me change the route, then also the menu.",
    ],
)
def test_what_happened_once_or_is_only_asked_is_none(text: str) -> None:
    assert find_causal_statement(text) is None
