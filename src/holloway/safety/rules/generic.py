"""Values that only the name before them gives away."""

from __future__ import annotations

from holloway.safety.rules.rule import Rule

_CLOSE = r"""(?:[_-]?\d{1,2}|[_-](?:prod|production|dev|staging|live|value))?[\\"'`\])]{0,4}"""
_ANNOTATION = r"(?:\s{0,4}:\s{0,4}[A-Za-z][\w.|\[\]]{0,30}\s{0,4}=)"
_SIGN = r"\s{0,20}(?::=|=>|={1,3}|!==?|:|>)"
_OPEN = r"""\s{0,20}(?:[bBrRfFuU]{0,2}\\?["'`])?"""
_ARGUMENT = r"""(?:\\?["'`]\s{0,4},|\()\s{0,4}[bBrRfFuU]{0,2}\\?["'`]"""


def _assigned(names: str) -> str:
    return rf"""(?i:{names})(?:{_CLOSE}(?:{_ANNOTATION}|{_SIGN}){_OPEN}|{_ARGUMENT})([^\s"'`]{{6,128}})"""


GENERIC = (
    Rule(
        "client-secret",
        ("secret",),
        _assigned(r"(?:client|app|consumer|oauth)[_-]?secret"),
        2.7,
        ('client_secret = "{alnum:32}"', "OAUTH_CLIENT_SECRET={hex:32}", "clientSecret: '{alnum:24}'"),
        ("client_secret: str", "client_secret = get_secret()", 'client_secret="<client-secret>"'),
        "key",
    ),
    Rule(
        "access-key",
        ("access",),
        _assigned(r"access[_-]?key(?:[_-]?id|[_-]?secret)?"),
        2.7,
        ('access_key = "{alnum:24}"', "ACCESS_KEY={upper:20}"),
        ("access_key: str", 'access_key="<access-key>"', "access_key = keys[0]"),
        "key",
    ),
    Rule(
        "api-key",
        ("key",),
        _assigned(
            r"api[_-]?key|app(?:lication)?[_-]?key|auth[_-]?key|(?:account|storage)[_-]?key|subscription[_-]?key|service[_-]?key"
        ),
        2.7,
        ('api_key = "{alnum:32}"', "X-Api-Key: {hex:32}", "https://a.dev/v1?apikey={hex:32}&q=1"),
        ('api_key = os.environ["API_KEY"]', "api_key: str", 'api_key = "<your-api-key>"'),
        "key",
    ),
    Rule(
        "secret-key",
        ("key",),
        _assigned(r"(?:secret|private|encryption|signing|master|session|cookie|jwt|hmac)[_-]?key(?:[_-]?base)?"),
        2.7,
        ('SECRET_KEY = "{alnum:50}"', "secret_key_base: {hex:64}", "ENCRYPTION_KEY={b64:43}="),
        ("secret_key: bytes", "private_key = load_key(path)", 'SECRET_KEY = "changeme-please"'),
        "key",
    ),
    Rule(
        "secret",
        ("secret", "credential", "_auth", "salt"),
        _assigned(r"secret|credentials?|(?:\b|_)auth|(?:\b|_)salt"),
        2.7,
        ('secret = "{alnum:32}"', "WEBHOOK_SECRET={hex:40}", '"jwtSecret": "{alnum:28}"'),
        ("secret: SecretStr", "secret = vault.read(path)", 'secret = "${SECRET}"'),
        "key",
    ),
    Rule(
        "token",
        ("token",),
        _assigned(r"token"),
        2.7,
        ('token = "{alnum:32}"', "ACCESS_TOKEN={hex:40}", "X-Auth-Token: {alnum:24}", "?access_token={alnum:30}"),
        ("token = get_token()", "token: str", "csrf-token={b64:40}", 'token = "<your-token>"'),
        "key",
    ),
    Rule(
        "password",
        ("pass", "pwd", "pw"),
        _assigned(
            r"password|passwd|passphrase|passwort|passcode|pwd|[a-z0-9][_-]pass|[\"']pass|(?-i:[\s&?;,(]pass)|(?:\b|_)pw"
        ),
        2.2,
        ('password = "{alnum:8}!9aZ"', "DB_PASSWORD={alnum:12}7x", '"password": "{alnum:10}#1a"', "pwd: {lower:9}7a"),
        ("password: str", "password = get_password()", 'password="changeme"', "reset_password_token = 1"),
        "password",
    ),
    Rule(
        "password-in-prose",
        ("pass", "pwd"),
        r"""(?i:\b(?:password|passwd|passphrase|pwd|passcode)(?: for [\w.@-]{1,60})? (?:is|was|to):? )"""
        r"""["'`]?([^\s"'`,;]{6,200})""",
        2.2,
        (
            "the admin password is {alnum:10}7x",
            "set the password to {alnum:9}!7x",
            "password for root was `{alnum:10}7x`",
        ),
        ("the password is required", "the password is sha256-hashed", "set the password to something new"),
        "password",
    ),
    Rule(
        "key-in-prose",
        ("token", "key", "secret"),
        r"""(?i:\b(?:token|key|secret)(?: for [\w.@-]{1,60})? (?:is|was|to):? )["'`]?([^\s"'`,;]{16,256})""",
        3.3,
        ("the api key is {alnum:32}", "our token was {hex:40}"),
        ("the token is base64-encoded-text", "the key is python3-compatible-only"),
        "key",
    ),
)
