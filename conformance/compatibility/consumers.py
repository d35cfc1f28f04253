"""Records read by the model of a consumer, and held against the rows that went into the encoder."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from conformance.cases.model import Case
from conformance.compatibility.cells import Reading, Verdict, worst
from conformance.compatibility.encoders import Encoded
from conformance.consumers.json_tree import Malformed, parse
from conformance.consumers.model import Message, Model, Prediction, Rule
from conformance.consumers.mysql_types import MysqlType
from conformance.consumers.truth import Change, Values, alike, changes_of_rows
from reference_impl.model import Record, RowChange
from reference_impl.wire import event_to_json, table_to_json

__all__ = ["read_by"]

_TIMES = frozenset({"time", "datetime", "timestamp"})
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
    predictions = [model.predict(_message(case, table, record)) for record in case.records]
    return _held(case, table, rows, predictions)


def _message(case: Case, table: Mapping[str, Any], record: Record) -> Message:
    options = {"schema-include": "true" if _has_payload(record) else "false", "mode": "jdbc"}
    return Message(case.protocol, record.key, record.value, table, options)


def _has_payload(record: Record) -> bool:
    try:
        tree = parse(record.value or b"null")
    except Malformed:
        return False
    return isinstance(tree, dict) and "payload" in tree


def _held(case: Case, table: Mapping[str, Any], rows: Sequence[RowChange], read: Sequence[Prediction]) -> Reading:
    def reading(verdict: Verdict, column: str = "", effect: str = "", rule: str = "") -> Reading:
        return Reading(case.id, verdict, column, effect, rule, case.axes, case.options)

    for prediction in read:
        rule = prediction.rules[0] if prediction.rules else Rule("", "")
        if prediction.outcome == "abstained":
            return reading(Verdict.NOT_TRIED, effect=rule.text, rule=rule.id)
        if prediction.outcome == "error":
            return reading(Verdict.REJECTED, effect=rule.text, rule=rule.id)
    types = {str(column["name"]): MysqlType.of(str(column["type"])) for column in table["columns"]}
    sure = {name: of for name, of in types.items() if of.base != "timestamp" or case.settings.timezone == "UTC"}
    want = [_change(event, sure) for event in rows]
    got = [change for prediction in read for change in changes_of_rows(prediction.rows)]
    if len(got) != len(want):
        want, got = _split(want), _split(got)  # an update of a key is written as a deletion and an insertion
    if len(got) != len(want):
        return reading(Verdict.WRONG, effect=f"{len(got)} changes for {len(want)}")
    found = [
        one
        for (before, after), (was, now) in zip(want, got, strict=True)
        for wanted, had in ((before, was), (after, now))
        for one in _columns(sure, wanted, had)
    ]
    verdict = worst([one for one, _, _ in found] or [Verdict.LOSSLESS])
    column, effect = next(((c, e) for v, c, e in found if v is verdict), ("", ""))
    return reading(verdict, column, effect)


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


def _columns(
    types: Mapping[str, MysqlType], want: Values | None, have: Values | None
) -> Iterator[tuple[Verdict, str, str]]:
    if want is None or have is None:
        if have is not None:
            yield Verdict.WRONG, "", "a row before or after that there was not"
        return  # some readers show the row after a change alone
    for name, value in want.items():
        if name not in have:
            yield Verdict.WRONG, name, "the column is missing"
        else:
            verdict, effect = _value(types[name], have[name], value)
            if verdict is not Verdict.LOSSLESS:
                yield verdict, name, effect


def _value(of: MysqlType, got: str | None, want: str | None) -> tuple[Verdict, str]:
    if alike(of, got, want) or _is_same_otherwise(of, got, want):
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
    if of.base == "bit":
        return _bits(got) & _bits(want) != set()
    if of.base == "year":
        return got.lstrip("0") == want.lstrip("0")
    return False


def _bits(text: str) -> set[int]:
    """The numbers that a text of BIT may mean: digits, a truth value, or base64 of bytes in either order."""
    found = {int(text)} if text.isdecimal() else {{"true": 1, "false": 0}[text]} if text in ("true", "false") else set()
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return found
    return found | {int.from_bytes(data, "big"), int.from_bytes(data, "little")}


def _is_rounded(got: str, want: str) -> bool:
    """Whether one number is the other with fewer digits."""
    try:
        short, whole = Decimal(got), Decimal(want)
    except InvalidOperation:
        return False
    if not short.is_finite() or not whole.is_finite() or not whole:
        return False
    return abs(short - whole) <= abs(whole) * Decimal("1e-6")
