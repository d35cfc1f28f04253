"""An encoder and a decoder that know the rules of 2024 alone of a time zone.  [DBZ-109a, DBZ-451m]"""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from typing import Any

from conformance.mutants.debezium.edits import Message, Tree, column_of, decoder, encoder, images, read_rows, rows
from conformance.mutants.wrappers import Context
from reference_impl.column_types import Family
from reference_impl.errors import Rejected
from reference_impl.zones import zone_of

__all__ = ["MUTANTS"]

_YEAR = 2024  # it has a 29th of February, as every date has that is moved to it


def _zone(context: Context) -> tzinfo | None:
    try:
        return zone_of(context.configuration["timezone"])
    except Rejected:
        return None


def _error(local: datetime, zone: tzinfo) -> timedelta:
    """By how much the offset of that day and hour in 2024 differs from that of the time."""
    today = local.replace(year=_YEAR, tzinfo=zone)
    return (today.utcoffset() or timedelta()) - (local.replace(tzinfo=zone).utcoffset() or timedelta())


def _encoded(message: Message, context: Context) -> None:
    zone = _zone(context)
    for image in images(message) if zone else ():
        for name, value in image.items():
            column = column_of(message, context, name)
            if zone and column is not None and column.type.family is Family.TIMESTAMP and str(value).endswith("Z"):
                local = datetime.fromisoformat(value).astimezone(zone).replace(tzinfo=None)
                told = datetime.fromisoformat(value) - _error(local, zone)
                image[name] = f"{told:%Y-%m-%dT%H:%M:%S}{value[19:]}"


def _decoded(event: Tree, context: Context) -> None:
    zone = _zone(context)
    for image in filter(None, (event.get("before"), event.get("after"))):
        for name, value in image.items():
            column = context.column(event["schema"], event["table"], name)
            if zone and column is not None and column.type.family is Family.TIMESTAMP:
                image[name] = _moved(value, zone)


def _moved(value: Any, zone: tzinfo) -> Any:
    try:
        local = datetime.fromisoformat(value[:19])
    except (TypeError, ValueError):
        return value
    return f"{local + _error(local, zone):%Y-%m-%d %H:%M:%S}{value[19:]}" if local.tzinfo is None else value


MUTANTS = (
    encoder(
        "timestamp-by-the-rules-of-2024",
        "DBZ-109a",
        "TIMESTAMPs of every year are taken for times by the zone's rules of 2024",
        rows(_encoded),
    ),
    decoder(
        "read-timestamp-by-the-rules-of-2024",
        "DBZ-451m",
        "TIMESTAMPs of every year are told by the zone's rules of 2024",
        read_rows(_decoded),
    ),
)
