"""Golden cases: every message and table row that a document of record shows.

An example is a case in each of its roles: the message must decode to the truth, and the truth must encode to the
message. A document may show a record's key separately. An example of Avro consists of the schemas in the registry and
of the bodies of records. The fixtures are `fixtures/golden/PROTOCOL/*.toml`, in the form of
`fixtures/schemas/golden.schema.json`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from conformance.cases.model import Anchor, Case, Expectation, ExpectedRecords, ExpectedRejection, Role
from conformance.cases.normalise import (
    fill_placeholders,
    merge,
    records_of,
    reorder,
    reorder_at,
    reorder_schema,
    substitute,
    to_text,
)
from conformance.catalogue.documents import heading_text
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import load_register
from conformance.errors import SuiteError
from reference_impl import exact_json
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.model import Event, Record, RowChange, Table
from reference_impl.profiles import NEWARCH, Profile, parse_release
from reference_impl.registry import MemoryRegistry, RegisteredSchema
from reference_impl.settings import Settings
from reference_impl.wire import events_from_json, table_from_json

__all__ = ["GoldenExample", "golden_cases", "golden_examples"]


@dataclass(frozen=True, slots=True, eq=False)
class GoldenExample:
    """A text in a document, with the data of its fixture; each has an identity of its own."""

    id: str
    file: str  # its path below the fixtures
    document: str
    protocol: str
    heading: str  # above the text
    paragraph: int  # the number of its first paragraph below the heading
    shown: str  # the text of the document
    members: Mapping[str, Any]  # all members of the example; those that it lacks are of its file

    @property
    def source(self) -> str:
        """The place in the document, for a person."""
        return f"{self.document}, {heading_text(self.document, self.heading)}, paragraph {self.paragraph}"

    def applies(self, profile: Profile) -> bool:
        """Whether a producer of that profile and release writes what the example shows."""
        if profile.name not in self.members.get("profiles", (profile.name,)):
            return False
        since, until = self.members.get("since"), self.members.get("until")
        if since is not None and profile.release < parse_release(since):
            return False
        return until is None or profile.release < parse_release(until)

    @property
    def _text(self) -> str:
        """The shown text after its edits, with values for its placeholders."""
        text = _edited(self.members)
        return fill_placeholders(text, self.members["placeholders"]) if "placeholders" in self.members else text

    def _substituted(self, template: str, **more: str) -> str:
        """A template with the values of `with` and `more`."""
        return substitute(template, {**self.members.get("with", {}), **more})

    def truth(self) -> tuple[tuple[Table, ...], tuple[Event, ...]]:
        """The tables and events of the message."""
        truth = exact_json.loads(self._substituted(self.members["truth"]))
        tables = tuple(table_from_json(t) for t in truth.get("tables", ()))
        return tables, tuple(events_from_json(truth["events"], tables))

    def records(self, *, as_shown: bool = True) -> tuple[Record, ...]:
        """The records of the shown text, normalised; `as_shown` leaves out the step `reorder`."""
        if "schemas" in self.members:
            schema_ids = [schema.id for schema in self.schemas(as_shown=as_shown)]
            return tuple(
                Record(self._framed(members.get("key"), schema_ids), self._framed(members.get("value"), schema_ids))
                for members in self.members["records"]
            )
        records = records_of(self._message_text(as_shown=as_shown), self._steps)
        partition = self.members.get("partition")
        return records if partition is None else tuple(replace(record, partition=partition) for record in records)

    @property
    def _steps(self) -> Sequence[str]:
        steps: Sequence[str] = self.members.get("normalise", ())
        return steps

    def _message_text(self, *, as_shown: bool) -> str:
        """The complete text of the messages."""
        steps = self._steps
        text = to_text(self._text, steps)
        if "template" in self.members:
            key = to_text(_edited(self.members["key"]), steps) if "key" in self.members else ""
            text = self._substituted(self.members["template"], shown=text, key=key)
        if "fill" in self.members:
            filling = exact_json.loads(self._substituted(self.members["fill"]))
            text = exact_json.dumps(merge(filling, exact_json.loads(text)))
        if "reorder" in steps and not as_shown:
            tables, events = self.truth()
            ids = [(e.schema, e.table) for e in events if isinstance(e, RowChange)]
            table = next((t for t in tables if t.id in ids), None)
            text = exact_json.dumps(reorder(exact_json.loads(text), self.members.get("order", ()), table))
        if "orders" in self.members and not as_shown:
            text = exact_json.dumps(reorder_at(exact_json.loads(text), self.members["orders"]))
        return text

    def schemas(self, *, as_shown: bool = True) -> tuple[RegisteredSchema, ...]:
        """The schemas that the records refer to, in the order of registration, with their ids."""
        shown = to_text(self._text, self._steps)
        registry = MemoryRegistry(self.registered())
        for members in self.members.get("schemas", ()):
            tree = exact_json.loads(self._substituted(members["schema"], shown=shown))
            if "reorder" in self._steps and not as_shown:
                tree = reorder_schema(tree)
            registry.register(members["subject"], exact_json.dumps(tree))
        return tuple(registry.requests)

    def registered(self) -> tuple[RegisteredSchema, ...]:
        """The schemas in the registry before an encoder gets the case."""
        members = self.members.get("registered", ())
        return tuple(RegisteredSchema(i, s["subject"], s["schema"]) for i, s in enumerate(members, start=1))

    def _framed(self, members: Mapping[str, Any] | None, ids: Sequence[int]) -> bytes | None:
        """A key or value: a zero byte, the id of its schema, and its body.  [AV-015]"""
        if members is None:
            return None
        body = bytes.fromhex(self._substituted(members["body"]))
        schema_id: int = ids[members["schema"] - 1]
        return b"\0" + schema_id.to_bytes(4, "big") + body

    def is_reordered(self, profile: Profile) -> bool:
        """Whether that profile writes the member order of `order` or `orders`, not that of the document.

        An example has `orders` if no profile writes the order in the document.
        """
        if "orders" in self.members:
            return True
        since = self.members.get("order_since")
        return profile.name != "doc" and (since is None or profile.release >= parse_release(since))


def _edited(members: Mapping[str, Any]) -> str:
    """A shown text after its edits. Raises ValueError if the text of an edit does not occur exactly once."""
    text: str = members["shown"]
    for edit in members.get("edits", ()):
        if text.count(edit["find"]) != 1:
            raise ValueError(f"{edit['find']!r} stands {text.count(edit['find'])} times in the shown text")
        text = text.replace(edit["find"], edit["replace"])
    return text


def _examples(path: Path) -> Iterator[GoldenExample]:
    top = tomllib.loads(path.read_text(encoding="utf-8"))
    shared = {name: value for name, value in top.items() if name != "example"}
    for own in top["example"]:
        members = {**shared, **own}
        yield GoldenExample(
            id=f"{top['protocol']}/golden/{path.stem}/{own['id']}",
            file=f"golden/{path.parent.name}/{path.name}",
            document=members["document"],
            protocol=members["protocol"],
            heading=members["heading"],
            paragraph=members["paragraph"],
            shown=members["shown"],
            members=members,
        )


@cache
def golden_examples(folder: str) -> tuple[GoldenExample, ...]:
    """Every example in `golden/FOLDER`, including those of other protocols and those without a role."""
    examples: list[GoldenExample] = []
    for path in sorted((fixtures_root() / "golden" / folder).glob("*.toml")):
        try:
            examples += _examples(path)
        except (OSError, ValueError, KeyError, TypeError) as e:
            raise SuiteError(f"{path}: not a golden fixture: {e!r}") from None
    return tuple(examples)


def golden_cases(protocol: str, profile: Profile = NEWARCH) -> list[Case]:
    """The golden cases of a protocol that apply to a profile, a case for each role of an example."""
    cases: list[Case] = []
    for example in golden_examples(protocol):
        if example.protocol != protocol or not example.applies(profile):
            continue
        try:
            for role in example.members.get("roles", ("encode", "decode")):
                as_shown = role == "decode" or not example.is_reordered(profile)
                cases.append(_case(example, role, as_shown=as_shown))
        except (Rejected, ValueError, KeyError) as e:
            raise SuiteError(f"{example.file}: example {example.id}: {e!r}") from None
    return cases


@cache
def _case(example: GoldenExample, role: Role, *, as_shown: bool) -> Case:
    tables, events = example.truth()
    register = load_register(example.protocol)
    listed = [register.requirements[i] for i in example.members.get("requirements", ())]
    refused = frozenset(map(RejectionClass, example.members.get("rejected", ())))
    records = () if refused else example.records(as_shown=as_shown)
    schemas = () if refused else example.schemas(as_shown=as_shown)
    expected: Expectation | None = None
    if refused:
        expected = ExpectedRejection(refused)
    elif role == "encode":
        expected = ExpectedRecords(records, schemas=schemas)
    return Case(
        id=example.id,
        protocol=example.protocol,
        role=role,
        tables=tables,
        events=events,
        records=records if role == "decode" else (),
        schemas=schemas if role == "decode" else example.registered(),
        registry_fault=example.members.get("registry_fault", ""),
        options=example.members.get("options", {}),
        settings=Settings(**example.members.get("settings", {})),
        expected=expected,
        anchor=Anchor.DOCUMENT,
        requirements=tuple(r.id for r in listed if r.role in (role, "both")),
        send_tables=example.members.get("send_tables", True),
        source=example.source,
    )
