"""Tokens of the places where code lives."""

from __future__ import annotations

from holloway.safety.rules.rule import Rule, near, token

CODE_HOSTS = (
    Rule(
        "github-pat", ("ghp_",), token(r"ghp_[A-Za-z0-9]{36,251}"), 3.0, ("ghp_{alnum:36}",), ("ghp_{x:36}", "ghp_abc")
    ),
    Rule("github-oauth", ("gho_",), token(r"gho_[A-Za-z0-9]{36,251}"), 3.0, ("gho_{alnum:36}",), ("gho_{x:36}",)),
    Rule("github-user-token", ("ghu_",), token(r"ghu_[A-Za-z0-9]{36,251}"), 3.0, ("ghu_{alnum:36}",), ("ghu_{x:36}",)),
    Rule("github-app-token", ("ghs_",), token(r"ghs_[A-Za-z0-9]{36,251}"), 3.0, ("ghs_{alnum:36}",), ("ghs_{x:36}",)),
    Rule("github-refresh", ("ghr_",), token(r"ghr_[A-Za-z0-9]{36,251}"), 3.0, ("ghr_{alnum:36}",), ("ghr_{x:36}",)),
    Rule(
        "github-fine-grained-pat",
        ("github_pat_",),
        token(r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
        3.5,
        ("github_pat_{alnum:22}_{alnum:59}",),
        ("github_pat_{x:22}_{x:59}", "github_pat_{alnum:10}"),
    ),
    Rule(
        "github-legacy-token",
        ("github", "gh_"),
        near(r"github[\w -]{0,20}(?:token|key|pat|secret)|gh_token", r"[0-9a-f]{40}"),
        3.0,
        ("GITHUB_TOKEN={hex:40}", 'gh_token: "{hex:40}"'),
        ("github.com/a/b/commit/{hex:40}", "GITHUB_SHA={hex:40}"),
    ),
    Rule(
        "gitlab-pat",
        ("glpat-",),
        token(r"glpat-(?:[A-Za-z0-9_-]{20}|[A-Za-z0-9_-]{27,300}\.[0-9a-z]{2}\.?[0-9a-z]{7})"),
        3.5,
        ("glpat-{alnum:20}", "glpat-{alnum:27}.01.{lower:7}"),
        ("glpat-{x:20}", "glpat-{alnum:6}", "glpat-XXXXXXXXXXX-XXXXXXXX"),
    ),
    Rule(
        "gitlab-token",
        ("gldt-", "glft-", "glsoat-", "glffct-", "glimt-", "glagent-", "gloas-", "glptt-"),
        token(r"gl(?:dt|ft|soat|ffct|imt|agent|oas|ptt)-[A-Za-z0-9_-]{20,64}"),
        3.5,
        (
            "gldt-{alnum:20}",
            "glft-{alnum:20}",
            "glsoat-{alnum:20}",
            "glagent-{alnum:50}",
            "gloas-{hex:64}",
            "glptt-{hex:40}",
        ),
        ("gldt-{x:20}", "glptt-{alnum:8}"),
    ),
    Rule(
        "gitlab-runner-token",
        ("glrt-", "glrtr-", "gr1348941"),
        token(r"(?:glrtr?-(?:t\d_)?|GR1348941)[A-Za-z0-9_-]{20,60}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7})?"),
        3.7,
        ("glrt-{alnum:20}", "glrtr-{alnum:20}", "glrt-t1_{alnum:27}.01.{lower:7}", "GR1348941{alnum:20}"),
        ("GR1348941{x:20}", "glrt-{x:20}"),
    ),
    Rule(
        "gitlab-job-token",
        ("glcbt-",),
        token(r"glcbt-(?:[0-9a-f]{1,5}_)?[A-Za-z0-9_-]{20,}"),
        3.0,
        ("glcbt-{alnum:20}", "glcbt-1a_{alnum:20}"),
        ("glcbt-{alnum:5}", "glcbt-{x:20}"),
    ),
    Rule(
        "gitlab-session-cookie",
        ("_gitlab_session",),
        near(r"_gitlab_session", r"[0-9a-z]{32}"),
        3.0,
        ("_gitlab_session={lower:32}",),
        ("_gitlab_session={x:32}", "the _gitlab_session cookie"),
    ),
    Rule(
        "bitbucket-app-password",
        ("atbb", "atct"),
        token(r"ATBB[A-Za-z0-9]{32}|ATCTT3xFfG[A-Za-z0-9_=-]{100,}"),
        3.5,
        ("ATBB{alnum:32}", "ATCTT3xFfG{alnum:170}"),
        ("ATBB{x:32}", "ATBB{alnum:10}"),
    ),
    Rule(
        "bitbucket-client-secret",
        ("bitbucket",),
        near(r"bitbucket", r"[A-Za-z0-9]{32}|[A-Za-z0-9_=-]{64}"),
        3.5,
        ("BITBUCKET_CLIENT_ID={alnum:32}", "bitbucket_secret: {url64:64}"),
        ("bitbucket.org/team/repository", "BITBUCKET_CLIENT_ID={x:32}"),
    ),
    Rule(
        "sourcegraph-token",
        ("sgp_", "slk_", "sourcegraph"),
        rf"{token(r'sgp_(?:(?:[0-9A-Fa-f]{16}|local)_)?[0-9A-Fa-f]{40}|slk_[0-9a-f]{64}')}",
        3.0,
        ("sgp_{hex:40}", "sgp_local_{hex:40}", "sgp_{hex:16}_{hex:40}", "slk_{hex:64}"),
        ("sgp_{x:40}", "sgp_{hex:20}"),
    ),
    Rule(
        "sourcegraph-legacy-token",
        ("sourcegraph",),
        near(r"sourcegraph|src_access_token", r"[0-9A-Fa-f]{40}"),
        3.0,
        ("sourcegraph: {hex:40}",),
        ("sourcegraph: {x:40}",),
    ),
)
