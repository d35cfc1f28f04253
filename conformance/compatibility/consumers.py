"""Records read by the model of a consumer, and held against the rows that went into the encoder."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, TypeAlias

from conformance.cases.model import Case
from conformance.compatibility.cells import Reading, Verdict, worst
from conformance.compatibility.encoders import Encoded
from conformance.consumers.json_tree import Malformed, parse
from conformance.consumers.model import Message, Model, Prediction, Rule
from conformance.consumers.mysql_types import MysqlType
from conformance.consumers.truth import Change, Values, alike, changes_of_rows, is_silently_wrong
from reference_impl.model import Record, RowChange
from reference_impl.wire import event_to_json, table_to_json

__all__ = ["read_by"]

_TIMES = frozenset({"time", "datetime", "timestamp"})
_LEAST_DIGITS = 6  # a float of 32 bits has as many
_NUMBERS = frozenset({"float", "double", "real", "decimal", "numeric"})


def read_by(model: Model, cases: Sequence[Encoded]) -> Iterator[Reading]:
    """What the consumer makes of the records of each case."""
    for one in cases:
        if one.case.protocol in model.protocols:
            yield _reading(model, one.case)


def _reading(model: Model, case: Case) -> Reading:
    tables = {table.id: table for table in case.tables}
    rows = [event for event in case.events if isinstance(event, RowChange)]
    named = {(event.schema, event.table) for event in rows}
    if len(named) != 1 or not named <= tables.keys():
        effect = "rows of several tables, or of one that is made on the way"
        return Reading(case.id, Verdict.NOT_TRIED, effect=effect, axes=case.axes)
    table = table_to_json(tables[next(iter(named))])
    # A job is set up once for its topic.
    includes = "true" if any(map(_has_payload, case.records)) else "false"
    options = {"schema-include": includes, "mode": "jdbc"}
    messages = [Message(case.protocol, record.key, record.value, table, options) for record in case.records]
    predictions = [model.predict(message) for message in messages]
    reading = _held(model, case, table, rows, predictions)
    if reading.verdict is Verdict.WRONG and not any(map(_is_misread, messages, predictions)):
        return replace(reading, effect=f"{reading.effect}, as the message says")
    return reading


def _is_misread(message: Message, prediction: Prediction) -> bool:
    """Whether the reader has other rows than the message itself says; so it is taken where that is not known."""
    try:
        return is_silently_wrong(message, prediction.outcome, prediction.rows) is not False
    except (ValueError, ArithmeticError, Malformed):
        return True


def _has_payload(record: Record) -> bool:
    try:
        tree = parse(record.value or b"null")
    except Malformed:
        return False
    return isinstance(tree, dict) and "payload" in tree


def _held(
    model: Model, case: Case, table: Mapping[str, Any], rows: Sequence[RowChange], read: Sequence[Prediction]
) -> Reading:
    def reading(verdict: Verdict, column: str = "", effect: str = "", rule: str = "") -> Reading:
        return Reading(case.id, verdict, column, effect, rule, case.axes, case.options)

    types = {str(column["name"]): MysqlType.of(str(column["type"])) for column in table["columns"]}
    sure = {name: of for name, of in types.items() if of.base != "timestamp" or case.settings.timezone == "UTC"}
    order: _ByteOrder = "little" if case.protocol.startswith("debezium") and model.name != "paimon" else "big"
    want = [_change(event, sure) for event in rows]
    ended = next((i for i, prediction in enumerate(read) if prediction.outcome in ("error", "abstained")), len(read))
    got = [change for prediction in read[:ended] for change in changes_of_rows(prediction.rows)]
    if len(got) != len(want):
        want, got = _split(want), _split(got)  # an update of a key is written as a deletion and an insertion
    if ended == len(read) and len(got) != len(want):
        return reading(Verdict.WRONG, effect=f"{len(got)} changes for {len(want)}")
    found = [one for pair in zip(want, got, strict=False) for one in _differences(sure, order, *pair)]
    verdict = worst([one for one, _, _ in found] or [Verdict.LOSSLESS])
    if ended < len(read) and verdict is not Verdict.WRONG:  # what was read wrong before stays wrong
        rule = read[ended].rules[0] if read[ended].rules else Rule("", "")
        left_open = read[ended].outcome == "abstained"
        return reading(Verdict.NOT_TRIED if left_open else Verdict.REJECTED, effect=rule.text, rule=rule.id)
    column, effect = next(((c, e) for v, c, e in found if v is verdict), ("", ""))
    return reading(verdict, column, effect)


_Difference: TypeAlias = tuple[Verdict, str, str]
_ByteOrder: TypeAlias = Literal["little", "big"]


def _differences(types: Mapping[str, MysqlType], order: _ByteOrder, want: Change, got: Change) -> Iterator[_Difference]:
    """What one change has otherwise; some readers show the row after a change alone, which excuses the one before."""
    for wanted, had, excused in ((want[0], got[0], got[1] is not None), (want[1], got[1], False)):
        if wanted is not None and had is not None:
            yield from _columns(types, order, wanted, had)
        elif had is not None:
            yield Verdict.WRONG, "", "a row before or after that there was not"
        elif wanted is not None and not excused:
            yield Verdict.WRONG, "", "a deletion for an update"


def _change(event: RowChange, types: Mapping[str, MysqlType]) -> Change:
    """The texts of the columns that are sure, before and after."""
    told = event_to_json(event)

    def row(member: str) -> Values | None:
        given = told.get(member)
        if given is None:
            return None
        return {name: v for name, v in given.items() if name in types and isinstance(v, (str, type(None)))}

    return row("before"), row("after")


def _split(changes: Sequence[Change]) -> list[Change]:
    parts = [((before, None), (None, after)) for before, after in changes]
    return [part for pair in parts for part in pair if part != (None, None)]


def _columns(types: Mapping[str, MysqlType], order: _ByteOrder, want: Values, have: Values) -> Iterator[_Difference]:
    for name, value in want.items():
        if name not in have:
            yield Verdict.WRONG, name, "the column is missing"
        else:
            verdict, effect = _value(types[name], order, have[name], value)
            if verdict is not Verdict.LOSSLESS:
                yield verdict, name, effect


def _value(of: MysqlType, order: _ByteOrder, got: str | None, want: str | None) -> tuple[Verdict, str]:
    is_bytes = of.base == "bit" and of.length != 1
    if _is_same_bits(order, got, want) if is_bytes else alike(of, got, want) or _is_same_otherwise(of, got, want):
        return Verdict.LOSSLESS, ""
    if got is None:
        return Verdict.WRONG, "NULL for a value"
    if want is None:
        return Verdict.WRONG, "a value for NULL"
    if of.base in _TIMES and got.partition(".")[0] == want.partition(".")[0] and want.startswith(got.rstrip("0")):
        return Verdict.LOSSY, "the fraction is cut"
    if of.base in _NUMBERS and _is_rounded(got, want):
        return Verdict.LOSSY, "digits are lost"
    return Verdict.WRONG, "another value"


def _is_same_otherwise(of: MysqlType, got: str | None, want: str | None) -> bool:
    """Whether two texts are one value, spelled as MySQL does not."""
    if got is None or want is None:
        return False
    if of.base == "json":
        try:
            return bool(json.loads(got, parse_float=str) == json.loads(want, parse_float=str))
        except ValueError:
            return False
    if of.base == "year":
        return got.lstrip("0") == want.lstrip("0")
    return False


def _is_same_bits(order: _ByteOrder, got: str | None, want: str | None) -> bool:
    """Whether base64 of a BIT's bytes is the number that went in."""
    if got is None or want is None:
        return got == want
    try:
        return int.from_bytes(base64.b64decode(got, validate=True), order) == int(want)
    except (binascii.Error, ValueError):
        return False


def _is_rounded(got: str, want: str) -> bool:
    """Whether one number is the other with fewer digits, of which at least six are left."""
    try:
        short, whole = Decimal(got).normalize(), Decimal(want).normalize()
    except InvalidOperation:
        return False
    if not short.is_finite() or not whole.is_finite():
        return False
    digits = len(short.as_tuple().digits)
    unit = Decimal(1).scaleb(int(short.as_tuple().exponent))
    return _LEAST_DIGITS <= digits < len(whole.as_tuple().digits) and abs(short - whole) <= unit
