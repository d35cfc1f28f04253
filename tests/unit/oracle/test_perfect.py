"""An answer that equals the expectation is settled by comparison alone, and any other exactly as if nobody had looked.

A sample of the cases of every protocol, role and profile; of the answers to these, every member changed, every type
confused, and bytes of every record flipped.
"""

from __future__ import annotations

import copy
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import islice
from typing import Any

import pytest

from conformance.cases.golden import golden_cases
from conformance.cases.model import Case, ExpectedAnswer, ExpectedEvents, ExpectedRecords, ExpectedRejection, Role
from conformance.catalogue.register import load_register
from conformance.errors import SuiteError
from conformance.oracle.judge import Judge
from conformance.oracle.judges import CaseJudge, judge_of
from conformance.oracle.perfect import is_perfect, is_same_json, perfect_answer
from conformance.oracle.tree import Maybe
from conformance.oracle.upstream.case_judge import UpstreamJudge
from reference_impl.errors import RejectionClass
from reference_impl.model import Claim, Record
from reference_impl.profiles import NEWARCH, PROFILES, Profile
from reference_impl.protocols import CODECS, UPSTREAM
from reference_impl.registry import RegisteredSchema
from tests.amounts import ordinarily
from tests.every_case import heads, made, one_in

_EVERY = 307
_EVERY_UPSTREAM = ordinarily(251, 149)
_EVERY_GOLDEN = 7
_BYTES = 37
"""Every so many bytes of a record one is flipped."""

_PROTOCOLS = [*((p, profile) for p in CODECS for profile in PROFILES.values()), *((p, NEWARCH) for p in UPSTREAM)]
_SAMPLES = [
    pytest.param(protocol, profile, role, id=f"{protocol}-{profile.name}-{role}")
    for protocol, profile in _PROTOCOLS
    for role in ("encode", "decode")
]


@cache
def judge(protocol: str, profile: Profile) -> CaseJudge:
    """The judge of a protocol."""
    return judge_of(protocol, load_register(protocol), profile)


@cache
def sample(protocol: str, profile: Profile) -> tuple[Case, ...]:
    """Some cases of a protocol; of other profiles than newarch those of the documents, which are made fast."""
    if protocol in UPSTREAM or profile == NEWARCH:
        return tuple(map(made, one_in(_EVERY_UPSTREAM if protocol in UPSTREAM else _EVERY, heads(protocol))))
    return tuple(one_in(_EVERY_GOLDEN, golden_cases(protocol, profile)))


def perfect_of(case: Case, profile: Profile) -> dict[str, Any]:
    """The perfect answer to a case."""
    one = judge(case.protocol, profile)
    if isinstance(one, Judge):
        return perfect_answer(one.expectation(case))
    assert isinstance(one, UpstreamJudge)
    return dict(one._perfect_answer(case))


def settling(case: Case, profile: Profile) -> Callable[[Mapping[str, Any]], bool]:
    """Whether an answer to the case is taken for the perfect one."""
    one = judge(case.protocol, profile)
    if isinstance(one, Judge):
        return partial(is_perfect, one.expectation(case))
    assert isinstance(one, UpstreamJudge)
    if case.role == "decode" and case.expected is None:  # as it does, but made once
        return partial(is_same_json, one._perfect_answer(case))
    return partial(one._is_perfect, case)


def near(tree: Any) -> Iterator[Any]:
    """What is nearly the same JSON: every leaf of another type or value, every part left out, doubled or moved."""
    if isinstance(tree, dict):
        for name, part in tree.items():
            yield {other: value for other, value in tree.items() if other != name}
            yield from ({**tree, name: changed} for changed in near(part))
    elif isinstance(tree, list):
        yield [*tree, tree[0] if tree else None]
        for i, part in enumerate(tree):
            yield tree[:i] + tree[i + 1 :]
            yield from ([*tree[:i], changed, *tree[i + 1 :]] for changed in near(part))
        yield from ([*tree[1:], tree[0]] for _ in range(1) if len(tree) > 1 and tree[0] != tree[1])
    elif isinstance(tree, str):
        yield from (f"{tree} ", tree[:-1] if tree else "0", None, [tree])
        if tree.isdigit() and len(tree) < 30:
            yield from (int(tree), float(tree), f"-{tree}", f"+{tree}", f"{tree}.0")
    elif tree is None:
        yield from (0, "", False, "null", [], {})
    elif isinstance(tree, bool):
        yield from (not tree, int(tree), str(tree))
    elif isinstance(tree, int):
        yield from (tree + 1, float(tree), str(tree), None, *([bool(tree)] if tree in (0, 1) else []))


