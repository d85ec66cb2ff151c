import re

import pytest

from holloway.injection import template
from holloway.injection.template import line, lines

POINTS = ("session_start", "prompt", "tool_result", "step", "work", "roles", "stop")


def test_a_missing_value_fails() -> None:
    with pytest.raises(KeyError, match="cited"):
        line("tool_result", "file", path="a", label="", text="b")
    with pytest.raises(KeyError, match="nothing"):
        line("tool_result", "nothing")


def test_a_value_is_never_read_as_a_template() -> None:
    assert line("step", "note", text="{cited} {text}") == "- {cited} {text}"


@pytest.mark.promise("data-not-orders")
@pytest.mark.parametrize("point", POINTS)
def test_no_template_gives_orders(point: str) -> None:
    for text in lines(point).values():
        assert not re.match(r"[\s-]*(?:you\b|please|always|never|must|do not|don't|use|run|make sure)", text.lower())


def test_every_template_is_known() -> None:
    from pathlib import Path

    assert {path.stem for path in Path(template._FOLDER).glob("*.txt")} == set(POINTS)
