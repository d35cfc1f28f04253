"""Cases from the invalid fixtures: each input must be refused, with a class that is right for its fault."""

from __future__ import annotations

from conformance.cases.model import Anchor, Case, ExpectedRejection
from conformance.catalogue.invalid import InvalidFixture, load_invalid

__all__ = ["invalid_cases"]


def _case(fixture: InvalidFixture) -> Case:
    return Case(
        id=f"{fixture.protocol}/invalid/{fixture.id}",
        protocol=fixture.protocol,
        role=fixture.role,
        tables=fixture.input.tables,
        events=fixture.input.events,
        records=fixture.input.records,
        claims=fixture.input.claims,
        schemas=fixture.input.schemas,
        registry_fault=fixture.input.registry_fault,
        options=fixture.input.options,
        expected=ExpectedRejection(frozenset(fixture.classes)),
        anchor=Anchor(fixture.anchor),
        requirements=fixture.requirements,
        source=fixture.file,
        axes={"fault": str(fixture.classes[0])},
    )


def invalid_cases(protocol: str) -> list[Case]:
    """One case per invalid fixture of a protocol, both roles, in the order of the files."""
    return [_case(fixture) for fixture in load_invalid(protocol)]
