"""Records read by the model of a consumer, and compared with the rows that the encoder was given."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.cases.model import Case
from conformance.compatibility.cells import Fidelity, Reading, Trouble, worst
from conformance.compatibility.encoders import EncodedCase
from conformance.compatibility.faultless import FAULTLESS, has_other_modes
from conformance.compatibility.values import BitForm, Columns, aligned, updates_split
from conformance.consumers.flink.avro import declarable
from conformance.consumers.json_tree import Malformed, parse
from conformance.consumers.model import Message, Model, Prediction, Row, TableType
from conformance.consumers.mysql_types import MysqlType
from conformance.consumers.truth import Change, Values, changes_of_rows, misread_columns
from reference_impl.column_types import ColumnType, Family
from reference_impl.model import Record, RowChange, Table
from reference_impl.protocols import CANAL, CANAL_JSON
from reference_impl.wire import event_to_json, table_to_json

__all__ = ["read_by_model"]

_JOB_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "connect": {"mode": "jdbc"},
    "flink-avro": {"connector": "upsert-kafka"},
}
"""Consumer → the options of its job that are not the default."""
_DELETE_BY_KEY = frozenset({"flink-avro", "connect-avro", "spark"})
"""Consumers that delete a row by its key alone."""
_MAGIC = b"\0"
_SCHEMA_ID = slice(1, 5)


def read_by_model(
    model: Model, cases: Sequence[EncodedCase], options: Mapping[str, str] | None = None
) -> Iterator[Reading]:
    """The consumer's result for the records of each case; `options` are those of its format."""
    job = {**_JOB_OPTIONS.get(model.name, {}), **(options or {})}
    for one in cases:
        if one.case.protocol in model.protocols:
            yield _reading(model, one, job)


def _not_tried(case: Case, why: str) -> Reading:
    return Reading(case, Fidelity.NOT_TRIED, [Trouble(Fidelity.NOT_TRIED, why)])


def _reading(model: Model, encoded: EncodedCase, job: Mapping[str, str]) -> Reading:
    case = encoded.case
    if encoded.reason:
        return _not_tried(case, encoded.reason)
    tables = {table.id: table for table in case.tables}
    rows = [event for event in case.events if isinstance(event, RowChange)]
    table_ids = {(event.schema, event.table) for event in rows}
    if len(table_ids) != 1 or not table_ids <= tables.keys():
        return _not_tried(case, "rows of several tables, or of one that is made on the way")
    whole_table = tables[next(iter(table_ids))]
    table = _declared_table(whole_table)
    delete_key = frozenset(table["primary_key"]) if model.name in _DELETE_BY_KEY else frozenset()
    is_faultless = model.name == FAULTLESS
    if is_faultless and has_other_modes(case.options):
        return _not_tried(case, "options give values another form")
    columns = Columns(_compared_types(table, encoded), _bit_form(model, case), delete_key, is_partial=is_faultless)
    if not columns.types:
        return _not_tried(case, "no column whose value is sure")
    messages = list(_messages(case, table, job))
    predictions = [model.predict(message) for message in messages]
    if model.name == "connect":  # its sink writes column names in small letters, which MySQL treats as equal
        predictions = [_with_declared_names(columns.types, prediction) for prediction in predictions]
    reading = _compared(case, columns, rows, predictions)
    if reading.verdict is Fidelity.LOSSLESS and "type" in case.axes and len(columns.types) < len(whole_table.columns):
        return _not_tried(case, "the value that the case is about is not compared")
    # The faultless reader blames the message anyway, and in other modes nobody knows what the message says.
    return reading if is_faultless or has_other_modes(case.options) else _with_blame(reading, messages, predictions)


def _declared_table(table: Table) -> dict[str, Any]:
    """The table that a job declares, by the types that a server shows.

    A column of geometry is left out: every producer writes it in a form of its own, and no reader has a type for it.
    """
    tree = table_to_json(table)
    kept = [
        {**shown, "type": _type_text(column.type)}
        for shown, column in zip(tree["columns"], table.columns, strict=True)
        if column.type.family is not Family.GEOMETRY
    ]
    return {**tree, "columns": kept}


def _type_text(column_type: ColumnType) -> str:
    if column_type.members:
        return f"{column_type.family}({','.join(_quoted(member) for member in column_type.members)})"
    sizes = ",".join(str(size) for size in (column_type.length, column_type.scale) if size is not None)
    return f"{column_type.family}{f'({sizes})' if sizes else ''}{' unsigned' if column_type.unsigned else ''}"


def _quoted(member: str) -> str:
    return "'" + member.replace("'", "''") + "'"


def _compared_types(table: TableType, encoded: EncodedCase) -> dict[str, MysqlType]:
    """Column → type, of the columns whose values are known and can be compared."""
    listed = table["columns"]
    assert isinstance(listed, list)
    types = {str(column["name"]): MysqlType.of(str(column["type"])) for column in listed}
    is_utc = encoded.case.settings.timezone == "UTC"
    return {
        name: column_type
        for name, column_type in types.items()
        if name not in encoded.unknown_columns and (is_utc or column_type.base != "timestamp")
    }


