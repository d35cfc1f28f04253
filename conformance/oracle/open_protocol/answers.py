"""The rules on what a decoder answers, by place of the event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.oracle.conditions import all_of, any_of, family, is_null, kind, no, op, option, written_for
from conformance.oracle.open_protocol.conditions import (
    action_code,
    empty_p,
    empty_text,
    raw_text,
    swapped,
    tables_sent,
    updated_only,
    with_backslash,
    within,
)
from conformance.oracle.open_protocol.families import BINARIES, BLOBS, FAMILY_RULES, STRINGS, TEXTS, of_family
from conformance.oracle.open_protocol.strings import beyond_document
from conformance.oracle.rules import Place, Rule, absent
from conformance.oracle.tree import Kind
from reference_impl.column_types import INTEGERS, Family

__all__ = ["EVENT_RULES"]

FORM = frozenset({Kind.MISSING, Kind.EXTRA, Kind.JSON_KIND})
WRONG = frozenset({Kind.JSON_KIND, Kind.VALUE})
MISSING, EXTRA = frozenset({Kind.MISSING}), frozenset({Kind.EXTRA})

_old_values = option("open_output_old_value")
_deletes_handle = option("delete_only_output_handle_key_columns")


def _is_other_change(place: Place) -> bool:
    """None of the operations that an update may be taken as: a row would be deleted."""
    return place.got not in ("insert", "update", "upsert")


def _is_filled_from_after(place: Place) -> bool:
    """In place of no image before the change stands what the decoder has from `u`, since no column changed."""
    if place.expected == place.got:
        return True
    after = place.given.get("event", {}).get("after")
    if place.expected or not isinstance(place.got, dict) or not isinstance(after, dict):
        return False
    return all(name in after and after[name] == value for name, value in place.got.items())


def _is_of_after(place: Place) -> bool:
    """A column that `p` leaves out has the value that it has after the update."""
    after = place.given.get("event", {}).get("after")
    name = place.path[-1]
    return place.expected == place.got or (isinstance(after, dict) and name in after and after[name] == place.got)


_lost_before = all_of(op("update"), any_of(no(_old_values), empty_p))

_EVENTS: tuple[Rule, ...] = (
    Rule("OP-020", "event"),
    Rule("OP-020", "event.kind", no(kind("watermark"))),
    Rule("OP-025", "event.kind", kind("watermark")),
    Rule("OP-065", "event.query", kinds=FORM),
    Rule("OP-043", "event.after", no(is_null), frozenset({Kind.JSON_KIND})),
    Rule("OP-041", "event.after", is_null, frozenset({Kind.JSON_KIND})),
    Rule("OP-051", "event.op", any_of(no(_lost_before), all_of(empty_p, _is_other_change))),
    Rule("OP-243", "event.op", all_of(_lost_before, no(empty_p))),
    Rule("OP-057", "event.op", all_of(_lost_before, empty_p, no(_is_other_change))),
    *(
        rule
        for name in ("event.schema", "event.table")
        for rule in (
            Rule("OP-034", name, no(empty_text)),
            Rule("OP-024a", name, empty_text),
        )
    ),
    Rule("OP-027", "event.commit_ts"),
    absent("OP-258", "event.start_ts"),
    Rule("OP-028", "event.partition_id", kind("row")),
    Rule("OP-066", "event.query", kinds=frozenset({Kind.VALUE})),
    *(Rule(id_, "event.action_code", action_code(id_)) for id_ in ("OP-143", "OP-143a", "OP-144")),
    *(Rule(id_, "event.action", action_code(id_)) for id_ in ("OP-143", "OP-143a")),
    Rule("OP-041", "event.after", kinds=MISSING | EXTRA),
    Rule("OP-041", "event.before", no(op("update")), FORM),
    Rule("OP-042", "event.before", all_of(op("update"), any_of(no(empty_p), no(_is_filled_from_after))), FORM),
    Rule("OP-057", "event.before", all_of(empty_p, _is_filled_from_after), FORM),
    Rule("OP-020", "event.*"),
)

_handle_only = option("large_message_handle_option", "handle-key-only")
_beyond_double = all_of(family(*INTEGERS), no(within(-(1 << 53), 1 << 53)), no(is_null))
_beyond_signed = all_of(family(Family.BIT, Family.SET, Family.ENUM), within(1 << 63, (1 << 64) - 1))
_binary = family(*BINARIES)
_by_flag = all_of(no(tables_sent), family(*TEXTS, *BLOBS))
_by_flag_quoted = all_of(no(tables_sent), any_of(_binary, all_of(family(*STRINGS), with_backslash)))
_by_code = any_of(*(written_for(id_) for id_ in ("OP-105", "OP-116", "OP-240")))
_quoted_beyond = all_of(_binary, beyond_document)
_has_own_rule = any_of(_beyond_double, _beyond_signed, _by_flag, _by_flag_quoted, _by_code, _quoted_beyond, raw_text)


def _event_columns(image: str) -> Iterator[Rule]:
    at = f"event.{image}.{{column}}"
    if image == "after":
        yield Rule("OP-040", at, kinds=MISSING)
        yield Rule("OP-040", at, no(_handle_only), EXTRA)
    else:
        yield Rule("OP-048", at, all_of(op("delete"), no(_deletes_handle)), MISSING)
        yield Rule("OP-048a", at, all_of(op("delete"), _deletes_handle), MISSING | EXTRA)
        yield Rule("OP-048", at, all_of(op("delete"), no(_deletes_handle), no(_handle_only)), EXTRA)
        yield Rule("OP-042", at, all_of(op("update"), no(updated_only), no(_handle_only)), EXTRA)
        yield Rule("OP-042", at, op("update"), MISSING)
        filled = all_of(updated_only, no(_handle_only))
        yield Rule("OP-060", at, all_of(filled, _is_of_after), EXTRA)
        yield Rule("OP-042", at, all_of(filled, no(_is_of_after)), EXTRA)
    yield Rule("OP-244", at, _handle_only, EXTRA)
    yield Rule("OP-040", at, swapped, WRONG)
    yield from (replace(rule, when=all_of(rule.when, no(swapped))) for rule in _value_rules(at))


def _value_rules(at: str) -> Iterator[Rule]:
    yield Rule("OP-119", at, is_null, WRONG)
    for requirement in FAMILY_RULES:
        yield Rule(requirement, at, all_of(of_family(requirement), no(is_null), no(_has_own_rule)), WRONG)
    for requirement, when in (
        ("OP-077", raw_text),
        ("OP-120", _by_flag),
        ("OP-142", all_of(_by_flag_quoted, no(raw_text))),
        ("OP-140", all_of(_quoted_beyond, no(_by_flag_quoted))),
        ("OP-238", _beyond_double),
        ("OP-239", _beyond_signed),
        ("OP-107", all_of(_beyond_signed, family(Family.BIT))),
        ("OP-114", all_of(_beyond_signed, family(Family.SET))),
        *((id_, written_for(id_)) for id_ in ("OP-105", "OP-116", "OP-240")),
    ):
        yield Rule(requirement, at, all_of(when, no(is_null)), WRONG)


EVENT_RULES: tuple[Rule, ...] = (
    *_EVENTS,
    *(rule for image in ("before", "after") for rule in _event_columns(image)),
)
