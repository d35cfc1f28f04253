"""Encoders that spell schemas differently, or put the fields of columns out of order."""

from __future__ import annotations

import re
from collections.abc import Callable

from conformance.mutants.avro.edits import (
    encoder,
    of_side,
    through_registry,
)
from conformance.mutants.avro.rewriting import Part, RecordRewriter, Tree, registry_wrapper
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import dump
from reference_impl import exact_json
from reference_impl.registry import Registry

__all__ = ["MUTANTS"]

# -- members -----------------------------------------------------------------------------------------------------------


def _written(text: Callable[[str], str]) -> Callable[[Registry], Registry]:
    """Registers schemas in another spelling, which `text` makes."""
    return registry_wrapper(lambda registry, subject, schema: registry.register(subject, text(schema)))


def _unescaped(schema: str) -> str:
    return dump(exact_json.loads(schema)).decode()


def _named_twice(schema: str) -> str:
    return re.sub(r'"name":"[^"]*",', lambda match: match[0] * 2, schema, count=1)


_MEMBERS = (
    through_registry(
        "schema-without-escapes", "AV-029a", "`<`, `>` and `&` stand as they are in a schema", _written(_unescaped)
    ),
    through_registry("schema-with-a-name-twice", "AV-029b", "a schema has its name twice", _written(_named_twice)),
)

# -- columns -----------------------------------------------------------------------------------------------------------


def _sorted_fields(schema: Tree, part: Part) -> None:
    columns = sorted((f for f in schema["fields"] if f["name"] in part.columns), key=lambda field: field["name"])
    schema["fields"] = [columns.pop(0) if f["name"] in part.columns else f for f in schema["fields"]]


def _reversed_fields(schema: Tree, part: Part) -> None:
    schema["fields"].reverse()


_COLUMNS = (
    encoder("columns-sorted", "AV-110", "columns are sorted by name", RecordRewriter(of_side("value", _sorted_fields))),
    encoder(
        "key-reversed",
        "AV-112c",
        "the columns of a key are in reverse order",
        RecordRewriter(of_side("key", _reversed_fields)),
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_MEMBERS, *_COLUMNS)
