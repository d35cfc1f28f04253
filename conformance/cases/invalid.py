"""Cases from the invalid fixtures: each input must be refused, with a class that is right for its fault."""

from __future__ import annotations

from dataclasses import replace

from conformance.cases.model import Anchor, Case, ExpectedRejection
from conformance.catalogue.invalid import InvalidFixture, InvalidInput, load_invalid

__all__ = ["invalid_cases"]


def _case(fixture: InvalidFixture) -> Case:
    valid = _of(fixture, fixture.twin) if fixture.role == "decode" else None
    return replace(_of(fixture, fixture.input), expected=ExpectedRejection(frozenset(fixture.classes), valid))


def _of(fixture: InvalidFixture, given: InvalidInput) -> Case:
    return Case(
        id=f"{fixture.protocol}/invalid/{fixture.id}",
        protocol=fixture.protocol,
        role=fixture.role,
        tables=given.tables,
        events=given.events,
        records=given.records,
        claims=given.claims,
        schemas=given.schemas,
        registry_fault=given.registry_fault,
        options=given.options,
        anchor=Anchor(fixture.anchor),
        requirements=fixture.requirements,
        source=fixture.file,
        axes={"fault": str(fixture.classes[0])},
    )


def invalid_cases(protocol: str) -> list[Case]:
    """One case per invalid fixture of a protocol, both roles, in the order of the files."""
    return [_case(fixture) for fixture in load_invalid(protocol)]
