import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.text.tokens import MARGIN, estimate_tokens

CODE = """def parse_header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip().lower(), value.strip()
"""
PROSE = (
    "The worker holds the write lock while it rotates the journal, so a reader that waits longer than two seconds "
    "gives up and tries again."
)
JSON = (
    '{"id": 4017, "name": "worker-3", "tags": ["queue", "retry"], "started": "2026-10-01T12:30:05Z", "ok": true, '
    '"ms": 12.75}'
)


@pytest.mark.promise("token-estimate")
@pytest.mark.parametrize(("text", "o200k"), [(CODE, 33), (PROSE, 27), (JSON, 55)])
def test_code_prose_and_json_cost_about_what_o200k_counts(text: str, o200k: int) -> None:
    assert abs(estimate_tokens(text) / o200k - 1) < 0.07


@pytest.mark.promise("token-estimate")
@pytest.mark.parametrize(
    ("text", "o200k"),
    [
        ("src/holloway/retrieval/pack.py:163: AssertionError: expected <= 2500, got 2611", 26),
        ("Der Schlüssel liegt unter der Fußmatte, die Größe steht daneben.", 14),
        ("ключ лежит под ковриком у двери", 9),
        ("鍵は玄関のマットの下にあります", 11),
        ("🧨🧨🧨 done ✅ → next", 13),
        ("aGVsbG8gd29ybGQgZnJvbSBhIGtleSB0aGF0IGlzIG5vIGtleQ==", 31),
    ],
)
def test_what_is_hard_to_guess_stays_within_the_margin(text: str, o200k: int) -> None:
    assert estimate_tokens(text) * MARGIN >= o200k


def test_nothing_costs_nothing() -> None:
    assert estimate_tokens("") == 0


def test_a_long_run_of_anything_is_read_once() -> None:
    for char in ("a", "A", " ", "-", "_", "é", "字", "\n"):
        assert 1 <= estimate_tokens(char * 200_000) <= 200_001


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_never_costs_less(one: str, other: str) -> None:
    assert estimate_tokens(one + "\n" + other) >= max(estimate_tokens(one), estimate_tokens(other)) - 1
