"""The cases of a recording as `-k` finds them before its records are paired with their changes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformance.catalogue.recordings import Recording, Workloads
from conformance.catalogue.register import Level
from conformance.engine.selection import subject_of

__all__ = ["UnpairedCases", "case_prefix", "cases_of"]

# What the id of a case has behind the name of its recording, with 0 for each number: see `PairedRecording`.
_ENDS = ("0", "0#0", "after-0/missing-0", "before-all/missing-0")
_NUMBER = re.compile("[0-9]+")


@dataclass(frozen=True, slots=True)
class UnpairedCases:
    """All cases of a recording at once: an answer is None if it depends on the case."""

    id_start: str
    """What all ids begin with."""
    common: str
    """The words of every case, in lower case; that of the id only as far as all ids have it."""
    possible: str | None
    """The axes that some of the cases have, in lower case; None if they are unknown."""

    def holds(self, needle: str) -> bool | None:
        if needle in self.common:
            return True
        may_be_axis = self.possible is None or needle in self.possible
        return None if may_be_axis or self._may_be_in_id(needle) else False

    def evaluates(self, requirement: str) -> bool | None:
        # The cases have no requirements, so only their ids may have such a text.
        if requirement in self.id_start.lower():
            return True
        return None if self._may_be_in_id(requirement) else False

    def fits(self, pattern: str) -> bool | None:
        literal = re.split("[*?]", pattern)[0]
        is_possible = self.id_start.startswith(literal) or literal.startswith(self.id_start)
        return None if is_possible else False

    def _may_be_in_id(self, needle: str) -> bool:
        """Whether the end of an id has a text, alone or with the last letters of what stands before it."""
        start = self.id_start.lower()
        across = (_NUMBER.sub("0", needle[n:]) for n in range(1, len(needle)) if start.endswith(needle[:n]))
        within = _NUMBER.sub("0", needle)
        return any(within in end for end in _ENDS) or any(end.startswith(rest) for rest in across for end in _ENDS)


def case_prefix(folder: str, recording: Recording) -> str:
    """What the ids of the cases of a recording have before the name of the recording."""
    return f"{recording.protocol}/recorded/{folder}/"


def cases_of(folder: str, recording: Recording, workloads: Workloads) -> UnpairedCases:
    """The cases of a recording in a folder of that name. Raises `UsageError` for a recording without a truth."""
    id_start = f"{case_prefix(folder, recording)}{recording.name}/"
    common = subject_of(id_start, recording.protocol, "encode", Level.MUST, requirements=(), axes={}).text
    possible = None
    if not recording.facts.snapshot:  # which shows tables under their last names, and computes them from the SQL
        changes = workloads.truth_of(recording).changes
        axes = {(f"table={c.table.schema}.{c.table.name}", f"operation={c.op}") for c in changes}
        possible = "\n".join(sorted({word for pair in axes for word in pair})).lower()
    return UnpairedCases(id_start, common.rstrip("\n"), possible)
