"""Inputs about time: time stamps at the limits for watermarks, rows and statements; and TIMESTAMP in every zone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from conformance.cases.inputs import (
    BASE,
    NOW,
    Input,
    column,
    commit_times,
    delete,
    encoding_in_turn,
    insert,
    numbered,
    timed,
)
from conformance.cases.model import Role
from conformance.cases.statements import add_column
from conformance.catalogue.corpora import load_zones
from reference_impl.model import Row, Watermark
from reference_impl.protocols import CANAL_JSON
from reference_impl.tso import MAX_TSO

__all__ = ["time_inputs", "watermark_inputs", "zone_inputs"]

_EDGES: Mapping[str, int] = {
    "0": 0,
    "1": 1,
    "2^18": 2**18,
    "2^53-1": 2**53 - 1,
    "2^53+1": 2**53 + 1,
    "2^63-1": 2**63 - 1,
    "2^63": 2**63,
    "max": MAX_TSO,
}


def watermark_inputs(protocol: str, options: Mapping[str, str]) -> Iterator[Input]:
    """Watermarks at the limits of a time stamp, one after the other.

    TiCDC leaves out a `watermarkTs` of 0, while Canal-JSON's document has the member in every watermark: encoders of
    Canal-JSON get no such case.
    """
    for name, commit_ts in _EDGES.items():
        encoding = encoding_in_turn(len(name))
        event = Watermark(commit_ts)
        role: Role | None = None if commit_ts or protocol != CANAL_JSON.name else "decode"
        axes = {"watermark": name}
        yield Input(f"watermark/{name}", (), (event,), options, role=role, encoding=encoding, axes=axes)
    rising = tuple(Watermark(ts) for ts in commit_times(5))
    yield Input("watermark/rising", (), rising, options=options, axes={"watermark": "rising"})
    repeated = (rising[0], rising[0], rising[1], rising[1])
    yield Input("watermark/repeated", (), repeated, options=options, axes={"watermark": "repeated"})


def time_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Rows and statements with time stamps at the limits."""
    for name, commit_ts in list(_EDGES.items())[1:]:
        row = insert(BASE, {"id": "1", "a": "x"}, commit_ts)
        yield Input(f"time/{name}/row", (BASE,), (row,), options=options, axes={"time": name})
        yield Input(f"time/{name}/ddl", (BASE,), (add_column(commit_ts),), options=options, axes={"time": name})


def zone_inputs() -> Iterator[Input]:
    """TIMESTAMP and DATETIME in every zone: instants around hours that a day repeats or skips."""
    table_ = numbered(column("ts", "timestamp"), column("t3", "timestamp(3)"), column("dt", "datetime"), name="z")
    for zone in load_zones():
        rows: list[Row] = [
            {"id": str(i), "ts": text, "t3": f"{text}.123", "dt": text} for i, text in enumerate(zone.instants, 1)
        ]
        yield Input(
            "/".join(filter(None, ("zone", zone.name, zone.label))),
            (table_,),
            timed([*(insert(table_, row) for row in rows), delete(table_, rows[0])]),
            settings=replace(NOW, timezone=zone.name),
            axes={"zone": zone.name, "family": "timestamp"},
        )
