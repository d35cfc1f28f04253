"""The scope of a search: the column types, event kinds and options that an implementation declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reference_impl.column_types import ColumnType, Family, parse_column_type

__all__ = ["EVERYTHING", "Scope", "scope_of"]

_EVENT_KINDS = frozenset({"row", "ddl", "watermark"})

# Possible types of the key column, which have the values `1`, `2` …; the first declared one is used.
_KEY_TYPES = ("int", "bigint", "mediumint", "smallint", "tinyint", "varchar(10)", "char(10)", "decimal(10,0)")


@dataclass(frozen=True, slots=True)
class Scope:
    """The declared column types, kinds of events and options."""

    families: frozenset[Family] = frozenset(Family)
    kinds: frozenset[str] = _EVENT_KINDS
    """Of events: `row`, `ddl`, `watermark`."""
    options: frozenset[str] | None = None
    """Their names; None means every option."""

    @property
    def key_type(self) -> ColumnType | None:
        """The type of the key column; None if no declared type is suitable."""
        types = map(parse_column_type, _KEY_TYPES)
        return next((column_type for column_type in types if column_type.family in self.families), None)

    @property
    def is_empty(self) -> bool:
        """Whether no input fits: no type for a key, or no kind of event."""
        return self.key_type is None or not self.kinds

    def has_option(self, name: str) -> bool:
        """Whether the option may be set."""
        return self.options is None or name in self.options


EVERYTHING = Scope()


def scope_of(declared: Mapping[str, Any]) -> Scope:
    """The scope by a protocol's entry in `hello`; a missing list means all."""
    families: Sequence[str] = declared.get("column_types", tuple(Family))
    options: Sequence[str] | None = declared.get("options")
    return Scope(
        frozenset(family for family in Family if family in families),
        _EVENT_KINDS & set(declared.get("events", _EVENT_KINDS)),
        None if options is None else frozenset(options),
    )
