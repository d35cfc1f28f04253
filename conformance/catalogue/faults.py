"""Generated faults that prove requirements: for each requirement and role a fault whose first finding names it.

The data are `fixtures/faults.json`, which `tools/faults_page.py` writes from the record of a fault sweep. The kill
matrix runs each fault again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from conformance.catalogue.fixtures import fixtures_root
from conformance.errors import SuiteError

__all__ = ["FAULTS", "GeneratedFault", "faults_of", "load_faults", "read_faults"]

FAULTS = "faults.json"


@dataclass(frozen=True, slots=True)
class GeneratedFault:
    """One change of the reference's answer to a case, and the requirement that its first finding names.

    `path` is a path pattern, `family` the column family there, `event` the operation or kind of the event; the last two
    may be "".
    """

    protocol: str
    role: Literal["encode", "decode"]
    requirement: str
    case: str
    event: str
    path: str
    family: str
    operator: str

    @property
    def name(self) -> str:
        """The name that selects it: `canal-json/sweep/CJ-010`."""
        return f"{self.protocol}/sweep/{self.requirement}"

    @property
    def place(self) -> str:
        """Its place, in words: `insert records[].value.id`."""
        return " ".join(filter(None, (self.event, self.path, self.family)))

    @property
    def change(self) -> str:
        """Its change, in words: `null at insert records[].value.id`."""
        return f"{self.operator} at {self.place}"


@cache
def load_faults() -> Sequence[GeneratedFault]:
    """The shipped faults, in the order of the file: by protocol, role and requirement."""
    return read_faults(fixtures_root() / FAULTS)


def faults_of(protocol: str) -> Sequence[GeneratedFault]:
    """The shipped faults of one protocol."""
    return [fault for fault in load_faults() if fault.protocol == protocol]


def read_faults(path: Path) -> Sequence[GeneratedFault]:
    """The faults in a file. Raises `SuiteError`, naming the file, for one that is malformed."""
    try:
        return tuple(GeneratedFault(**row) for row in json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as e:
        raise SuiteError(f"{path}: not a list of generated faults: {e!r}") from None
