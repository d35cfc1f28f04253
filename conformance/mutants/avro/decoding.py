"""Decoders that get events wrong, or refuse what is right.  [AV-120c, AV-130, AV-131b, AV-175 … AV-207]"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.avro.edits import Wrap, decoder, read_rows, refuses
from conformance.mutants.avro.forgery import Tree, asking
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.avro.framing import DELETE, ROW
from reference_impl.errors import Rejected
from reference_impl.registry import Registry

__all__ = ["MUTANTS"]

# -- events ------------------------------------------------------------------------------------------------------------


def _put(name: str, make: Callable[[Tree], Any], when: Callable[[Tree], bool] = lambda event: True) -> Wrap:
    """A member of row events is what `make` makes of the event."""

    def edit(event: Tree, context: Context) -> None:
        if when(event):
            event[name] = make(event)

    return read_rows(edit)


def _is(*ops: str) -> Callable[[Tree], bool]:
    return lambda event: event["op"] in ops


_EVENTS = (
    decoder(
        "updates-as-inserts",
        "AV-204",
        "an update is answered as an insert",
        _put("op", lambda event: "insert", _is("update")),
    ),
)


def _begins(value: bytes | None, first: int) -> bool:
    return value is not None and value[:1] == bytes((first,))


# -- mode for tests ----------------------------------------------------------------------------------------------------


_MODE = (
    decoder(
        "marked-deletes-refused",
        "AV-131b",
        "a delete with a time stamp is refused",
        refuses("framing", lambda key, value: key is not None and _begins(value, DELETE)),
    ),
)

# -- what is refused ---------------------------------------------------------------------------------------------------


def _compact_only(registry: Registry, schema_id: int) -> str:
    text = registry.schema(schema_id)
    if '": ' in text or '" ' in text or text[:1] != "{":
        raise Rejected("schema", "white space in a schema")
    return text


_REFUSALS = (
    decoder(
        "rows-without-key-refused",
        "AV-200",
        "a row without a key is refused",
        refuses("framing", lambda key, value: key is None and _begins(value, ROW)),
    ),
    decoder(
        "schemas-with-blanks-refused",
        "AV-175",
        "a schema with white space is refused",
        registry=asking(look_up=_compact_only),
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_EVENTS, *_MODE, *_REFUSALS)
