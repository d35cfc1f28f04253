"""Places made by hand for the predicates of Debezium JSON that no recorded fault shows: names, statements."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.oracle.rules import Place
from reference_impl.settings import Settings
from tests.unit.oracle.judging import SMALL, ddl_event, mark, row_event
from tests.unit.oracle.places import Row, place, rows
from tests.unit.oracle.places_of_debezium_columns import CHANGED, columns

at = partial(place, "debezium")
NAME, ID, KEYS = "value.schema.name", "value.payload.tableChanges.0.id", "value.payload.tableChanges.0.table.x"
RENAMED = {**SMALL, "schema": "old", "name": "was"}
CLEANED = {"cluster": "has_cluster_to_clean", "namespace": "has_namespace_to_clean", "table": "has_table_to_clean"}
OTHERWISE = {"namespace": "is_namespace_cleaned_otherwise", "table": "is_table_cleaned_otherwise"}


def named(got: str, schema: str = "test", table: str = "t", cluster: str = "default", end: str = "Envelope") -> Place:
    """The name of a schema of a row."""
    event = {**row_event("insert", base={"id": "1"}), "schema": schema, "table": table}
    keys, settings = {"schema": schema, "name": table}, Settings(cluster_id=cluster)
    return at(NAME, f"x.{end}", got, event=event, keys=keys, settings=settings)


def marked(got: str, cluster: str) -> Place:
    """The name of a schema of a watermark."""
    return at(NAME, f"{cluster}.watermark.Envelope", got, event=mark(), settings=Settings(cluster_id=cluster))


def of_statement(got: str, db: Any = "test", table: Any = "t", cluster: str = "default") -> Place:
    """The name of a schema of a DDL message."""
    tree = {"value": {"payload": {"source": {"db": db, "table": table}}}}
    return at(NAME, None, got, event=ddl_event(), tree=tree, settings=Settings(cluster_id=cluster))


def keys(*names: Any) -> dict[str, Any]:
    return {"value": {"payload": {"tableChanges": [{"table": {"primaryKeyColumnNames": list(names)}}]}}}


def renamed(path: str = CHANGED, got: Any = None, **members: Any) -> Place:
    """A statement about a table that had another name."""
    return at(path, None, got, event=ddl_event(**{"action_code": 14, "action": "rename table", **members}))


ROWS: list[Row] = [
    # -- names of schemas
    *(
        (CLEANED[part], part in parts.split(), where)
        for where, parts in (
            (named("x"), ""),
            (named("x", cluster="1"), "cluster namespace"),
            (named("x", table="a-b"), "table"),
            (named("x", table="a.b"), "table"),
            (named("x", table="1"), ""),
            (marked("x", "a-b"), "cluster namespace"),
        )
        for part in CLEANED
    ),
    *(
        (OTHERWISE[part], part == found, where)
        for where, found in (
            (named("default._1.t.Envelope", "1"), None),
            (named("default.test.1.Envelope", table="1"), None),
            (named("default.test.a_b.Envelope", table="a.b"), "table"),
            (named("default.test.a-b.Envelope", table="a-b"), "table"),
            (named("default.test.a-.b_.Envelope", table="a-.b/"), "table"),
            (named("default.1_.t.Envelope", "1-"), "namespace"),
            (marked("a-b.watermark.Envelope", "a-b"), "namespace"),
        )
        for part in OTHERWISE
    ),
    *rows("is_cluster_cleaned", [named("a_b", cluster="a-b")], [named("a-b", cluster="a-b")]),
    *rows(
        "is_named_for_table",
        [
            of_statement("default._a_b.t.SchemaChangeValue", "a.b"),
            of_statement("default.test._a.b.SchemaChangeValue", table="a.b"),
        ],
    ),
    # -- what the statement is
    *rows("is_about_schema", no=[at(CHANGED, event=ddl_event()), at(CHANGED, event=mark())]),
    *rows("is_old_table", [renamed(got="was", table_before=RENAMED), at(NAME, None, "t")]),
    *rows(
        "is_schema_changed",
        [renamed(table_before=RENAMED), renamed(schema="new", action_code=47, action="rename tables")],
        [renamed(), at(CHANGED), renamed(schema="new", action_code=5, action="add column")],
    ),
    # -- the id of a table, and its key
    *rows("has_quote", [at(ID, event=ddl_event(schema='a"b'))], [at(ID, event=ddl_event()), at(ID, event=mark())]),
    *rows("is_quote_escaped", [at(ID, '"a"b"', '"a\\"b"')], [at(ID, '"a"b"', '"ab"')]),
    ("is_turned", True, at(ID, "a,b,c", "c,a,b")),
    *(
        ("is_permuted_key", yes, at(KEYS, tree=tree, given=given))
        for tree, given, yes in (
            (keys("a", "b"), keys("b", "a"), True),
            (keys("a"), {}, False),
            (keys("a"), columns("a"), False),
            (keys("a"), {"value": {"payload": {"tableChanges": []}}}, False),
        )
    ),
]
