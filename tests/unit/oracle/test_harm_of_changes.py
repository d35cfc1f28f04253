"""The effect of a difference on the content of a place, and its harm by the kind of content."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.catalogue.harm import Harm
from conformance.oracle.harm import HARMS, Change, Holds, change_of, harm_of, kind_of_place, worst
from conformance.oracle.tree import MISSING, Kind

BY_LETTER = dict(zip("LCSMTF", Harm, strict=True))
TABLE = {
    **dict.fromkeys((Holds.VALUE, Holds.PARTITION, Holds.WATERMARK), "LCCSCC FSFLTT"),
    **dict.fromkeys((Holds.IMAGE, Holds.KEY, Holds.OPERATION, Holds.TABLE, Holds.QUERY), "LCFSCC FSFLTT"),
    **dict.fromkeys((Holds.EVENT, Holds.ORDER), "LCCSCC CSFLTT"),
    Holds.MARK: "LCFSCS FSFLTT",
    Holds.GUARANTEE: "LCCSCC LSFLTT",
    Holds.MESSAGE: "LCCLLC FSFLTT",
    Holds.LOCATION: "LCFSMM FSFLTT",
    Holds.SCHEMA: "SSSSSS FSFLTT",
    Holds.METADATA: "MMMMMM FSFLTT",
    Holds.FORM: "FFFFFF FSFLTT",
}


@pytest.mark.parametrize("holds", Holds)
def test_a_change_harms_by_the_content_of_its_place(holds: Holds) -> None:
    harms = [BY_LETTER[letter] for letter in TABLE[holds].replace(" ", "")]
    assert HARMS[holds] == dict(zip(Change, harms, strict=True))


CHANGES: list[tuple[Kind, Any, Any, Change]] = [
    (Kind.COUNT, 2, 1, Change.ABSENT), (Kind.COUNT, 1, 2, Change.ADDED), (Kind.COUNT, "an event", 1, Change.ABSENT),
    (Kind.COUNT, 1, "an event", Change.ABSENT), (Kind.COUNT, None, False, Change.ABSENT),
    (Kind.EXTRA, MISSING, "", Change.EMPTY), (Kind.EXTRA, MISSING, False, Change.EMPTY),
    (Kind.EXTRA, MISSING, None, Change.EMPTY), (Kind.EXTRA, MISSING, 0, Change.ADDED),
    (Kind.EXTRA, MISSING, "x", Change.ADDED), (Kind.VALUE, None, "", Change.EMPTY),
    (Kind.VALUE, "x", "", Change.ANOTHER), (Kind.JSON_KIND, None, False, Change.EMPTY),
    (Kind.MISSING, None, MISSING, Change.ABSENT), (Kind.MISSING, "1", MISSING, Change.ABSENT),
    (Kind.DOUBLED, {}, {}, Change.DOUBLED), (Kind.ORDER, {}, {}, Change.REORDERED), (Kind.TEXT, 1, 1, Change.RESPELLED),
    (Kind.REFUSED, "", {}, Change.REFUSED), (Kind.BROKEN, "", {}, Change.REFUSED),
    (Kind.ACCEPTED, "", {}, Change.ACCEPTED), (Kind.CLASS, "", {}, Change.MISNAMED),
    (Kind.VALUE, "1", None, Change.ABSENT), (Kind.JSON_KIND, "1", None, Change.ABSENT),
    (Kind.VALUE, None, "x", Change.ADDED), (Kind.JSON_KIND, None, 1, Change.ADDED),
    (Kind.JSON_KIND, "1", 1, Change.RETYPED), (Kind.JSON_KIND, "1", 2, Change.ANOTHER),
    (Kind.VALUE, "1", "1", Change.ANOTHER), (Kind.JSON_KIND, {}, "{}", Change.ANOTHER),
    (Kind.JSON_KIND, "[]", [], Change.ANOTHER), (Kind.VALUE, frozenset({"1"}), "frozenset({'1'})", Change.ANOTHER),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "expected", "got", "change"), CHANGES)
def test_a_difference_has_one_effect(kind: Kind, expected: Any, got: Any, change: Change) -> None:
    assert change_of(kind, expected, got) is change


@pytest.mark.parametrize(
    ("skeleton", "event", "holds"),
    [
        ("event.commit_ts", "row", Holds.METADATA), ("value.sql", None, Holds.QUERY),
        ("value.type", None, Holds.OPERATION), ("stream.watermark.missed", None, Holds.GUARANTEE),
        ("stream.key back", None, Holds.ORDER), ("claim.messages[].value.ts", None, Holds.METADATA),
        ("claim.messages[]", None, Holds.MESSAGE), ("claim.location", None, Holds.LOCATION),
        ("key.ccl", None, Holds.LOCATION), ("key.ohk", None, Holds.MARK), ("key", None, Holds.KEY),
        ("key.extension", None, Holds.SCHEMA), ("key.extension.x", None, Holds.VALUE), ("topic", None, Holds.PARTITION),
        ("truncation", None, Holds.EVENT), ("tombstone", None, Holds.METADATA),
        ("frame.compression", None, Holds.MESSAGE), ("registry.repeated", None, Holds.FORM),
        ("registry", None, Holds.SCHEMA),
    ],
)  # fmt: skip
def test_a_place_holds_one_content(skeleton: str, event: str | None, holds: Holds) -> None:
    assert kind_of_place(skeleton, event) is holds


def test_a_rule_may_give_the_content_of_a_place_that_no_row_lists() -> None:
    assert harm_of("nothing", Kind.EXTRA, MISSING, "x", holds=Holds.VALUE) is Harm.CHANGED
    assert harm_of("value.ts", Kind.VALUE, 1, 2, holds=Holds.VALUE) is Harm.CHANGED


@pytest.mark.parametrize(
    ("harms", "one"),
    [
        ([Harm.FORM, Harm.LOST], Harm.LOST), ([Harm.CHANGED, Harm.SCHEMA], Harm.CHANGED),
        ([Harm.STRICTNESS, Harm.METADATA], Harm.METADATA), ([Harm.FORM], Harm.FORM),
    ],
)  # fmt: skip
def test_the_worst_harm_is_the_one_nearest_to_a_loss(harms: list[Harm], one: Harm) -> None:
    assert worst(harms) is one
