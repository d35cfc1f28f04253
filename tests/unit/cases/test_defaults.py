"""NULL beside DEFAULT: which values can be a default, what old rows hold, and what the corpora try of it."""

from collections.abc import Iterator
from functools import cache

import pytest

from conformance.cases.added import added_inputs, implicit_default
from conformance.cases.defaults import default_inputs, literal_default
from conformance.cases.inputs import Input, column
from conformance.cases.sql import default_literal, definition, script
from conformance.catalogue.corpora import load_families
from conformance.errors import SuiteError
from reference_impl.column_types import Family, parse_column_type
from reference_impl.model import ABSENT, Column, DdlEvent, Expression, Index, RawText, RowChange, Table


@cache
def inputs() -> tuple[Input, ...]:
    return (*default_inputs(), *added_inputs())


def named(name: str) -> Input:
    [found] = [i for i in inputs() if i.name == name]
    return found


def changes(given: Input) -> Iterator[tuple[Table, RowChange]]:
    """Each row change with the version of its table."""
    versions = {t.id: t for t in given.tables}
    for event in given.events:
        if isinstance(event, DdlEvent) and event.table_after:
            versions[event.table_after.id] = event.table_after
        if isinstance(event, RowChange):
            yield versions[event.schema, event.table], event


LITERALS = {
    "a number is its text": ("decimal(10,2)", "-0.01", "-0.01"),
    "bits are the number they are": ("bit(10)", "341", "341"),
    "text of four letters is text": ("varchar(9)", "null", "null"),
    "bytes are the text that they are": ("varbinary(8)", "测".encode(), "测"),
    "padding is no part of the literal": ("binary(4)", b"ab\0\0", "ab"),
    "a zero byte is kept where nothing is padded": ("varbinary(4)", b"a\0", "a\0"),
    "bytes that are no text have none": ("varbinary(4)", b"\xff", None),
    "text that is not UTF-8 has none": ("varchar(9)", RawText(b"\xff"), None),
    "the invalid ENUM value has none": ("enum('a')", Index(0), None),
    "NULL has none": ("int", None, None),
    "TEXT has none": ("text", "a", None),
    "BLOB has none": ("blob", b"a", None),
    "JSON has none": ("json", "{}", None),
    "VECTOR has none": ("vector(1)", "[1]", None),
}


@pytest.mark.parametrize(("kind", "value", "expected"), LITERALS.values(), ids=LITERALS)
def test_a_default_is_written_as_the_harness_protocol_says(kind: str, value: object, expected: str | None) -> None:
    assert literal_default(column("c", kind), value) == expected  # type: ignore[arg-type]


IMPLICIT: dict[str, str | bytes | None] = {
    **dict.fromkeys(("int", "double", "decimal(10,0)", "bit(9)", "year"), "0"),
    **dict.fromkeys(("varchar(9)", "text", "set('a')"), ""),
    "decimal(10,2)": "0.00",
    "binary(3)": b"\0\0\0",
    "varbinary(3)": b"",
    "enum('b','a')": "b",
    "date": "0000-00-00",
    "datetime(3)": "0000-00-00 00:00:00.000",
    "timestamp": "0000-00-00 00:00:00",
    "time(1)": "00:00:00.0",
    "json": "null",
    "vector(2)": None,
}


@pytest.mark.parametrize(("kind", "expected"), IMPLICIT.items())
def test_old_rows_hold_the_zero_of_their_type_in_a_not_null_column_without_a_default(kind, expected) -> None:
    assert implicit_default(parse_column_type(kind)) == expected


def test_every_boundary_that_can_be_a_default_is_one_in_a_table_and_in_a_column_added_later() -> None:
    wanted = {
        (d.label, name)
        for f in load_families()
        for d in f.declarations
        for name, value in d.boundaries.items()
        if literal_default(d.column, value) is not None
    }
    literal = [i.axes for i in inputs() if i.axes["default"] == "literal" and "boundary" in i.axes]
    assert wanted == {(a["type"], a["boundary"]) for a in literal if "stream" not in a}
    assert wanted == {(a["type"], a["boundary"]) for a in literal if a.get("stream") == "added later"}


# (whether the value was NULL, whether it is now; None without an image) → what a row change does.
MOVES = {
    (None, True): "an explicit NULL is inserted",
    (False, True): "a value becomes NULL",
    (True, False): "NULL becomes a value",
    (True, True): "NULL stays while another column changes",
    (True, None): "a row with NULL is deleted",
}


def nulls(given: Input) -> set[str]:
    """Which of the moves an input makes in a nullable column with a default."""
    found = set()
    for table, event in changes(given):
        for c in table.columns:
            if c.nullable and c.default is not None and c.default is not ABSENT:
                was, now = (None if row is None else row[c.name] is None for row in (event.before, event.after))
                found.add(MOVES.get((was, now), "other"))
    return found


@pytest.mark.parametrize("family", [f.name for f in load_families()])
def test_every_move_of_null_is_made_over_a_default_of_every_family_that_can_have_one(family: str) -> None:
    given = [i for i in inputs() if i.axes["family"] == family and i.axes["default"] == "literal"]
    declared = next(f for f in load_families() if f.name == family).declarations[0]
    possible = any(literal_default(declared.column, v) is not None for v in declared.boundaries.values())
    assert set(MOVES.values()) <= {move for i in given for move in nulls(i)} or not possible


