"""Dataclasses as plain values, and back."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from holloway.domain.codec import decode, encode
from holloway.domain.event import PlanItem, ToolKind
from holloway.domain.memory import Draft
from holloway.domain.work import WorkUnit


@dataclass(frozen=True)
class Parcel:
    """One field of each kind."""

    name: str
    kind: ToolKind = ToolKind.READ
    unit: WorkUnit | None = None
    items: tuple[PlanItem, ...] = ()
    pairs: tuple[tuple[str, float], ...] = ()
    open: list[PlanItem] | None = None
    weight: float | None = None


FULL = Parcel(
    *("box", ToolKind.WEB, WorkUnit("native", ("1", "2"))),
    items=(PlanItem("a"), PlanItem("b", True)),
    pairs=(("x", 0.5),),
    open=[PlanItem("c")],
    weight=1.5,
)


@pytest.mark.parametrize("parcel", [FULL, Parcel("empty")])
@pytest.mark.parametrize("skip_defaults", [False, True])
def test_a_dataclass_survives_json(parcel: Parcel, skip_defaults: bool) -> None:
    assert decode(Parcel, json.loads(json.dumps(encode(parcel, skip_defaults=skip_defaults)))) == parcel


def test_fields_at_their_default_can_be_left_out() -> None:
    assert encode(Parcel("box", items=(PlanItem("a"),)), skip_defaults=True) == {
        "name": "box",
        "items": [{"text": "a"}],
    }


def test_a_list_holds_the_first_fields_in_order() -> None:
    assert decode(WorkUnit, ["native", ["1"]]) == WorkUnit("native", ("1",))


def test_a_value_that_is_decoded_already_is_taken_as_it_is() -> None:
    unit = WorkUnit("native", ("1",))
    assert decode(Parcel, {"name": "box", "unit": unit}).unit is unit


def test_the_kind_of_a_decoded_enum_is_its_member() -> None:
    assert decode(Parcel, {"name": "box", "kind": "web"}).kind is ToolKind.WEB


def test_an_annotation_may_use_a_name_of_another_module_of_the_domain() -> None:
    draft = Draft("x", details=None, work_unit=WorkUnit("native", ("1",)))
    assert decode(Draft, json.loads(json.dumps(encode(draft)))) == draft


def test_the_error_names_the_shape_and_the_value_that_it_cannot_be() -> None:
    with pytest.raises(TypeError, match="WorkUnit cannot be int"):
        decode(Parcel, {"name": "box", "unit": 3})
    with pytest.raises(TypeError, match="a tuple cannot be str"):
        decode(Parcel, {"name": "box", "items": "ab"})


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({}, TypeError),
        ({"name": "box", "colour": "red"}, TypeError),
        ({"name": "box", "unit": 3}, TypeError),
        ({"name": "box", "items": "ab"}, TypeError),
        ({"name": "box", "items": [3]}, TypeError),
        ({"name": "box", "kind": "fly"}, ValueError),
        (None, TypeError),
    ],
)
def test_values_of_another_structure_are_refused(values: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        decode(Parcel, values)
