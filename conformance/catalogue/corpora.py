"""The corpora: column types with boundaries, forms of tables, options, names, statements.

The data are `fixtures/corpora/*.toml`, whose forms are in `fixtures/schemas/corpora.schema.json`. `conformance.cases`
makes cases of them.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.sealed import read_toml
from conformance.errors import SuiteError
from reference_impl.column_types import BINARY
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.model import Column, Row, Table, Value
from reference_impl.values import from_wire
from reference_impl.wire import column_from_json, table_from_json

__all__ = [
    "Declaration",
    "Family",
    "Names",
    "Need",
    "OptionSpace",
    "Refusal",
    "Sample",
    "SmokeTable",
    "Statement",
    "Sweep",
    "TableForm",
    "Unrepresentable",
    "Zone",
    "load_action_codes",
    "load_families",
    "load_names",
    "load_option_space",
    "load_samples",
    "load_smoke_tables",
    "load_statement_texts",
    "load_statements",
    "load_table_forms",
    "load_zones",
]


@dataclass(frozen=True, slots=True)
class Declaration:
    """A column type as declared."""

    label: str
    column: Column  # a nullable column `c` of the type
    boundaries: Mapping[str, Value]  # by name


@dataclass(frozen=True, slots=True)
class Family:
    """Column types of one family; the first declaration has NULL and most boundaries, the others some of their own."""

    name: str
    declarations: tuple[Declaration, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """A column of a type, and two values that implementations easily confuse, or one value and NULL."""

    column: Column  # nullable; named `c` if the name does not matter
    value: Value
    other: Value


@dataclass(frozen=True, slots=True)
class TableForm:
    """A form of table, with a row and the values of two changes of it."""

    table: Table
    expressions: Mapping[str, str]  # by generated column
    row: Row
    other: Row  # other values for columns outside the keys
    rekeyed: Row  # another key; empty if no case changes it


@dataclass(frozen=True, slots=True)
class SmokeTable:
    """A table of the smoke set and its rows; `name` begins with its number in the set."""

    name: str
    table: Table
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A DDL statement; `after` is its effect on the table: added, dropped, changed, same, gone, or "" for none."""

    code: int
    action: str
    query: str
    table: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Need:
    """A value of an option, and the options that it requires."""

    option: str
    value: str
    needs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A configuration that the protocol refuses, and the requirements that it breaks."""

    name: str
    options: Mapping[str, str]
    requirements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A value of an option that cases combine with all tables, column types and so on."""

    option: str
    value: str
    over: tuple[str, ...]  # what it is combined with: `tables`, `types`, `defaults`, `changes`
    without_handle: tuple[str, ...] = ()  # the requirements that refuse a delete in a table without a handle key
    handle_needed_by: frozenset[str] = frozenset()  # the profiles under which a table without a handle key is left out


@dataclass(frozen=True, slots=True)
class Unrepresentable:
    """An input that a protocol has no form for."""

    what: str  # its name in `cases.unrepresentable`
    classes: frozenset[RejectionClass]  # of the rejection; empty if the outcome is undefined: then it has no case
    requirements: tuple[str, ...]  # those that refuse it


@dataclass(frozen=True, slots=True)
class OptionSpace:
    """The options of a protocol that change its messages."""

    protocol: str
    values: Mapping[str, tuple[str, ...]]  # option → its values; the first one is the default
    visible: Mapping[str, str]  # the options under which messages have time stamps and there are watermarks
    together: tuple[Need, ...]
    sweeps: tuple[Sweep, ...]
    refused: tuple[Refusal, ...]
    at_limit: tuple[str, ...]  # the requirements by which a row of exactly the largest size is sent
    too_large: tuple[str, ...]  # those that refuse a row that is too large; empty if the protocol has no such rule
    # Value of `large-message-handle-option` → the requirements that refuse a row whose handle key is too large.
    too_large_still: Mapping[str, tuple[str, ...]]
    no_handle: tuple[str, ...]  # the requirements that refuse a row without a needed handle key
    limited: bool = True  # False if every size is allowed
    unrepresentable: tuple[Unrepresentable, ...] = ()

    def with_needs(self, choice: Mapping[str, str]) -> dict[str, str]:
        """A choice of values other than the defaults, with the options that they require."""
        options = {name: value for name, value in choice.items() if value != self.values[name][0]}
        for need in self.together:
            if options.get(need.option) == need.value:
                options |= need.needs
        return options


