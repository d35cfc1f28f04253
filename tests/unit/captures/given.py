"""Captures for the tests: records with a place each, and the recordings of changes of a row."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.captures.model import Captured, Place
from conformance.catalogue.defects import load_defects
from conformance.catalogue.vectors import Vector, load_producers, recorded_vectors
from reference_impl.model import Record

PROTOCOLS = ("canal-json", "open-protocol", "debezium", "avro")
KNOWN_DEFECTS = {case for defect in load_defects() for case in defect.recorded}


def captured(records: Iterable[Record | None]) -> list[Captured]:
    """The records, each in the line of its number; a place without a record is left out."""
    return [Captured(record, Place("f", n)) for n, record in enumerate(records, 1) if record is not None]


def row_vectors(protocol: str) -> list[Vector]:
    """The recordings of an insert, an update and a delete, under every set of options."""
    recorded = recorded_vectors(load_producers()["ticdc-newarch"], protocol)
    return [v for v in recorded if v.records and "/row/insert-update-delete/" in v.case]


def row_vector(protocol: str = "canal-json", **options: str) -> Vector:
    """The recording of an insert, an update and a delete under exactly these options."""
    return next(v for v in row_vectors(protocol) if v.options == options)
