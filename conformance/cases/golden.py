"""Golden cases: every message and table row that a document of record shows.

An example is a case in each of its roles: the message must decode to the truth, and the truth must encode to the
message. A record's key may be shown in a place of its own. Where messages are in Avro, an example is the schemas that
stand in the registry and the bodies behind their ids. The fixtures are `fixtures/golden/PROTOCOL/*.toml`, in the form
of `fixtures/schemas/golden.schema.json`.
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
    dumps,
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


@dataclass(frozen=True, slots=True)
class GoldenExample:
    """A text in a document, with the data of its fixture.

    `shown` is the text of the document, `heading` and `paragraph` its first paragraph. `given` holds the members of the
    example, or those of its file.
    """

    id: str
    file: str
    document: str
    protocol: str
    heading: str
    paragraph: int
    shown: str
    given: Mapping[str, Any]

    @property
    def source(self) -> str:
        """The place in the document, for a person."""
        return f"{self.document}, {heading_text(self.document, self.heading)}, paragraph {self.paragraph}"

    def applies(self, profile: Profile) -> bool:
        """Whether the example has the output of a producer of that profile, at its release."""
        if profile.name not in self.given.get("profiles", (profile.name,)):
            return False
        since, until = self.given.get("since"), self.given.get("until")
        return (since is None or profile.release >= parse_release(since)) and (
            until is None or profile.release < parse_release(until)
        )

    @property
    def _edited(self) -> str:
        text = _edited(self.given)
        return fill_placeholders(text, self.given["placeholders"]) if "placeholders" in self.given else text

    def _substituted(self, member: str, **more: str) -> str:
        return substitute(self.given[member], {**self.given.get("with", {}), **more})

    def truth(self) -> tuple[tuple[Table, ...], tuple[Event, ...]]:
        """The tables and events of the message."""
        truth = exact_json.loads(self._substituted("truth"))
        tables = tuple(table_from_json(t) for t in truth.get("tables", ()))
        return tables, tuple(events_from_json(truth["events"], tables))

    def records(self, *, as_shown: bool = True) -> tuple[Record, ...]:
        """The records of the shown text, normalised; `as_shown` leaves out the step `reorder`."""
        steps = self.given.get("normalise", ())
        if "schemas" in self.given:
            known = [schema.id for schema in self.schemas(as_shown=as_shown)]
            return tuple(
                Record(self._framed(given.get("key"), known), self._framed(given.get("value"), known))
                for given in self.given["records"]
            )
        text = to_text(self._edited, steps)
        if "template" in self.given:
            key = to_text(_edited(self.given["key"]), steps) if "key" in self.given else ""
            text = self._substituted("template", shown=text, key=key)
        if "fill" in self.given:
            text = dumps(merge(exact_json.loads(self._substituted("fill")), exact_json.loads(text)))
        if "reorder" in steps and not as_shown:
            tables, events = self.truth()
            ids = [(e.schema, e.table) for e in events if isinstance(e, RowChange)]
            table = next((t for t in tables if t.id in ids), None)
            text = dumps(reorder(exact_json.loads(text), self.given.get("order", ()), table))
        if "orders" in self.given and not as_shown:
            text = dumps(reorder_at(exact_json.loads(text), self.given["orders"]))
        records = records_of(text, steps)
        where = self.given.get("partition")
        return records if where is None else tuple(replace(record, partition=where) for record in records)

    def schemas(self, *, as_shown: bool = True) -> tuple[RegisteredSchema, ...]:
        """The schemas that the records refer to, in the order in which they are registered, under the ids they get."""
        steps = self.given.get("normalise", ())
        shown = to_text(self._edited, steps)
        registry = MemoryRegistry(self.registered())
        for given in self.given.get("schemas", ()):
            tree = exact_json.loads(substitute(given["schema"], {**self.given.get("with", {}), "shown": shown}))
            registry.register(
                given["subject"], dumps(tree if as_shown or "reorder" not in steps else reorder_schema(tree))
            )
        return tuple(registry.requests)

    def registered(self) -> tuple[RegisteredSchema, ...]:
        """The schemas in the registry before an encoder gets the case."""
        given = self.given.get("registered", ())
        return tuple(RegisteredSchema(i, s["subject"], s["schema"]) for i, s in enumerate(given, start=1))

    def _framed(self, given: Mapping[str, Any] | None, ids: Sequence[int]) -> bytes | None:
        """A key or value: a zero byte, the id of its schema, and its body.  [AV-015]"""
        if given is None:
            return None
        body = bytes.fromhex(substitute(given["body"], self.given.get("with", {})))
        schema_id: int = ids[given["schema"] - 1]
        return b"\0" + schema_id.to_bytes(4, "big") + body

    def is_reordered(self, profile: Profile) -> bool:
        """Whether an encoder of that profile uses the member order of `order` or `orders`, not that of the document.

        `orders` exists where the order in the document is for display, and that of no profile.
        """
        if "orders" in self.given:
            return True
        since = self.given.get("order_since")
        return profile.name != "doc" and (since is None or profile.release >= parse_release(since))


def _edited(given: Mapping[str, Any]) -> str:
    """A shown text after its edits; each edit must find its place."""
    text: str = given["shown"]
    for edit in given.get("edits", ()):
        if text.count(edit["find"]) != 1:
            raise ValueError(f"{edit['find']!r} stands {text.count(edit['find'])} times in the shown text")
        text = text.replace(edit["find"], edit["replace"])
    return text


def _examples(path: Path) -> Iterator[GoldenExample]:
    top = tomllib.loads(path.read_text(encoding="utf-8"))
    shared = {name: value for name, value in top.items() if name != "example"}
    for own in top["example"]:
        given = {**shared, **own}
        yield GoldenExample(
            id=f"{top['protocol']}/golden/{path.stem}/{own['id']}",
            file=f"golden/{path.parent.name}/{path.name}",
            document=given["document"],
            protocol=given["protocol"],
            heading=given["heading"],
            paragraph=given["paragraph"],
            shown=given["shown"],
            given=given,
        )


@cache
def golden_examples(folder: str) -> tuple[GoldenExample, ...]:
    """Every example of the fixtures in `golden/FOLDER`, those of other protocols and without a role included."""
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
            cases += [_case(example, role, profile) for role in example.given.get("roles", ("encode", "decode"))]
        except (Rejected, ValueError, KeyError) as e:
            raise SuiteError(f"{example.file}: example {example.id}: {e!r}") from None
    return cases


def _case(example: GoldenExample, role: Role, profile: Profile) -> Case:
    tables, events = example.truth()
    as_shown = role == "decode" or not example.is_reordered(profile)
    register = load_register(example.protocol)
    written_for = [register.requirements[i] for i in example.given.get("requirements", ())]
    refused = frozenset(map(RejectionClass, example.given.get("rejected", ())))
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
        registry_fault=example.given.get("registry_fault", ""),
        options=example.given.get("options", {}),
        settings=Settings(**example.given.get("settings", {})),
        expected=expected,
        anchor=Anchor.DOCUMENT,
        requirements=tuple(r.id for r in written_for if r.role in (role, "both")),
        send_tables=example.given.get("send_tables", True),
        source=example.source,
    )
