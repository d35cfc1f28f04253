"""Rules of what a decoder answers.  [CJ-801 … CJ-886, and the rules of values read backwards]"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.oracle.canal_json.places import (
    changed_only,
    is_changed,
    is_known_by_another_case,
    rounded,
)
from conformance.oracle.canal_json.values import advised, value_steps
from conformance.oracle.conditions import all_of, generated, kind, no, op, option
from conformance.oracle.rules import Condition, Place, Rule, absent, always
from conformance.oracle.steps import first_match
from conformance.oracle.tree import MISSING, Kind
from reference_impl.keys import handle_key

__all__ = ["AFTER", "BEFORE", "event_rules"]

BEFORE, AFTER = "event.before.{column}", "event.after.{column}"

_ALL = frozenset(Kind) - {Kind.ORDER}
_PRESENCE = frozenset({Kind.MISSING, Kind.EXTRA})
_LEAF = frozenset({Kind.VALUE, Kind.JSON_KIND})

_row, _ddl, _watermark = kind("row"), kind("ddl"), kind("watermark")
_extension = option("enable_tidb_extension")
_claim_check = option("large_message_handle_option", "claim-check")


def _invented(place: Place) -> bool:
    return place.expected is MISSING or place.expected is None


def _missed(place: Place) -> bool:
    return place.got is MISSING


def _is_reduced(place: Place) -> bool:
    """The answered image has columns of the handle key alone."""
    image = place.given["event"].get(place.path[1])
    return isinstance(image, dict) and place.table is not None and image.keys() <= {*handle_key(place.table)}


def _member_rules() -> Iterator[Rule]:
    yield Rule("CJ-801", "event.kind", kinds=_ALL)
    yield Rule("CJ-016", "event.op", _row, _ALL)
    for name in ("schema", "table"):
        yield Rule("CJ-015", f"event.{name}", _row, _ALL)
        yield Rule("CJ-623", f"event.{name}", _ddl, _ALL)
    yield Rule("CJ-620", "event.query", _ddl, _ALL)
    for name in ("action", "action_code"):
        yield Rule("CJ-886", f"event.{name}", _ddl, _ALL)
    at = "event.commit_ts"
    carried: Condition = lambda place: place.expected is not MISSING  # noqa: E731
    yield absent("CJ-886", at, no(_extension))
    for requirement, condition in first_match(
        ("CJ-885", carried, rounded),
        ("CJ-046", all_of(_watermark, carried)),
        ("CJ-042", carried),
    ):
        yield Rule(requirement, at, condition, _ALL)
    # A rounded time stamp is a wrong one, too.
    yield Rule("CJ-046", at, all_of(_watermark, carried, rounded), _ALL)
    yield Rule("CJ-042", at, all_of(no(_watermark), carried, rounded), _ALL)
    yield absent("CJ-886", "event.query", no(_ddl))
    for name in ("schema", "table"):
        yield absent("CJ-886", f"event.{name}", _watermark)
    for name in ("op", "before", "after"):
        yield absent("CJ-886", f"event.{name}", no(_row))
    yield Rule("CJ-886", "event.*", kinds=_ALL)


def _image_rules() -> Iterator[Rule]:
    partial = all_of(op("update"), changed_only)
    for requirement, condition in first_match(
        ("CJ-886", all_of(_row, _invented)),
        ("CJ-504", partial),
        ("CJ-501", op("update")),
        ("CJ-032", op("delete")),
    ):
        yield Rule(requirement, "event.before", condition, _ALL)
    for requirement, condition in first_match(("CJ-886", all_of(_row, _invented)), ("CJ-032", _row)):
        yield Rule(requirement, "event.after", condition, _ALL)
    # A delete answered with a row after it: the row that the message holds is the deleted one.
    yield Rule("CJ-032", "event.after", all_of(op("delete"), _invented), _ALL)


def _column_rules() -> Iterator[Rule]:
    update = op("update")
    for at in (BEFORE, AFTER):
        before = at == BEFORE
        never: Condition = lambda place: False  # noqa: E731
        for requirement, condition in first_match(
            ("CJ-037", always, is_known_by_another_case),
            ("CJ-886", generated("virtual")),
            ("CJ-886", lambda place: place.expected is MISSING),
            ("CJ-133", _claim_check, _is_reduced),
            ("CJ-504", all_of(update, changed_only, is_changed) if before else never, _missed),
            ("CJ-501", all_of(update, no(changed_only)) if before else never, _missed),
            ("CJ-034a", lambda place: place.expected is None, _missed),
            ("CJ-030a", always, _missed),
        ):
            yield Rule(requirement, at, condition, _PRESENCE, when_absent=requirement == "CJ-886")
        for requirement, condition in first_match(*value_steps(decoding=True)):
            yield Rule(requirement, at, condition, _LEAF)
            yield from advised(requirement, at, condition)


def event_rules() -> Iterator[Rule]:
    """Every rule of a decoder's answer."""
    yield from _member_rules()
    yield from _image_rules()
    yield from _column_rules()
