"""Secrets given away by the place they stand in: headers, addresses, command lines, files of credentials."""

from __future__ import annotations

from holloway.safety.rules.rule import END, Rule, token

_AUTHORIZATION = r"""(?i:authorization)["'\]]{0,2}\s{0,4}[:=,]\s{0,4}[bf]?["'`]?"""
_SCHEME = r"(?:(?i:bearer|token|api-?token|apikey|key|digest|oauth|bot) {1,4})?"
_CURL_USER = r"""(?i:\bcurl)\b[^\n]{0,400}?\s(?:-[a-zA-Z]{0,6}u|--user|--proxy-user|-U)(?:\s{1,4}|=)"""

STRUCTURES = (
    Rule(
        "jwt",
        ("eyj",),
        token(r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_/+-]{10,}\.[A-Za-z0-9_/+-]{10,}={0,2}"),
        3.5,
        (
            "eyJhbGciOiJIUzI1NiJ9.eyJ{alnum:60}.{alnum:43}",
            "Cookie: session=eyJhbGciOiJIUzI1NiJ9.eyJ{alnum:60}.{alnum:43}",
        ),
        ("eyJhbGciOiJIUzI1NiJ9.eyJ{x:60}.{x:43}", "eyJhbGciOiJIUzI1NiJ9"),
    ),
    Rule(
        "jwe",
        ("eyj",),
        token(
            r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{0,800}"
            r"\.[A-Za-z0-9_-]{12,24}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{16,24}"
        ),
        4.0,
        ("eyJhbGciOiJSU0EtT0FFUCJ9.{alnum:300}.{alnum:16}.{alnum:90}.{alnum:22}",),
        ("eyJhbGciOiJSU0EtT0FFUCJ9.{alnum:8}",),
    ),
    Rule(
        "basic-authorization",
        ("basic",),
        rf"""{_AUTHORIZATION}(?i:basic) {{1,4}}([A-Za-z0-9+/]{{8,}}={{0,2}}){END}""",
        2.8,
        (
            "Authorization: Basic {b64:40}",
            '-H "Authorization: Basic {b64:23}="',
            '{"Authorization": "Basic {b64:22}=="}',
        ),
        ("Authorization: Basic ...", "Authorization: Basic authentication", "Authorization: Basic {x:40}"),
        "shape",
    ),
    Rule(
        "authorization-header",
        ("authorization",),
        rf"""{_AUTHORIZATION}{_SCHEME}(?:token=)?["']?([A-Za-z0-9_.~+/@=|:-]{{12,}})""",
        3.0,
        (
            "Authorization: Bearer {alnum:40}",
            'headers["Authorization"] = "token {hex:40}"',
            "Authorization: {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
        ),
        ("Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "Authorization: Bearer {x:40}"),
        "shape",
    ),
    Rule(
        "bearer-token",
        ("bearer",),
        r"""(?i:\bbearer)["']?(?: |: ?|=)["']?([A-Za-z0-9_.~+/=-]{20,})""",
        3.5,
        ("Bearer {alnum:40}", 'curl --oauth2-bearer "{alnum:32}"'),
        ("Bearer authentication-token-provider", "Bearer {x:40}", "bearer_token_provider"),
        "shape",
    ),
    Rule(
        "curl-user",
        ("curl",),
        rf"""{_CURL_USER}["'`]?[^\s:"'`]{{0,120}}["'`]?:["'`]?([^\s"'`]{{3,200}})""",
        2.0,
        ("curl -u admin:{alnum:12}7x https://localhost:9200", "curl -sS --user 'me:{alnum:9}~2a' https://a.dev"),
        (
            "curl -u user:pass https://a.dev",
            'curl -u "${USER}:${PASS}" https://a.dev',
            "curl -u me https://a.dev:8443/x1",
        ),
        "password",
    ),
    Rule(
        "curl-token-user",
        ("curl",),
        rf"""{_CURL_USER}["'`]?([^\s:"'`]{{6,200}}):(?:["'`\s]|$)""",
        2.5,
        ('curl -u "{alnum:16}7x:" https://api.dev/v1', "curl https://api.dev/v1 -u {alnum:24}7x:"),
        ('curl -u "username:" https://a.dev', 'curl -u "$KEY:" https://a.dev'),
        "password",
    ),
    Rule(
        "url-password",
        ("://",),
        r"""[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/?#:@"'`<>]{0,120}:([^\s/?#@"'`<>]{3,200})@[A-Za-z0-9\[_-]""",
        1.5,
        (
            "postgres://app:{alnum:14}@db.internal:5432/app",
            "redis://:{alnum:20}@cache:6379/0",
            "https://bot:{hex:20}@git.dev/x.git",
        ),
        ("postgres://user:password@localhost/db", "https://user:${TOKEN}@host/x", "http://localhost:8080/@scope/x"),
        "address",
    ),
    Rule(
        "connection-string-password",
        ("password=", "pwd="),
        r"""(?i:\b(?:server|data source|host|user id|uid|user|database) ?=[^;\n"']{1,100};(?:[^;\n"']{0,99};){0,8}?"""
        r"""\s?(?:password|pwd) ?= ?)([^;\s"']{3,200})""",
        2.0,
        ("Server=db;Database=app;User Id=sa;Password={alnum:12}9;Encrypt=true",),
        ("Server=db;Database=app;User Id=sa;Password=<password>;", "Server=db;User Id=sa;Password={x:12};"),
        "address",
    ),
    Rule(
        "netrc-password",
        ("machine", "default login"),
        r"""(?i:\b(?:machine\s{1,8}[\w.-]{1,120}|default)\s{1,8}(?:login|account)\s{1,8}\S{1,120}\s{1,8}password\s{1,8})(\S{3,200})""",
        2.0,
        (
            "machine api.heroku.com login me@dev.io password {alnum:20}",
            "machine git.dev\n  login bot\n  password {hex:16}",
        ),
        ("machine api.dev login me password <password>", "machine learning login flow"),
        "address",
    ),
    Rule(
        "pgpass-line",
        (":5432:", ":*:"),
        r"(?:^|\n)[\w.*-]{1,100}:(?:5432|\*):[\w*-]{1,60}:[\w*.-]{1,60}:([^\s:]{4,100})(?:\n|$)",
        2.0,
        ("db.internal:5432:app:app:{alnum:14}",),
        ("db.internal:5432:app:app:password", "db.internal:5432:app"),
        "address",
    ),
    Rule(
        "kubernetes-secret",
        ("kind: secret", '"kind": "secret"', '"secret"'),
        r"""(?i:kind["']?:\s{0,4}["']?secret\b)[\s\S]{0,600}?"""
        r"""\b(?i:data)["']?:\s{0,4}\{?\s{1,8}[\w.-]{1,80}["']?\s{0,2}:\s{0,4}["']?([A-Za-z0-9+/]{10,}={0,3})""",
        3.0,
        ("apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata:\n  password: {b64:23}=",),
        ("kind: Secret\nmetadata:\n  name: a\ndata:\n  password: ${PASSWORD}", "kind: ConfigMap\ndata:\n  a: {b64:20}"),
        "shape",
    ),
    Rule(
        "command-line-password",
        ("mysql", "sshpass", "--password", "docker login", "--token", "psql"),
        r"""(?:\bsshpass\s{1,4}-p\s{0,4}|"""
        r"""\bmysql(?:dump|admin)?\b[^\n|;]{0,200}?\s-p|\bdocker login\b[^\n|;]{0,200}?\s-p"""
        r"""\s{1,4}|\s--(?:password|token)(?:\s{1,4}|=))["']?([^\s"'`]{6,200})""",
        2.5,
        (
            "sshpass -p {alnum:10}7x ssh root@db",
            "mysql -u root -p{alnum:10}7x app",
            "helm login --password {alnum:12}7x",
        ),
        ("mysql -u root -p app_database", "docker login -u me -p $PASSWORD", "tool --password PASSWORD"),
        "password",
    ),
)
