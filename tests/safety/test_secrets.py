"""Secrets are cut out, and nothing else is."""

from __future__ import annotations

import random
import re
import string
import subprocess
import sys
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holloway.safety import secrets
from holloway.safety.secrets import SecretFinding

_ALNUM = string.ascii_letters + string.digits


def made_up(size: int, alphabet: str = _ALNUM) -> str:
    return "".join(random.Random(size).sample(alphabet * (size // len(alphabet) + 1), size))


GITHUB = "ghp_" + made_up(36)
HEX = made_up(32, "0123456789abcdef")
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + f"{made_up(64)}\n" * 3 + "-----END RSA PRIVATE KEY-----"


def test_the_sentence_round_a_secret_is_kept() -> None:
    assert secrets.redact_secrets('Set password = "hunter2x9" first.') == (
        'Set password = "[REDACTED: password]" first.',
        ["password"],
    )
    assert secrets.redact_secrets(f"Push with {GITHUB}, then rotate it.") == (
        "Push with [REDACTED: github-pat], then rotate it.",
        ["github-pat"],
    )


def test_a_text_without_secrets_comes_back_as_it_was() -> None:
    assert secrets.redact_secrets("The parser drops the last token.") == ("The parser drops the last token.", [])
    assert secrets.redact_secrets("") == ("", [])


def test_rule_names_are_sorted_and_named_once() -> None:
    _, rules = secrets.redact_secrets(
        f"{GITHUB} password='hunter2x9' {GITHUB} AKIA{made_up(16, string.ascii_uppercase)}"
    )
    assert rules == ["aws-access-key-id", "github-pat", "password"]


def test_the_specific_rule_wins_over_the_generic_one() -> None:
    assert [finding.rule for finding in secrets.scan_secrets(f'token = "{GITHUB}"')] == ["github-pat"]


@pytest.mark.parametrize("password", [f"x9.{GITHUB}", f"{GITHUB}!x", f"x9{GITHUB}"])
def test_no_part_of_a_longer_secret_is_left_around_a_token_in_it(password: str) -> None:
    assert (
        secrets.redact_secrets(f"https://me:{password}@host.dev")[0] == "https://me:[REDACTED: url-password]@host.dev"
    )


def test_the_name_in_a_marker_does_not_hide_the_value_after_it() -> None:
    redacted = "[REDACTED: password]: [REDACTED: password]"
    assert secrets.redact_secrets("[REDACTED: password]: hunter22x")[0] == redacted
    assert secrets.redact_secrets(redacted) == (redacted, [])


def test_a_text_without_a_keyword_needs_no_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise AssertionError("loaded")

    monkeypatch.setattr(secrets, "load_rules", refuse)
    assert secrets.scan_secrets("Round the total of the cart") == []
    with pytest.raises(AssertionError, match="loaded"):
        secrets.scan_secrets("the password of the cart")


def test_a_value_is_tried_again_a_bounded_number_of_times_from_its_front() -> None:
    # Each start is a name whose value is none; the secret is at the end of one unbroken value.
    assert "hunter22x" not in secrets.redact_secrets("password=" * 20 + "hunter22x")[0]


def test_findings_are_in_order_and_do_not_overlap() -> None:
    findings = secrets.scan_secrets(f"password='hunter2x9' {GITHUB} api_key={HEX} https://me:{HEX}@host.dev")
    spans = [(finding.start, finding.end) for finding in findings]
    assert len(spans) == 4
    assert spans == sorted(spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_offsets_count_characters_beyond_ascii() -> None:
    text = f"Schlüssel 🔑 „{GITHUB}“"
    (finding,) = secrets.scan_secrets(text)
    assert text[finding.start : finding.end] == GITHUB
    assert repr(finding) == f"Finding('github-pat', {finding.start}, {finding.end})"


def test_lone_surrogates_are_text_like_any_other() -> None:
    assert secrets.redact_secrets(f"\ud800{GITHUB}\udfff") == ("\ud800[REDACTED: github-pat]\udfff", ["github-pat"])


def test_a_whole_private_key_is_cut_out() -> None:
    assert secrets.redact_secrets(f"key:\n{KEY}\nend") == ("key:\n[REDACTED: private-key]\nend", ["private-key"])
    one_line = KEY.replace("\n", "\\n")
    assert secrets.redact_secrets(f'{{"private_key": "{one_line}"}}')[0] == '{"private_key": "[REDACTED: private-key]"}'


def test_markers_are_not_redacted_again() -> None:
    once, rules = secrets.redact_secrets(f"password={HEX} and https://me:{HEX}@host.dev and {GITHUB}")
    assert len(rules) == 3
    assert secrets.redact_secrets(once) == (once, [])


def test_a_marker_of_an_unknown_rule_hides_nothing() -> None:
    assert GITHUB not in secrets.redact_secrets(f"[REDACTED: {GITHUB}]")[0]


@pytest.mark.parametrize(
    "text",
    [
        'password = "<your-password>"',
        'token = "${TOKEN}"',
        "token: ${{ secrets.DEPLOY_TOKEN }}",
        'api_key = "xxxxxxxxxxxxxxxxxxxxxxxx"',
        'api_key = "your_api_key_here_1234"',
        'secret = os.environ["APP_SECRET"]',
        "token = process.env.TOKEN2;",
        "password: str",
        "password: Optional[str] = None",
        "secret: SecretStr",
        "private_key: Ed25519PrivateKey",
        "token = get_token()",
        "password = getpass.getpass('Password: ')",
        "reset_password_token",
        "password_reset_token_v2 = True",
        "self.password = self.password2",
        "login(user=user1, password=password1)",
        'token_url = "https://auth.dev/oauth2/token"',
        "max_tokens=4096",
        "the password is required",
        "the token is base64-encoded and sha256-hashed",
        "curl -u user:pass https://host.dev",
        "postgres://user:password@localhost:5432/db",
        "Authorization: Bearer $TOKEN",
        "csrf_token = '9Cnzj4p4WGeKLs1Pt8QuKUpRKf'",
        "fixed in 4ddbc191d40ee098cbaae6f3523ada2d4ddbc191",
        "8a6e0804-2bd0-4672-b79d-d97027f9071a",
        "AKIAIOSFODNN7EXAMPLE",
        "--- PASS: TestGetSessionByID",
        "log, err := s.getSessionLogBySessionID",
    ],
)
def test_placeholders_names_and_expressions_are_no_secrets(text: str) -> None:
    assert secrets.redact_secrets(text) == (text, [])


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ("PGPASSWORD=", "abc123x", " psql"),
        ('{\\"password\\": \\"', "Hunter22x", '\\"}'),
        ("<password>", "Sup3rS3cret", "</password>"),
        ("'password' => '", "Zx9cvb", "',"),
        ('setPassword("', "Zx9!cvb", '")'),
        ('os.getenv("API_KEY", "', HEX, '")'),
        ("password: ", "p@ssw0rd", ""),
        ('password="', "пароль123", '"'),
        ("the password is ", "hunter2", "."),
        ("?user=me&password=", "hunter2", "&next=1"),
        ("redis://:", "s3cr3tpw", "@cache:6379/0"),
        ("curl -sS -u elastic:", "P@ssw0rd$1", " https://localhost:9200"),
        ("machine git.dev login me password ", "s3cr3tpw", ""),
        ("//npm.example.com/:_authToken=", HEX, "\n"),
        ("Authorization: Basic ", "YnJvd3Nlcjo3Mzk0", "\n"),
        ("mysql -u root -p", "s3cr3tpw9", " app"),
    ],
)
def test_exactly_the_secret_is_cut_out(before: str, secret: str, after: str) -> None:
    redacted, rules = secrets.redact_secrets(before + secret + after)
    assert len(rules) == 1
    assert redacted == f"{before}[REDACTED: {rules[0]}]{after}"


PIECES = st.sampled_from(
    [
        GITHUB, HEX, KEY, "password", "passwd", "token", "api_key", "secret", "=", " = ", ": ", '"', "'", " ",
        "\n", "\\n", "://", "@", ":", "user", "curl -u ", "Authorization: Bearer ", "eyJ", ".", ",", "hunter2",
        "[REDACTED: ",
        "[REDACTED: password]", "[REDACTED: github-pat]", "]", "-----BEGIN RSA PRIVATE KEY-----", "é", "🔑", "\ud800",
        "aws",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=())),
    st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=24).map("".join),
)


