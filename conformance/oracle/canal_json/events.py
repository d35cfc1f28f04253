"""Rules of what a decoder answers.  [CJ-801 … CJ-886, and the rules of values read backwards]"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.oracle.canal_json.places import (
    changed_only,
    is_changed,
    is_known_by_another_case,
    rounded,
)
from conformance.oracle.canal_json.values import value_rows
from conformance.oracle.conditions import all_of, any_of, generated, kind, never, no, op, option, shows
from conformance.oracle.rules import Condition, Place, Rule, absent, ranked
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
    yield from ranked(
        at,
        _ALL,
        ("CJ-885", all_of(carried, shows(rounded))),
        ("CJ-046", all_of(_watermark, carried)),
        ("CJ-042", all_of(carried, shows(no(_watermark)))),
    )
    yield absent("CJ-886", "event.query", no(_ddl))
    for name in ("schema", "table"):
        yield absent("CJ-886", f"event.{name}", _watermark)
    for name in ("op", "before", "after"):
        yield absent("CJ-886", f"event.{name}", no(_row))
    yield Rule("CJ-886", "event.*", kinds=_ALL)


def _image_rules() -> Iterator[Rule]:
    invented = all_of(_row, _invented)
    yield from ranked(
        "event.before",
        _ALL,
        ("CJ-886", invented),
        ("CJ-504", all_of(op("update"), changed_only, shows(no(invented)))),
        ("CJ-501", all_of(op("update"), shows(no(any_of(changed_only, invented))))),
        ("CJ-032", all_of(op("delete"), shows(no(invented)))),
    )
    # In a delete the row that the message holds is the deleted one, and no row after it.
    held = shows(any_of(op("delete"), no(invented)))
    yield from ranked("event.after", _ALL, ("CJ-886", invented), ("CJ-032", all_of(_row, held)))


def _column_rules() -> Iterator[Rule]:
    update = op("update")
    for at in (BEFORE, AFTER):
        of_update = update if at == BEFORE else never
        reduced = all_of(_claim_check, shows(_is_reduced))
        null: Condition = lambda place: place.expected is None  # noqa: E731
        # Of these, the document says only what should be.
        advised = any_of(generated("virtual"), reduced, all_of(of_update, changed_only, is_changed))
        for requirement, condition in (
            ("CJ-037", shows(is_known_by_another_case)),
            ("CJ-886", any_of(generated("virtual"), lambda place: place.expected is MISSING)),
            ("CJ-133", reduced),
            ("CJ-504", all_of(of_update, changed_only, is_changed, shows(_missed))),
            ("CJ-501", all_of(of_update, no(changed_only), shows(all_of(_missed, no(advised))))),
            ("CJ-034a", all_of(null, shows(_missed))),
            ("CJ-030a", shows(all_of(_missed, no(any_of(advised, null))))),
        ):
            yield Rule(requirement, at, condition, _PRESENCE, when_absent=requirement == "CJ-886")
        yield from ranked(at, _LEAF, *value_rows(decoding=True))


def event_rules() -> Iterator[Rule]:
    """Every rule of a decoder's answer."""
    yield from _member_rules()
    yield from _image_rules()
    yield from _column_rules()
