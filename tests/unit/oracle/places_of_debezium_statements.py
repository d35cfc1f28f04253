"""Places made by hand that the predicates of Debezium JSON judge: names of schemas, and what a statement is about."""

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
CLEANED = {
    "cluster": "has_cluster_to_clean",
    "namespace": "has_namespace_to_clean",
    "table": "has_table_to_clean",
}
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
            (named("x", cluster="a-b"), "cluster namespace"),
            (named("x", cluster="1"), "cluster namespace"),
            (named("x", "a-b"), "namespace"),
            (named("x", "1"), "namespace"),
            (named("x", "a.b"), "namespace"),
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
            (named("default.test.t.Envelope"), None),
            (named("a_b.test.t.Envelope", cluster="a-b"), None),
            (named("a-b.test.t.Envelope", cluster="a-b"), "namespace"),
            (named("_a_b.test.t.Envelope", cluster="a-b"), "namespace"),
            (named("default.a.b.t.Envelope", "a.b"), "namespace"),
            (named("default.a_b.t.Envelope", "a.b"), None),
            (named("default.1.t.Envelope", "1"), "namespace"),
            (named("default._1.t.Envelope", "1"), None),
            (named("default.test.1.Envelope", table="1"), None),
            (named("default.test._1.Envelope", table="1"), "table"),
            (named("default.test.a.b.Envelope", table="a.b"), None),
            (named("default.test.a_b.Envelope", table="a.b"), "table"),
            (named("default.test.a-b.Envelope", table="a-b"), "table"),
            (named("default.test.a_b.Envelope", table="a-b"), None),
            (named("default.test.a-.b_.Envelope", table="a-.b/"), "table"),
            (named("default.test.a_.b_.Envelope", table="a-.b/"), None),
            (named("default.test.a_b_.Envelope", table="a.b/"), "table"),
            (named("a-b.test.c-d.Envelope", table="c-d", cluster="a-b"), "namespace"),
            (named("default.a-.b_.t.Envelope", "a-.b/"), "namespace"),
            (named("default.1_.t.Envelope", "1-"), "namespace"),
            (named("default.Z_.t.Envelope", "Z-"), None),
            (named("default.test.Z_.Envelope", table="Z-"), None),
            (named("default.test.Z-._.Envelope", table="Z-./"), "table"),
            (named("default.test.t.Value"), None),
            (named("other.test.t.Envelope"), None),
            (named("a-b.test.t.Key", cluster="a-b", end="Key"), "namespace"),
            (named("a-b.test.t.Key", cluster="a-b"), None),
            (marked("a-b.watermark.Envelope", "a-b"), "namespace"),
            (marked("a_b.watermark.Envelope", "a-b"), None),
            (marked("a-b.Envelope", "a-b"), None),
        )
        for part in OTHERWISE
    ),
    *(
        ("is_cluster_cleaned", yes, named(got, cluster=cluster))
        for cluster, got, yes in (
            ("a-b", "a_b", True),
            ("a-b", "a-b", False),
            ("1", "_1", True),
            ("a", "a", True),
        )
    ),
    *(
        ("is_named_for_table", yes, where)
        for where, yes in (
            (of_statement("default.test.t.SchemaChangeValue"), True),
            (of_statement("default.test.SchemaChangeValue"), False),
            (of_statement("default.t.test.SchemaChangeValue"), False),
            (of_statement("default.test.t.Envelope"), False),
            (of_statement("a_b.test.t.SchemaChangeValue", cluster="a-b"), True),
            (of_statement("a-b.test.t.SchemaChangeValue", cluster="a-b"), True),
            (of_statement("default.a_b.t.SchemaChangeValue", "a.b"), True),
            (of_statement("default.test.a.b.SchemaChangeValue", table="a.b"), True),
            (of_statement("default.test._1.SchemaChangeValue", table="1"), True),
            (of_statement("default.1.t.SchemaChangeValue", "2"), False),
            (of_statement("default._a_b.t.SchemaChangeValue", "a.b"), True),
            (of_statement("default.test._a.b.SchemaChangeValue", table="a.b"), True),
        )
    ),
    # -- what the statement is
    *rows("is_about_schema", [at(CHANGED, event=ddl_event(table=""))], [at(CHANGED, event=ddl_event()), at(CHANGED)]),
    *(
        ("is_old_schema", yes, renamed(got=got, **more))
        for got, more, yes in (
            ("old", {"table_before": RENAMED}, True),
            ("old", {}, False),
            ("was", {"table_before": RENAMED}, False),
            ("test", {}, True),
            ("t", {}, False),
        )
    ),
    *(
        ("is_old_table", yes, renamed(got=got, **more))
        for got, more, yes in (
            ("was", {"table_before": RENAMED}, True),
            ("was", {}, False),
            ("old", {"table_before": RENAMED}, False),
            ("t", {}, True),
            ("test", {}, False),
        )
    ),
    *rows("is_old_table", [at(NAME, None, "t")], [at(NAME, None, "was")]),
    *(
        ("is_schema_changed", yes, where)
        for where, yes in (
            (renamed(table_before=RENAMED), True),
            (renamed(), False),
            (renamed(schema="new"), True),
            (renamed(schema="new", action_code=47, action="rename tables"), True),
            (at(CHANGED), False),
            (renamed(schema="new", action_code=5, action="add column"), False),
            (renamed(table_before={**RENAMED, "schema": "test"}), False),
        )
    ),
    # -- the id of a table, and its key
    *(
        ("has_quote", yes, at(ID, event=event))
        for event, yes in (
            (ddl_event(schema='a"b'), True),
            (ddl_event(table='a"b'), True),
            (ddl_event(), False),
            (ddl_event(table="a'b"), False),
            (ddl_event(query='"'), False),
            (None, False),
        )
    ),
    *(
        ("is_quote_escaped", yes, at(ID, *pair))
        for pair, yes in (
            (('"a"b"', '"a\\"b"'), True),
            (('"a"b"', '"a""b"'), True),
            (('"a"b"', '"ab"'), False),
            (('"a"', '"a"'), True),
            (('"a""b"', '"a"b"'), True),
            (("1", 1), True),
            (("a", "b"), False),
            (("a\\", "a"), True),
        )
    ),
    *(
        ("is_turned", yes, at(ID, *pair))
        for pair, yes in (
            (("a,b", "b,a"), True),
            (("a,b", "a,b"), False),
            (("a,b,c", "c,a,b"), True),
            (("a,b,c", "b,c,a"), True),
            (("a,b,c", "b,a,c"), False),
            (("ab", "ba"), False),
            (("ab", "ab"), False),
            (("a,", ",a"), True),
            (("a,b", None), False),
        )
    ),
    *(
        ("is_permuted_key", yes, at(KEYS, tree=tree, given=given))
        for tree, given, yes in (
            (keys("a", "b"), keys("b", "a"), True),
            (keys("a", "b"), keys("a"), False),
            (keys("a"), keys("a"), True),
            (keys("a", "b"), keys("a", "c"), False),
            (keys("a"), {}, False),
            (keys("a"), columns("a"), False),
            (keys("a"), {"value": {"payload": {"tableChanges": []}}}, False),
            (keys("a", "b"), keys(1, "a"), False),
            ({}, {}, False),
            (keys("a"), {"value": {}}, False),
        )
    ),
]
