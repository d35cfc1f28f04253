"""Negatives of Open Protocol: versions, lengths and pairs of a batch, event keys, event values bare and compressed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from conformance.cases.model import Case
from conformance.cases.negatives.bases import WithData, base, key_of, negatives_of, value_of
from conformance.cases.negatives.model import CUT, Negative, as_it_is, classes, cuts, described, flips, judged_as_json
from conformance.cases.negatives.parts import Part, is_compressed, with_record, with_side
from conformance.cases.negatives.texts import Amounts, DocumentForm, member, spelling_negatives, text_negatives
from conformance.cases.negatives.values import base64_negatives
from reference_impl.open_protocol.framing import frame, unframe

__all__ = ["open_protocol_negatives", "open_protocol_parts"]

_FRAMING = classes("framing")
# Requirements by their subject.
_KEY, _VALUE, _LENGTH, _VERSION, _PAIRS = "OP-002", "OP-003", "OP-004", "OP-005", "OP-006"
_EVENT_KEY, _ROW, _COLUMN, _STATEMENT, _COMPRESSED = "OP-020", "OP-040", "OP-043", "OP-065", "OP-157"
_CODED = "OP-115"
_WORD = 8
_WIDTHS = (8, 16, 31, 32)
"""Widths in bits that a decoder may wrongly assume for versions and lengths."""

_KEY_FORM = DocumentForm(
    {**dict.fromkeys(("ts", "t"), member("number")), **dict.fromkeys(("scm", "tbl"), member("string"))}
)
_ROW_FORM = DocumentForm(
    {
        "*.*.t": member("number", requirement=_COLUMN),
        "*.*.h": member("boolean", is_needed=False, requirement=_COLUMN),
        "*.*.f": member("number", is_needed=False, requirement=_COLUMN),
        "*.*.v": member("number string null boolean array object", requirement=_COLUMN),
        "*.*": member("object", is_needed=False, requirement=_COLUMN),
        "p": member("object", is_needed=False),
        "*": member("object", missing=classes("schema", "semantics")),
    }
)
_STATEMENT_FORM = DocumentForm({"q": member("string"), "t": member("number")})


def _bodies(case: Case) -> Mapping[str, bytes]:
    """The bodies of the first event's key and value."""
    key, value = unframe(case.records[0].key, case.records[0].value)[0]
    return {"key": key, "value": value}


def _with_body(case: Case, number: int, event: int, side: str, data: bytes) -> Case:
    """The case with another body as key or value of an event in a record; the length before it stays right."""
    record = case.records[number]
    pairs = unframe(record.key, record.value)
    key, value = pairs[event]
    pairs[event] = (data, value) if side == "key" else (key, data)
    framed = frame(pairs)
    return with_record(case, number, replace(record, key=framed[0], value=framed[1]))


def _in_body(side: str) -> WithData:
    """The function that replaces a body of the first event."""
    return lambda case, data: _with_body(case, 0, 0, side, data)


def _lengths(data: bytes, offset: int) -> Iterator[tuple[int, int]]:
    """(offset, length) of every length from an offset on."""
    while offset < len(data):
        length = int.from_bytes(data[offset : offset + _WORD], "big")
        yield offset, length
        offset += _WORD + length


def _other_lengths(data: bytes, first: int, requirement: str) -> Iterator[Negative]:
    """Each length changed, the rest kept.

    As every body is JSON, the bytes after a wrong one read as a length beyond the record.
    """
    for at, length in _lengths(data, first):
        words = {
            "one more": length + 1,
            "one less": length - 1,
            "0": 0,
            **{f"2^{bits} more": length + (1 << bits) for bits in _WIDTHS},
            "2^40": 1 << 40,
            "2^63": 1 << 63,
            "2^64-1": (1 << 64) - 1,
            "little-endian": int.from_bytes(length.to_bytes(_WORD, "little"), "big"),
        }
        for name, word in words.items():
            changed = data[:at] + word.to_bytes(_WORD, "big") + data[at + _WORD :]
            # A decoder that accepts a length at least a byte wider than the right one has not read all of its bytes.
            is_wider = word >= 1 << (8 + length.bit_length())
            broken = _LENGTH if is_wider else requirement
            yield Negative("length", f"length at {at} made {name}", changed, _FRAMING, broken)


def _other_versions(key: bytes) -> Iterator[Negative]:
    """Other versions before the same events; some share the lowest byte, or the lowest four, with version 1."""
    for version in (0, 2, 256, *(1 + (1 << bits) for bits in _WIDTHS), 1 << 56, 1 + (1 << 63), (1 << 64) - 1):
        changed = version.to_bytes(_WORD, "big") + key[_WORD:]
        yield Negative("version", f"version {version}", changed, _FRAMING, _VERSION)


