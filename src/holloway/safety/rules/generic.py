"""Values that only the name before them gives away."""

from __future__ import annotations

from holloway.safety.rules.rule import Rule

_CLOSE = r"""(?:[_-]?\d{1,2}|[_-](?:prod|production|dev|staging|live|value))?[\\"'`\])]{0,4}"""
_ANNOTATION = r"(?:\s{0,4}:\s{0,4}[A-Za-z][\w.|\[\]]{0,30}\s{0,4}=)"
_SIGN = r"(?:\s{0,20}(?::=|=>|={1,3}|!==?|:|>)|\s{0,4},|\()"
_OPEN = r"""\s{0,20}(?:[bBrRfFuU]{0,2}\\?["'`])?"""


def _assigned(names: str) -> str:
    return rf"""(?i:{names}){_CLOSE}(?:{_ANNOTATION}|{_SIGN}){_OPEN}([^\s"'`]{{6,256}})"""


GENERIC = (
    Rule(
        "password",
        ("pass", "pwd", "pw"),
        _assigned(r"password|passwd|passphrase|passwort|passcode|pwd|(?:\b|_|-)pass|(?:\b|_)pw"),
        2.2,
        ('password = "{alnum:8}!9aZ"', "DB_PASSWORD={alnum:12}7x", '"password": "{alnum:10}#1a"', "pwd: {lower:9}7a"),
        ("password: str", "password = get_password()", 'password="changeme"', "reset_password_token = 1"),
        "password",
    ),
    Rule(
        "api-key",
        ("key",),
        _assigned(r"api[_-]?key|apikey|app[_-]?key|auth[_-]?key|account[_-]?key"),
        3.0,
        ('api_key = "{alnum:32}"', "X-Api-Key: {hex:32}"),
        ('api_key = os.environ["API_KEY"]', "api_key: str", 'api_key = "<your-api-key>"'),
        "key",
    ),
)
