"""Encoders that get the columns of tables in DDL messages wrong.  [DBZ-325c, DBZ-327 … DBZ-339]"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.edits import Message, Tree, Wrap, ddl, encoder
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.debezium_json.statement import definitions
from reference_impl.model import Absent, Column
from reference_impl.wire import table_from_json

__all__ = ["MUTANTS"]

Applies = Callable[[Column, bool], bool]
Make = Callable[[Any, Column], Any]

_CLOCKS = frozenset({Family.DATETIME, Family.TIME, Family.TIMESTAMP})
_CHARACTERS = TEXT | {Family.ENUM, Family.SET}


def _columns(edit: Callable[[Tree, Column, bool], Any]) -> Wrap:
    """The columns of a table are edited, told the column and whether the statement defines it."""

    def each(message: Message, context: Context) -> None:
        table = message.find("value.payload.tableChanges.0.table")
        query = message.payload["ddl"]
        events = (e for e in context.request["events"] if e["kind"] == "ddl" and e["query"] == query)
        after = next((e.get("table_after") for e in events), None)
        if table and after:
            columns = {column.name: column for column in table_from_json(after).columns}
            defined = definitions(query)
            for given in table["columns"]:
                if given["name"] in columns:
                    edit(given, columns[given["name"]], given["name"] in defined)

    return ddl(each)


def _member(name: str, applies: Applies, make: Make) -> Wrap:
    """A member of the columns that fit is another."""

    def edit(given: Tree, column: Column, defined: bool) -> None:
        if applies(column, defined):
            given[name] = make(given[name], column)

    return _columns(edit)


def _lost(name: str) -> Wrap:
    return _columns(lambda given, column, defined: given.pop(name))


# -- which columns -----------------------------------------------------------------------------------------------------


def _any(column: Column, defined: bool) -> bool:
    return True


def _of(*families: Family) -> Applies:
    return lambda column, defined: column.type.family in families


def _defined(*families: Family) -> Applies:
    return lambda column, defined: defined and column.type.family in families


def _plain_int(column: Column, defined: bool) -> bool:
    return column.type.family is Family.INT and not column.type.unsigned


def _not_int(column: Column, defined: bool) -> bool:
    return not _plain_int(column, defined)


def _counts(column: Column, defined: bool) -> bool:
    return column.auto_increment or (column.type.family is Family.TIMESTAMP and column.on_update_now)


def _plain(column: Column, defined: bool) -> bool:
    return not _counts(column, defined) and column.generated is None


def _has_default(column: Column) -> bool:
    return column.default is not None and not isinstance(column.default, Absent)


def _is_implied(column: Column, defined: bool) -> bool:
    return column.charset is None and column.collation == "utf8_unicode_ci"


# -- what is written ---------------------------------------------------------------------------------------------------


def _to(value: Any) -> Make:
    return lambda given, column: value


def _comment(given: Any, column: Column) -> Any:
    return column.comment or None


def _lengthy(given: Any, column: Column) -> Any:
    return (column.type.length or 11) if given is None else given


def _one_more(given: Any, column: Column) -> Any:
    return given if given is None else given + 1


def _none_if_null(make: Callable[[Any], Any]) -> Make:
    return lambda given, column: None if given is None else make(given)


def _fitting(value: Any, applies: Callable[[Any, Column], bool]) -> Make:
    return lambda given, column: value if applies(given, column) else given


def _given_null(given: Any, column: Column) -> bool:
    return given is None


def _with_parameters(given: str, column: Column) -> str:
    return f"{given}({column.type.length})" if column.type.length and "(" not in given else given


def _without_parameters(given: str, column: Column) -> str:
    return given.partition("(")[0]


def _doubled(labels: Any, column: Column) -> Any:
    return [f"'{label[1:-1].replace(chr(39), chr(39) * 2)}'" for label in labels] if labels else labels


def _bare(labels: Any, column: Column) -> Any:
    return [label[1:-1] for label in labels] if labels else labels


def _listed(labels: Any, column: Column) -> Any:
    return f"[{', '.join(labels)}]" if labels else labels


def _now_word(given: Any, column: Column) -> Any:
    return "CURRENT_TIMESTAMP" if given == "1970-01-01 00:00:00" else given


def _bit_number(given: Any, column: Column) -> Any:
    return given if given is None else str(int(given, 2) + 2)


def _quoted_default(given: Any, column: Column) -> Any:
    plain = given is not None and given != "1970-01-01 00:00:00"
    return f"'{given}'" if plain and column.type.family is not Family.BIT else given


_USUAL = frozenset({Family.TINYINT, Family.SMALLINT, Family.MEDIUMINT, Family.INT, Family.BIGINT})
_OWN_LENGTH = frozenset({Family.CHAR, Family.VARCHAR, Family.BINARY, Family.VARBINARY, Family.DECIMAL, Family.BIT})
_WITH_SCALE = frozenset({Family.DECIMAL, Family.FLOAT, Family.DOUBLE})

# (requirement, name, what is wrong, member, columns, what is written made of the right value)
_FAULTS: tuple[tuple[str, str, str, str, Applies, Make], ...] = (
    ("DBZ-325c", "name-upper-case", "names of columns in upper case", "name", _any, lambda v, c: v.upper() + "_"),
    ("DBZ-327", "position-from-zero", "position counts from 0", "position", _any, lambda v, c: v - 1),
    ("DBZ-330a", "native-type", "nativeType is a number", "nativeType", _any, _to(-1)),
    (
        "DBZ-331",
        "comment-of-defined",
        "comment is that of every column",
        "comment",
        lambda c, defined: defined,
        _comment,
    ),
    (
        "DBZ-331a",
        "digits-zero",
        "no fractional digits are 0",
        "length",
        _defined(*_CLOCKS),
        lambda v, c: 0 if v is None else v,
    ),
    ("DBZ-331a", "digits-lost", "fractional digits are null", "length", _defined(*_CLOCKS), _to(None)),
    (
        "DBZ-331b",
        "clock-default-lost",
        "defaults of defined clock columns are null",
        "defaultValueExpression",
        _defined(*_CLOCKS, Family.YEAR),
        _to(None),
    ),
    (
        "DBZ-333",
        "comment-lost",
        "comment is null",
        "comment",
        lambda c, defined: not defined and bool(c.comment),
        _to(None),
    ),
    (
        "DBZ-333",
        "comment-upper-case",
        "comment in upper case",
        "comment",
        lambda c, defined: bool(c.comment),
        _none_if_null(lambda text: f"{text}."),
    ),
    (
        "DBZ-333a",
        "comment-empty",
        "comment of a column without one is empty",
        "comment",
        lambda c, defined: not c.comment,
        _to(""),
    ),
    ("DBZ-334", "default-quoted", "defaults are in quotes", "defaultValueExpression", _any, _quoted_default),
    (
        "DBZ-334",
        "default-lost",
        "defaults are null",
        "defaultValueExpression",
        lambda c, defined: c.type.family not in (*_CLOCKS, Family.YEAR),
        _to(None),
    ),
    ("DBZ-334a", "default-now", "CURRENT_TIMESTAMP is that word", "defaultValueExpression", _of(*_CLOCKS), _now_word),
    (
        "DBZ-334b",
        "default-empty",
        "the default of columns without one is empty",
        "defaultValueExpression",
        lambda c, defined: not _has_default(c),
        lambda v, c: "" if v is None else v,
    ),
    (
        "DBZ-334c",
        "default-bit-number",
        "the default of a BIT is a number",
        "defaultValueExpression",
        _of(Family.BIT),
        _bit_number,
    ),
    ("DBZ-335", "labels-bare", "labels of ENUM have no quotes", "enumValues", _of(Family.ENUM), _bare),
    ("DBZ-335", "labels-text", "labels of ENUM are a text", "enumValues", _of(Family.ENUM), _listed),
    ("DBZ-335", "labels-lost", "labels of ENUM are null", "enumValues", _of(Family.ENUM), _to(None)),
    ("DBZ-335a", "labels-of-set-lost", "labels of SET are null", "enumValues", _of(Family.SET), _to(None)),
    (
        "DBZ-335a",
        "labels-empty",
        "enumValues of other types is an empty array",
        "enumValues",
        lambda c, defined: not c.type.members,
        _to([]),
    ),
    ("DBZ-335b", "labels-doubled", "quotes in labels are doubled", "enumValues", _any, _doubled),
    ("DBZ-336", "counts-never", "autoIncremented is never true", "autoIncremented", _counts, _to(False)),
    ("DBZ-336", "counts-generated-never", "generated is never true", "generated", _counts, _to(False)),
    ("DBZ-336a", "counts-always", "autoIncremented of a plain column is true", "autoIncremented", _plain, _to(True)),
    ("DBZ-336a", "counts-null", "autoIncremented of a plain column is null", "autoIncremented", _plain, _to(None)),
    ("DBZ-336c", "generated-null", "generated of a plain column is null", "generated", _plain, _to(None)),
    ("DBZ-336c", "generated-always", "generated of a plain column is true", "generated", _plain, _to(True)),
    (
        "DBZ-336b",
        "generated-true",
        "generated of a generated column is true",
        "generated",
        lambda c, defined: c.generated is not None,
        _to(True),
    ),
    ("DBZ-337", "optional-turned", "optional is turned round", "optional", _any, lambda v, c: not v),
    ("DBZ-337", "optional-always", "optional is always true", "optional", _any, _to(True)),
    ("DBZ-338", "int-code", "jdbcType of INT is -5", "jdbcType", _plain_int, _to(-5)),
    ("DBZ-338l", "int-name", "typeName of INT is INTEGER", "typeName", _plain_int, _to("INTEGER")),
    ("DBZ-338m", "int-expression", "typeExpression of INT is int(11)", "typeExpression", _plain_int, _to("INT(11)")),
    (
        "DBZ-338a",
        "code-of-mysql",
        "jdbcType of TINYINT is -6",
        "jdbcType",
        lambda c, defined: c.type.family is Family.TINYINT,
        _to(-6),
    ),
    ("DBZ-338a", "code-of-timestamp", "jdbcType of TIMESTAMP is 93", "jdbcType", _of(Family.TIMESTAMP), _to(93)),
    ("DBZ-338b", "name-lower-case", "typeName in lower case", "typeName", _not_int, lambda v, c: v.lower()),
    (
        "DBZ-338b",
        "name-unsigned-lost",
        "typeName lacks UNSIGNED",
        "typeName",
        _any,
        lambda v, c: v.removesuffix(" UNSIGNED"),
    ),
    (
        "DBZ-338c",
        "expression-with-length",
        "typeExpression has the length",
        "typeExpression",
        _of(Family.VARCHAR, Family.CHAR),
        _with_parameters,
    ),
    (
        "DBZ-338c",
        "expression-bare",
        "typeExpression of VECTOR and DOUBLE has no digits",
        "typeExpression",
        _any,
        _without_parameters,
    ),
    (
        "DBZ-338d",
        "charset-lost",
        "charsetName of texts is null",
        "charsetName",
        lambda c, defined: c.type.family in _CHARACTERS and not _is_implied(c, defined),
        _to(None),
    ),
    (
        "DBZ-338d",
        "charset-collation",
        "charsetName is the collation",
        "charsetName",
        lambda c, defined: not _is_implied(c, defined),
        _none_if_null(lambda name: f"{name}_bin"),
    ),
    (
        "DBZ-338e",
        "charset-of-collation",
        "the collation does not tell the charset",
        "charsetName",
        _is_implied,
        _to("utf8mb4"),
    ),
    (
        "DBZ-338f",
        "charset-of-numbers",
        "charsetName of other types is binary",
        "charsetName",
        lambda c, defined: c.type.family not in _CHARACTERS,
        _to("binary"),
    ),
    ("DBZ-338g", "length-other", "length is one more", "length", _of(*_OWN_LENGTH), _one_more),
    ("DBZ-338g", "length-zero", "length is 0", "length", _of(*_OWN_LENGTH), _none_if_null(lambda length: 0)),
    ("DBZ-338h", "length-usual", "length of integers is the usual one", "length", _of(*_USUAL), _lengthy),
    (
        "DBZ-338h",
        "length-of-blobs",
        "length of blobs is 0",
        "length",
        _of(*BINARY, *TEXT, Family.JSON),
        _fitting(0, _given_null),
    ),
    ("DBZ-338i", "scale-zero", "scale of DECIMAL is 0", "scale", _of(Family.DECIMAL), _to(0)),
    ("DBZ-338i", "scale-null", "scale of DECIMAL is null", "scale", _of(Family.DECIMAL), _to(None)),
    (
        "DBZ-338j",
        "scale-of-all",
        "scale of other types is 0",
        "scale",
        lambda c, defined: c.type.family not in _WITH_SCALE,
        _to(0),
    ),
    (
        "DBZ-338k",
        "length-of-set",
        "length of SET is the number of labels",
        "length",
        _of(Family.SET),
        lambda v, c: len(c.type.members) + 90,
    ),
    ("DBZ-338k", "length-of-enum", "length of ENUM is null", "length", _of(Family.ENUM), _to(None)),
    (
        "DBZ-339",
        "length-of-float",
        "length of FLOAT is 12",
        "length",
        lambda c, defined: c.type.family is Family.FLOAT and c.type.scale is None,
        _to(12),
    ),
)

# (requirement, member) of members that may be left out.
_LOST: tuple[tuple[str, str], ...] = (
    ("DBZ-325c", "name"),
    ("DBZ-327", "position"),
    ("DBZ-330a", "nativeType"),
    ("DBZ-337", "optional"),
    ("DBZ-336a", "autoIncremented"),
    ("DBZ-334", "defaultValueExpression"),
    ("DBZ-338d", "charsetName"),
    ("DBZ-338g", "length"),
    ("DBZ-338i", "scale"),
)
_ALSO: dict[str, tuple[str, ...]] = {
    "autoIncremented": ("DBZ-336",),
    "defaultValueExpression": ("DBZ-331b", "DBZ-334a", "DBZ-334b", "DBZ-334c"),
    "charsetName": ("DBZ-338e", "DBZ-338f"),
    "length": ("DBZ-331a", "DBZ-338h", "DBZ-338k", "DBZ-339"),
    "scale": ("DBZ-338j",),
}


def _name_last(given: Tree, column: Column, defined: bool) -> None:
    given["name"] = given.pop("name")


def _mutants() -> Iterator[Mutant]:
    for requirement, name, description, member, applies, make in _FAULTS:
        yield encoder(f"change-{name}", requirement, description, _member(member, applies, make))
    for requirement, member in _LOST:
        yield encoder(
            f"change-without-{member.lower()}",
            requirement,
            f"columns lack {member}",
            _lost(member),
            *_ALSO.get(member, ()),
        )
    yield encoder("change-order", "DBZ-330", "columns have their name last", _columns(_name_last))


MUTANTS: tuple[Mutant, ...] = tuple(_mutants())
