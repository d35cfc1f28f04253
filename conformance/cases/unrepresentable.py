"""Predicates, by name, that find inputs which some protocol cannot represent.

`unrepresentable` in `fixtures/corpora/options.toml` says which protocol refuses what, and for which requirements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from conformance.cases.inputs import Input
from reference_impl.column_types import INTEGERS
from reference_impl.model import Column, DdlEvent, Expression, Index, RawText, RowChange, Table, Value
from reference_impl.names import sanitized

__all__ = ["UNREPRESENTABLE"]


def _tables(input_: Input) -> Iterator[Table]:
    yield from input_.tables
    for event in input_.events:
        if isinstance(event, DdlEvent):
            yield from event.tables_after


def _columns(input_: Input) -> Iterator[Column]:
    return (column for table in _tables(input_) for column in table.columns)


def _values(input_: Input) -> Iterator[Value]:
    for event in input_.events:
        if isinstance(event, RowChange):
            for row in (event.before, event.after):
                yield from (row or {}).values()


def _has_computed_number(input_: Input) -> bool:
    return any(isinstance(c.default, Expression) and c.type.family in INTEGERS for c in _columns(input_))


def _has_colliding_names(input_: Input) -> bool:
    return any(len({sanitized(c.name) for c in table.columns}) < len(table.columns) for table in _tables(input_))


UNREPRESENTABLE: Mapping[str, Callable[[Input], bool]] = {
    "enum index 0": lambda input_: any(isinstance(value, Index) and value.number == 0 for value in _values(input_)),
    "names that become one": _has_colliding_names,
    "number by an expression": _has_computed_number,
    "text that is not UTF-8": lambda input_: any(isinstance(value, RawText) for value in _values(input_)),
    "virtual NOT NULL": lambda input_: any(c.generated == "virtual" and not c.nullable for c in _columns(input_)),
}
