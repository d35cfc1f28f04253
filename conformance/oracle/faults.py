"""Finds the faults of a malformed message, and the harm of an answer to it.

The faults are the differences from its twin.

A decoder may answer a fault of a type, a range or the meaning as written: then nothing is lost. Everywhere else its
answer must be that to the twin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from conformance.cases.model import Case
from conformance.catalogue.harm import Harm
from conformance.oracle.findings import Finding
from conformance.oracle.harm import Holds, kind_of_place
from conformance.oracle.rules import ProtocolOracle, Reading
from conformance.oracle.tree import MISSING, Node, Spot, is_plainly_equal, walk
from reference_impl.errors import Rejected

__all__ = ["Fault", "faults_of", "harm_after_faults"]

_NOTHING: tuple[Any, ...] = (None, MISSING, {}, "")
_IMAGES = ("before", "after")


class Fault(NamedTuple):
    """A place where a message differs from its twin."""

    column: str | None  # the column that the place belongs to
    holds: Holds
    right: Any  # the content in the twin, or `MISSING`
    written: Any  # the content in the message, or `MISSING`


def faults_of(oracle: ProtocolOracle, case: Case, twin: Case, options: Any) -> Sequence[Fault] | None:
    """The places where the records of a case differ from those of its twin; None if they cannot be paired."""
    try:
        pairs = list(zip(_read(oracle, twin, options), _read(oracle, case, options), strict=True))
        messages = [pair for right, given in pairs for pair in zip(right.messages, given.messages, strict=True)]
    except (Rejected, ValueError):  # `ValueError`: another number of records or messages
        return None
    return [
        Fault(node.column, kind_of_place(node.spot.skeleton), node.expected, node.got)
        for right, given in messages
        for node in walk(right.tree, given.tree, (), Spot(oracle.columns_at))
        if not is_plainly_equal(node.expected, node.got) and not _are_containers(node)
    ]


def _are_containers(node: Node) -> bool:
    """Whether both sides are objects, or both arrays: their parts are nodes of their own."""
    return any(isinstance(node.expected, kind) and isinstance(node.got, kind) for kind in (dict, list))


def _read(oracle: ProtocolOracle, case: Case, options: Any) -> list[Reading]:
    schemas = {schema.id: schema.schema for schema in case.schemas}
    return [oracle.read(record, options, schemas) for record in case.records]


def harm_after_faults(findings: Sequence[Finding], faults: Sequence[Fault] | None) -> Harm:
    """The harm of an answer to a malformed message; `findings` are its differences from the answer to the twin.

    The written content of a fault may be answered. If `faults` are unknown (None), one column may have any value.
    """
    data = [finding for finding in findings if finding.harm.is_data]
    if faults is None:
        is_one_column = _are_of_one_column(data)
        harms = {_harm_of_unknown_fault(finding, is_one_column=is_one_column) for finding in data}
    else:
        harms = {_harm(finding, faults) for finding in data}
    return next((harm for harm in (Harm.LOST, Harm.CHANGED) if harm in harms), Harm.STRICTNESS)


def _are_of_one_column(findings: Sequence[Finding]) -> bool:
    """Whether all findings are about the value of one column in one image, such as `event.after.c`."""
    places = {tuple(finding.path.split(".", 2)[1:]) for finding in findings}
    return len(places) == 1 and all(len(place) == 2 for place in places)


def _harm_of_unknown_fault(finding: Finding, *, is_one_column: bool) -> Harm:
    if finding.got in _NOTHING:
        return Harm.LOST
    return Harm.STRICTNESS if is_one_column else finding.harm


def _harm(finding: Finding, faults: Sequence[Fault]) -> Harm:
    """The harm of one difference: only strictness if it is the written content of a fault."""
    part, _, path = finding.path.partition(".")
    if part != "event":
        return finding.harm  # too few or too many events
    member, is_in_image, column = path.partition(".")  # the name of a column may have dots, or be empty
    if member in _IMAGES:
        images = [fault for fault in faults if fault.holds is Holds.IMAGE]
        return _of_value(finding, column, faults, images) if is_in_image else _of_image(finding, images)
    if member == "op":
        is_of_fault = any(fault.holds in (Holds.OPERATION, Holds.IMAGE) for fault in faults)
    else:  # a fault never changes the kind of an event by itself
        is_of_fault = any(_is_equal(f.right, finding.expected) and _is_equal(f.written, finding.got) for f in faults)
    return Harm.STRICTNESS if is_of_fault else finding.harm


def _of_value(finding: Finding, column: str, faults: Sequence[Fault], images: Sequence[Fault]) -> Harm:
    """The harm of a wrong value: only strictness if it may be the written content of a fault."""
    of_column = [fault for fault in faults if fault.column == column]
    if not of_column:
        return Harm.STRICTNESS if (column, str(finding.got)) in _written_values(images) else finding.harm
    if finding.got is None or finding.got is MISSING:
        return Harm.STRICTNESS if any(fault.written is finding.got for fault in of_column) else Harm.LOST
    # Values can be compared only where the message writes them as the event does.
    are_values = all(fault.holds is Holds.VALUE for fault in of_column) and not isinstance(finding.got, (dict, list))
    if not are_values or not any(_is_equal(fault.right, finding.expected) for fault in of_column):
        return Harm.STRICTNESS
    return Harm.STRICTNESS if any(_is_equal(fault.written, finding.got) for fault in of_column) else Harm.CHANGED


def _of_image(finding: Finding, images: Sequence[Fault]) -> Harm:
    """The harm of a missing or additional image: only strictness if a fault removes or adds it."""
    if finding.got in _NOTHING:
        return Harm.STRICTNESS if any(image.written in _NOTHING for image in images) else finding.harm
    return Harm.STRICTNESS if set(_values(finding.got)) <= _written_values(images) else finding.harm


def _written_values(images: Sequence[Fault]) -> set[tuple[str, str]]:
    return {pair for image in images for pair in _values(image.written)}


def _values(tree: Any) -> Iterator[tuple[str, str]]:
    """(name, value as text) of the members in an image of any protocol, also of nested ones."""
    if isinstance(tree, (list, tuple)):
        for part in tree:
            yield from _values(part)
    elif isinstance(tree, Mapping):
        for name, part in tree.items():
            value = part.get("v") if isinstance(part, Mapping) else part
            yield name, str(value)
            if isinstance(part, (Mapping, list)):
                yield from _values(part)


def _is_equal(written: Any, answered: Any) -> bool:
    """Whether two values are equal as text or as number; `answered` may be a frozenset of alternatives."""
    if isinstance(answered, frozenset):
        return any(_is_equal(written, alternative) for alternative in answered)
    if written in _NOTHING or answered in _NOTHING:
        return written in _NOTHING and answered in _NOTHING
    if str(written) == str(answered):
        return True
    try:
        return Decimal(str(written)) == Decimal(str(answered))
    except InvalidOperation:
        return False
