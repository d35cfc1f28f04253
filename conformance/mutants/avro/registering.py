"""Encoders that ask their registry wrongly, or take options that must be refused.

[AV-002, AV-007, AV-035, AV-052a, AV-150 … AV-174, AV-190]
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.mutants.avro.edits import encoder, through_registry
from conformance.mutants.avro.forgery import Forgery, Part, Tree, asking
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import dump, edit_request
from reference_impl import exact_json
from reference_impl.registry import Registry

__all__ = ["MUTANTS"]


# -- subjects ----------------------------------------------------------------------------------------------------------


def _subjects(name_of: Callable[[str, Tree], str]) -> Callable[[Registry], Registry]:
    """Schemas are registered under other subjects: `name_of` of the subject and of the schema."""
    return asking(
        lambda registry, subject, schema: registry.register(name_of(subject, exact_json.loads(schema)), schema)
    )


class _Versions:
    """An encoder that registers a changed schema under a subject of its own; it forgets at every `configure`."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def registry(self, registry: Registry) -> Registry:
        """The registry as the encoder asks it."""

        def register(registry: Registry, subject: str, schema: str) -> int:
            known = subject in self._seen
            self._seen.add(subject)
            return registry.register(f"{subject}-changed" if known else subject, schema)

        return asking(register)(registry)

    def wrap(self, inner: Answerer) -> Answerer:
        """The encoder."""

        def answer(request: Tree) -> Tree:
            if request.get("op") in ("configure", "reset"):
                self._seen.clear()
            return inner(request)

        return answer


class _Eager:
    """An encoder that registers something for every DDL statement: the schema it had last, with a field more."""

    def __init__(self) -> None:
        self._registry: Registry | None = None
        self._last: tuple[str, str] | None = None

    def registry(self, registry: Registry) -> Registry:
        """The registry as the encoder asks it."""
        self._registry = registry

        def register(registry: Registry, subject: str, schema: str) -> int:
            self._last = subject, schema
            return registry.register(subject, schema)

        return asking(register)(registry)

    def wrap(self, inner: Answerer) -> Answerer:
        """The encoder."""

        def answer(request: Tree) -> Tree:
            if request.get("op") in ("configure", "reset"):
                self._last = None
            given = inner(request)
            if self._registry and self._last and any(event["kind"] == "ddl" for event in request.get("events") or ()):
                subject, schema = self._last
                tree = exact_json.loads(schema)
                tree["fields"].append({"name": "registered_early", "type": "int"})
                self._registry.register(subject, dump(tree).decode())
            return given

        return answer


_VERSIONS, _EAGER = _Versions(), _Eager()


def _stale_tables(request: Tree) -> None:
    """A statement that adds columns at the end leaves the table as the encoder knows it, and so its rows."""
    known = {(table["schema"], table["name"]): table for table in request.get("tables") or ()}
    for event in request.get("events") or ():
        if event["kind"] == "row":
            names = {column["name"] for column in known[event["schema"], event["table"]]["columns"]}
            for image in filter(None, (event.get("before"), event.get("after"))):
                for name in image.keys() - names:
                    del image[name]
        elif after := event.get("table_after"):
            before = known.setdefault((after["schema"], after["name"]), after)
            others = [{name: part for name, part in table.items() if name != "columns"} for table in (before, after)]
            if after["columns"][: len(before["columns"])] == before["columns"] and others[0] == others[1]:
                event["table_after"] = before
            else:
                known[after["schema"], after["name"]] = after


_SUBJECTS = (
    through_registry(
        "subjects-exchanged",
        "AV-155",
        "a key schema is registered as a value schema, and the other way round",
        _subjects(
            lambda subject, schema: subject[:-4] + "-value" if subject.endswith("-key") else subject[:-6] + "-key"
        ),
    ),
    Mutant(
        "avro/statements-register",
        "AV-007a",
        "encode",
        "a DDL statement registers a schema",
        _EAGER.wrap,
        registry=_EAGER.registry,
    ),
    encoder(
        "columns-added-later-unknown",
        "AV-007",
        "rows after a statement that adds columns have the old schema",
        edit_request(_stale_tables),
    ),
)

# -- schemas that lead nowhere -----------------------------------------------------------------------------------------


def _null_first(schema: Tree, part: Part) -> None:
    """Null is the first branch of every union, whatever the default says."""
    for field in schema["fields"]:
        if isinstance(field["type"], list) and field["type"][0] != "null":
            field["type"].reverse()


def _straightened(registry: Registry, subject: str, schema: str) -> int:
    """The schema is registered with those unions as they were."""
    tree = exact_json.loads(schema)
    for field in tree["fields"]:
        if isinstance(field["type"], list) and field["default"] is not None:
            field["type"].reverse()
    return registry.register(subject, dump(tree).decode())


_NULL_FIRST = Forgery(_null_first)

_SCHEMAS = (
    Mutant(
        "avro/null-always-branch-0",
        "AV-052a",
        "encode",
        "null is branch 0 of every union in the data, though not in the schema",
        _NULL_FIRST.wrap,
        registry=lambda registry: _NULL_FIRST.registry(asking(_straightened)(registry)),
    ),
)


MUTANTS: tuple[Mutant, ...] = (*_SUBJECTS, *_SCHEMAS)
