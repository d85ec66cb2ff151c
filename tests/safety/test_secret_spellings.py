"""Secrets that are split over lines, padded with invisible characters or encoded are spelled out."""

import base64

import pytest

from holloway.safety import secret_spellings
from holloway.safety.secret_spellings import decode_runs, join_lines

PLAIN = "the password of the shop is hunter22, do not tell it"
ENCODED = base64.b64encode(PLAIN.encode()).decode()


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("ab\u200bcd", "abcd"),
        ("ab\\\n  cd", "abcd"),
        ("ab\\\ncd", "abcd"),
        ("'ab'\n  'cd'", "'abcd'"),
        ('"ab" \\\n\t"cd"', '"abcd"'),
        ("'ab'\n'cd'\n'ef'", "'abcdef'"),
        ("\ufeffab", "ab"),
    ],
)
def test_what_splits_a_text_is_removed_and_each_character_knows_its_place(text: str, joined: str) -> None:
    result = join_lines(text)
    assert result is not None
    assert result[0] == joined
    assert "".join(text[position] for position in result[1]) == joined


@pytest.mark.parametrize(
    "text", ["", "abc", "ab\ncd", "'ab'\n\"cd\"", "'ab',\n'cd'", "ab\\cd", "'ab'" + " " * 60 + "\n'cd'"]
)
def test_a_text_without_joints_has_no_other_spelling(text: str) -> None:
    assert join_lines(text) is None


def test_a_run_of_base64_is_decoded_with_its_place() -> None:
    for text in (f"key {ENCODED} end", f"key={ENCODED};end", ENCODED):
        ((start, end, decoded),) = decode_runs(text)
        assert (text[start:end], decoded) == (ENCODED, PLAIN)


@pytest.mark.parametrize("size", [60, 61, 62])
def test_the_padding_of_a_run_belongs_to_it(size: int) -> None:
    encoded = base64.b64encode(b"quay " * 12 + b"x" * (size - 60)).decode()
    ((start, end, _),) = decode_runs(f"key {encoded};end")
    assert (start, end) == (4, 4 + len(encoded))


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_a_run_without_its_padding_is_decoded_as_far_as_it_goes(cut: int) -> None:
    bare = ENCODED.rstrip("=")
    ((_, _, decoded),) = decode_runs(bare[: len(bare) - cut])
    assert PLAIN.startswith(decoded)
    assert len(decoded) >= len(PLAIN) - 4


def test_the_alphabet_of_addresses_is_decoded_too() -> None:
    plain = "???>>>" * 10
    encoded = base64.urlsafe_b64encode(plain.encode()).decode()
    assert {"-", "_"} & set(encoded)
    assert [decoded for _, _, decoded in decode_runs(encoded)] == [plain]


def test_short_runs_and_runs_of_no_text_are_left() -> None:
    assert list(decode_runs(base64.b64encode(b"short").decode())) == []
    assert list(decode_runs(base64.b64encode(bytes(range(128, 188))).decode())) == []


def test_no_more_is_decoded_than_the_budget_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_spellings, "ENCODED_CHARS_MAX", 2 * len(ENCODED.rstrip("=")))
    assert len(list(decode_runs(f"{ENCODED} {ENCODED} {ENCODED}"))) == 2


def test_a_joint_keeps_every_other_character() -> None:
    text = "a = 'one'\n    'two' + b\u200bc\nd"
    result = join_lines(text)
    assert result is not None
    assert result[0] == "a = 'onetwo' + bc\nd"
    assert result[1][-1] == len(text) - 1
    assert join_lines("'ab'\\\n\"cd\"") is not None


def test_a_quote_far_before_the_end_of_its_line_is_no_joint() -> None:
    near, far = ("'ab'" + " " * count + "\n'cd'" for count in (30, 45))
    assert join_lines(near) is not None
    assert join_lines(far) is None


def test_runs_are_found_one_after_another_with_their_padding() -> None:
    first, second = (base64.b64encode((PLAIN + end).encode()).decode() for end in ("", "!!"))
    assert first != second
    text = f"{first}, {second}"
    spans = list(decode_runs(text))
    assert [text[start:end] for start, end, _ in spans] == [first, second]
    assert [decoded for _, _, decoded in spans] == [PLAIN, f"{PLAIN}!!"]


def test_mostly_printable_text_is_decoded_and_binary_is_not() -> None:
    readable, binary = PLAIN.encode() + b"\x00", PLAIN.encode()[:30] + b"\x00\x01\x02\x03"
    assert len(list(decode_runs(base64.b64encode(readable).decode()))) == 1
    assert list(decode_runs(base64.b64encode(binary).decode())) == []
    lines = base64.b64encode(b"key: one\n\tvalue: two\r\n" * 3).decode()
    assert len(list(decode_runs(lines))) == 1