def _bit_form(model: Model, case: Case) -> BitForm:
    """How a reader shows a BIT: Debezium's bytes unchanged, or reversed by Paimon; Spark casts Canal's to numbers."""
    if case.protocol.startswith("debezium"):
        return "big" if model.name == "paimon" else "little"
    return "number" if model.name == "spark" and case.protocol in (CANAL.name, CANAL_JSON.name) else "big"


def _messages(case: Case, table: TableType, job: Mapping[str, str]) -> Iterator[Message]:
    # A job is configured once for its topic.
    includes = "true" if any(map(_has_payload, case.records)) else "false"
    options = {"schema-include": includes, **job}
    schemas = {schema.id: json.loads(schema.schema) for schema in case.schemas}
    value_schemas = [_schema(schemas, record.value) for record in case.records]
    first = next((schema for schema in value_schemas if schema is not None), None)
    if first is not None:  # Flink: the table with types that a job can declare over this schema
        table = declarable(table, case.protocol, first)
    for record, value_schema in zip(case.records, value_schemas, strict=True):
        key_schema = _schema(schemas, record.key)
        yield Message(case.protocol, record.key, record.value, table, options, value_schema, key_schema)


def _schema(schemas: Mapping[int, Any], part: bytes | None) -> Any:
    """The schema of a key or value, by the schema id at its beginning."""
    if not schemas or part is None or part[:1] != _MAGIC:
        return None
    return schemas.get(int.from_bytes(part[_SCHEMA_ID], "big"))


def _has_payload(record: Record) -> bool:
    try:
        tree = parse(record.value or b"null")
    except Malformed:
        return False
    return isinstance(tree, dict) and "payload" in tree


def _with_declared_names(types: Mapping[str, MysqlType], prediction: Prediction) -> Prediction:
    names = {name.lower(): name for name in types}
    rows: list[Row] = [
        (kind, {names.get(name, name): value for name, value in row.items()}) for kind, row in prediction.rows
    ]
    return replace(prediction, rows=rows)


def _with_blame(reading: Reading, messages: Sequence[Message], predictions: Sequence[Prediction]) -> Reading:
    """The reading; troubles that the message itself causes, and not its reader, say so."""
    if reading.verdict is not Fidelity.WRONG:
        return reading
    misread_by_reader: set[str] = set()
    for message, prediction in zip(messages, predictions, strict=True):
        columns = frozenset() if prediction.outcome == "error" else misread_columns(message, prediction.rows)
        if columns is None:  # nobody knows what the message says
            return reading
        misread_by_reader |= columns
    troubles = []
    for one in reading.troubles:
        is_of_message = one.column not in misread_by_reader if one.column else not misread_by_reader
        if one.verdict is Fidelity.WRONG and is_of_message:
            one = replace(one, effect=f"{one.effect}, as the message says")
        troubles.append(one)
    return replace(reading, troubles=troubles)


def _compared(case: Case, columns: Columns, rows: Sequence[RowChange], predictions: Sequence[Prediction]) -> Reading:
    """Compare the original rows with those that the reader gets until it stops at a message, if it does."""
    expected = [_change(event, columns.types) for event in rows]
    if not any(row for change in expected for row in change):
        return _not_tried(case, "no value that is sure")
    stops = (i for i, prediction in enumerate(predictions) if prediction.outcome in ("error", "abstained"))
    stop = next(stops, None)
    got = [change for prediction in predictions[:stop] for change in changes_of_rows(prediction.rows)]
    pairs, is_complete = aligned(expected, got)
    if stop is None and not is_complete:
        pairs, is_complete = aligned(updates_split(expected), updates_split(got))
    if stop is None and not is_complete:
        effect = f"{len(got)} changes for {len(expected)}" if got else "the rows are skipped"
        return Reading(case, Fidelity.WRONG, [Trouble(Fidelity.WRONG, effect)])
    troubles = columns.troubles(pairs)
    types = columns.by_type(troubles, pairs)
    if stop is None:
        return Reading(case, worst([*(one.verdict for one in troubles), Fidelity.LOSSLESS]), troubles, types)
    end = _end_of_reading(predictions[stop], columns.types)
    troubles = sorted([end, *troubles], key=lambda one: one.verdict.rank)
    if any(one.verdict is Fidelity.WRONG for one in troubles):  # a value that was read wrongly before stays wrong
        return Reading(case, Fidelity.WRONG, troubles, types)
    return Reading(case, end.verdict, [end], {end.type: end.verdict} if end.type else {})


def _end_of_reading(prediction: Prediction, types: Mapping[str, MysqlType]) -> Trouble:
    """Why a consumer stops at a message, or why its model leaves the message open."""
    verdict = Fidelity.NOT_TRIED if prediction.outcome == "abstained" else Fidelity.REJECTED
    text, rule = (prediction.rules[0].text, prediction.rules[0].id) if prediction.rules else ("", "")
    column_type = types.get(prediction.column)
    return Trouble(verdict, text, prediction.column, column_type.label if column_type else "", rule)


def _change(event: RowChange, types: Mapping[str, MysqlType]) -> Change:
    """The row before and after a change, with the columns that are compared."""
    tree = event_to_json(event)

    def row(member: str) -> Values | None:
        given = tree.get(member)
        if given is None:
            return None
        return {name: v for name, v in given.items() if name in types and isinstance(v, (str, type(None)))}

    return row("before"), row("after")
