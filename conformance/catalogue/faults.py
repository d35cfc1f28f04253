"""Generated faults that prove requirements.

The kill matrix checks that the first finding of a fault names its requirement; a test checks that its findings name
no requirement but this one and `others`.

`fixtures/faults.json` has a fault for each requirement and role for which the sweep finds one; `tools/faults_page.py`
writes it. `fixtures/pinned_faults.json` is written by hand, and has faults in cases with a special value.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.members import reading

__all__ = ["FAULTS", "PINNED", "GeneratedFault", "faults_of", "load_faults", "read_faults"]

FAULTS = "faults.json"
PINNED = "pinned_faults.json"

_LONGEST = 60
"""Characters of a value that a sentence quotes."""


@dataclass(frozen=True, slots=True)
class GeneratedFault:
    """One change of the reference's answer to a case, and the requirement that its first finding must name."""

    protocol: str
    role: Literal["encode", "decode"]
    requirement: str
    case: str
    event: str  # the operation or kind of the event; may be ""
    path: str  # a path pattern
    family: str  # the column family at the path; may be ""
    operator: str
    value: str = ""  # the changed value as JSON; "" where the operator makes it
    nth: int = 0  # which of the places that match the pattern
    others: tuple[str, ...] = ()  # the further requirements that its findings name, in order of their ids

    @property
    def name(self) -> str:
        """The name of the fault in selections: `canal-json/sweep/CJ-010`."""
        return f"{self.protocol}/sweep/{self.requirement}"

    @property
    def place(self) -> str:
        """The place in words: `insert records[].value.id`."""
        return " ".join(filter(None, (self.event, self.path, self.family)))

    @property
    def change(self) -> str:
        """The change in words: `null at insert records[].value.id`."""
        value = self.value if len(self.value) <= _LONGEST else "another value"
        return f"{value or self.operator} at {self.place}"


@cache
def load_faults() -> Sequence[GeneratedFault]:
    """The shipped faults, those of the sweep first, in the order of the files: by protocol, role and requirement."""
    return (*read_faults(fixtures_root() / FAULTS), *read_faults(fixtures_root() / PINNED))


def faults_of(protocol: str) -> Sequence[GeneratedFault]:
    """The shipped faults of one protocol."""
    return [fault for fault in load_faults() if fault.protocol == protocol]


def read_faults(path: Path) -> Sequence[GeneratedFault]:
    """The faults in a file. Raises `SuiteError`, naming the file, for one that is malformed."""
    with reading(path, "a list of generated faults"):
        return tuple(map(_fault, json.loads(path.read_text(encoding="utf-8"))))


def _fault(row: dict[str, Any]) -> GeneratedFault:
    given = {"operator": "value", "value": json.dumps(row["value"], ensure_ascii=False)} if "value" in row else {}
    return GeneratedFault(**{**row, **given, "others": tuple(row.get("others", ()))})
