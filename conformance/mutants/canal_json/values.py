"""Encoders and decoders that get NULL, the images or the zone of values wrong.  [CJ-034 … CJ-035, CJ-111]"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from conformance.mutants.canal_json.edits import (
    Tree,
    decoder,
    encoder,
    in_families,
    read_rows,
    read_values,
    row_column,
    rows,
    values,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.column_types import INTEGERS, TEXT, ColumnType, Family

__all__ = ["MUTANTS"]

Change = Callable[[Any, ColumnType], Any]
Applies = Callable[[ColumnType], bool]

# -- NULL, strings, the right values -----------------------------------------------------------------------------


def _each(change: Callable[[Any], Any]) -> Callable[[Tree, Context], None]:
    def edit(tree: Tree, context: Context) -> None:
        for image in (*(tree["data"] or ()), *(tree["old"] or ())):
            image.update({name: change(value) for name, value in image.items()})

    return edit


def _each_read(change: Callable[[Any], Any]) -> Callable[[Tree, Context], None]:
    def edit(event: Tree, context: Context) -> None:
        for image in (event.get("before"), event.get("after")):
            if image:
                image.update({name: change(value) for name, value in image.items()})

    return edit


def _without_nulls(tree: Tree, context: Context) -> None:
    for member in ("data", "old"):
        if tree[member]:
            tree[member] = [{n: v for n, v in image.items() if v is not None} for image in tree[member]]


def _without_nulls_read(event: Tree, context: Context) -> None:
    for image in ("before", "after"):
        if event.get(image):
            event[image] = {n: v for n, v in event[image].items() if v is not None}


def _exchanged(tree: Tree, context: Context) -> None:
    if tree["data"][0].keys() == tree["old"][0].keys():
        tree["data"], tree["old"] = tree["old"], tree["data"]


def _exchanged_read(event: Tree, context: Context) -> None:
    if event["op"] == "update" and event["before"].keys() == event["after"].keys():
        event["before"], event["after"] = event["after"], event["before"]


def _bare(applies: Applies, change: Callable[[str], Any]) -> Any:
    return values(applies, lambda text, kind: change(text))


def _nullness() -> tuple[Mutant, ...]:
    is_any: Applies = lambda kind: True  # noqa: E731
    return (
        encoder("bare-integers", "CJ-034", "integers are JSON numbers", _bare(in_families(*INTEGERS), int)),
        encoder("bare-decimals", "CJ-034", "decimals are JSON numbers", _bare(in_families(Family.DECIMAL), Decimal)),
        encoder(
            "bare-floats", "CJ-034", "floats are JSON numbers", _bare(in_families(Family.FLOAT, Family.DOUBLE), Decimal)
        ),
        encoder(
            "bare-enum",
            "CJ-034",
            "the number of an ENUM is a JSON number",
            _bare(in_families(Family.ENUM, Family.SET), int),
        ),
        encoder(
            "bare-bool",
            "CJ-034",
            "BOOLEAN is true or false",
            _bare(lambda k: k.text == "tinyint(1)", lambda t: t != "0"),
        ),
        encoder("null-empty", "CJ-034a", "NULL is an empty text", rows(_each(lambda v: "" if v is None else v))),
        encoder("null-word", "CJ-034a", "NULL is the word NULL", rows(_each(lambda v: "NULL" if v is None else v))),
        encoder("empty-null", "CJ-034a", "an empty text is null", rows(_each(lambda v: v or None))),
        encoder("null-left-out", "CJ-034a", "columns that are NULL are left out", rows(_without_nulls), "CJ-504"),
        encoder("images-exchanged", "CJ-034b", "data and old change places", rows(_exchanged, "UPDATE")),
        encoder(
            "values-lost",
            "CJ-034b",
            "numbers and texts are null",
            rows(_each(lambda v: None if v and v != "null" else v)),
            "CJ-386",
        ),
        encoder("zero-as-null", "CJ-034b", "zeros are null", rows(_each(lambda v: None if v == "0" else v))),
        encoder("null-text", "CJ-035", "the text null is null", rows(_each(lambda v: None if v == "null" else v))),
        decoder(
            "read-null-as-empty",
            "CJ-034a",
            "NULL becomes an empty text",
            read_rows(_each_read(lambda v: "" if v is None else v)),
        ),
        decoder(
            "read-empty-as-null",
            "CJ-034a",
            "an empty text becomes NULL",
            read_rows(_each_read(lambda v: None if v == "" else v)),
        ),
        decoder(
            "read-without-nulls",
            "CJ-034a",
            "columns that are NULL are not answered",
            read_rows(_without_nulls_read),
            "CJ-133",
            "CJ-501",
            "CJ-504",
        ),
        decoder(
            "read-images-exchanged",
            "CJ-034b",
            "before and after of updates change places",
            read_rows(_exchanged_read),
            "CJ-034a",
            "CJ-035",
            "CJ-380",
            "CJ-381",
            "CJ-382",
            "CJ-386",
            "CJ-390",
            "CJ-391",
            "CJ-397",
            "CJ-398",
            "CJ-883",
        ),
        decoder(
            "read-values-lost",
            "CJ-034b",
            "values become NULL",
            read_values(is_any, lambda v, kind: None if v and v != "null" else v),
            *("CJ-034a", "CJ-035", "CJ-386", "CJ-390", "CJ-883", "CJ-884"),
        ),
        decoder(
            "read-null-text",
            "CJ-035",
            "the text null becomes NULL",
            read_values(lambda k: k.family in TEXT, lambda v, kind: None if v == "null" else v),
        ),
    )


# -- zones -------------------------------------------------------------------------------------------------------


def _in_utc(text: str, zone: str) -> str:
    if zone == "UTC" or text.startswith("0000"):
        return text
    whole, dot, fraction = text.partition(".")
    there = datetime.fromisoformat(f"{whole}{zone}" if zone[0] in "+-" else whole)
    there = there.astimezone(UTC) if there.tzinfo else there.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    return there.strftime("%Y-%m-%d %H:%M:%S") + dot + fraction


def _utc(tree: Tree, context: Context) -> None:
    zone = context.configuration.get("timezone", "UTC")
    for image in (*(tree["data"] or ()), *(tree["old"] or ())):
        for name, text in image.items():
            column = row_column(tree, context, name)
            if text is not None and column is not None and column.type.family is Family.TIMESTAMP:
                image[name] = _in_utc(text, zone)


def _read_utc(event: Tree, context: Context) -> None:
    zone = context.configuration.get("timezone", "UTC")
    for image in (event.get("before"), event.get("after")):
        for name, text in (image or {}).items():
            column = context.column(event["schema"], event["table"], name)
            if text is not None and column is not None and column.type.family is Family.TIMESTAMP:
                assert image is not None
                image[name] = _in_utc(text, zone)


def _zones() -> tuple[Mutant, ...]:
    return (
        encoder("timestamp-utc", "CJ-111", "TIMESTAMP is in UTC", rows(_utc)),
        decoder("read-timestamp-utc", "CJ-111", "TIMESTAMP is turned into UTC", read_rows(_read_utc)),
    )


MUTANTS: tuple[Mutant, ...] = (*_nullness(), *_zones())
