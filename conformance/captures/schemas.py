"""The schemas that captured records refer to: from a list, from a registry, or from both.

This module opens no connection and registers nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from conformance.errors import UsageError
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.registry import RegisteredSchema, Registry

__all__ = ["CapturedSchemas"]


class CapturedSchemas(Mapping[int, str]):
    """Schema texts by id. Decoders use it as a registry, the reader of the oracle uses it as a mapping.

    `listed` are known schemas; one with an empty `subject` was registered for an unknown subject. Other ids are looked
    up in `registry`, once.
    """

    def __init__(self, listed: Iterable[RegisteredSchema] = (), registry: Registry | None = None) -> None:
        self._registry = registry
        self._texts: dict[int, str] = {}
        self._subjects: dict[int, list[str]] = {}
        self._unknown: dict[int, str] = {}  # ids that the registry lacks, with its message
        for schema in listed:
            self._texts.setdefault(schema.id, schema.schema)
            if schema.subject:
                self._subjects.setdefault(schema.id, []).append(schema.subject)

    @property
    def is_complete(self) -> bool:
        """Whether an unknown id was never registered: a list alone may lack it."""
        return self._registry is not None

    def __getitem__(self, schema_id: int) -> str:
        try:
            return self.schema(schema_id)
        except Rejected:
            raise KeyError(schema_id) from None

    def __iter__(self) -> Iterator[int]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def schema(self, schema_id: int) -> str:
        """The text of an id. Raises `Rejected` (`schema`) for an unknown id, `UsageError` if the registry fails."""
        if schema_id in self._texts:
            return self._texts[schema_id]
        if schema_id not in self._unknown:
            if self._registry is None:
                raise Rejected("schema", f"the registry has no schema {schema_id}")
            try:
                return self._texts.setdefault(schema_id, self._registry.schema(schema_id))
            except Rejected as e:
                if e.reason is not RejectionClass.SCHEMA:
                    raise UsageError(e.message) from None
                self._unknown[schema_id] = e.message
        raise Rejected("schema", self._unknown[schema_id])

    def register(self, subject: str, schema: str) -> int:
        """Raises `Rejected`: a capture is never changed."""
        raise Rejected("semantics", "nothing is registered where captured records are read")

    def subject(self, schema_id: int) -> str | None:
        """The first known subject of a schema."""
        return next(iter(self._subjects.get(schema_id, ())), None)

    def shown(self, ids: Sequence[int], expected: Sequence[RegisteredSchema]) -> list[RegisteredSchema]:
        """The registrations that a record with these ids shows; `expected` are the right ones, in the same order.

        A schema counts for the expected subject if that is one of its subjects, or if none of them is known.
        """
        registered = []
        for position, schema_id in enumerate(ids):
            if schema_id not in self:
                continue
            subjects = self._subjects.get(schema_id, [])
            schema = RegisteredSchema(schema_id, subjects[0] if subjects else "", self[schema_id])
            expected_subject = expected[position].subject if position < len(expected) else ""
            if not subjects or expected_subject in subjects:
                schema = replace(schema, subject=expected_subject)
            registered.append(schema)
        return registered
