"""Inputs that some protocol has no form for: predicates by name.

`unrepresentable` in `fixtures/corpora/options.toml` says which protocol refuses what, and for which requirements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from conformance.cases.inputs import Input
from reference_impl.column_types import INTEGERS
from reference_impl.model import Column, DdlEvent, Expression, Index, RawText, RowChange, Table, Value
from reference_impl.names import sanitized

__all__ = ["UNREPRESENTABLE"]


def _tables(given: Input) -> Iterator[Table]:
    yield from given.tables
    for event in given.events:
        if isinstance(event, DdlEvent):
            yield from (t for t in (event.table_after, *event.other_tables) if t is not None)


def _columns(given: Input) -> Iterator[Column]:
    return (column for table in _tables(given) for column in table.columns)


def _values(given: Input) -> Iterator[Value]:
    for event in given.events:
        if isinstance(event, RowChange):
            for row in (event.before, event.after):
                yield from (row or {}).values()


def _has_computed_number(given: Input) -> bool:
    return any(isinstance(c.default, Expression) and c.type.family in INTEGERS for c in _columns(given))


def _has_colliding_names(given: Input) -> bool:
    return any(len({sanitized(c.name) for c in table.columns}) < len(table.columns) for table in _tables(given))


UNREPRESENTABLE: Mapping[str, Callable[[Input], bool]] = {
    "enum index 0": lambda given: any(isinstance(value, Index) and value.number == 0 for value in _values(given)),
    "names that become one": _has_colliding_names,
    "number by an expression": _has_computed_number,
    "text that is not UTF-8": lambda given: any(isinstance(value, RawText) for value in _values(given)),
    "virtual NOT NULL": lambda given: any(c.generated == "virtual" and not c.nullable for c in _columns(given)),
}