@given(TEXTS)
@settings(deadline=None)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once, _ = secrets.redact_secrets(text)
    assert secrets.redact_secrets(once) == (once, [])


@given(TEXTS)
@settings(deadline=None)
def test_text_outside_of_findings_is_unchanged(text: str) -> None:
    at = 0
    for finding in secrets.scan_secrets(text):
        assert at <= finding.start < finding.end <= len(text)
        at = finding.end
    at = 0
    for piece in re.split(r"\[REDACTED: [a-z0-9-]+\]", secrets.redact_secrets(text)[0]):
        assert piece in text[at:]
        at = text.index(piece, at) + len(piece)


def test_a_secret_longer_than_a_pattern_looks_is_cut_out_whole() -> None:
    long = made_up(900)
    assert secrets.redact_secrets(f'token = "{long}"') == ('token = "[REDACTED: token]"', ["token"])
    assert secrets.redact_secrets(f"API_KEY={long} x") == ("API_KEY=[REDACTED: api-key] x", ["api-key"])


@pytest.mark.parametrize("sign", ["&", ",", ";"])
def test_a_secret_is_found_behind_any_number_of_settings_that_are_none(sign: str) -> None:
    harmless = sign.join(["password=ab"] * 40)
    text, found = secrets.redact_secrets(f"{harmless}{sign}password=Harbour7Quay21x")
    assert (text, found) == (f"{harmless}{sign}password=[REDACTED: password]", ["password"])


