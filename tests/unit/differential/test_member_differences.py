"""What two records of one message differ in."""

from __future__ import annotations

import json

from differential.decode.member_differences import member_differences
from reference_impl.model import Record


def record(**members: object) -> Record:
    """A record with a JSON value."""
    return Record(None, json.dumps(members).encode())


def test_differences_stand_in_the_order_of_the_members() -> None:
    names = [f"member {n}" for n in range(20)]
    written = record(**dict.fromkeys(names, 1))
    other = record(**dict.fromkeys(reversed(names), 2), more=3)
    found = [path for path, _, _ in member_differences(written, other, ())]
    assert [path[-1] for path in found] == [*names, "more"]
