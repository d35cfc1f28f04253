"""Cases from the invalid fixtures: each input must be refused, with a class that is right for its fault."""

from __future__ import annotations

from dataclasses import replace

from conformance.cases.model import Anchor, Case, ExpectedRejection
from conformance.catalogue.invalid import InvalidFixture, InvalidInput, load_invalid

__all__ = ["invalid_cases"]


def _case(fixture: InvalidFixture) -> Case:
    valid = _case_of(fixture, fixture.twin) if fixture.role == "decode" else None
    return replace(_case_of(fixture, fixture.input), expected=ExpectedRejection(frozenset(fixture.classes), valid))


def _case_of(fixture: InvalidFixture, input_: InvalidInput) -> Case:
    return Case(
        id=f"{fixture.protocol}/invalid/{fixture.id}",
        protocol=fixture.protocol,
        role=fixture.role,
        tables=input_.tables,
        events=input_.events,
        records=input_.records,
        claims=input_.claims,
        schemas=input_.schemas,
        registry_fault=input_.registry_fault,
        options=input_.options,
        anchor=Anchor(fixture.anchor),
        requirements=fixture.requirements,
        source=fixture.file,
        axes={"fault": str(fixture.classes[0])},
    )


def invalid_cases(protocol: str) -> list[Case]:
    """One case per invalid fixture of a protocol, both roles, in the order of the files."""
    return [_case(fixture) for fixture in load_invalid(protocol)]
