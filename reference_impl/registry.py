"""The interface of schema registries for codecs: a text is registered under a subject and gets an id.

This module uses no network; a client of a real registry implements `Registry`.  [AV-155, AV-175]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from reference_impl.errors import Rejected

__all__ = ["MemoryRegistry", "RegisteredSchema", "Registry"]


@dataclass(frozen=True, slots=True)
class RegisteredSchema:
    """A registered schema: its id, its text, and the subject that it was registered under."""

    id: int
    subject: str
    schema: str


class Registry(Protocol):
    """The calls of a codec; both raise `Rejected` if the registry refuses or cannot be reached."""

    def register(self, subject: str, schema: str) -> int:
        """The id of a schema text under a subject; registers the text if it is new."""
        ...

    def schema(self, schema_id: int) -> str:
        """The schema text with that id."""
        ...


class MemoryRegistry:
    """A registry in memory that accepts every schema.

    Equal texts have the same id under all subjects.

    `known` are the initial schemas; new ids follow their largest id. `requests` lists all registrations, in order.
    """

    def __init__(self, known: Iterable[RegisteredSchema] = ()) -> None:
        self.requests: list[RegisteredSchema] = []
        self._texts: dict[int, str] = {}
        self._ids: dict[str, int] = {}
        for registered in known:
            self._add(registered.id, registered.schema)

    def _add(self, schema_id: int, schema: str) -> int:
        self._texts[schema_id] = schema
        return self._ids.setdefault(schema, schema_id)

    def register(self, subject: str, schema: str) -> int:
        """The id of the text; a new text gets the next free id."""
        schema_id = self._ids.get(schema)
        if schema_id is None:
            schema_id = self._add(max(self._texts, default=0) + 1, schema)
        self.requests.append(RegisteredSchema(schema_id, subject, schema))
        return schema_id

    def schema(self, schema_id: int) -> str:
        """The text with that id. Raises `Rejected` (class `schema`) for an unknown id."""
        try:
            return self._texts[schema_id]
        except KeyError:
            raise Rejected("schema", f"the registry has no schema {schema_id}") from None
