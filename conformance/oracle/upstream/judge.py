"""The judge of a recording: each record against what should stand there, member by member, then byte by byte."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from conformance.cases.model import Case
from conformance.errors import SuiteError
from conformance.oracle.findings import Finding, Judgement, fingerprint
from conformance.oracle.tree import MISSING, Kind, Path, path_text
from conformance.oracle.upstream.expectation import Place
from conformance.oracle.upstream.rules import Rule, rules_at
from conformance.oracle.upstream.trees import Node, difference, nodes, place_of
from reference_impl import exact_json
from reference_impl.column_types import Family
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.wire import record_from_json

__all__ = ["PlaceJudge"]

_SHOWN = 400
"""Bytes on either side that a finding of bytes shows."""


class PlaceJudge:
    """Judges the records of recordings of one protocol; `places` by the ids of their cases."""

    def __init__(self, protocol: str, places: Mapping[str, Place]) -> None:
        self._protocol = protocol
        self._places = places

    def judge(self, case: Case, answer: Mapping[str, Any]) -> Judgement:
        """Judge what was recorded: `{"ok": {"records": […]}}`, of no record or of one. Raises `SuiteError`."""
        place = self._places.get(case.id)
        if place is None or "ok" not in answer:
            raise SuiteError(f"{case.id}: not a place of a recording")
        records = [record_from_json(record) for record in answer["ok"]["records"]]
        return _Comparison(self._protocol, place).judged(records[0] if records else None)


class _Comparison:
    """One record against another."""

    def __init__(self, protocol: str, place: Place) -> None:
        self._protocol = protocol
        self._place = place
        self._found = Judgement()

    def judged(self, got: Record | None) -> Judgement:
        expected = self._place.expected
        there = got or expected
        is_tombstone = there is not None and there.value is None and there.key is not None
        name = "tombstone" if is_tombstone else self._place.what
        self._found.evaluated |= {rule.requirement for rule in _known_rules(self._protocol, name, None, False)}
        if got is None or expected is None:
            shown = [MISSING if r is None else _shown(r.value) for r in (expected, got)]
            self._differs((name,), Kind.MISSING if got is None else Kind.EXTRA, shown[0], shown[1])
            return self._found
        self._document("key", expected.key, got.key)
        self._document("value", expected.value, got.value)
        self._tree("headers", _headers(expected), _headers(got))
        if expected.topic is not None:
            self._tree("topic", expected.topic, got.topic)
        return self._found

    # -- documents -------------------------------------------------------------------------------------------------

    def _document(self, name: str, expected: bytes | None, got: bytes | None) -> None:
        trees = []
        for data in (expected, got):
            try:
                trees.append(None if data is None else exact_json.loads(data.decode("utf-8")))
            except (Rejected, UnicodeDecodeError) as e:
                if data is expected:
                    raise SuiteError(f"the reference wrote a {name} that is none: {e}") from None
                self._differs((name,), Kind.BROKEN, _shown(expected), _shown(got))
                return
        before = len(self._found.findings)
        self._tree(name, trees[0], trees[1])
        if expected != got and len(self._found.findings) == before:
            self._bytes(name, expected or b"", got or b"", trees)

    def _bytes(self, name: str, expected: bytes, got: bytes, trees: list[Any]) -> None:
        """Equal trees in other bytes: another order of members, or another text of the same."""
        kind = Kind.TEXT if _orders(trees[0]) == _orders(trees[1]) else Kind.ORDER
        at = next(
            (k for k, (a, b) in enumerate(zip(expected, got, strict=False)) if a != b), min(len(expected), len(got))
        )
        part = slice(max(at - _SHOWN // 2, 0), at + _SHOWN // 2)
        self._differs((name,), kind, _shown(expected[part]), _shown(got[part]))

    def _tree(self, name: str, expected: Any, got: Any) -> None:
        for node in nodes(expected, got, (name,)):
            rules, skeleton = self._rules(node, expected)
            self._found.evaluated |= {rule.requirement for rule in rules}
            doubled = set(getattr(node.got, "doubled", ())) - set(getattr(node.expected, "doubled", ()))
            for member in sorted(doubled):
                self._finding(rules, skeleton, (*node.path, member), Kind.DOUBLED, "once", "more than once")
            kind = difference(node)
            if kind is not None:
                self._finding(rules, skeleton, node.path, kind, node.expected, node.got)

    # -- rules -----------------------------------------------------------------------------------------------------

    def _rules(self, node: Node, root: Any) -> tuple[tuple[Rule, ...], str]:
        skeleton, name = place_of(node.path, root)
        table = self._place.table
        column = table.column(name) if table is not None and name is not None else None
        null = node.expected is None
        if column is not None and skeleton.startswith(("value.sqlType", "value.mysqlType")):
            null = self._is_null(column.name)
        return _known_rules(self._protocol, skeleton, column.type.family if column else None, null), skeleton

    def _is_null(self, name: str) -> bool:
        """Whether the last row of a message, whose types it tells, holds NULL in a column.  [CJ-427]"""
        row = self._place.changes[-1].after or self._place.changes[-1].before or {}
        return row.get(name) is None

    def _differs(self, path: Path, kind: Kind, expected: Any, got: Any) -> None:
        rules = _known_rules(self._protocol, str(path[0]), None, False)
        self._found.evaluated |= {rule.requirement for rule in rules}
        self._finding(rules, str(path[0]), path, kind, expected, got)

    def _finding(self, rules: tuple[Rule, ...], skeleton: str, path: Path, kind: Kind, expected: Any, got: Any) -> None:
        broken = next((rule.requirement for rule in rules if rule.kinds is None or kind in rule.kinds), None)
        if broken is None:
            raise SuiteError(f"no rule speaks of {skeleton}")
        print_ = fingerprint(broken, skeleton, kind)
        self._found.findings.append(Finding(broken, path_text(path), kind, expected, got, print_))


@lru_cache(maxsize=1 << 14)
def _known_rules(protocol: str, skeleton: str, family: Family | None, null: bool) -> tuple[Rule, ...]:
    return tuple(rules_at(protocol, skeleton, family, null=null))


def _headers(record: Record) -> dict[str, Any]:
    return {name: None if value is None else value.decode("utf-8", "replace") for name, value in record.headers}


def _orders(tree: Any) -> Any:
    """The names of members in their order, all the way down."""
    if isinstance(tree, dict):
        return [(name, _orders(part)) for name, part in tree.items()]
    return [_orders(part) for part in tree] if isinstance(tree, list) else None


def _shown(data: bytes | None) -> Any:
    return None if data is None else data.decode("utf-8", "backslashreplace")
