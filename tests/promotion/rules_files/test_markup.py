"""Markup in exported sentences is shown as text, and comes back."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holloway.promotion.rules_files.markup import escape_markup, unescape_markup


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("<script src=x></script>", "&lt;script src=x>&lt;/script>"),
        ("<!-- holloway:end -->", "&lt;!-- holloway:end -->"),
        ("![x](https://evil.example/p.png)", "![x]&#40;https://evil.example/p.png)"),
        ("see [here](https://evil.example)", "see [here]&#40;https://evil.example)"),
        ("a < b and f(x)", "a < b and f(x)"),
        ("`List<int>` holds it", "`List<int>` holds it"),
        ("`` `<b>` `` and <b>", "`` `<b>` `` and &lt;b>"),
        ("one ` alone <b>", "one ` alone &lt;b>"),
        ("`<system-reminder>`", "`\u2039system-reminder>`"),
        ("&lt; stays what it was", "&amp;lt; stays what it was"),
    ],
)
def test_tags_links_and_images_become_text(text: str, escaped: str) -> None:
    assert escape_markup(text) == escaped


@example("&amp;lt;<a>`<b>`](x")
@given(st.text(alphabet="<>&;#40(ltamp)[]!`/a ", max_size=40))
def test_what_was_escaped_comes_back(text: str) -> None:
    assert unescape_markup(escape_markup(text)) == text