def _broken_requirement(key: bytes, value: bytes) -> str:
    """The requirement that the frames of key and value break; empty for valid frames."""
    if len(key) < _WORD:
        return _KEY
    if int.from_bytes(key[:_WORD], "big") != 1:
        return _VERSION
    counts = []
    for data, start, requirement in ((key, _WORD, _KEY), (value, 0, _VALUE)):
        lengths = list(_lengths(data, start))
        if any(length >> 32 for _, length in lengths):
            return _LENGTH
        if sum(_WORD + length for _, length in lengths) != len(data) - start:
            return requirement
        counts.append(len(lengths))
    return "" if counts[0] == counts[1] else _PAIRS


def _frame_parts(case: Case, number: int) -> Iterator[Part]:
    """Key and value of a record as they are framed."""
    record = case.records[number]
    sides = {"key": record.key or b"", "value": record.value or b""}
    for name, data in sides.items():
        start = _WORD if name == "key" else 0
        lengths = list(_lengths(data, start))

        def judge(negative: Negative, name: str = name) -> Negative:
            now = {**sides, name: negative.data}
            broken = _broken_requirement(now["key"], now["value"])
            if broken:
                return replace(negative, refused=_FRAMING, requirement=broken)
            return replace(negative, refused=frozenset())

        words = [*([0] if start else []), *(at for at, _ in lengths)]
        pieces = [(at, at + _WORD + length) for at, length in lengths]
        with_data = partial(with_side, case, number, name)
        yield Part(f"{name} of record {number}", data, with_data, judge, _FRAMING, _KEY, words=words, pieces=pieces)


def _open(form: DocumentForm) -> DocumentForm:
    """The form with unknown members, which an event's key or value may have."""
    return replace(form, repeatable=frozenset({"ohk"}), open_at=frozenset({()}), unknown_requirement="OP-245")


_DDL_KEY_FORM = DocumentForm(
    {
        **dict.fromkeys(("ts", "t"), member("number")),
        **dict.fromkeys(("scm", "tbl"), member("string", is_needed=False)),
    }
)
_ROW_EVENT, _DDL_EVENT, _WATERMARK_EVENT = 1, 2, 3  # values of `t` in an event's key
# Kind of event → the forms of its key and value.
_FORMS = {
    _ROW_EVENT: {"key": _open(_KEY_FORM), "value": _open(_ROW_FORM)},
    _DDL_EVENT: {"key": _open(_DDL_KEY_FORM), "value": _open(_STATEMENT_FORM)},
    _WATERMARK_EVENT: {
        "key": _open(DocumentForm(dict.fromkeys(("ts", "t"), member("number")))),
        "value": DocumentForm(),
    },
}


def _body_parts(case: Case, number: int) -> Iterator[Part]:
    """The JSON texts of a record, each after its correct length."""
    record = case.records[number]
    for event, (key, value) in enumerate(unframe(record.key, record.value)):
        event_kind = json.loads(key)["t"]
        value_requirement = _ROW if event_kind == _ROW_EVENT else _STATEMENT
        for side, data, requirement in (("key", key, _EVENT_KEY), ("value", value, value_requirement)):
            name, with_data = f"event {side} {event} of record {number}", partial(_with_body, case, number, event, side)
            if side == "key" or not is_compressed(case):
                yield Part(name, data, with_data, judged_as_json, CUT, requirement, _FORMS[event_kind][side])
            else:
                yield Part(name, data, with_data, as_it_is, CUT, _COMPRESSED)


def open_protocol_parts(case: Case) -> Iterator[Part]:
    """The key and the value of every record as frames, and the JSON texts in them."""
    for number in range(len(case.records)):
        yield from _frame_parts(case, number)
        yield from _body_parts(case, number)


def _flipped_words(key: bytes, seed: str) -> Iterator[Negative]:
    """A bit of each byte of the version and of the first length flipped, the rest kept."""
    words, rest = key[: 2 * _WORD], key[2 * _WORD :]
    for number, flipped in enumerate(flips(words, len(words), seed)):
        if number < _WORD:
            broken = _VERSION
        else:
            is_lowest_byte = number == 2 * _WORD - 1
            broken = _KEY if is_lowest_byte else _LENGTH
        yield replace(flipped, data=flipped.data + rest, refused=_FRAMING, requirement=broken)


