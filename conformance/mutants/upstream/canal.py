"""Encoders of the flat message that are wrong in one place: what a message is, its types, and its texts."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from conformance.mutants.model import Mutant
from conformance.mutants.upstream.edits import Json, Wrap, edit_records, edit_texts, edit_trees, tree_of
from conformance.mutants.wrappers import Context, accepts
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.model import Column
from reference_impl.upstream.canal.types import CODES

__all__ = ["ENCODERS"]


def _encoder(name: str, requirement: str, description: str, wrap: Wrap, *also: str) -> Mutant:
    return Mutant(f"canal/{name}", requirement, "encode", description, wrap, frozenset(also))


# -- messages --------------------------------------------------------------------------------------------------------


def _kind(tree: Any) -> str:
    return "ddl" if tree["isDdl"] else "rows" if tree["data"] is not None else "text"


def _of(kind: str, edit: Callable[[Json], Any]) -> Wrap:
    """Messages of one kind are edited in place."""

    def one(tree: Any, context: Context) -> None:
        if _kind(tree) == kind:
            edit(tree)

    return edit_trees(one)


def _with(kind: str, **members: Any) -> Wrap:
    return _of(kind, lambda tree: tree.update(members))


def _repeated(record: Json, context: Context) -> list[Json] | None:
    return [record, record] if _kind(tree_of(record)) == "rows" else None


def _without_text(record: Json, context: Context) -> list[Json] | None:
    return [] if _kind(tree_of(record)) == "text" else None


def _without_statement(record: Json, context: Context) -> list[Json] | None:
    return [] if _kind(tree_of(record)) == "ddl" else None


def _empty_key(record: Json, context: Context) -> None:
    record["key"] = ""


def _spread(record: Json, context: Context) -> None:
    if record.get("partition") is not None:
        record["partition"] = 1


def _backwards(data: bytes) -> bytes:
    members = json.loads(data)
    texts = data.decode()
    first = texts.index('"database"')
    return ("{" + texts[first:-1] + "," + texts[1 : first - 1] + "}").encode() if len(members) > 1 else data


def _last_column_lost(tree: Json) -> None:
    for row in tree["data"]:
        if len(row) > 1:
            row.popitem()


def _old_of_every_column(tree: Json) -> None:
    for row, old in zip(tree["data"], tree["old"] or (), strict=False):
        old.update({name: text for name, text in row.items() if name not in old})


_ENVELOPE = (
    _encoder("sends-messages-twice", "CJ-901", "every message of rows is sent twice", edit_records(_repeated)),
    _encoder("leaves-out-statements-of-rows", "CJ-655", "no QUERY message before rows", edit_records(_without_text)),
    _encoder("batch-without-number", "CJ-902", "id is 0", _of("rows", lambda tree: tree.update(id=0))),
    _encoder("type-in-lower-case", "CJ-903", "type is insert", _of("rows", lambda t: t.update(type=t["type"].lower()))),
    _encoder("gtid-unasked", "CJ-904", "gtid is there unasked", _of("rows", lambda t: t.update(gtid=t["gtid"] + "x"))),
    _encoder("es-in-milliseconds", "CJ-668", "es has milliseconds", _of("rows", lambda t: t.update(es=t["es"] + 702))),
    _encoder("key-of-zero-bytes", "CJ-204", "the key is empty and not null", edit_records(_empty_key)),
    _encoder("spread-over-partitions", "CJ-233", "messages go to another partition", edit_records(_spread)),
    _encoder("last-column-lost", "CJ-905", "data lacks the last column", _of("rows", _last_column_lost)),
    _encoder(
        "no-key-as-empty-list",
        "CJ-906",
        "pkNames is an empty list without a key",
        _of("rows", lambda tree: tree.update(pkNames=tree["pkNames"] or [])),
    ),
    _encoder("no-mysql-type", "CJ-907", "mysqlType is null", _with("rows", mysqlType=None)),
    _encoder("no-sql-type", "CJ-908", "sqlType is null", _with("rows", sqlType=None)),
    _encoder("extension-of-ticdc", "CJ-912", "there is a member _tidb", _with("rows", _tidb={"commitTs": 7})),
    _encoder(
        "old-rows-are-null",
        "CJ-510",
        "old has null for each row",
        _of("rows", lambda tree: tree.update(old=tree["old"] and [None for _ in tree["old"]])),
    ),
    _encoder("old-of-every-column", "CJ-511", "old has what did not change", _of("rows", _old_of_every_column)),
    _encoder(
        "old-is-an-empty-list",
        "CJ-512",
        "old is an empty list where nothing was before",
        _of("rows", lambda tree: tree.update(old=tree["old"] or [])),
    ),
    _encoder("members-in-another-order", "CJ-721", "data stands at the end", edit_texts(_backwards)),
    _encoder("escapes-slashes", "CJ-723", "a slash is escaped", edit_texts(lambda data: data.replace(b"/", b"\\/"))),
    _encoder("leaves-out-statements", "CJ-640", "no message of a statement", edit_records(_without_statement)),
    _encoder("every-statement-alters", "CJ-640", "type is ALTER of every statement", _with("ddl", type="ALTER")),
    _encoder("statements-without-table", "CJ-652", "table is empty in a statement's message", _with("ddl", table="")),
    _encoder(
        "statement-ends-in-semicolon",
        "CJ-653",
        "sql ends in a semicolon",
        _of("ddl", lambda tree: tree.update(sql=tree["sql"] + ";")),
    ),
    _encoder("statement-with-rows", "CJ-654", "data of a statement is an empty list", _with("ddl", data=[])),
    _encoder("writes-vectors", "CJ-428", "a VECTOR column does not stop it", accepts("type", "Canal stops")),
)


# -- types -----------------------------------------------------------------------------------------------------------

_Code: TypeAlias = Callable[[Column, str | None, int], int]


def _codes(families: frozenset[Family], code: _Code) -> Wrap:
    """Codes of columns of these families, by the last value and the right code."""

    def one(tree: Any, context: Context) -> None:
        if _kind(tree) != "rows":
            return
        for name, right in tree["sqlType"].items():
            column = context.steady_column(tree["database"], tree["table"], name)
            if column is not None and column.type.family in families:
                tree["sqlType"][name] = code(column, tree["data"][-1][name], int(right))

    return edit_trees(one)


def _shown(families: frozenset[Family], change: Callable[[str], str]) -> Wrap:
    """`mysqlType` of columns of these families."""

    def one(tree: Any, context: Context) -> None:
        if _kind(tree) != "rows":
            return
        for name, text in tree["mysqlType"].items():
            column = context.steady_column(tree["database"], tree["table"], name)
            if column is not None and column.type.family in families:
                tree["mysqlType"][name] = change(text)

    return edit_trees(one)


_FLOATS = frozenset({Family.FLOAT, Family.DOUBLE})
_LABELS = frozenset({Family.ENUM, Family.SET})
_SHORT = frozenset({Family.CHAR, Family.VARCHAR})
_GEOMETRY = frozenset({Family.GEOMETRY})
_NUMBERS = frozenset({*INTEGERS, Family.DECIMAL})
_STRINGS = (TEXT | BINARY) - _GEOMETRY


def _only_null(code: int) -> _Code:
    return lambda column, text, right: code if text is None else right


_TYPES = (
    _encoder(
        "no-wider-types",
        "CJ-420",
        "an unsigned integer always has the code of its own type",
        _codes(INTEGERS, lambda column, text, right: CODES[column.type.family]),
    ),
    _encoder("null-set-as-bits", "CJ-421", "NULL in a SET is -7", _codes(frozenset({Family.SET}), _only_null(-7))),
    _encoder("null-json-as-text", "CJ-422", "NULL in JSON is 12", _codes(frozenset({Family.JSON}), _only_null(12))),
    _encoder("null-codes-of-old", "CJ-423", "NULL in texts and bytes is -4", _codes(_STRINGS, _only_null(-4))),
    _encoder(
        "every-text-is-a-clob",
        "CJ-424",
        "a text with a length is 2005, too",
        _codes(TEXT - _SHORT, lambda column, text, right: right if text is None else {2004: 2005}.get(right, right)),
    ),
    _encoder(
        "binary-is-minus-two",
        "CJ-425",
        "BINARY and VARBINARY have codes of their own",
        _codes(BINARY - _GEOMETRY, lambda column, text, right: right if text is None else -2),
    ),
    _encoder("types-in-capitals", "CJ-430", "mysqlType is in capitals", _shown(_STRINGS, str.upper)),
    _encoder(
        "blanks-in-types",
        "CJ-431",
        "mysqlType has a blank after its comma, and before its suffix two",
        _shown(_NUMBERS, lambda text: text.replace(",", ", ").replace(" unsigned", "  unsigned")),
    ),
    _encoder(
        "blanks-between-labels",
        "CJ-434",
        "labels are joined by a comma and a blank",
        _shown(_LABELS, lambda text: text.replace("','", "', '")),
    ),
    _encoder(
        "no-doubles",
        "CJ-435",
        "mysqlType of a double is float",
        _shown(_FLOATS, lambda t: t.replace("double", "float")),
    ),
)


# -- texts -----------------------------------------------------------------------------------------------------------


def _texts(families: frozenset[Family], change: Callable[[str, Column], Any]) -> Wrap:
    """Texts, not NULL, of columns of these families, in `data` and in `old`."""

    def one(tree: Any, context: Context) -> None:
        if _kind(tree) != "rows":
            return
        for row in (*tree["data"], *(tree["old"] or ())):
            for name, text in row.items():
                column = context.steady_column(tree["database"], tree["table"], name)
                if text is not None and column is not None and column.type.family in families:
                    row[name] = change(text, column)

    return edit_trees(one)


def _one(*families: Family) -> frozenset[Family]:
    return frozenset(families)


_Text: TypeAlias = tuple[str, str, frozenset[Family], Callable[[str, Column], Any]]

# name, requirement, families, and what becomes of a text.
_VALUES: Mapping[str, _Text] = {
    "numbers-as-numbers": ("CJ-909", "integers are JSON numbers", INTEGERS, lambda text, _: int(text)),
    "numbers-with-a-sign": ("CJ-440", "integers have a sign", INTEGERS, lambda t, _: t if t[0] == "-" else f"+{t}"),
    "whole-floats-without-fraction": (
        "CJ-441",
        "a whole FLOAT or DOUBLE has no fraction",
        _FLOATS,
        lambda text, _: text.removesuffix(".0"),
    ),
    "decimals-as-declared": (
        "CJ-443",
        "a DECIMAL has all digits of its scale",
        _one(Family.DECIMAL),
        lambda text, column: text + "0" * max(0, (column.type.scale or 0) - len(text.partition(".")[2])),
    ),
    "bits-as-bits": ("CJ-444", "BIT is binary digits", _one(Family.BIT), lambda text, _: f"{int(text):b}"),
    "labels-from-zero": ("CJ-445", "ENUM and SET begin at 0", _LABELS, lambda text, _: str(int(text) - 1)),
    "dates-of-iso": (
        "CJ-446",
        "a T stands between day and time, and days are joined by slashes",
        _one(Family.DATE, Family.DATETIME),
        lambda text, _: text.replace(" ", "T").replace("-", "/"),
    ),
    "timestamps-of-iso": (
        "CJ-447",
        "a T stands between day and time of a TIMESTAMP",
        _one(Family.TIMESTAMP),
        lambda text, _: text.replace(" ", "T"),
    ),
    "times-without-zeros": ("CJ-448", "TIME has no leading zero", _one(Family.TIME), lambda t, _: t.lstrip("0")),
    "year-zero-as-digit": (
        "CJ-449",
        "the year zero has one digit",
        _one(Family.YEAR),
        lambda text, _: "0" if text == "0000" else text,
    ),
    "strings-cut": ("CJ-450", "CHAR and VARCHAR lack their last character", _SHORT, lambda text, _: text[:-1]),
    "texts-cut": ("CJ-451", "TEXT lacks its last character", TEXT - _SHORT, lambda text, _: text[:-1]),
    "bytes-as-base64": (
        "CJ-452",
        "bytes are base64",
        BINARY - _GEOMETRY - _one(Family.BINARY),
        lambda text, _: base64.b64encode(text.encode("utf-8")).decode("ascii"),
    ),
    "binary-padded": (
        "CJ-453",
        "BINARY(n) has the zeros at its end",
        _one(Family.BINARY),
        lambda text, column: text.ljust(column.type.length or 1, "\0"),
    ),
    "compact-json": (
        "CJ-454",
        "JSON has no blanks",
        _one(Family.JSON),
        lambda text, _: text.replace(", ", ",").replace(": ", ":"),
    ),
    "geometry-without-srid": ("CJ-426", "geometry lacks its SRID", _GEOMETRY, lambda text, _: text[4:]),
}


def _of_values() -> Iterator[Mutant]:
    for name, (requirement, description, families, change) in _VALUES.items():
        yield _encoder(name, requirement, description, _texts(families, change))


ENCODERS: tuple[Mutant, ...] = (*_ENVELOPE, *_TYPES, *_of_values())
