"""Predicates of the checks of Open Protocol on answers as a whole, and on events."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from conformance.catalogue.register import load_register
from conformance.oracle.conditions import encoded_as
from conformance.oracle.open_protocol.conditions import is_p_empty
from conformance.oracle.rules import Condition, Place
from reference_impl.model import Watermark

__all__ = ["PREDICATES"]

# -- answers -----------------------------------------------------------------------------------------------------------

_is_respelled = encoded_as("shuffled", "spaced", "escaped")
_has_unknown_members = encoded_as("unknown members")


def is_respelled(place: Place) -> bool:
    """The records of the case are respelled, with the same content."""
    return _is_respelled(place)


def is_rewritten(place: Place) -> bool:
    """The records of the case are respelled, or have unknown members."""
    return _is_respelled(place) or _has_unknown_members(place)


@cache
def _checked_by_own_cases(at: str) -> frozenset[str]:
    """The requirements with a check at that place that applies only to cases written for them (`is_own_case`)."""
    requirements = load_register("open-protocol").requirements.values()
    return frozenset(r.id for r in requirements for check in r.checks if at in check.at and "is_own_case" in check.when)


def is_found_by_count(place: Place) -> bool:
    """The case was written for a requirement that only the number of events shows: a wrong number breaks that one."""
    # Such requirements have an own-case check at `answer`: all of those checks are of the kind `count`. A case that was
    # written for OP-001 as well holds several events in a message: there a wrong number also breaks OP-257.
    written_for = place.case.requirements
    return "OP-001" not in written_for and not _checked_by_own_cases("answer").isdisjoint(written_for)


def is_of_codes(place: Place) -> bool:
    """The case was written for a requirement on a code or flag of a column, so a wrong value breaks that one."""
    # Such requirements (code 14 is read as DATE) have an own-case check at decoded values. The other checks there are
    # about families of column types.
    return not _checked_by_own_cases("event.after.{column}").isdisjoint(place.case.requirements)


def has_bodies(place: Place) -> bool:
    """The case has rows or statements: the values that are compressed."""
    return any(not isinstance(event, Watermark) for event in place.case.events)


def has_claims(place: Place) -> bool:
    """The case has claim-check files."""
    return bool(place.case.claims)


# -- events ------------------------------------------------------------------------------------------------------------


def is_other_change(place: Place) -> bool:
    """The answered operation is no insert, update or upsert: a reader would delete the row."""
    return place.got not in ("insert", "update", "upsert")


def is_empty_p_filled(place: Place) -> bool:
    """No sent column changed; the image before the update is right, or filled with values from after the update."""
    if not is_p_empty(place):
        return False
    if place.expected == place.got:
        return True
    after = place.got_tree.get("event", {}).get("after")
    if place.expected:  # where columns are expected, only they are right
        return False
    if not isinstance(place.got, dict) or not isinstance(after, dict):
        return False
    return all(name in after and after[name] == value for name, value in place.got.items())


def is_of_after(place: Place) -> bool:
    """The answer has the right value, or the value that the column has after the update."""
    after = place.got_tree.get("event", {}).get("after")
    name = place.path[-1]
    return place.expected == place.got or (isinstance(after, dict) and name in after and after[name] == place.got)


PREDICATES: Sequence[Condition] = (
    *(has_bodies, has_claims, is_empty_p_filled, is_found_by_count, is_of_after, is_of_codes, is_other_change),
    *(is_respelled, is_rewritten),
)