def _other_pairs(key: bytes, value: bytes) -> Iterator[tuple[str, Negative]]:
    """One event key or value too many or too few."""
    for part, data, start in (("key", key, _WORD), ("value", value, 0)):
        _, (end, _), *_ = _lengths(data, start)  # the first of two events ends where the second begins
        yield part, Negative("pairs", "the second event left out", data[:end], _FRAMING, _PAIRS)
        yield part, Negative("pairs", "the first event twice", data[:end] + data[start:], _FRAMING, _PAIRS)
        swapped = data[:start] + data[end:] + data[start:end]
        yield part, Negative("pairs", "the events exchanged", swapped)
        yield part, Negative("pairs", "a word of zeros behind", data + bytes(_WORD), _FRAMING, _PAIRS)


def _framing_negatives() -> Iterator[Case]:
    watermark = base("open-protocol", "watermark")
    key, value = key_of(watermark), value_of(watermark)
    yield from negatives_of(watermark, "key", cuts(key, _FRAMING), _KEY)
    yield from negatives_of(watermark, "value", cuts(value, _FRAMING), "OP-007")
    yield from negatives_of(watermark, "key", _flipped_words(key, "resolved"), _KEY)
    batch = base("open-protocol", "two rows")
    key, value = key_of(batch), value_of(batch)
    yield from negatives_of(batch, "key", cuts(key, _FRAMING, 16), _KEY)
    yield from negatives_of(batch, "value", cuts(value, _FRAMING, 16), _VALUE)
    yield from negatives_of(batch, "key", _flipped_words(key, "batch"), _KEY)
    yield from negatives_of(batch, "key", _other_versions(key), _VERSION)
    yield from negatives_of(batch, "key", _other_lengths(key, _WORD, _KEY), _KEY)
    yield from negatives_of(batch, "value", _other_lengths(value, 0, _VALUE), _VALUE)
    for part, negative in _other_pairs(key, value):
        yield from negatives_of(batch, part, [negative], _PAIRS)


def _body_negatives() -> Iterator[Case]:
    few = Amounts(cuts=8, flips=10, utf8=2, doubled=4, missing=4, renamed=4, exchanged=2, kinds=10, numbers=6)
    many = Amounts(cuts=10, flips=24, utf8=6, doubled=12, missing=12, renamed=6, exchanged=4, kinds=24, numbers=12)
    least = Amounts(cuts=0, flips=6, utf8=0, doubled=3, missing=0, renamed=3, exchanged=2, kinds=6, numbers=0)
    parts = {
        ("row", "key"): (_KEY_FORM, few, _EVENT_KEY),
        ("row", "value"): (_ROW_FORM, many, _ROW),
        ("update", "value"): (_ROW_FORM, least, _ROW),
        ("statement", "value"): (_STATEMENT_FORM, few, _STATEMENT),
    }
    for (events, part), (form, amounts, requirement) in parts.items():
        case = base("open-protocol", events)
        negatives = (n for n in text_negatives(_bodies(case)[part], form, amounts, events) if n.data)
        yield from negatives_of(case, f"event {part}", negatives, requirement, _in_body(part))


def _spelling_negatives() -> Iterator[Case]:
    """Other letter case, unknown members and numbers with a sign; base64 in other forms."""
    for events, event_kind, value_requirement in (("row", _ROW_EVENT, _ROW), ("statement", _DDL_EVENT, _STATEMENT)):
        case = base("open-protocol", events)
        for part, requirement in (("key", _EVENT_KEY), ("value", value_requirement)):
            negatives = spelling_negatives(_bodies(case)[part], _FORMS[event_kind][part], 8)
            yield from negatives_of(case, f"event {part}", negatives, requirement, _in_body(part))
    case = base("open-protocol", "coded")
    body = _bodies(case)["value"]
    for name in ("b", "t"):
        negatives = base64_negatives(body, ("u", name, "v"), _CODED)
        yield from negatives_of(case, "event value", negatives, _CODED, _in_body("value"))


def _compressed_negatives(kind: str) -> Iterator[Case]:
    case = base("open-protocol", "row", {"large-message-handle-compression": kind})
    body = _bodies(case)["value"]
    negatives = [*(n for n in cuts(body, CUT, 8) if n.data), *flips(body, 12, kind)]
    yield from negatives_of(case, "event value", described(negatives, f"in {kind}"), _COMPRESSED, _in_body("value"))


def open_protocol_negatives() -> Iterator[Case]:
    """Every negative of the protocol."""
    yield from _framing_negatives()
    yield from _body_negatives()
    yield from _spelling_negatives()
    for kind in ("lz4", "snappy"):
        yield from _compressed_negatives(kind)