def flipped(ok: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Records with one bit of one byte changed, with a byte more, and with one less."""
    for i, record in enumerate(ok["records"]):
        for name in ("key", "value"):
            data = b64decode(record[name] or "")
            others = [data + b"\0", *([data[:-1]] if data else [])]
            others += [
                data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :] for at in range(0, len(data), _BYTES)
            ]
            for other in others:
                changed = copy.deepcopy(ok["records"])
                changed[i][name] = b64encode(other).decode()
                yield {**ok, "records": changed}


@pytest.mark.parametrize(("protocol", "profile", "role"), _SAMPLES)
def test_a_perfect_answer_is_settled_with_what_looking_at_it_evaluates(protocol: str, profile: Profile, role: Role):
    one = judge(protocol, profile)
    cases = [case for case in sample(protocol, profile) if case.role == role]
    assert cases
    for case in cases:
        answer = perfect_of(case, profile)
        slow, known = one.judge(case, answer), one.perfect(case)
        assert slow.findings == [], case.id
        assert known is not None
        assert known == frozenset(slow.evaluated), case.id
        assert one.judge(case, answer, perfect=known) == slow, case.id
        is_free = isinstance(case.expected, (ExpectedRejection, ExpectedAnswer))
        assert settling(case, profile)(answer) is not is_free, case.id


@pytest.mark.parametrize(("protocol", "profile", "role"), _SAMPLES)
def test_an_answer_that_differs_anywhere_is_looked_at(protocol: str, profile: Profile, role: Role) -> None:
    tried = 0
    for case in [case for case in sample(protocol, profile) if case.role == role][:: 4 if role == "encode" else 1]:
        ok = perfect_of(case, profile).get("ok", {})
        if isinstance(case.expected, (ExpectedRejection, ExpectedAnswer)):
            continue
        others = [*flipped(ok)] if role == "encode" else []
        others += ({**ok, name: part} for name in ok if ok[name] for part in near(ok[name]))
        is_settled = settling(case, profile)
        for other in others:
            assert not is_settled({"ok": other}), (case.id, other)
        tried += len(others)
    assert tried > 50


@pytest.mark.parametrize(("protocol", "profile"), _PROTOCOLS, ids=lambda part: getattr(part, "name", part))
def test_what_is_looked_at_is_judged_as_if_nothing_were_known(protocol: str, profile: Profile) -> None:
    one, differing = judge(protocol, profile), 0
    for case in [case for case in sample(protocol, profile) if case.role == "encode"][::6]:
        perfect = one.perfect(case)
        for other in islice(flipped(perfect_of(case, profile).get("ok", {"records": []})), 0, 60, 4):
            judgement = one.judge(case, {"ok": other}, perfect=perfect)
            assert judgement == one.judge(case, {"ok": other}), case.id
            differing += bool(judgement.findings)
    assert differing


def test_a_rejection_or_a_breakdown_is_never_the_perfect_answer() -> None:
    case = next(case for case in sample("canal-json", NEWARCH) if case.role == "encode")
    answer = perfect_of(case, NEWARCH)
    is_settled = settling(case, NEWARCH)
    for other in (
        {"rejected": {"class": "framing", "message": ""}},
        {"error": "it broke"},
        {**answer, "error": "it broke"},
        {**answer, "rejected": {"class": "framing", "message": ""}},
    ):
        assert not is_settled(other)
    assert is_settled(answer)


def test_an_expectation_that_cannot_be_made_has_no_perfect_answer() -> None:
    record = Record(b"", b"no JSON", 0)
    expected = ExpectedRecords((record,))
    case = Case("canal-json/test", "canal-json", "encode", expected=expected)
    assert judge("canal-json", NEWARCH).perfect(case) is None
    with pytest.raises(SuiteError):
        judge("canal-json", NEWARCH).judge(case, perfect_answer(expected))


# -- by hand -----------------------------------------------------------------------------------------------------------

EVENTS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"kind": "ddl"}, {"kind": "ddl"}),
    ({"a": frozenset({"2", "1"})}, {"a": "1"}),
    ({"a": Maybe("1")}, {"a": "1"}),
    ({"a": Maybe(frozenset({"1"}))}, {"a": "1"}),
    ({"a": Maybe(frozenset({"1", "2"}))}, {}),
    ({"a": {"b": Maybe(frozenset({"1", "2"})), "c": 1}}, {"a": {"c": 1}}),
    ({"after": {"b": Maybe("1"), "c": frozenset({"2", "1"})}}, {"after": {"c": "1"}}),
    ({"before": {"b": Maybe("1"), "c": None}}, {"before": {"c": None}}),
    ({"old": {"b": Maybe("1")}}, {"old": {"b": "1"}}),
    ({"after": None}, {"after": None}),
    ({"a": [frozenset({"1"}), {"b": Maybe("1")}], "b": ("2",)}, {"a": ["1", {"b": "1"}], "b": ["2"]}),
]


@pytest.mark.parametrize(("event", "answered"), EVENTS)
def test_the_perfect_event_has_the_certain_members_and_no_optional_columns(
    event: dict[str, Any], answered: dict[str, Any]
) -> None:
    expected = ExpectedEvents((event,))
    assert perfect_answer(expected) == {"ok": {"events": [answered]}}
    assert is_perfect(expected, {"ok": {"events": [answered]}})
    assert not is_perfect(expected, {"ok": {"events": [answered, answered]}})
    assert not is_perfect(expected, {"ok": {"events": [{**answered, "other": 1}]}})


@pytest.mark.parametrize(
    ("one", "other", "yes"),
    [
        (1, 1, True), (1, True, False), (1, 1.0, False), (1, "1", False), (0.0, -0.0, False), (0.5, 0.5, True),
        (None, None, True), (None, False, False), ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False), ({"a": 1, "b": 2}, {"a": 1}, False), ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"b": 1}, False), ([1, 2], [1, 2], True), ([1, 2], [2, 1], False), ([1], [1, 2], False),
        ([], {}, False), (0, False, False), ("", None, False), ({"a": None}, {}, False),
    ],
)  # fmt: skip
def test_values_are_the_same_by_type_and_content(one: Any, other: Any, yes: bool) -> None:
    assert is_same_json(one, other) is yes
    assert is_same_json([{"a": one}], [{"a": other}]) is yes


EXPECTED = ExpectedRecords(
    (Record(b"k", b"v", 1, "t", (("h", b"x"), ("n", None)), 5, 6), Record(None, None)),
    (Claim("file:///a", b"c"),),
    (RegisteredSchema(7, "s", "{}"),),
)


def answer(part: str = "", at: int = 0, **members: Any) -> dict[str, Any]:
    """The perfect answer with other members in one part."""
    ok = perfect_answer(EXPECTED)["ok"]
    if part:
        ok[part][at] = {**ok[part][at], **members}
    return ok


OTHERS: list[dict[str, Any]] = [
    *(answer("records", 0, **{name: value}) for name, value in (
        ("key", None), ("key", "aw"), ("key", ""), ("value", "dw=="), ("value", None), ("value", 1), ("partition", 2),
        ("partition", "1"), ("partition", None), ("topic", "u"), ("offset", 6), ("timestamp", 7), ("headers", []),
        ("headers", [["h", "eA=="]]), ("headers", [["n", None], ["h", "eA=="]]),
        ("headers", [["h", "eA=="], ["n", ""]]),
        ("headers", [["h", "eA==", 1], ["n", None]]), ("headers", [["i", "eA=="], ["n", None]]), ("headers", "hn"),
    )),
    *(answer("records", 1, **{name: value}) for name, value in (("key", ""), ("value", ""), ("partition", 0))),
    answer("claims", location="file:///b"), answer("claims", value="ZA=="), answer("claims", value=None),
    answer("schemas", id=8), answer("schemas", id="7"), answer("schemas", subject="x"), answer("schemas", schema="[]"),
    answer() | {"records": answer()["records"][:1]}, answer() | {"records": tuple(answer()["records"])},
    answer() | {"records": [*answer()["records"][:1], {"key": None}]},
    answer() | {"records": [*answer()["records"][:1], {"value": None}]},
    answer() | {"records": [*answer()["records"][:1], []]},
    *({name: part for name, part in answer().items() if name != lost} for lost in ("records", "claims", "schemas")),
    answer() | {"claims": []}, answer() | {"schemas": [*answer()["schemas"]] * 2},
]  # fmt: skip


def test_the_perfect_records_equal_their_expectation() -> None:
    assert is_perfect(EXPECTED, {"ok": answer()})
    assert is_perfect(EXPECTED, {"ok": answer("records", 1, headers=None, topic=None)})
    bare = ExpectedRecords(EXPECTED.records)
    assert is_perfect(bare, {"ok": {"records": answer()["records"]}})
    assert not is_perfect(EXPECTED, {"ok": answer(), "other": 1})


@pytest.mark.parametrize("ok", OTHERS)
def test_records_that_differ_in_any_member_are_not_the_perfect_answer(ok: dict[str, Any]) -> None:
    assert not is_perfect(EXPECTED, {"ok": ok})


def test_the_perfect_rejection_has_one_of_the_allowed_classes_and_is_left_to_the_judge() -> None:
    expected = ExpectedRejection(frozenset({RejectionClass.SYNTAX, RejectionClass.RANGE}))
    assert perfect_answer(expected) == {"rejected": {"class": "range", "message": ""}}
    assert not is_perfect(expected, perfect_answer(expected))
