"""Encoders with wrong types of columns in DDL messages."""

from __future__ import annotations

from conformance.mutants.debezium.edits import Message, ddl, encoder
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.column_types import Family
from reference_impl.wire import table_from_json

__all__ = ["MUTANTS"]

_DIGITS_OF_FLOAT = 12


def _length_of_float(message: Message, context: Context) -> None:
    """Set the length of FLOAT columns without a declared scale."""
    table = message.find("value.payload.tableChanges.0.table")
    query = message.payload["ddl"]
    events = (e for e in context.request["events"] if e["kind"] == "ddl" and e["query"] == query)
    after = next((e.get("table_after") for e in events), None)
    if not table or not after:
        return
    types = {column.name: column.type for column in table_from_json(after).columns}
    for described in table["columns"]:
        column_type = types.get(described["name"])
        if column_type is not None and column_type.family is Family.FLOAT and column_type.scale is None:
            described["length"] = _DIGITS_OF_FLOAT


MUTANTS: tuple[Mutant, ...] = (
    encoder("change-length-of-float", "DBZ-339", "length of FLOAT is 12", ddl(_length_of_float)),
)
