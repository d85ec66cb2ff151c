"""Messages for the next page: bounded for each browser, and for all of them."""

from holloway.panel.flash import BROWSERS_MAX, FLASHES_MAX, Flash, FlashMessages


def test_a_browser_gets_its_own_messages_once() -> None:
    messages = FlashMessages()
    messages.add("one", Flash("a"))
    messages.add("two", Flash("b"))
    messages.add("one", Flash("c"))
    assert messages.take("one") == [Flash("a"), Flash("c")]
    assert messages.take("one") == []
    assert messages.take("two") == [Flash("b")]


def test_the_newest_messages_of_a_browser_stay() -> None:
    messages = FlashMessages()
    for number in range(FLASHES_MAX + 2):
        messages.add("one", Flash(str(number)))
    assert [flash.text for flash in messages.take("one")] == [str(number) for number in range(2, FLASHES_MAX + 2)]


def test_the_browser_that_waited_longest_loses_its_messages() -> None:
    messages = FlashMessages()
    for number in range(BROWSERS_MAX + 1):
        messages.add(f"browser-{number}", Flash("a"))
    assert messages.take("browser-0") == []
    assert messages.take("browser-1") == [Flash("a")]
    assert messages.take(f"browser-{BROWSERS_MAX}") == [Flash("a")]
