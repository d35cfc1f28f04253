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
    row_column,
    rows,
    values,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.column_types import ColumnType, Family

__all__ = ["MUTANTS"]

Change = Callable[[Any, ColumnType], Any]
Applies = Callable[[ColumnType], bool]

# -- NULL, strings, the right values -----------------------------------------------------------------------------


def _each_read(change: Callable[[Any], Any]) -> Callable[[Tree, Context], None]:
    def edit(event: Tree, context: Context) -> None:
        for image in (event.get("before"), event.get("after")):
            if image:
                image.update({name: change(value) for name, value in image.items()})

    return edit


def _exchanged_read(event: Tree, context: Context) -> None:
    if event["op"] == "update" and event["before"].keys() == event["after"].keys():
        event["before"], event["after"] = event["after"], event["before"]


def _bare(applies: Applies, change: Callable[[str], Any]) -> Any:
    return values(applies, lambda text, kind: change(text))


def _nullness() -> tuple[Mutant, ...]:
    return (
        encoder("bare-decimals", "CJ-034", "decimals are JSON numbers", _bare(in_families(Family.DECIMAL), Decimal)),
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
        decoder(
            "read-empty-as-null",
            "CJ-034a",
            "an empty text becomes NULL",
            read_rows(_each_read(lambda v: None if v == "" else v)),
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
