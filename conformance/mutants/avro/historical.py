"""Historical defects of TiCDC's Avro: panics over valid rows, and schemas and keys of other tables.

`fixtures/history.toml` maps each mutant to its real defect.
"""

from __future__ import annotations

import base64
from collections.abc import Callable

from conformance.mutants.avro.edits import encoder
from conformance.mutants.avro.rewriting import Part, RecordRewriter
from conformance.mutants.input_edits import refuses_values
from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.wrappers import Context, Json, KeyAndValue, edit_answer, edit_bytes, tables_of
from reference_impl.avro.framing import HEADER_SIZE, ROW
from reference_impl.column_types import Family
from reference_impl.decimals import to_bytes

__all__ = ["MUTANTS"]


def _without_key(key: bytes | None, value: bytes | None, context: Context) -> KeyAndValue:
    """Drop the key if the tables of the request have unique keys, but no primary key."""
    tables = list(tables_of(context.request))
    is_dropped = any(t.get("unique_keys") for t in tables) and not any(t.get("primary_key") for t in tables)
    return (None if is_dropped else key), value


def _headers_kept(part: str, when: Callable[[Context], bool]) -> Wrap:
    """An encoder whose keys (or values, as `part` says) all have the header of the first, if `when` holds."""

    def edit(ok: Json, context: Context) -> None:
        if not when(context):
            return
        first = b""
        for record in ok["records"]:
            data = base64.b64decode(record[part] or "")
            if data[:1] == bytes([ROW]):
                first = first or data[:HEADER_SIZE]
                record[part] = base64.b64encode(first + data[HEADER_SIZE:]).decode("ascii")

    return edit_answer("encode", edit)


def _at_scale_of_first(datum: Json, part: Part) -> None:
    """Write every DECIMAL of a row at the scale of the first one."""
    decimals = [(n, c.type.scale or 0) for n, c in part.columns.items() if c.type.family is Family.DECIMAL]
    present = [(name, scale) for name, scale in decimals if isinstance(datum.get(name), bytes)]
    for name, scale in present[1:]:
        shift = present[0][1] - scale
        number = int.from_bytes(datum[name], "big", signed=True)
        datum[name] = to_bytes(number * 10**shift if shift >= 0 else number // 10**-shift)


def _has_statement(context: Context) -> bool:
    return any(event["kind"] == "ddl" for event in context.request["events"])


MUTANTS: tuple[Mutant, ...] = (
    encoder("float-refused", "AV-002b", "FLOAT is refused")(
        refuses_values(lambda column, value: column.type.family is Family.FLOAT)
    ),
    encoder("tinyint-unsigned-refused", "AV-002b", "TINYINT UNSIGNED is refused")(
        refuses_values(lambda column, value: column.type.family is Family.TINYINT and column.type.unsigned)
    ),
    encoder("json-refused", "AV-002b", "JSON is refused unless it is NULL")(
        refuses_values(lambda column, value: column.type.family is Family.JSON and value is not None)
    ),
    encoder(
        "decimals-at-the-scale-of-the-first",
        "AV-100",
        "all DECIMAL values of a row are written at the scale of the first",
    )(RecordRewriter(datum=_at_scale_of_first)),
    encoder("schema-of-a-neighbour", "AV-035", "rows of several tables refer to the schema of the first")(
        _headers_kept(
            "value", lambda context: not _has_statement(context) and len(list(tables_of(context.request))) > 1
        )
    ),
    encoder("key-of-the-old-schema", "AV-007", "keys after a statement refer to the schema before it")(
        _headers_kept("key", _has_statement)
    ),
    encoder(
        "unique-keys-without-key",
        "AV-112a",
        "rows of tables that have only a unique key have no key",
        profile="classic",
    )(edit_bytes(_without_key)),
)
