"""The rules on what an encoder writes, by place: answers, frames, keys, values, claim-check files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.oracle.conditions import (
    all_of,
    any_of,
    apart_from,
    encoded_as,
    family,
    generated,
    is_null,
    kind,
    no,
    op,
    option,
    role,
    same,
    shows,
    written_for,
)
from conformance.oracle.open_protocol import reading
from conformance.oracle.open_protocol.conditions import (
    action_code,
    bit,
    broadcasts,
    code_given,
    code_of_null,
    counts_batches,
    doubled_ohk,
    empty_name,
    empty_p,
    fault,
    generated_in_index,
    in_an_index,
    in_composite_index,
    in_zone,
    is_flags,
    is_reduced_unasked,
    mixed,
    nameless,
    null_involved,
    raw_text,
    reduced,
    reduced_by,
    same_instant,
    splits,
    splits_primary_key,
    splits_unique_key,
    statements_alone,
    swapped,
    unread,
    updated_only,
    worked_example,
)
from conformance.oracle.open_protocol.counting import is_split_otherwise, keeps_primary_keys, lacks_copies
from conformance.oracle.open_protocol.families import BINARIES, BLOBS, FAMILY_RULES, TEXTS, of_family
from conformance.oracle.open_protocol.handles import (
    handle_is_certain,
    handle_of_primary_key,
    handle_set,
    is_handle,
    is_legal_delete,
)
from conformance.oracle.open_protocol.spelling import SPELLING, text_rules
from conformance.oracle.open_protocol.strings import quoted
from conformance.oracle.order import are_halves
from conformance.oracle.rules import Condition, Place, Row, Rule, absent, always, ranked
from conformance.oracle.tree import MISSING, Kind
from reference_impl.column_types import Family
from reference_impl.model import DdlEvent, Watermark

__all__ = ["RECORD_RULES"]

THERE = frozenset({Kind.MISSING, Kind.EXTRA})
FORM = frozenset({Kind.MISSING, Kind.EXTRA, Kind.JSON_KIND})
VALUE = frozenset({Kind.VALUE})
WRONG = frozenset({Kind.JSON_KIND, Kind.VALUE})
ORDER = frozenset({Kind.ORDER})
COUNT = frozenset({Kind.COUNT})
DOUBLED = frozenset({Kind.DOUBLED})
ANSWER = frozenset({Kind.COUNT, Kind.REFUSED, Kind.ACCEPTED, Kind.CLASS})

row, ddl, resolved = kind("row"), kind("ddl"), kind("watermark")
stored = no(generated("virtual"))

# -- answers and records -----------------------------------------------------------------------------------------------

_encoding = role("encode")
_rewritten = any_of(encoded_as("unknown members"), encoded_as("shuffled", "spaced", "escaped"))

# Requirements that only the number of events shows, for cases written for them.
_FOUND_BY_COUNT = (
    *("OP-024a", "OP-032", "OP-044b", "OP-083a", "OP-105", "OP-116", "OP-173", "OP-200", "OP-205"),
    *("OP-240", "OP-249", "OP-259"),
)
_is_found_by_count = all_of(any_of(*map(written_for, _FOUND_BY_COUNT)), no(written_for("OP-001")))

_split_by_default = option("output_raw_change_event", False)

_split: Row = ("OP-180b", all_of(_encoding, splits_unique_key, _split_by_default, shows(keeps_primary_keys)))
_NAMED: tuple[Row, ...] = (
    ("OP-203", all_of(_encoding, broadcasts(Watermark), shows(lacks_copies("watermark")))),
    ("OP-204", all_of(_encoding, broadcasts(DdlEvent), shows(lacks_copies("ddl")))),
    _split,
    ("OP-180", all_of(_encoding, splits_primary_key, _split_by_default, shows(is_split_otherwise), apart_from(_split))),
    ("OP-180a", all_of(_encoding, splits, option("output_raw_change_event"), shows(is_split_otherwise))),
)
_COUNTS: tuple[Row, ...] = (
    *_NAMED,
    ("OP-257", all_of(no(any_of(_rewritten, _is_found_by_count)), apart_from(*_NAMED))),
)

# What is refused though it is right: a statement of a code beyond the document's list is refused for that.
_CODES: tuple[Row, ...] = tuple((id_, statements_alone(id_)) for id_ in ("OP-143a", "OP-144", "OP-145"))
_REFUSALS: tuple[Row, ...] = (*_CODES, ("OP-001", all_of(no(_rewritten), apart_from(*_CODES))))
_halves: Row = ("OP-180", all_of(splits, shows(are_halves)))

_ANSWERS = (
    *ranked("answer", ANSWER - {Kind.COUNT}, *_REFUSALS),
    Rule("OP-245", "answer", encoded_as("unknown members"), ANSWER),
    Rule("OP-083a", "answer", encoded_as("shuffled", "spaced", "escaped"), ANSWER),
    *ranked("answer", COUNT, *_COUNTS),
    *(Rule(id_, "answer", written_for(id_), COUNT) for id_ in _FOUND_BY_COUNT),
    *ranked("answer", ORDER, _halves, ("OP-155", apart_from(_halves))),
)

_compressing = no(option("large_message_handle_compression", "none"))

_ON_BATCHES = ("OP-150", "OP-152", "OP-154", "OP-155")

_FRAMES = (
    Rule("OP-002", "frame", fault(reading.KEY_LAYOUT)),
    Rule("OP-003", "frame", fault(reading.VALUE_LAYOUT)),
    Rule("OP-004", "frame", fault(reading.BEYOND_64_BITS)),
    Rule("OP-005", "frame", fault(reading.VERSION)),
    Rule("OP-006", "frame", fault(reading.PAIRS)),
    Rule("OP-007", "frame", fault(reading.RESOLVED_VALUE)),
    Rule("OP-008", "frame.alone"),
    Rule("OP-008", "frame.events", mixed, VALUE),
    Rule("OP-011", "frame", all_of(_compressing, fault(reading.COMPRESSED_KEY))),
    *(Rule("OP-014", at) for at in ("frame.headers", "frame.headers[]")),
    Rule("OP-157", "frame.compression"),
    *(Rule(id_, "frame.events", all_of(no(mixed), counts_batches(id_))) for id_ in _ON_BATCHES),
    Rule("OP-203", "frame.partition", resolved),
    Rule("OP-204", "frame.partition", ddl),
    Rule("OP-212", "frame.partition", row),
)

_UNREAD = (
    Rule("OP-020", "value", all_of(unread, fault(reading.EVENT_KEY))),
    Rule("OP-011", "value", all_of(unread, fault(reading.COMPRESSED_KEY))),
    Rule("OP-077", "value", all_of(unread, fault(reading.NOT_UTF8))),
    Rule("OP-040", "value", all_of(unread, fault(reading.ROW_VALUE), no(fault(reading.NOT_UTF8)))),
    Rule("OP-065", "value", all_of(unread, fault(reading.DDL_VALUE))),
    Rule("OP-157", "value", all_of(unread, fault(reading.COMPRESSION))),
)

# -- keys --------------------------------------------------------------------------------------------------------------


def _is_named(place: Place) -> bool:
    """A name stands where none should be."""
    return place.expected is MISSING and place.got is not MISSING and place.got != ""


_KEYS = (
    Rule("OP-020", "key", no(resolved), FORM),
    Rule("OP-020", "key", no(doubled_ohk), DOUBLED),
    Rule("OP-025", "key", resolved, FORM),
    Rule("OP-032", "key", all_of(row, reduced, doubled_ohk), DOUBLED),
    Rule("OP-020", "key", all_of(no(all_of(row, reduced)), doubled_ohk), DOUBLED),
    Rule("OP-022", "key", kinds=ORDER),
    Rule("OP-023", "key", kinds=ORDER),
    Rule("OP-020", "key.ts", no(resolved), THERE),
    Rule("OP-025", "key.ts", resolved, THERE),
    Rule("OP-027", "key.ts", kinds=WRONG),
    *(
        rule
        for name in ("key.scm", "key.tbl")
        for rule in (
            Rule("OP-020", name, all_of(no(resolved), no(empty_name)), FORM),
            Rule("OP-024", name, all_of(empty_name, no(_is_named)), THERE, when_absent=True),
            Rule("OP-034", name, all_of(empty_name, _is_named), frozenset({Kind.EXTRA})),
            Rule("OP-025", name, resolved, frozenset({Kind.EXTRA}), when_absent=True),
            Rule("OP-034", name, kinds=VALUE),
        )
    ),
    Rule("OP-020", "key.t", no(resolved)),
    Rule("OP-025", "key.t", resolved),
    Rule("OP-028", "key.ptn"),
    absent("OP-028", "key.ptn", row),
    Rule("OP-029", "key.rid", row, when_absent=True),
    Rule("OP-030", "key.ohk", no(reduced_by("claim-check")), when_absent=True),
    Rule("OP-032a", "key.ohk", reduced_by("claim-check"), when_absent=True),
    Rule("OP-031", "key.ccl", kinds=FORM, when_absent=True),
    Rule("OP-171", "key.ccl", kinds=VALUE),
    Rule("OP-021", "key.*"),
    Rule("OP-021", "key", row, frozenset()),  # every member is visited: there is no other one
)

# -- values of DDL and resolved events ---------------------------------------------------------------------------------

_DDL_VALUES = (
    Rule("OP-007", "value", resolved, frozenset({Kind.EXTRA}), when_absent=True),
    Rule("OP-065", "value", ddl),
    Rule("OP-065a", "value", ddl, ORDER),
    Rule("OP-065", "value.q", kinds=FORM),
    Rule("OP-066", "value.q", kinds=VALUE),
    Rule("OP-065", "value.t", kinds=FORM),
    *(Rule(id_, "value.t", action_code(id_), VALUE) for id_ in ("OP-143", "OP-143a", "OP-145")),
    Rule("OP-065", "value.*", ddl),
)

# -- values of row events ----------------------------------------------------------------------------------------------

_only_updated = option("only_output_updated_columns")
_old_values = option("open_output_old_value")
_deletes_handle = option("delete_only_output_handle_key_columns")
_whole = all_of(stored, no(reduced))


def _tells_nothing(place: Place) -> bool:
    """Neither side has a column here: there is no image, or an empty one."""
    return all(side is MISSING or side == {} for side in (place.expected, place.got))


_IMAGES = (
    Rule("OP-040", "value", row),
    Rule("OP-040a", "value", row, ORDER),
    Rule("OP-041", "value.u", kinds=THERE),
    Rule("OP-041", "value.d", kinds=THERE),
    absent("OP-041", "value.d", op("insert", "update")),
    absent("OP-041", "value.u", op("delete")),
    absent("OP-041", "value.p", op("insert", "delete")),
    Rule("OP-042", "value.p", all_of(op("update"), _old_values, any_of(no(empty_p), no(_tells_nothing))), THERE),
    absent("OP-042", "value.p", all_of(op("update"), no(_old_values), no(_only_updated))),
    absent("OP-059", "value.p", all_of(op("update"), no(_old_values), _only_updated)),
    Rule("OP-057", "value.p", all_of(empty_p, _tells_nothing), THERE, when_absent=True),
    *(Rule("OP-040", f"value.{image}", kinds=frozenset({Kind.JSON_KIND})) for image in "upd"),
    *(Rule("OP-043", f"value.{image}", kinds=DOUBLED) for image in "ud"),
    Rule("OP-043", "value.p", no(updated_only), DOUBLED),
    Rule("OP-058", "value.p", updated_only, DOUBLED),
    *(Rule("OP-045", f"value.{image}", kinds=ORDER) for image in "upd"),
    Rule("OP-040", "value.*", row),
)


def _columns_of_image(image: str) -> Iterator[Rule]:
    """Which columns an image has."""
    at = f"value.{image}.{{column}}"

    def there(requirement: str, when: Condition) -> Rule:
        return Rule(requirement, at, when, THERE, when_absent=True)

    lost = all_of(updated_only, nameless) if image == "p" else no(always)
    yield Rule("OP-150", at, is_reduced_unasked, frozenset({Kind.MISSING}))
    yield absent("OP-046", at, all_of(generated("virtual"), no(lost)))
    yield Rule("OP-058", at, all_of(generated("virtual"), lost), frozenset({Kind.EXTRA}))
    yield there("OP-160", all_of(stored, reduced_by("handle-key-only")))
    yield there("OP-170", all_of(stored, reduced_by("claim-check")))
    if image == "u":
        yield there("OP-040", all_of(_whole, no(_only_updated), no(generated("stored"))))
        yield there("OP-046", all_of(_whole, no(_only_updated), generated("stored")))
        yield there("OP-055", all_of(_whole, _only_updated, op("update")))
        yield there("OP-059", all_of(_whole, _only_updated, no(op("update"))))
    elif image == "p":
        yield there("OP-042", all_of(_whole, no(updated_only)))
        of_null = any_of(null_involved, nameless)
        yield there("OP-058", all_of(_whole, updated_only, of_null))
        yield there("OP-056", all_of(_whole, updated_only, no(of_null), is_handle))
        yield there("OP-055", all_of(_whole, updated_only, no(of_null), no(is_handle)))
    else:
        yield there("OP-048a", all_of(_whole, _deletes_handle))
        without_before = all_of(_whole, no(_deletes_handle), no(_old_values))
        yield there("OP-048b", all_of(without_before, is_legal_delete))
        yield there("OP-048", all_of(without_before, any_of(same, no(is_legal_delete))))
        yield there("OP-059", all_of(_whole, no(_deletes_handle), _old_values, _only_updated))
        yield there("OP-048", all_of(_whole, no(_deletes_handle), _old_values, no(_only_updated)))
    yield Rule("OP-043", at, no(lost), frozenset({Kind.JSON_KIND, Kind.DOUBLED}))
    yield Rule("OP-058", at, lost, frozenset({Kind.JSON_KIND}))
    yield Rule("OP-043a", at, kinds=ORDER)
    yield Rule("OP-043", f"{at}.*")


def _flag_rules(at: str) -> Iterator[Rule]:
    def flag(requirement: str, mask: int, when: Condition = always) -> Rule:
        return Rule(requirement, at, all_of(bit(mask), when, no(worked_example(85, 46))), VALUE)

    by_columns = no(generated_in_index)
    text_or_blob = family(*TEXTS, *BLOBS)
    always_unsigned = family(Family.YEAR, Family.BIT)
    single = all_of(no(in_composite_index), in_an_index)
    yield Rule("OP-044", at, kinds=FORM)
    yield Rule("OP-044", at, no(is_flags), VALUE)
    yield flag("OP-122", 0x01, text_or_blob)
    yield flag("OP-122a", 0x01, no(text_or_blob))
    certain = handle_is_certain(marked=False)
    yield flag("OP-123", 0x02, all_of(by_columns, certain))
    yield flag("OP-250", 0x02, all_of(by_columns, no(certain)))
    yield flag("OP-124", 0x04)
    yield flag("OP-125", 0x08, by_columns)
    yield flag("OP-126", 0x10, by_columns)
    yield flag("OP-127", 0x20, all_of(by_columns, no(single)))
    yield flag("OP-127a", 0x20, all_of(by_columns, single))
    yield flag("OP-128", 0x40)
    yield flag("OP-129", 0x80, no(always_unsigned))
    yield flag("OP-129a", 0x80, always_unsigned)
    yield flag("OP-252", 0x3A, generated_in_index)
    yield Rule("OP-254", at, worked_example(85), VALUE)  # the whole of `f`, not its bits
    yield Rule("OP-255", at, worked_example(46), VALUE)


_binary = family(*BINARIES)
_has_own_rule = any_of(in_zone, raw_text, all_of(same_instant, no(same)))
_QUOTING = (
    *("OP-130", "OP-130a", "OP-131", "OP-132", "OP-133", "OP-134", "OP-134a", "OP-135", "OP-136", "OP-137"),
    "OP-138",
)

# Types to which the document gives two codes: the requirement on which of them is written, the code, the other code.
_TWO_CODES = (
    (family(Family.DATE), "OP-101a", 10, 14),
    (family(Family.VARCHAR, Family.VARBINARY), "OP-106a", 15, 253),
)
_certain_mark = handle_is_certain(marked=True)


def _column_rules(image: str) -> Iterator[Rule]:
    """The members of a column."""
    at = f"value.{image}.{{column}}"
    yield Rule("OP-090", f"{at}.t", kinds=FORM)
    other_code = any_of(*(all_of(of, code_given(other)) for of, _, _, other in _TWO_CODES))
    for requirement in FAMILY_RULES:
        yield Rule(requirement, f"{at}.t", all_of(of_family(requirement), no(code_of_null), no(other_code)), VALUE)
    for of, requirement, code, other in _TWO_CODES:
        yield Rule(requirement, f"{at}.t", all_of(of, code_given(code, other)), VALUE)
    yield Rule("OP-119", f"{at}.t", code_of_null, VALUE)
    marked = any_of(is_handle, handle_set)
    for requirement, chosen in (
        ("OP-052", all_of(marked, _certain_mark)),
        ("OP-052a", all_of(any_of(marked, same), no(_certain_mark), handle_of_primary_key)),
        ("OP-250", all_of(any_of(marked, same), no(_certain_mark), no(handle_of_primary_key))),
    ):
        yield Rule(requirement, f"{at}.h", chosen, when_absent=True)
    yield Rule("OP-044a", f"{at}.h", no(marked), THERE, when_absent=True)
    yield from _flag_rules(f"{at}.f")
    yield Rule("OP-044", f"{at}.v", kinds=THERE)
    yield Rule("OP-040", f"{at}.v", swapped, WRONG)
    yield from (replace(rule, when=all_of(rule.when, no(swapped))) for rule in _value_rules(f"{at}.v"))
    yield Rule("OP-080", f"{at}.v", family(Family.FLOAT), SPELLING)
    yield Rule("OP-080a", f"{at}.v", family(Family.FLOAT), SPELLING)
    yield Rule("OP-079", f"{at}.v", family(Family.DOUBLE), SPELLING)
    yield Rule("OP-111a", f"{at}.v", family(Family.JSON), SPELLING)


def _value_rules(at: str) -> Iterator[Rule]:
    """The value of a column."""
    yield Rule("OP-119", at, is_null, WRONG)
    for requirement in FAMILY_RULES:
        mine = all_of(of_family(requirement), no(is_null))
        yield Rule(requirement, at, mine, frozenset({Kind.JSON_KIND}))
        yield Rule(requirement, at, all_of(mine, no(_has_own_rule), any_of(no(_binary), quoted(None))), VALUE)
    yield from (Rule(id_, at, all_of(_binary, no(is_null), quoted(id_)), VALUE) for id_ in _QUOTING)
    yield Rule("OP-121", at, in_zone, VALUE)
    yield Rule("OP-077", at, raw_text, VALUE)
    yield Rule("OP-098a", at, same_instant, VALUE)


# -- claims -----------------------------------------------------------------------------------------------------------

_CLAIMS = (
    Rule("OP-170", "claim", kinds=COUNT | {Kind.MISSING}),
    Rule("OP-172", "claim", kinds=frozenset({Kind.VALUE, Kind.JSON_KIND})),
    Rule("OP-171", "claim.location"),
    Rule("OP-172", "claim.*"),
)


RECORD_RULES: tuple[Rule, ...] = (
    *_ANSWERS,
    *_FRAMES,
    *_UNREAD,
    *_KEYS,
    *_DDL_VALUES,
    *_IMAGES,
    *(rule for image in "upd" for rule in (*_columns_of_image(image), *_column_rules(image))),
    *(rule for part in ("key", "value") for rule in text_rules(part)),
    *_CLAIMS,
)
