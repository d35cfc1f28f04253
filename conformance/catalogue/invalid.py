"""Invalid fixtures: inputs with one fault each, and the classes of rejection that are right for it.

The data are `fixtures/invalid/PROTOCOL/*.json` in the form of `fixtures/schemas/invalid.schema.json`; `notation`
explains bytes. Each fixture has a valid twin: the same input without the fault.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.members import MALFORMED
from conformance.catalogue.notation import bytes_of, optional_bytes_of
from conformance.errors import SuiteError
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.model import Claim, Event, Record, Table
from reference_impl.registry import RegisteredSchema
from reference_impl.wire import events_from_json, table_from_json

__all__ = ["InvalidFixture", "InvalidInput", "load_invalid", "read_invalid"]


@dataclass(frozen=True, slots=True)
class InvalidInput:
    """The input: `records` and `claims` for a decoder, `events` for an encoder."""

    options: Mapping[str, str]
    tables: tuple[Table, ...]
    records: tuple[Record, ...]
    claims: tuple[Claim, ...]
    events: tuple[Event, ...]
    schemas: tuple[RegisteredSchema, ...]  # the content of the schema registry
    registry_fault: str  # the name of the registry's fault; "" for none


@dataclass(frozen=True, slots=True)
class InvalidFixture:
    """An input with one fault."""

    id: str
    protocol: str
    role: Literal["encode", "decode"]
    anchor: str  # the source of the broken rules: `document`, `recorded`, `reference only`
    fault: str  # in words
    classes: tuple[RejectionClass, ...]  # the right classes of rejection, the most specific first
    requirements: tuple[str, ...]
    derived_from: str
    input: InvalidInput
    twin: InvalidInput  # the input without the fault
    file: str  # relative to the fixtures


def _record(given: Mapping[str, Any]) -> Record:
    return Record(optional_bytes_of(given["key"]), optional_bytes_of(given["value"]), given.get("partition"))


def _schema(given: Mapping[str, Any]) -> RegisteredSchema:
    text = given["schema"] if isinstance(given["schema"], str) else bytes_of({"json": given["schema"]}).decode()
    return RegisteredSchema(given["id"], given["subject"], text)


def _input(given: Mapping[str, Any]) -> InvalidInput:
    tables = tuple(table_from_json(t) for t in given.get("tables", ()))
    return InvalidInput(
        options=dict(given["options"]),
        tables=tables,
        records=tuple(_record(r) for r in given.get("records", ())),
        claims=tuple(Claim(c["location"], bytes_of(c["value"])) for c in given.get("claims", ())),
        events=tuple(events_from_json(given.get("events", ()), tables)),
        schemas=tuple(_schema(s) for s in given.get("schemas", ())),
        registry_fault=given.get("registry_fault", ""),
    )


_INPUT = ("options", "tables", "records", "claims", "events", "schemas", "registry_fault")


def _fixture(given: Mapping[str, Any], file: str) -> InvalidFixture:
    path = Path(file)
    if (given["id"], given["protocol"]) != (path.stem, path.parent.name):
        raise ValueError("id and protocol are not those of its place")
    whole = {name: given[name] for name in _INPUT if name in given}
    return InvalidFixture(
        id=given["id"],
        protocol=given["protocol"],
        role="encode" if "events" in given else "decode",
        anchor=given["anchor"],
        fault=given["fault"],
        classes=tuple(RejectionClass(c) for c in given["classes"]),
        requirements=tuple(given["requirements"]),
        derived_from=given["derived_from"],
        input=_input(whole),
        twin=_input(whole | given["twin"]),
        file=file,
    )


def read_invalid(path: Path) -> InvalidFixture:
    """The fixture in a file. Raises `SuiteError`, naming the file, if it is malformed."""
    file = Path(*path.parts[-3:]).as_posix()
    try:
        return _fixture(json.loads(path.read_text(encoding="utf-8")), file)
    except (*MALFORMED, struct.error, Rejected) as e:
        raise SuiteError(f"{file}: not an invalid fixture: {e!r}") from None


@cache
def load_invalid(protocol: str) -> tuple[InvalidFixture, ...]:
    """The shipped invalid fixtures of a protocol, by file name. Raises `SuiteError` for a malformed one."""
    return tuple(read_invalid(p) for p in sorted((fixtures_root() / "invalid" / protocol).glob("*.json")))
