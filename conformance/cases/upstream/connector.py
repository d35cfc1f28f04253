"""Cases of the records of Debezium's MySQL connector: their options, their negatives, and the position of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.cases.negatives.texts import DocumentForm, member
from conformance.cases.upstream.lenient import (
    MILLISECONDS,
    number_at,
    payload_in,
    payload_of,
    text_at,
    tree_of,
    within_time,
)
from conformance.cases.upstream.model import FEW, SOME, Base, DialectCases, Negatives, Numbering, OptionSets, Position
from reference_impl.model import Record

__all__ = ["CASES"]

_NO_OPTIONS: Mapping[str, str] = {}

_BARE = {"schemas.enable": "false"}
_MODES = {
    "decimal.handling.mode": ("precise", "double", "string"),
    "time.precision.mode": ("adaptive_time_microseconds", "connect"),
    "bigint.unsigned.handling.mode": ("long", "precise"),
    "binary.handling.mode": ("bytes", "base64", "base64-url-safe", "hex"),
}

_OPTION_SETS = OptionSets(
    known_values={
        "version": ("2.4.0", "3.0.7", "3.6.1"),
        "server": ("mysql", "mariadb"),
        **_MODES,
        "schemas.enable": ("true", "false"),
        "tombstones.on.delete": ("true", "false"),
        "provide.transaction.metadata": ("false", "true"),
        "include.schema.changes": ("true", "false"),
        "skipped.operations": ("t", "none"),
    },
    value_options=_BARE,
    corpora_options=(_NO_OPTIONS, {"version": "3.6.1", "provide.transaction.metadata": "true"}),
    truncation_options=({"skipped.operations": "none"}, {**_BARE, "version": "3.6.1", "skipped.operations": "none"}),
    type_options=(
        _NO_OPTIONS,
        *({**_BARE, name: value} for name, values in _MODES.items() for value in values[1:]),
        {"version": "3.6.1"},
        {**_BARE, "version": "3.0.7"},
        {**_BARE, "server": "mariadb"},
    ),
    default_options=(
        _NO_OPTIONS,
        {"version": "3.6.1", "binary.handling.mode": "hex", "time.precision.mode": "connect"},
    ),
    without_statements=("include.schema.changes", "false"),
)

_CHANGE = DocumentForm(
    {
        "source": member("object"),
        **dict.fromkeys(("source.db", "source.table"), member("string")),
        "op": member("string", is_needed=False),
        **dict.fromkeys(("before", "after"), member("object null", is_needed=False)),
    }
)
_NEGATIVES = Negatives(
    requirement="DBZ-451",
    bases=(
        Base("row", _BARE, _CHANGE, SOME),
        Base("update", _BARE, _CHANGE, FEW),
        Base("row", {}, DocumentForm(), FEW),
        Base("statement", _BARE, DocumentForm(), FEW),
    ),
    image_path=("after",),
    out_of_range={"id": ("2147483648", "-2147483649"), "at": ("1e400",)},
    changes_key=True,
)

_TIMES = ("ts_ms", "ts_us", "ts_ns")
_RUN_ID = "__debezium.context.runId"
"""The header whose JSON, with or without a schema, is the id of the connector's run."""


def _position(record: Record) -> Position:
    payload = payload_in(record.value)
    source = payload.get("source")
    position: dict[str, object] = _natural_numbers(payload, _TIMES)
    in_source: dict[str, object] = _natural_numbers(source, (*_TIMES, "pos", "thread"))
    for name in ("file", "gtid"):
        text = text_at(source, name)
        if text is not None:
            in_source[name] = text
    position["source"] = in_source
    transaction = text_at(payload.get("transaction"), "id")
    if transaction is not None:
        position["transaction"] = transaction
    run_id = text_at({"id": payload_of(tree_of(dict(record.headers).get(_RUN_ID)))}, "id")
    if run_id is not None:
        position["run_id"] = run_id
    rows_event = (in_source.get("file"), in_source["pos"]) if "pos" in in_source else None
    second = within_time((number_at(source, "ts_ms") or 0) / MILLISECONDS)
    return Position(position, second, rows_event, number_at(source, "row") or 0)


def _natural_numbers(tree: Any, names: Sequence[str]) -> dict[str, object]:
    """The members with these names that are whole numbers of at least 0, as texts."""
    numbers = {name: number_at(tree, name) for name in names}
    return {name: str(number) for name, number in numbers.items() if number is not None and number >= 0}


def _cell(tree: Any, image: str, row: int, column: str) -> Any:
    payload = payload_of(tree)
    values = payload.get(image) if isinstance(payload, dict) else None
    return values.get(column) if isinstance(values, dict) else None


def _number(record: Record) -> int | None:
    return number_at(payload_in(record.value).get("source"), "pos")


_DEFAULT_SOURCE = {**dict.fromkeys(_TIMES, "1"), "source": {**dict.fromkeys(_TIMES, "1"), "file": "", "pos": "1"}}

CASES = DialectCases(
    ops={"insert": "c", "update": "u", "delete": "d", "read": "r"},
    topic="{name}.{schema}.{table}",
    position=_position,
    cell=_cell,
    packs_rows=False,
    default_source=_DEFAULT_SOURCE,
    option_sets=_OPTION_SETS,
    negatives=_NEGATIVES,
    answer_requirement="DBZ-452",
    numbering=Numbering(lambda number: {"source": {"pos": str(number)}}, _number),
)