def cpu_s(text: str) -> float:
    start = time.process_time()
    secrets.redact_secrets(text)
    return time.process_time() - start


@pytest.mark.promise("linear-time")
@pytest.mark.parametrize(
    "piece",
    [
        "password=",
        "eyJ",
        "-----BEGIN",
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----" + made_up(40),
        "eyJhbGciOiJI.",
        "https://a:",
        "curl -u a",
        "password=hunter2x ",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ",
        f"{GITHUB} ",
        "server=a;",
        "kind: Secret\ndata:\n  ",
        "Authorization: ",
        "PuTTY-User-Key-File-2: x\n",
        "[REDACTED: ",
        "secret_key_base",
        "token: a",
        "glcbt-",
        "_auth=",
        "=bearer=",
        "authorization:",
        "-xoxd-",
        "-pypi-AgE",
        "+IQoJb3JpZ2lu",
        "-eyJ",
        "token=exampleaB3dE5gH7jK9mN",
    ],
)
def test_four_times_the_hostile_text_takes_about_four_times_the_time(piece: str) -> None:
    small, large = (piece * (size // len(piece)) for size in (50_000, 200_000))
    cpu_s(small)
    # Neighbours on the same core inflate one measurement; quadratic time fails all three.
    assert any(cpu_s(large) < 10 * min(cpu_s(small), cpu_s(small)) + 0.1 for _ in range(3))


def test_importing_the_redactor_loads_nothing_heavy() -> None:
    # Every hook has parsed its input with json by then.
    code = (
        "import sys, json; before = set(sys.modules); import holloway.safety.secrets as s; "
        "s.redact_secrets('plain text'); "
        "heavy = {'typing', 'dataclasses', 'enum', 'inspect', 're', 're2', 'collections', 'pathlib', 'tomllib', "
        "'holloway.safety.secret_values'}; "
        "print(sorted(heavy & (set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.promise("no-secret")
@pytest.mark.parametrize("form", ["[REDACTED: {key}]", "[REDACTED: {key} is it", "see [REDACTED: x {key}] here"])
def test_a_secret_in_a_marker_of_somebody_elses_making_is_cut_out(form: str) -> None:
    key = "AKIA" + "Z7QH3KDLMWPXRTVB"
    cleaned, found = secrets.redact_secrets(form.format(key=key))
    assert found == ["aws-access-key-id"]
    assert key not in cleaned
    assert secrets.redact_secrets(cleaned) == (cleaned, [])


@pytest.mark.parametrize(
    ("run", "is_token_like"),
    [
        ("qwertzuiopas", False),
        ("QWERTZUIOPAS", True),
        ("qwertzuiop4s", True),
        ("123456789012", True),
        ("refresh_token_of_the_shop", False),
        ("REFRESH_TOKEN_OF_THE_SHOP", False),
        ("refresh_Token", True),
        ("a_refresh4token5", True),
        ("a_refresh4_token5", False),
        ("a_" + "q" * 31, False),
        ("a_" + "q" * 32, True),
    ],
)
def test_a_plain_word_or_name_is_not_looked_at_as_a_token(run: str, is_token_like: bool) -> None:
    assert secrets._is_token_like(run) is is_token_like


def test_a_key_of_capitals_alone_is_cut_out() -> None:
    assert secrets.redact_secrets("key AKIAQWERTZUIPASDFGHJ")[1] == ["aws-access-key-id"]


TOKEN_IN_PATH = "ghp_" + "k9XrT2mQ8vLz5NcB7wYp3JdHs6FgA1eUoRi4"


@pytest.mark.promise("no-secret")
@pytest.mark.parametrize(
    "path", [TOKEN_IN_PATH, f"src/{TOKEN_IN_PATH}/a.py", f"src/{TOKEN_IN_PATH}.py", f"fix/{TOKEN_IN_PATH}"]
)
def test_a_secret_in_a_path_is_cut_out_of_it_and_of_a_text_that_names_it(path: str) -> None:
    assert TOKEN_IN_PATH not in secrets.redact_path(path)
    assert TOKEN_IN_PATH not in secrets.redact_nested({f"see `{path}`, please": [path]}).__repr__()


def test_a_short_part_of_a_path_is_not_taken_for_a_secret() -> None:
    path = "conf/password=hunt2r/a.py"
    assert secrets.redact_path(path) == path
    assert secrets.redact_path(f"{path}/{TOKEN_IN_PATH}") == "conf/password=[REDACTED: password]"


def test_every_path_of_a_text_is_redacted_and_no_other_word() -> None:
    text = f"({TOKEN_IN_PATH}/a.py), b/{TOKEN_IN_PATH}.py; order-total-of-the-cart-{'x1' * 12}"
    expected = f"([REDACTED: github-pat]/a.py), b/[REDACTED: github-pat].py; order-total-of-the-cart-{'x1' * 12}"
    assert secrets.redact_paths_in(text) == expected


@pytest.mark.parametrize(
    "path", ["src/shop/auth/tokens.py", "migrations/20260105_090000_add_a_long_name_for_it.py", "dist/app.3f2a9c1b.js"]
)
def test_an_ordinary_path_stays_as_it_is(path: str) -> None:
    assert secrets.redact_path(path) == path
    assert secrets.redact_paths_in(f"not committed: {path}, b.py") == f"not committed: {path}, b.py"


def test_values_of_json_that_are_no_text_stay() -> None:
    value = {"count": 3, "flags": [True, None, 2.5], "pair": (1, "text")}
    assert secrets.redact_nested(value) == {"count": 3, "flags": [True, None, 2.5], "pair": [1, "text"]}


def test_a_secret_right_behind_a_marker_is_cut_out() -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    marker = secrets.redact_secrets(token)[0]
    for text in (f"{marker}{token}", f"{marker} {token}", f"{marker}{marker}{token}", f"x {marker}\n{token}"):
        redacted = secrets.redact_secrets(text)[0]
        assert token not in redacted
        assert secrets.redact_secrets(redacted)[0] == redacted


@pytest.mark.parametrize("joint", ["\u200b", "\\\n", '"\n"'])
def test_of_a_text_with_a_split_secret_nothing_else_is_cut_out(joint: str) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    split = f'"{token[:20]}{joint}{token[20:]}" + x'
    assert secrets.redact_secrets(split)[0] == '"[REDACTED: github-pat]" + x'


def test_findings_that_overlap_are_joined_to_the_end_of_the_later_one() -> None:
    first, second, third = (SecretFinding("short", 3, 9), SecretFinding("long", 6, 20), SecretFinding("apart", 20, 22))
    inner = SecretFinding("inner", 4, 8)
    merged = secrets._merge_findings([third, second, inner, first])
    assert [(finding.rule, finding.start, finding.end) for finding in merged] == [("long", 3, 20), ("apart", 20, 22)]
