"""Encoders with a defect in their registrations, or in the schema that they use."""

from __future__ import annotations

from conformance.mutants.avro.edits import encoder
from conformance.mutants.avro.rewriting import Part, RecordRewriter, RegistryRewriter
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Json, dump, edit_request
from reference_impl import exact_json
from reference_impl.registry import Registry

__all__ = ["MUTANTS"]


# -- subjects ----------------------------------------------------------------------------------------------------------


def _under_the_other_subject(registry: Registry, subject: str, schema: str) -> int:
    topic, _, side = subject.rpartition("-")
    return registry.register(f"{topic}-{'value' if side == 'key' else 'key'}", schema)


# -- schemas of another version ----------------------------------------------------------------------------------------


class _RegistersForStatements:
    """An encoder that registers a schema for every DDL statement: its last one, with one more field."""

    def __init__(self) -> None:
        self._registry: Registry | None = None
        self._last: tuple[str, str] | None = None

    def registry(self, registry: Registry) -> Registry:
        """The registry as the encoder sees it."""
        self._registry = registry

        def register(registry: Registry, subject: str, schema: str) -> int:
            self._last = subject, schema
            return registry.register(subject, schema)

        return RegistryRewriter(register).registry(registry)

    def wrap(self, inner: Answerer) -> Answerer:
        """The encoder that registers for statements."""

        def answer(request: Json) -> Json:
            if request.get("op") in ("configure", "reset"):
                self._last = None
            original = inner(request)
            if self._registry and self._last and any(event["kind"] == "ddl" for event in request.get("events") or ()):
                subject, schema = self._last
                tree = exact_json.loads(schema)
                tree["fields"].append({"name": "registered_early", "type": "int"})
                self._registry.register(subject, dump(tree).decode())
            return original

        return answer


def _only_adds_columns(before: Json, after: Json) -> bool:
    """Whether a table differs from its earlier version only by columns at the end."""
    old, new = before["columns"], after["columns"]
    return new[: len(old)] == old and {**before, "columns": new} == after


def _stale_tables(request: Json) -> None:
    """Undo statements that only add columns at the end: the table, and its later rows, lack these columns."""
    known = {(table["schema"], table["name"]): table for table in request.get("tables") or ()}
    for event in request.get("events") or ():
        if event["kind"] == "row":
            names = {column["name"] for column in known[event["schema"], event["table"]]["columns"]}
            for image in filter(None, (event.get("before"), event.get("after"))):
                for name in image.keys() - names:
                    del image[name]
        elif after := event.get("table_after"):
            before = known.setdefault((after["schema"], after["name"]), after)
            if _only_adds_columns(before, after):
                event["table_after"] = before
            else:
                known[after["schema"], after["name"]] = after


# -- data that contradict their schema ---------------------------------------------------------------------------------


def _null_first(schema: Json, part: Part) -> None:
    """Make null the first branch of every union, whatever the default is."""
    for field in schema["fields"]:
        if isinstance(field["type"], list) and field["type"][0] != "null":
            field["type"].reverse()


def _straightened(registry: Registry, subject: str, schema: str) -> int:
    """Register the schema with the unions that `_null_first` reversed, whose default is not null, as they were."""
    tree = exact_json.loads(schema)
    for field in tree["fields"]:
        if isinstance(field["type"], list) and field["default"] is not None:
            field["type"].reverse()
    return registry.register(subject, dump(tree).decode())


class _NullFirst(RecordRewriter):
    """Writes data by schemas that the registry never gets."""

    def __init__(self) -> None:
        super().__init__(_null_first)

    def registry(self, registry: Registry) -> Registry:
        """The registry as the encoder sees it."""
        return super().registry(RegistryRewriter(_straightened).registry(registry))


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "subjects-exchanged", "AV-155", "key schemas are registered as value schemas, and value schemas as key schemas"
    )(RegistryRewriter(_under_the_other_subject)),
    encoder("statements-register", "AV-007a", "a DDL statement registers a schema")(_RegistersForStatements()),
    encoder("columns-added-later-unknown", "AV-007", "rows after a statement that adds columns have the old schema")(
        edit_request(_stale_tables)
    ),
    encoder("null-always-branch-0", "AV-052a", "null is branch 0 of every union in the data, though not in the schema")(
        _NullFirst()
    ),
)
