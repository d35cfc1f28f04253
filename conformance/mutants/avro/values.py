"""Encoders that write the values of columns wrongly, or leave out the before image."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from conformance.mutants.avro.edits import encoder, values
from conformance.mutants.avro.rewriting import BEFORE, Part, RecordRewriter
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Json, in_families
from reference_impl.column_types import Family
from reference_impl.model import Column
from reference_impl.zones import zone_of

__all__ = ["MUTANTS"]


def _index(value: Any, column: Column) -> Any:
    return str(column.type.members.index(value) + 1) if value in column.type.members else value


def _mask(value: Any, column: Column) -> Any:
    return str(sum(1 << column.type.members.index(label) for label in value.split(",") if label in column.type.members))


def _hours_of_a_day(value: str, column: Column) -> str:
    match = re.fullmatch(r"(-?)(\d+)(:.*)", value)
    assert match is not None
    return f"{match[1]}{int(match[2]) % 24:02d}{match[3]}"


def _in_utc(datum: Json, part: Part) -> None:
    """Convert TIMESTAMP to UTC."""
    zone = zone_of(part.context.configuration["timezone"])
    for row in filter(None, (datum, datum.get(BEFORE))):
        for name, column in part.columns.items():
            text = row.get(name)
            if text is not None and column.type.family is Family.TIMESTAMP and not text.startswith("0000"):
                moment = datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)
                row[name] = f"{moment:%Y-%m-%d %H:%M:%S}{text[19:]}"


MUTANTS: tuple[Mutant, ...] = (
    encoder("enum-index", "AV-089c", "ENUM is its number")(values(in_families(Family.ENUM), _index)),
    encoder("set-mask", "AV-090c", "SET is its mask")(values(in_families(Family.SET), _mask)),
    encoder("timestamp-without-fraction", "AV-094b", "TIMESTAMP loses its fraction")(
        values(in_families(Family.TIMESTAMP), lambda value, column: value.partition(".")[0])
    ),
    encoder("time-of-day", "AV-095b", "the hours of TIME are taken modulo 24")(
        values(in_families(Family.TIME), _hours_of_a_day)
    ),
    encoder("bit-in-few-bytes", "AV-105b", "BIT has no leading zero bytes")(
        values(in_families(Family.BIT), lambda value, column: value.lstrip(b"\0") or b"\0")
    ),
    encoder("timestamp-in-utc", "AV-094d", "TIMESTAMP is in UTC")(RecordRewriter(datum=_in_utc)),
    encoder("row-before-null", "AV-121", "the before image is null")(
        RecordRewriter(datum=lambda datum, part: datum.update({BEFORE: None}) if BEFORE in datum else None)
    ),
)