@pytest.mark.parametrize("family", [f.name for f in load_families()])
def test_columns_are_added_later_nullable_and_not_null_with_and_without_a_default(family: str) -> None:
    added = [i for i in inputs() if i.axes.get("stream") == "added later" and i.axes["family"] == family]
    columns = [e.table_after.columns[-1] for i in added for e in i.events if isinstance(e, DdlEvent) and e.table_after]
    kinds = {("NULL" if c.default is None else "none" if c.default is ABSENT else "value", c.nullable) for c in columns}
    kind = columns[0].type.family
    assert {("NULL", True), ("none", True)} <= kinds
    assert ("none", False) in kinds or kind is Family.VECTOR
    if "value" in {default for default, _ in kinds}:
        assert {("value", True), ("value", False)} <= kinds


def test_an_old_row_has_the_default_that_the_column_was_added_with() -> None:
    given = named("default/binary(4)/padded/not null/added later")
    first = next(e for _, e in changes(given) if e.op == "update")
    assert first.before == {"id": "1", "a": "x", "c": b"ab\0\0"}
    assert first.after == {"id": "1", "a": "y", "c": b"ab\0\0"}


def test_rows_keep_what_they_hold_when_the_default_changes() -> None:
    given = named("default/year/changes")
    held = [
        (table.columns[1].default, event.before["c"], event.after["c"])
        for table, event in changes(given)
        if event.op == "update" and event.before and event.after and event.before["id"] == "1"
    ]
    assert held == [("2155", "0", "0"), ("0", "0", "2155")]


def test_no_row_has_null_in_a_not_null_column() -> None:
    wrong = [
        (given.name, c.name)
        for given in inputs()
        for table, event in changes(given)
        for row in (event.before, event.after)
        for c in table.columns
        if row is not None and not c.nullable and row[c.name] is None
    ]
    assert wrong == []


def test_an_update_changes_something_or_is_one_of_a_type_with_a_single_value() -> None:
    idle = {i.axes["type"] for i in inputs() for _, e in changes(i) if e.op == "update" and e.before == e.after}
    single = {d.label for f in load_families() for d in f.declarations if len(set(d.boundaries.values())) == 1}
    assert idle <= single


def test_nothing_that_a_protocol_may_refuse_is_in_these_rows() -> None:
    refused = [
        given.name
        for given in inputs()
        for _, event in changes(given)
        for row in (event.before, event.after)
        if any(isinstance(value, (Index, RawText)) for value in (row or {}).values())
    ]
    assert refused == []


@pytest.mark.parametrize("kind", ["datetime", "timestamp"])
@pytest.mark.parametrize("fsp", range(7))
def test_the_time_of_the_statement_is_a_default_with_every_fraction(kind: str, fsp: int) -> None:
    digits = f"({fsp})" if fsp else ""
    [made] = named(f"default/{kind}{digits}/CURRENT_TIMESTAMP{digits}").tables
    now = Expression(f"CURRENT_TIMESTAMP{digits}")
    forms = {(c.default, c.nullable, c.on_update_now) for c in made.columns[1:-1]}
    assert forms == {
        *((now, nullable, updated) for nullable in (True, False) for updated in (True, False)),
        (ABSENT, True, True),
    }


# -- as SQL --------------------------------------------------------------------------------------------------------

DEFINITIONS = {
    "bits": ("bit(4)", "5", "`c` bit(4) DEFAULT b'0101'"),
    "a binary literal": ("varbinary(8)", "it's \\", "`c` varbinary(8) DEFAULT 'it''s \\\\'"),
    "a zero byte": ("varchar(8)", "a\0b", "`c` varchar(8) DEFAULT 'a\\0b'"),
    "NULL": ("time(3)", None, "`c` time(3) DEFAULT NULL"),
    "a nullable TIMESTAMP says so": ("timestamp", None, "`c` timestamp NULL DEFAULT NULL"),
    "negative zero": ("double", "-0", "`c` double DEFAULT -0e0"),
    "an empty text": ("char(1)", "", "`c` char(1) DEFAULT ''"),
    "a label with a quote": ("enum('it''s')", "it's", "`c` enum('it''s') DEFAULT 'it''s'"),
}


@pytest.mark.parametrize(("kind", "default", "expected"), DEFINITIONS.values(), ids=DEFINITIONS)
def test_a_default_is_a_clause_of_the_definition(kind: str, default: str | None, expected: str) -> None:
    assert definition(Column("c", parse_column_type(kind), default=default)) == expected


def test_a_default_that_is_set_later_is_written_like_one_of_a_definition() -> None:
    queries = [e.query for e in named("default/bit(8)/changes").events if isinstance(e, DdlEvent)]
    assert queries == [
        "ALTER TABLE `t` ALTER COLUMN `c` SET DEFAULT b'11111111'",
        "ALTER TABLE `t` ALTER COLUMN `c` DROP DEFAULT",
        "ALTER TABLE `t` MODIFY COLUMN `c` bit(8) NOT NULL DEFAULT b'00000000'",
    ]


def test_a_column_without_a_default_has_no_literal() -> None:
    with pytest.raises(SuiteError, match="'c' has no default"):
        default_literal(column("c", "int"))


@pytest.mark.parametrize("name", ["default/date/zero", "default/datetime/zero/added later", "default/date/changes"])
def test_a_default_with_zeros_in_its_date_is_declared_outside_the_strict_modes(name: str) -> None:
    given = named(name)
    assert script(given.tables, given.events)[1] == "SET sql_mode = ''"


def test_an_update_names_every_column_that_would_change_by_itself() -> None:
    given = named("default/datetime/CURRENT_TIMESTAMP")
    *_, last, _ = script(given.tables, given.events)
    assert "SET `nu`=NULL,`u`=NULL,`mu`='2037-12-31 23:59:59',`v`=NULL WHERE" in last
