"""Makes the perfect answer to a case, and recognizes it quickly.

The JSON of an answer is compared by type and value: 1, true, 1.0 and "1" differ, and so do `-0.0` and `0.0`, and two
spellings of base64. An answer that is not perfect may still be right: the judge decides, path by path.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.cases.model import (
    Expectation,
    ExpectedAnswer,
    ExpectedEvents,
    ExpectedOneOf,
    ExpectedRecords,
    ExpectedRejection,
)
from conformance.oracle.tree import MISSING, Maybe
from reference_impl.model import Claim, Record
from reference_impl.registry import RegisteredSchema
from reference_impl.wire import claim_to_json, record_to_json

__all__ = ["is_perfect", "is_same_json", "is_same_records", "perfect_answer"]

_IMAGES = frozenset({"before", "after"})
_RECORD_MEMBERS = ("partition", "topic", "offset", "timestamp")


def perfect_answer(expected: Expectation) -> dict[str, Any]:
    """The answer that equals the expectation, in the form that `Judge.judge` takes.

    Of several right values it has the first by `repr`. It has an optional member if a single value is right, but no
    optional columns. A rejection has the first allowed class by name. If the case allows any answer or one of several,
    it has no events.
    """
    if isinstance(expected, ExpectedRecords):
        return {
            "ok": {
                "records": [record_to_json(record) for record in expected.records],
                "claims": [claim_to_json(claim) for claim in expected.claims],
                "schemas": [{"id": s.id, "subject": s.subject, "schema": s.schema} for s in expected.schemas],
            }
        }
    if isinstance(expected, ExpectedEvents):
        return {"ok": {"events": [_event(event) for event in expected.events]}}
    if isinstance(expected, ExpectedRejection):
        return {"rejected": {"class": str(min(expected.classes)), "message": ""}}
    return {"ok": {"events": []}}


def is_perfect(expected: Expectation, answer: Mapping[str, Any]) -> bool:
    """Whether an answer is the perfect one to an expectation of records or events; False for other expectations."""
    if isinstance(expected, (ExpectedRejection, ExpectedAnswer, ExpectedOneOf)) or answer.keys() != {"ok"}:
        return False
    ok = answer["ok"]
    if isinstance(expected, ExpectedEvents):
        return is_same_json([_event(event) for event in expected.events], ok.get("events"))
    return (
        is_same_records(expected.records, ok.get("records"))
        and _is_same(expected.claims, ok.get("claims", []), _is_claim)
        and _is_same(expected.schemas, ok.get("schemas", []), _is_schema)
    )


def is_same_json(one: Any, other: Any) -> bool:
    """Whether two values of JSON are the same in type and value; the order of members is free."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same_json(part, other[name]) for name, part in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_same_json, one, other))
    if isinstance(one, float):
        return repr(one) == repr(other)
    return bool(one == other)


def is_same_records(expected: Sequence[Record], got: Any) -> bool:
    """Whether `got` is the list of these records in the JSON of the harness protocol."""
    return _is_same(expected, got, _is_record)


def _is_same(expected: Sequence[Any], got: Any, is_same_element: Any) -> bool:
    """Whether `got` is a list as long as `expected`, and `is_same_element` holds for each pair of elements."""
    return type(got) is list and len(got) == len(expected) and all(map(is_same_element, expected, got))


def _is_record(record: Record, got: Any) -> bool:
    if type(got) is not dict or "key" not in got or "value" not in got:
        return False
    if not (_is_bytes(record.value, got["value"]) and _is_bytes(record.key, got["key"])):
        return False
    for name in _RECORD_MEMBERS:
        if not is_same_json(getattr(record, name), got.get(name)):
            return False
    return _is_same(record.headers, got.get("headers") or [], _is_header)


def _is_header(header: tuple[str, bytes | None], got: Any) -> bool:
    return type(got) is list and len(got) == 2 and is_same_json(header[0], got[0]) and _is_bytes(header[1], got[1])


def _is_bytes(data: bytes | None, got: Any) -> bool:
    if data is None or got is None:
        return data is got
    return type(got) is str and got == b2a_base64(data, newline=False).decode("ascii")


def _is_claim(claim: Claim, got: Any) -> bool:
    return (
        type(got) is dict
        and is_same_json(claim.location, got.get("location"))
        and _is_bytes(claim.content, got.get("value"))
    )


def _is_schema(schema: RegisteredSchema, got: Any) -> bool:
    return type(got) is dict and all(
        is_same_json(getattr(schema, name), got.get(name)) for name in ("id", "subject", "schema")
    )


# -- events ------------------------------------------------------------------------------------------------------------


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event with one right value for each member, without the optional members that have several right values."""
    return {name: chosen for name, part in event.items() if (chosen := _chosen(part, name)) is not MISSING}


def _chosen(part: Any, name: str) -> Any:
    """One right value of the member `name` ("" for an element or column); `MISSING` to leave the member out.

    In an expected event a frozenset holds the right values, and `Maybe` marks an optional one.
    """
    if isinstance(part, Maybe):
        is_certain = not isinstance(part.value, frozenset) or len(part.value) == 1
        return _chosen(part.value, name) if is_certain else MISSING
    if isinstance(part, frozenset):
        return min(part, key=repr)
    if name in _IMAGES and isinstance(part, Mapping):
        return {c: _chosen(value, "") for c, value in part.items() if not isinstance(value, Maybe)}
    if isinstance(part, Mapping):
        return _event(part)
    return [_chosen(item, "") for item in part] if isinstance(part, (list, tuple)) else part