@dataclass(frozen=True, slots=True)
class Names:
    """Names for schemas, tables and columns that implementations may mishandle."""

    names: Mapping[str, str]  # label → name
    members: Mapping[str, tuple[str, ...]]  # protocol → the names of members in its messages


@dataclass(frozen=True, slots=True)
class Zone:
    """A time zone and instants in it, as TIMESTAMP texts; `label` distinguishes entries of one zone."""

    name: str
    instants: tuple[str, ...]
    label: str


def _toml(name: str) -> dict[str, Any]:
    return read_toml(fixtures_root() / "corpora" / name)


def _expanded(given: Mapping[str, Any]) -> Any:
    """The value of a notation that is a TOML table, in the form of the harness protocol."""
    if "hex" in given:
        return bytes.fromhex(given["hex"])
    if "bytes" in given:
        first, last = given["bytes"]
        return bytes(range(first, last + 1))
    if "chars" in given:
        first, last = given["chars"]
        return "".join(map(chr, range(first, last + 1)))
    if "not_text" in given:
        return {"base64": base64.b64encode(bytes.fromhex(given["not_text"])).decode("ascii")}
    if "index" in given:
        return {"index": str(given["index"])}
    before, after = given.get("around", ("", ""))
    return f"{before}{given['repeat'] * given['times']}{after}"


def _value(column: Column, given: Any) -> Value:
    value = _expanded(given) if isinstance(given, dict) else given
    if column.type.family in BINARY:
        data = value.encode() if isinstance(value, str) else value
        value = base64.b64encode(data).decode("ascii")
    return from_wire(column.type, value)


def _declaration(given: Mapping[str, Any]) -> Declaration:
    members = {name: given[name] for name in ("charset", "collation") if name in given}
    column = column_from_json({"name": "c", "type": given["type"], **members})
    label = given.get("label", given["type"])
    label += "".join(f" {given[name]}" for name in ("collation", "charset") if name in given)
    try:
        boundaries = {name: _value(column, value) for name, value in given["boundaries"].items()}
    except Rejected as e:
        raise SuiteError(f"corpora/types.toml: {label}: {e.message}") from None
    return Declaration(label, column, boundaries)


@cache
def load_families() -> tuple[Family, ...]:
    """The families of column types. Raises `SuiteError` for a boundary that is not a value of its type."""
    families = []
    for given in _toml("types.toml")["family"]:
        first = _declaration(given)
        first = replace(first, boundaries={**first.boundaries, "NULL": None})
        families.append(Family(given["name"], (first, *map(_declaration, given.get("variants", ())))))
    return tuple(families)


@cache
def load_samples(group: str) -> tuple[Sample, ...]:
    """The samples of a group in values.toml. Raises `SuiteError` for a value that does not fit its type."""
    samples = []
    for given in _toml("values.toml")[group]:
        column = column_from_json({"name": given.get("name", "c"), "type": given["type"]})
        try:
            value, *others = (_value(column, value) for value in given["values"])
        except Rejected as e:
            raise SuiteError(f"corpora/values.toml: {given['type']}: {e.message}") from None
        samples.append(Sample(column, value, *others or [None]))
    return tuple(samples)


# The key of a table of the smoke set that has none itself: a column that numbers the rows.
_NUMBER = {"name": "id", "type": "int", "nullable": False}


def _row(table: Table, given: Mapping[str, Any]) -> Row:
    columns = {c.name: c for c in table.columns}
    return {name: from_wire(columns[name].type, value) for name, value in given.items()}


