"""Finds the divergence of a difference between two names of a column's type.

Canal's `mysqlType` is compared part by part: word, parameters, signs. For schemas of Debezium each entry of the
catalogue covers certain members of a column's field. A difference that no entry covers stays unexplained.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from conformance.catalogue.divergences import Divergence
from differential.classify.naming import Name, divergences_of
from differential.classify.predicates import COLUMN_CELLS, VALUES
from differential.decode.canonical import canonical
from differential.sides import Side
from reference_impl.column_types import Family, parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Column, Value
from reference_impl.protocols import CANAL, CANAL_JSON

__all__ = ["OF_DEFINITIONS", "SCHEMA_MEMBERS", "TypeNamer", "mysql_type_divergences"]

OF_DEFINITIONS = frozenset({"DV-02", "DV-12", "DV-104", "DV-111"})
"""The divergences in every `mysqlType` of a column whose definition shows them; DV-102 follows from the statement."""
_SHAPE = re.compile(r"([^(]*?)(\(.*\))?((?: unsigned)?(?: zerofill)?)", re.DOTALL)
_SIZES = ("tiny", "medium", "long", "")


def _parts(text: str) -> tuple[str, str, str]:
    """Word, parameters and signs: `int(10) unsigned` → `int`, `(10)`, ` unsigned`."""
    found = _SHAPE.fullmatch(text)
    return (text, "", "") if found is None else (found[1], found[2] or "", found[3])


_ESCAPES = str.maketrans({"\0": "\\0", "\n": "\\n", "\r": "\\r"})


def _escaped(text: str) -> str:
    """The members of a type as TiDB escapes them; a run of backslashes counts as one."""
    return re.sub(r"\\+", r"\\", text.translate(_ESCAPES))


def _is_default_width(column: Column, upstream: str, ticdc: str) -> bool:
    """Whether TiDB added parameters to those that were declared, or dropped the declared ones."""
    if ticdc == "":
        return column.type.family in (Family.FLOAT, Family.DOUBLE, Family.TEXT, Family.BLOB)
    return upstream in ("", ticdc.replace(",0)", ")"))


def _is_of_family(column: Column, text: str) -> bool:
    try:
        return parse_column_type(text, column.charset).family is column.type.family
    except Rejected:
        return False


def mysql_type_divergences(column: Column, upstream: str, ticdc: str, *, mariadb: bool, full: bool) -> Iterator[str]:
    """The divergence of each differing part of a `mysqlType`; "" for a part without one.

    `full`: TiCDC's content-compatible mode.
    """
    column_type = column.type
    word, parameters, signs = _parts(upstream)
    its_word, its_parameters, its_signs = _parts(ticdc)
    if word != its_word:
        if column_type.family is Family.JSON and mariadb and word == "longtext":
            yield "DV-107"
        elif (
            column_type.length is not None
            and word in {size + its_word for size in _SIZES}
            and its_word in ("text", "blob")
        ):
            yield "DV-111"
        else:
            yield "DV-102" if _is_of_family(column, upstream) else ""
    if parameters != its_parameters:
        if its_parameters == "" and not full:
            yield "DV-02"
        elif column_type.members:
            same = _escaped(parameters) == _escaped(its_parameters)
            yield "DV-104" if same else ""
        else:
            yield "DV-12" if _is_default_width(column, parameters, its_parameters) else ""
    if signs != its_signs:
        yield "DV-102" if word.lower() == "serial" else ""


_TYPE = ("type", "name", "version")

SCHEMA_MEMBERS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("DBZ-209", "DBZ-209a", "DBZ-502", "DBZ-504", "DBZ-505", "DBZ-552", "DBZ-580", "DBZ-709"), _TYPE),
    **dict.fromkeys(("DBZ-503", "DBZ-709c"), (*_TYPE, "parameters")),
    **dict.fromkeys(("DBZ-571", "DBZ-572", "DBZ-573"), ("parameters",)),
    "DBZ-542": ("tidb_type", "parameters"),
}
"""By divergence, the members of a column's field in a schema that it covers."""


@dataclass(frozen=True, slots=True)
class TypeNamer:
    """Finds the divergences of type names between two sides."""

    divergences: Mapping[str, Divergence]  # by id; empty for unrelated dialects
    flipped: bool  # TiCDC's side is the left one
    options: Mapping[str, Mapping[str, str]]  # by dialect

    @classmethod
    def of(cls, left: Side, right: Side) -> TypeNamer:
        """The namer for two sides under their options."""
        divergences, flipped = divergences_of(left, right)
        options = {side.dialect: side.every_option() for side in (left, right)}
        return cls({one.id: one for one in divergences}, flipped, options)

    def names(self, column: Column, member: str, left: str | None, right: str | None, sample: Value) -> list[Name]:
        """The divergences of a difference in a member, none if a part of it is unexplained.

        `sample` is a value of the column.
        """
        upstream, ticdc = (right, left) if self.flipped else (left, right)
        find = _FINDERS.get(member, TypeNamer._of_field)
        ids = dict.fromkeys(find(self, column, member, upstream or "", ticdc or "", sample))
        found = [self.divergences.get(id_) for id_ in ids]
        return [] if None in found else [Name(one.id, one.documented) for one in found if one is not None]

    def _of_mysql_type(self, column: Column, member: str, upstream: str, ticdc: str, sample: Value) -> Iterator[str]:
        if self.divergences:
            mariadb = self.options[CANAL.name]["server"] == "mariadb"
            full = self.options[CANAL_JSON.name]["content-compatible"] == "true"
            yield from mysql_type_divergences(column, upstream, ticdc, mariadb=mariadb, full=full)

    def _of_sql_type(self, column: Column, member: str, upstream: str, ticdc: str, sample: Value) -> Iterator[str]:
        return self._of_values(("DV-54", "DV-105", "DV-107"), column, sample)

    def _of_field(self, column: Column, member: str, upstream: str, ticdc: str, sample: Value) -> Iterator[str]:
        return self._of_values([id_ for id_, members in SCHEMA_MEMBERS.items() if member in members], column, sample)

    def _of_values(self, ids: Iterable[str], column: Column, sample: Value) -> Iterator[str]:
        """The divergences, out of `ids`, that concern a value of the column."""
        cell = canonical(column.type, sample)
        for id_ in ids:
            one = self.divergences.get(id_)
            if one is None or (one.types and column.type.family.value not in one.types):
                continue
            if one.predicate in COLUMN_CELLS:
                concerned = COLUMN_CELLS[one.predicate](column, cell, cell)
            else:
                concerned = one.predicate not in VALUES or VALUES[one.predicate](column.type, cell)
            if concerned:
                yield id_


_Finder = Callable[[TypeNamer, Column, str, str, str, Value], Iterator[str]]
_FINDERS: Mapping[str, _Finder] = {"mysqlType": TypeNamer._of_mysql_type, "sqlType": TypeNamer._of_sql_type}
