"""Golden cases: every message and table row that a document of record shows.

An example is a case in each of its roles: the message must decode to the truth, and the truth must encode to the
message. The fixtures are `fixtures/golden/PROTOCOL/*.toml`, in the form of `fixtures/schemas/golden.schema.json`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from conformance.cases.model import Anchor, Case, ExpectedRecords, Role
from conformance.cases.normalise import dumps, merge, records_of, reorder, substitute, to_text
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import load_register
from conformance.errors import SuiteError
from reference_impl import exact_json
from reference_impl.errors import Rejected
from reference_impl.model import Event, Record, RowChange, Table
from reference_impl.profiles import NEWARCH, Profile, parse_release
from reference_impl.settings import Settings
from reference_impl.wire import events_from_json, table_from_json

__all__ = ["GoldenExample", "golden_cases", "golden_examples"]


@dataclass(frozen=True, slots=True)
class GoldenExample:
    """A text that a document shows, and everything a fixture says about it.

    `shown` is the text as it stands there, `heading` and `paragraph` its first paragraph. `given` holds the members of
    the example, those of its file where it has none of its own.
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
        return f"{self.document}, {self.heading!r}, paragraph {self.paragraph}"

    def applies(self, profile: Profile) -> bool:
        """Whether the example shows what a producer of that profile, at its release, writes."""
        if profile.name not in self.given.get("profiles", (profile.name,)):
            return False
        since, until = self.given.get("since"), self.given.get("until")
        return (since is None or profile.release >= parse_release(since)) and (
            until is None or profile.release < parse_release(until)
        )

    @property
    def _edited(self) -> str:
        text = self.shown
        for edit in self.given.get("edits", ()):
            if text.count(edit["find"]) != 1:
                raise ValueError(f"{edit['find']!r} stands {text.count(edit['find'])} times in the shown text")
            text = text.replace(edit["find"], edit["replace"])
        return text

    def _substituted(self, member: str, **more: str) -> str:
        return substitute(self.given[member], {**self.given.get("with", {}), **more})

    def truth(self) -> tuple[tuple[Table, ...], tuple[Event, ...]]:
        """The tables and events that the message stands for."""
        truth = exact_json.loads(self._substituted("truth"))
        tables = tuple(table_from_json(t) for t in truth.get("tables", ()))
        return tables, tuple(events_from_json(truth["events"], tables))

    def records(self, *, as_shown: bool = True) -> tuple[Record, ...]:
        """The records that the shown text stands for, normalised; the step `reorder` is left out `as_shown`."""
        steps = self.given.get("normalise", ())
        text = to_text(self._edited, steps)
        if "template" in self.given:
            text = self._substituted("template", shown=text)
        if "fill" in self.given:
            text = dumps(merge(exact_json.loads(self._substituted("fill")), exact_json.loads(text)))
        if "reorder" in steps and not as_shown:
            tables, events = self.truth()
            ids = [(e.schema, e.table) for e in events if isinstance(e, RowChange)]
            table = next((t for t in tables if t.id in ids), None)
            text = dumps(reorder(exact_json.loads(text), self.given.get("order", ()), table))
        records = records_of(text, steps)
        where = self.given.get("partition")
        return records if where is None else tuple(replace(record, partition=where) for record in records)

    def is_reordered(self, profile: Profile) -> bool:
        """Whether an encoder of that profile puts members in the order of `order`, not in that of the document."""
        since = self.given.get("order_since")
        return profile.name != "doc" and (since is None or profile.release >= parse_release(since))


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
    records = example.records(as_shown=role == "decode" or not example.is_reordered(profile))
    register = load_register(example.protocol)
    written_for = [register.requirements[i] for i in example.given.get("requirements", ())]
    return Case(
        id=example.id,
        protocol=example.protocol,
        role=role,
        tables=tables,
        events=events,
        records=records if role == "decode" else (),
        options=example.given.get("options", {}),
        settings=Settings(**example.given.get("settings", {})),
        expected=ExpectedRecords(records) if role == "encode" else None,
        anchor=Anchor.DOCUMENT,
        requirements=tuple(r.id for r in written_for if r.role in (role, "both")),
        send_tables=example.given.get("send_tables", True),
        source=example.source,
    )