@cache
def load_table_forms() -> tuple[TableForm, ...]:
    """The forms of tables, in schema `test`."""
    forms = []
    for given in _toml("tables.toml")["table"]:
        table = table_from_json({"schema": "test", **given})
        rows = (_row(table, given.get(name, {})) for name in ("row", "other", "rekeyed"))
        forms.append(TableForm(table, given.get("expressions", {}), *rows))
    return tuple(forms)


def _smoke_table(given: Mapping[str, Any]) -> SmokeTable:
    key = given.get("primary_key", ["id"])
    columns = given["columns"] if "primary_key" in given else [_NUMBER, *given["columns"]]
    table = table_from_json({"schema": "test", "name": "t", "columns": columns, "primary_key": key})
    by_name = {c.name: c for c in table.columns}
    rows = []
    for number, row in enumerate(given["rows"], 1):
        numbered = row if "primary_key" in given else {"id": str(number), **row}
        rows.append({name: _value(by_name[name], value) for name, value in numbered.items()})
    return SmokeTable(given["name"], table, tuple(rows))


@cache
def load_smoke_tables() -> tuple[SmokeTable, ...]:
    """The tables of the smoke set, all `test.t`. Raises `SuiteError` for a value that does not fit its column."""
    try:
        return tuple(map(_smoke_table, _toml("smoke.toml")["smoke"]))
    except Rejected as e:
        raise SuiteError(f"corpora/smoke.toml: {e.message}") from None


@cache
def load_statements() -> tuple[Statement, ...]:
    """The DDL statements, by action code."""
    return tuple(Statement(**given) for given in _toml("statements.toml")["statement"])


@cache
def load_action_codes() -> Mapping[str, int]:
    """Action of a DDL statement → its code in TiDB."""
    return {statement.action: statement.code for statement in load_statements()}


@cache
def load_statement_texts() -> Mapping[str, str]:
    """Name → text, for unusual texts of statements about the table `t`."""
    texts = _toml("statements.toml")["texts"]
    return {name: _expanded(text) if isinstance(text, dict) else text for name, text in texts.items()}


def _sweep(given: Mapping[str, Any]) -> Sweep:
    without_handle, needed_by = tuple(given.get("without_handle", ())), frozenset(given.get("handle_needed_by", ()))
    return Sweep(given["option"], given["value"], tuple(given["over"]), without_handle, needed_by)


def _unrepresentable(given: Mapping[str, Any]) -> Unrepresentable:
    classes = frozenset(map(RejectionClass, given["classes"]))
    return Unrepresentable(given["what"], classes, tuple(given["requirements"]))


@cache
def load_option_space(protocol: str) -> OptionSpace:
    """The options of a protocol. Raises `SuiteError` for a protocol without options."""
    for given in _toml("options.toml")["protocol"]:
        if given["name"] == protocol:
            return OptionSpace(
                protocol=protocol,
                values={name: tuple(values) for name, values in given["values"].items()},
                visible=given["visible"],
                together=tuple(Need(**need) for need in given["together"]),
                sweeps=tuple(_sweep(sweep) for sweep in given["sweep"]),
                refused=tuple(Refusal(r["name"], r["options"], tuple(r["requirements"])) for r in given["refused"]),
                at_limit=tuple(given["at_limit"]),
                too_large=tuple(given["too_large"]),
                too_large_still={name: tuple(ids) for name, ids in given["too_large_still"].items()},
                no_handle=tuple(given["no_handle"]),
                limited=given.get("limited", True),
                unrepresentable=tuple(map(_unrepresentable, given.get("unrepresentable", ()))),
            )
    raise SuiteError(f"corpora/options.toml: nothing about {protocol}")


@cache
def load_names() -> Names:
    """Names of schemas, tables and columns."""
    given = _toml("names.toml")
    return Names(given["names"], {protocol: tuple(names) for protocol, names in given["members"].items()})


@cache
def load_zones() -> tuple[Zone, ...]:
    """Time zones."""
    return tuple(Zone(z["name"], tuple(z["instants"]), z.get("label", "")) for z in _toml("names.toml")["zone"])
