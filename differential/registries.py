"""A registry's schemas, read once into a dictionary that can be sent to other processes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reference_impl.errors import Rejected
from reference_impl.registry import RegisteredSchema

__all__ = ["Listed"]


@dataclass(frozen=True, repr=False)
class Listed:
    """A read-only `Registry` of the schemas of a list.

    Its `repr` contains a hash of the list, so that different lists have different ones.
    """

    texts: Mapping[int, str]  # the schemas by id

    @classmethod
    def of(cls, schemas: Iterable[RegisteredSchema]) -> Listed:
        """A list of registered schemas."""
        return cls({schema.id: schema.schema for schema in schemas})

    def __repr__(self) -> str:
        listed = json.dumps(sorted(self.texts.items())).encode()
        return f"Listed({len(self.texts)} schemas, {hashlib.sha256(listed).hexdigest()})"

    @cached_property
    def _ids(self) -> Mapping[str, int]:
        """Ids by normalised text; the lowest id of equal texts."""
        return {_normalised(text): number for number, text in sorted(self.texts.items(), reverse=True)}

    def schema(self, schema_id: int) -> str:
        """The text of an id. Raises `Rejected` (class `schema`) for an unknown id."""
        try:
            return self.texts[schema_id]
        except KeyError:
            raise Rejected("schema", f"the registry has no schema {schema_id}") from None

    def register(self, subject: str, schema: str) -> int:
        """The id of a listed schema, ignoring white space and the order of members.

        Raises `Rejected` (class `semantics`) for a schema that is not listed.
        """
        try:
            return self._ids[_normalised(schema)]
        except KeyError:
            raise Rejected("semantics", f"no schema like the one of {subject!r} is listed") from None


def _normalised(text: str) -> str:
    try:
        tree: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return json.dumps(tree, ensure_ascii=False, sort_keys=True)
