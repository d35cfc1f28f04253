"""Encoders and decoders that get DDL messages or JSON text wrong.  [CJ-410, CJ-601 … CJ-628, CJ-701 … CJ-711]"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.canal_json.edits import Tree, ddl, decoder, encoder
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, edit_bytes, edit_event

__all__ = ["MUTANTS"]

Json = dict[str, Any]
Bytes = bytes | None

# -- type --------------------------------------------------------------------------------------------------------


def _code(tree: Tree, context: Context) -> int | None:
    """The action of the event that a DDL message carries."""
    events = (e for e in context.request["events"] if e["kind"] == "ddl")
    return next((e.get("action_code") for e in events if e["query"] == tree["sql"]), None)


# (requirement, name, what is wrong, action codes, type written)
_WRONG_TYPES: tuple[tuple[str, str, str, tuple[int, ...], str], ...] = (
    ("CJ-601", "create", "type of CREATE TABLE is QUERY", (3,), "QUERY"),
    ("CJ-602", "drop", "type of DROP TABLE is DROP", (4,), "DROP"),
    ("CJ-603", "truncate", "type of TRUNCATE TABLE is ERASE", (11,), "ERASE"),
    ("CJ-604", "rename", "type of RENAME TABLE is ALTER", (14, 47), "ALTER"),
    ("CJ-605", "add-index", "type of statements that add an index is ALTER", (7, 9, 32), "ALTER"),
    ("CJ-606", "drop-index", "type of statements that drop an index is ALTER", (8, 10, 33), "ALTER"),
    ("CJ-607", "partition", "type of statements about partitions is QUERY", (19, 20, 23, 64, 71, 72), "QUERY"),
    ("CJ-608", "schema", "type of statements about schemas and views is CREATE", (1, 21, 24, 26), "CREATE"),
    ("CJ-608a", "drop-schema", "type of DROP DATABASE is ERASE", (2,), "ERASE"),
    ("CJ-609", "ttl", "type of statements about a TTL is ALTER", (65, 66), "ALTER"),
    ("CJ-610", "create-tables", "type of a statement that creates several tables is ALTER", (60,), "ALTER"),
    ("CJ-627", "multi-schema", "type of an ALTER with several clauses is QUERY", (61,), "QUERY"),
)


def _types() -> Iterator[Mutant]:
    for requirement, name, description, actions, written in _WRONG_TYPES:

        def edit(tree: Tree, context: Context, actions: tuple[int, ...] = actions, written: str = written) -> None:
            if _code(tree, context) in actions:
                tree["type"] = written

        yield encoder(f"ddl-type-{name}", requirement, description, ddl(edit))


# -- the statement and the names ---------------------------------------------------------------------------------


def _query(change: Callable[[str], str]) -> Callable[[Tree, Context], None]:
    return lambda tree, context: tree.__setitem__("sql", change(tree["sql"]))


def _read_ddl(edit: Callable[[Json], Any]) -> Callable[[Answerer], Answerer]:
    return edit_event(lambda event, context: edit(event) if event["kind"] == "ddl" else None)


def _before(tree: Tree, context: Context) -> None:
    events = (e for e in context.request["events"] if e["kind"] == "ddl" and e["query"] == tree["sql"])
    before = next((e.get("table_before") for e in events), None)
    if before:
        tree["database"], tree["table"] = before["schema"], before["name"]


def _schema_as_table(tree: Tree, context: Context) -> None:
    tree["table"] = tree["table"] or tree["database"]


def _with_columns(tree: Tree, context: Context) -> None:
    touched = {"only-output-updated-columns", "content-compatible", "delete-only-output-handle-key-columns"}
    if "true" in {context.options.get(name) for name in touched}:
        tree["old"] = [{}]


def _statements() -> tuple[Mutant, ...]:
    return (
        encoder(
            "sql-one-line",
            "CJ-620",
            "white space in statements is folded",
            ddl(_query(lambda sql: " ".join(sql.split()))),
        ),
        encoder(
            "sql-without-comments",
            "CJ-620",
            "comments in statements are lost",
            ddl(_query(lambda sql: sql.partition("/*")[0])),
        ),
        encoder("ddl-old-name", "CJ-623", "a renamed table goes by its old name", ddl(_before)),
        encoder(
            "ddl-schema-as-table", "CJ-623", "table of a statement about a schema is the schema", ddl(_schema_as_table)
        ),
        encoder("ddl-touched-by-options", "CJ-628", "options about columns touch DDL messages", ddl(_with_columns)),
        decoder(
            "read-sql-trimmed",
            "CJ-620",
            "statements lose white space at the end",
            _read_ddl(lambda e: e.update(query=" ".join(e["query"].split()))),
        ),
        decoder(
            "read-ddl-names",
            "CJ-623",
            "names in DDL events are in lower case",
            _read_ddl(lambda e: e.update(schema=e["schema"].lower(), table=e["table"].lower())),
        ),
    )


# -- JSON text ---------------------------------------------------------------------------------------------------


_UNIT = re.compile(rb"\\u[0-9a-f]{4}|\\.|/", re.DOTALL)


def _spelled(*pairs: tuple[bytes, bytes]) -> Callable[[Answerer], Answerer]:
    """Escapes and characters of strings are spelled otherwise."""
    spelling = dict(pairs)

    def edit(key: Bytes, value: Bytes, context: Context) -> tuple[Bytes, Bytes]:
        if value and value[:1] == b"{":
            value = _UNIT.sub(lambda found: spelling.get(found[0], found[0]), value)
        return key, value

    return edit_bytes(edit)


def _texts() -> tuple[Mutant, ...]:
    return (
        encoder(
            "controls-short",
            "CJ-704",
            "U+0008 and U+000C are \\b and \\f",
            _spelled((rb"\u0008", rb"\b"), (rb"\u000c", rb"\f")),
            "CJ-710",
        ),
        encoder("lines-long", "CJ-703", "line feeds are \\u000a", _spelled((rb"\n", rb"\u000a")), "CJ-710"),
        encoder(
            "separators-unescaped",
            "CJ-705",
            "U+2028 is not escaped",
            _spelled((rb"\u2028", "\u2028".encode())),
            "CJ-710",
        ),
        encoder("slash-escaped", "CJ-707", "slashes are escaped", _spelled((b"/", rb"\/")), "CJ-710", "CJ-709"),
    )


MUTANTS: tuple[Mutant, ...] = (*_types(), *_statements(), *_texts())
