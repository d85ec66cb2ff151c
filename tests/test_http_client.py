"""The HTTP client; its bounds on time and size are tested with the embedding servers, which use it."""

from __future__ import annotations

import pytest

from holloway.http_client import AddressUnreadable, RequestFailed, hide_key, post_json, quote_text


@pytest.mark.parametrize(
    "url", ["http://[::1", "ftp://127.0.0.1/x", "file:///etc/hosts", "127.0.0.1:80", "", "http://"]
)
def test_an_address_that_is_not_http_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(AddressUnreadable, match="its address cannot be read"):
        post_json(url, b"{}", {}, 5, 100)


@pytest.mark.parametrize("proxy", ["gopher://nowhere", "socks5://127.0.0.1:1080"])
def test_a_proxy_of_another_kind_is_refused_before_anything_is_sent(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(AddressUnreadable, match="proxy"):
        post_json("https://models.example", b"{}", {}, 5, 100)


def test_the_proxy_of_the_environment_is_asked_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(RequestFailed, match="nothing listens there"):
        post_json("http://models.example", b"{}", {}, 5, 100)


def test_a_quoted_text_is_one_short_line_without_the_key() -> None:
    assert quote_text("no\ncredit for sk-1234 \x07left", "sk-1234", 100) == "no credit for … left"
    assert len(quote_text("word " * 100, "", 40)) <= 40
    assert hide_key("sk-1234", "") == "sk-1234"
