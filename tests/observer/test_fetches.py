"""What a command or a tool fetches is classified by its host, and only if the request is plain."""

from __future__ import annotations

import pytest

from holloway.observer.fetches import ADDRESS, classify_fetch, classify_host
from holloway.observer.origins import Origin
from holloway.text.commands import parse_command

TRUSTED = frozenset({"docs.example.org"})


@pytest.mark.parametrize(
    ("url", "carrier"),
    [
        ("https://docs.example.org/x", (Origin.OWN, "")),
        ("docs.example.org/x", (Origin.OWN, "")),
        ("https://www.docs.example.org/x", (Origin.FOREIGN, "web:www.docs.example.org")),
        ("http://localhost:3000/", (Origin.WEAK, "web:localhost")),
        ("127.0.0.1/x", (Origin.WEAK, "web:127.0.0.1")),
        ("http://[::1]:3000/", (Origin.WEAK, "web:::1")),
        ("", (Origin.FOREIGN, "web:search")),
    ],
)
def test_a_page_is_classified_by_its_host(url: str, carrier: tuple[Origin, str]) -> None:
    assert classify_host("web", url, TRUSTED) == carrier


@pytest.mark.parametrize(
    ("command", "carrier"),
    [
        ("curl https://docs.example.org/x", (Origin.OWN, "")),
        ("curl --retry a.example.org https://docs.example.org/x", (Origin.OWN, "")),
        ("wget docs.example.org/x", (Origin.OWN, "")),
        ("curl localhost:8080/x", (Origin.WEAK, "shell:curl:localhost")),
        ("curl 'localhost:8080/x?name=a.b&path=src/a'", (Origin.WEAK, "shell:curl:localhost")),
        ("curl https://a.example.org/x", (Origin.FOREIGN, "shell:curl:a.example.org")),
        ("git clone https://a.example.org/x", (Origin.FOREIGN, "shell:git clone:a.example.org")),
    ],
)
def test_a_plain_request_is_classified_by_its_host(command: str, carrier: tuple[Origin, str]) -> None:
    assert classify_fetch(parse_command(command)[0], TRUSTED) == carrier


@pytest.mark.parametrize(
    "command",
    [
        "curl https://docs.example.org/x https://a.example.org/x",
        "curl https://docs.example.org/x a.example.org",
        "curl https://docs.example.org/x a.example.org:80",
        "curl https://docs.example.org/x a-b.example/y",
        "curl https://docs.example.org@a.example.org/x",
        "curl https://docs.example.org/$X",
        "curl -x a.example.org https://docs.example.org/x",
        "curl -sxa.example.org https://docs.example.org/x",
        "curl --proxy=p https://docs.example.org/x",
        "curl --resolve a:80:1.2.3.4 https://docs.example.org/x",
        "curl --connect-to a:80:b:80 https://docs.example.org/x",
        "curl --unix-socket /run/x.sock http://localhost/x",
        "curl 'http://localhost:8080/fetch?u=a.example.org/x'",
        "curl 'http://localhost:8080/fetch?a.example.org/x'",
        "curl 'http://localhost:8080/fetch?u=https://a.example.org'",
        "curl -K notes.cfg https://docs.example.org/x",
        "curl --config notes.cfg https://docs.example.org/x",
        "https_proxy=http://a.example.org curl https://docs.example.org/x",
        "ALL_PROXY=p curl https://docs.example.org/x",
        "curl docs",
    ],
)
def test_a_request_that_may_reach_another_host_is_foreign(command: str) -> None:
    step = parse_command(command)[0]
    assert classify_fetch(step, TRUSTED) == (Origin.FOREIGN, f"shell:curl {step.url}")


def test_a_request_without_an_address_is_named_by_its_program() -> None:
    assert classify_fetch(parse_command("curl")[0], TRUSTED) == (Origin.FOREIGN, "shell:curl")


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("gh issue view 12", "issue text: gh issue view 12"),
        ("gh pr view 7 --comments --web", "issue text: gh pr view 7 --comments"),
        ("gh pr list", "issue text: gh pr list"),
        ("gh pr status", "issue text: gh pr status"),
        ("gh pr diff 7", "issue text: gh pr diff 7"),
        ("gh pr view 7 --json number,title", "issue text: gh pr view 7 --json"),
        ("gh pr view 7 --json Body", "issue text: gh pr view 7 --json"),
        ("gh pr view 7 --json", "issue text: gh pr view 7 --json"),
        ("gh search issues run", "issue text: gh search issues run"),
        ("gh run view 1 --log", "issue text: gh run view 1 --log"),
        ("gh pr status a b c d e f create", "issue text: gh pr status a b"),
        ("gh api repos/a/b/issues", "issue text: gh api repos/a/b/issues"),
        ("gh api -X GET repos/a/b/issues -f state=open", "issue text: gh api -X GET"),
        ("gh api graphql -f query=x", "issue text: gh api graphql -f"),
    ],
)
def test_issues_are_foreign_unless_only_the_team_writes_them(command: str, source: str) -> None:
    step = parse_command(command)[0]
    assert classify_fetch(step, TRUSTED) == (Origin.FOREIGN, source)
    assert classify_fetch(step, {"issues"}) == (Origin.NONE, "")


@pytest.mark.parametrize(
    "command",
    [
        "gh pr view 7 --json number,state",
        "gh pr view --json state",
        "gh pr checks 7",
        "gh pr create --title x --body y",
        "gh pr diff 7 --name-only",
        "gh pr view 7 --stat",
        "gh pr status a b c d e create",
        "gh api repos/a/b/issues -f title=x",
        "gh api repos/a/b/issues --field=title=x",
        "gh api repos/a/b/issues --input file.json",
    ],
)
def test_a_command_that_returns_no_prose_has_no_origin(command: str) -> None:
    assert classify_fetch(parse_command(command)[0], TRUSTED) == (Origin.NONE, "")


def test_an_address_is_told_from_a_folder() -> None:
    assert ADDRESS.search("https://example.org/x")
    assert ADDRESS.search("git@example.org:x")
    assert not ADDRESS.search("../other")
