"""Historical defects of TiCDC's Canal-JSON: panics over valid rows, and faults that no other mutant has.

`fixtures/history.toml` maps each mutant to its real defect.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from conformance.mutants.canal_json.edits import codes, decoder, encoder, location, names
from conformance.mutants.input_edits import EventContext, breaks_down, compares_vectors, refuses_values
from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.record_lists import value_of
from conformance.mutants.wrappers import Context, Json, all_of, edit_answer, in_families, read_rows, read_values
from reference_impl.column_types import INTEGERS, Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]

_TEXTS = {Family.TINYTEXT, Family.TEXT, Family.MEDIUMTEXT, Family.LONGTEXT}
_BLOB_CODE = 2004
_INSERT = b'"type":"INSERT","es":'

# -- panics ------------------------------------------------------------------------------------------------------------


def _refuses_unsigned(applies: Callable[[Any, Column], bool]) -> Wrap:
    """An encoder that refuses rows with an unsigned integer if `applies(value, column)`."""
    return refuses_values(
        lambda column, value: column.type.unsigned and column.type.family in INTEGERS and applies(value, column)
    )


def _lacks_virtual(event: Json, context: EventContext) -> bool:
    """Whether an event is an update or a delete of a row with a virtual column, which is not sent."""
    return bool(event.get("before")) and any(c.generated == "virtual" for c in context.table(event).columns)


# -- messages ----------------------------------------------------------------------------------------------------------


def _one_buffer(ok: Json, context: Context) -> None:
    """If two consecutive inserts of a transaction have one length, give both messages the bytes of the second."""
    records = ok["records"]
    for record, after in pairwise(records):
        contents = [value_of(r) for r in (record, after)]
        if len(set(map(len, contents))) == 1 and all(_INSERT in content for content in contents):
            times = {content.partition(_INSERT)[2].partition(b",")[0] for content in contents}
            if len(times) == 1:
                record["value"] = after["value"]


# -- decoders ----------------------------------------------------------------------------------------------------------


def _by_first_table(event: Json, context: Context) -> None:
    """Remove the columns that a statement added from the before image of a delete."""
    if event["op"] == "delete" and event.get("before"):
        tables = context.request.get("tables") or ()
        first = [t for t in tables if (t["schema"], t["name"]) == (event["schema"], event["table"])]
        known = {column["name"] for t in first for column in t["columns"]}
        event["before"] = {name: v for name, v in event["before"].items() if not first or name in known}


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "unsigned-default-refused", "CJ-207", "unsigned integers that equal the default of their column are refused"
    )(_refuses_unsigned(lambda value, column: value is not None and value == column.default)),
    encoder("unsigned-null-refused", "CJ-207", "unsigned integers that are NULL are refused")(
        _refuses_unsigned(lambda value, column: value is None)
    ),
    encoder("unsent-columns-refused", "CJ-207", "updates and deletes of rows with a virtual column are refused")(
        breaks_down(_lacks_virtual)
    ),
    encoder(
        "vector-comparison-refused",
        "CJ-207",
        "updates of tables with a vector are refused with only-output-updated-columns",
    )(breaks_down(compares_vectors)),
    encoder("buffer-reused", "CJ-034b", "a message has the bytes of the next one of its transaction")(
        edit_answer("encode", _one_buffer)
    ),
    encoder("text-as-blob", "CJ-351", "TEXT types are written as BLOB types")(
        all_of(
            names(
                lambda column, options: column.type.family in _TEXTS, lambda text, column: text.replace("text", "blob")
            ),
            codes(in_families(*_TEXTS), lambda code, text: _BLOB_CODE),
        )
    ),
    encoder("full-types-bare", "CJ-372", "in content-compatible mode types have no parameters")(
        names(
            lambda column, options: options.get("content-compatible") == "true",
            lambda text, column: text.partition("(")[0] + (" unsigned" if column.type.unsigned else ""),
        )
    ),
    encoder("location-cleaned", "CJ-134", "a double slash in the location is written as one")(
        location(lambda path: path.replace("//", "/"))
    ),
    decoder("read-delete-by-first-table", "CJ-030a", "deletes lack the columns that a statement added")(
        read_rows(_by_first_table)
    ),
    decoder("read-clock-fraction", "CJ-393", "the fraction of DATETIME and TIMESTAMP is lost")(
        read_values(in_families(Family.DATETIME, Family.TIMESTAMP), lambda text, column: text.partition(".")[0])
    ),
)
