"""Rewrites what an encoder registers and sends: edited schemas are registered, and records are written with them.

A record's body is decoded with the schema that the reference made, and encoded again with the edited one, as far as the
values fit.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from conformance.mutants.model import Answerer
from conformance.mutants.wrappers import Context, Json, dump, tables_of
from conformance.sweep.bodies import datum_of, written_by
from reference_impl import exact_json
from reference_impl.avro.framing import HEADER_SIZE, ROW, header
from reference_impl.model import Column
from reference_impl.names import sanitized
from reference_impl.registry import Registry
from reference_impl.wire import table_from_json

__all__ = ["BEFORE", "Edit", "Part", "RecordRewriter", "RegistryRewriter"]

BEFORE = "_ticdc_before"

_Register: TypeAlias = Callable[[Registry, str, str], int]
_LookUp: TypeAlias = Callable[[Registry, int], str]


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a record that is edited, and its surroundings."""

    # `key` or `value`.
    side: str
    # The columns of the table by the names of fields, except columns with several definitions in the request.
    columns: Mapping[str, Column]
    context: Context


Edit: TypeAlias = Callable[[Json, Part], Any]


@dataclass(frozen=True, slots=True)
class _Registration:
    """A schema as the reference wrote it and as it was registered, with its id in the registry."""

    part: Part
    original: str
    edited: str
    id: int


@dataclass(frozen=True, slots=True)
class _WrappedRegistry:
    """A registry whose requests go through two functions."""

    inner: Registry
    registering: _Register
    looking_up: _LookUp

    def register(self, subject: str, schema: str) -> int:
        return self.registering(self.inner, subject, schema)

    def schema(self, schema_id: int) -> str:
        return self.looking_up(self.inner, schema_id)


@dataclass(frozen=True, slots=True)
class RegistryRewriter:
    """Handles an implementation's requests to the registry by these functions; the implementation itself is right."""

    register: _Register = lambda registry, subject, schema: registry.register(subject, schema)
    look_up: _LookUp = lambda registry, schema_id: registry.schema(schema_id)

    def wrap(self, inner: Answerer) -> Answerer:
        """The implementation as it is."""
        return inner

    def registry(self, registry: Registry) -> Registry:
        """The registry as the implementation sees it."""
        return _WrappedRegistry(registry, self.register, self.look_up)


class RecordRewriter:
    """Edits schemas on their way to the registry, and the data of records: `registry` and `wrap` of one mutant.

    It serves one implementation at a time, and forgets its registrations at every `configure` and `reset`.
    """

    def __init__(self, schema: Edit | None = None, datum: Edit | None = None) -> None:
        self._schema = schema
        self._datum = datum
        self._registrations: list[_Registration] = []
        self._configuration: Json = {}
        self._context = Context({}, {})
        self._columns: Mapping[tuple[str, str], Mapping[str, Column]] = {}

    def registry(self, registry: Registry) -> Registry:
        """The registry as the implementation sees it: its ids are those of this object."""
        return _WrappedRegistry(registry, self._register, lambda inner, schema_id: inner.schema(schema_id))

    def _register(self, registry: Registry, subject: str, schema: str) -> int:
        tree = exact_json.loads(schema)
        table = (tree["namespace"].partition(".")[2], tree["name"])
        part = Part(subject.rpartition("-")[2], self._columns.get(table, {}), self._context)
        edited = self._edited(schema, part)
        self._registrations.append(_Registration(part, schema, edited, registry.register(subject, edited)))
        return len(self._registrations)

    def _edited(self, schema: str, part: Part) -> str:
        if self._schema is None:
            return schema
        tree = exact_json.loads(schema)
        before = dump(tree)
        changed = self._schema(tree, part)
        after = dump(tree if changed is None else changed)
        return schema if after == before else after.decode()

    def wrap(self, inner: Answerer) -> Answerer:
        """An encoder whose records are rewritten."""

        def answer(request: Json) -> Json:
            if request.get("op") in ("configure", "reset"):
                self._registrations = []
            if request.get("op") == "configure":
                self._configuration = request
            if request.get("op") != "encode":
                return inner(request)
            self._context = Context(self._configuration, request)
            self._columns = _columns(request)
            original = inner(request)
            if "ok" not in original:
                return original
            records = [
                {**record, **{side: self._framed(record[side]) for side in ("key", "value")}}
                for record in original["ok"]["records"]
            ]
            return {**original, "ok": {**original["ok"], "records": records}}

        return answer

    def _framed(self, text: str | None) -> str | None:
        data = b"" if text is None else base64.b64decode(text)
        if data[:1] != bytes((ROW,)):
            return text
        registration = self._registrations[int.from_bytes(data[1:HEADER_SIZE], "big") - 1]
        body = data[HEADER_SIZE:]
        if self._datum is not None or registration.edited != registration.original:
            datum = datum_of(registration.original, body)
            if self._datum is not None:
                changed = self._datum(datum, registration.part)
                datum = datum if changed is None else changed
            body = written_by(registration.edited, datum)
        return base64.b64encode(header(registration.id) + body).decode("ascii")


# -- columns -----------------------------------------------------------------------------------------------------------


def _columns(request: Json) -> Mapping[tuple[str, str], Mapping[str, Column]]:
    """(schema, table) → column name → column, all names sanitised; without columns that have several definitions."""
    known: dict[tuple[str, str], dict[str, set[Column]]] = {}
    for table in map(table_from_json, tables_of(request)):
        of_table = known.setdefault((sanitized(table.schema), sanitized(table.name)), {})
        for column in table.columns:
            of_table.setdefault(sanitized(column.name), set()).add(column)
    return {
        table: {name: next(iter(definitions)) for name, definitions in columns.items() if len(definitions) == 1}
        for table, columns in known.items()
    }
