"""What recorded producers of TiCDC wrote, as answers of an encoder, and the defects that are known of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from conformance.cases.model import Case
from conformance.cases.recorded import vector_cases
from conformance.catalogue.defects import load_defects
from conformance.catalogue.vectors import load_producers, recorded_vectors
from reference_impl.profiles import CLASSIC, DOC, NEWARCH
from reference_impl.wire import claim_to_json, record_to_json

PROFILES = [NEWARCH, CLASSIC, DOC]
RECORDED = [NEWARCH, CLASSIC]
_PRODUCERS = {"newarch": "ticdc-newarch", "classic": "ticdc-classic"}


def name_of(thing: Any) -> str:
    """What a parameter of a test is called."""
    return str(getattr(thing, "name", thing))


@cache
def recorded_answers(protocol: str, profile: str) -> list[tuple[Case, dict[str, Any], str]]:
    """The encode cases of the recordings without an expectation of their own, what was recorded, and its vector."""
    found = []
    for vector in recorded_vectors(load_producers()[_PRODUCERS[profile]], protocol):
        if vector.records is not None:
            [case, *_] = vector_cases(vector, "recorded")
            ok = {
                "records": [record_to_json(record) for record in vector.records],
                "claims": [claim_to_json(claim) for claim in vector.claims],
                "schemas": [{"id": s.id, "subject": s.subject, "schema": s.schema} for s in vector.schemas],
            }
            found.append((replace(case, expected=None), {"ok": ok}, vector.case))
    return found


def known_defects(protocol: str, profile: str) -> set[tuple[str, str]]:
    """The (vector, requirement) of the defects that a recorded producer is known to have."""
    return {
        (vector, defect.requirement)
        for defect in load_defects()
        if defect.protocol == protocol and profile in defect.profiles
        for vector in defect.recorded
    }
