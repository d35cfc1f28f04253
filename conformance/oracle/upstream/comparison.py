"""Compares a record with the expected one, member by member, then byte by byte, under the rules of each path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.errors import SuiteError
from conformance.oracle.findings import Finding, Judgement, fingerprint
from conformance.oracle.harm import harm_of
from conformance.oracle.tree import MISSING, Kind, Path, path_text
from conformance.oracle.upstream.dialects import broken_rule, rules_at
from conformance.oracle.upstream.rules import Rule
from conformance.oracle.upstream.trees import Node, difference, exchanged_images, nodes, place_of
from reference_impl import exact_json
from reference_impl.errors import Rejected
from reference_impl.model import Record, Table

__all__ = ["RecordComparison", "blame"]

_SHOWN = 400
"""The number of bytes that a finding about bytes shows, around the first that differs."""

# (protocol, `key` or `value`, bytes of a schema, columns and families) → the requirements that the schema evaluates.
_OF_SCHEMAS: dict[tuple[object, ...], frozenset[str]] = {}
_MOST_SCHEMAS = 1 << 12


class RecordComparison:
    """Compares records with the expected ones. Findings are added to `judgement`.

    Nothing is compared at the places `uncertain` and below them. `is_null` says whether a column is NULL in the last
    row of a record: this row decides the types that the record shows.  [DV-14]
    """

    def __init__(
        self,
        protocol: str,
        judgement: Judgement,
        table: Table | None,
        is_null: Callable[[str], bool],
        uncertain: frozenset[str] = frozenset(),
    ) -> None:
        self._protocol = protocol
        self._judgement = judgement
        self._table = table
        self._is_null = is_null
        self._uncertain = uncertain

    def compare(self, what: str, expected: Record | None, got: Record | None) -> None:
        """Compare an answered record with the expected one; either may be missing.

        `what` is the skeleton by which rules name a missing or extra record, such as `tombstone`. A dialect without a
        rule there uses the rule at `record`.
        """
        if not rules_at(self._protocol, what, None, null=False):
            what = "record"
        self._judgement.evaluated |= {rule.requirement for rule in rules_at(self._protocol, what, None, null=False)}
        if got is None or expected is None:
            expected_text, got_text = (MISSING if r is None else _readable(r.value) for r in (expected, got))
            self._blame((what,), Kind.MISSING if got is None else Kind.EXTRA, expected_text, got_text)
            return
        self._document("key", expected.key, got.key)
        self._document("ddl" if what == "ddl" else "value", expected.value, got.value)
        self._tree(("headers",), _headers(expected), _headers(got), None)
        if expected.topic is not None:
            self._tree(("topic",), expected.topic, got.topic, None)
        if expected.partition is not None:
            self._tree(("partition",), expected.partition, got.partition, None)

    # -- documents -------------------------------------------------------------------------------------------------

    def _document(self, name: str, expected: bytes | None, got: bytes | None) -> None:
        try:
            tree = _parsed(expected)
        except (Rejected, UnicodeDecodeError) as e:
            raise SuiteError(f"the reference wrote an invalid {name}: {e}") from None
        try:
            got_tree = tree if got == expected else _parsed(got)
        except (Rejected, UnicodeDecodeError):
            self._blame((name,), Kind.BROKEN, _readable(expected), _readable(got))
            return
        before = len(self._judgement.findings)
        schema = _same_schema(expected, got)
        if schema is None or any(part.keys() != {"schema", "payload"} for part in (tree, got_tree)):
            self._tree((name,), tree, got_tree, tree)
        else:
            self._judgement.evaluated |= self._of_schema(name, schema, tree)
            self._tree((name, "payload"), tree["payload"], got_tree["payload"], tree)
        if expected != got and len(self._judgement.findings) == before and not self._uncertain:
            kind = Kind.TEXT if _member_orders(tree) == _member_orders(got_tree) else Kind.ORDER
            self._bytes(name, kind, expected or b"", got or b"")

    def _of_schema(self, name: str, schema: bytes, tree: Any) -> frozenset[str]:
        """The requirements that a schema evaluates, cached: most records of a table have the same schema."""
        columns = self._table.columns if self._table is not None else ()
        key = self._protocol, name, schema, tuple((c.name, c.type.family) for c in columns)
        if key not in _OF_SCHEMAS:
            if len(_OF_SCHEMAS) >= _MOST_SCHEMAS:
                _OF_SCHEMAS.clear()
            schema_nodes = nodes(tree["schema"], tree["schema"], (name, "schema"))
            _OF_SCHEMAS[key] = frozenset(r.requirement for node in schema_nodes for r in self._rules(node, tree)[0])
        return _OF_SCHEMAS[key]

    def _bytes(self, name: str, kind: Kind, expected: bytes, got: bytes) -> None:
        """Add a finding about equal trees in different bytes; it shows them around the first that differs."""
        pairs = zip(expected, got, strict=False)
        first = next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(expected), len(got)))
        part = slice(max(first - _SHOWN // 2, 0), first + _SHOWN // 2)
        self._blame((name,), kind, _readable(expected[part]), _readable(got[part]))

    def _tree(self, path: Path, expected: Any, got: Any, root: Any) -> None:
        exchanged = exchanged_images(expected, got, path) if got is not expected else []
        for node in nodes(expected, got, path):
            rules, skeleton = self._rules(node, root)
            if self._uncertain and self._is_uncertain(skeleton):
                continue
            self._judgement.evaluated.update([rule.requirement for rule in rules])
            if node.got is node.expected:
                continue  # both trees are one, as of equal bytes
            doubled = set(getattr(node.got, "doubled", ())) - set(getattr(node.expected, "doubled", ()))
            for member in sorted(doubled):
                blame(self._judgement, rules, skeleton, (*node.path, member), Kind.DOUBLED, "once", "more than once")
            image = next((one for one in exchanged if node.path[: len(one)] == one), None)
            if image is None:
                kind = difference(node)
            else:  # an exchanged image is one finding, about the image as a whole
                kind = Kind.VALUE if node.path == image else None
            if kind is not None:
                blame(self._judgement, rules, skeleton, node.path, kind, node.expected, node.got)

    # -- rules -----------------------------------------------------------------------------------------------------

    def _rules(self, node: Node, root: Any) -> tuple[tuple[Rule, ...], str]:
        """The rules that apply to a node, and the skeleton of its path."""
        skeleton, name = place_of(node.path, root)
        column = self._table.column(name) if self._table is not None and name is not None else None
        null = node.expected is None
        if column is not None and skeleton.startswith(("value.sqlType", "value.mysqlType")):
            null = self._is_null(column.name)
        return rules_at(self._protocol, skeleton, column.type.family if column else None, null=null), skeleton

    def _is_uncertain(self, skeleton: str) -> bool:
        return any(skeleton == place or skeleton.startswith((f"{place}.", f"{place}[")) for place in self._uncertain)

    def _blame(self, path: Path, kind: Kind, expected: Any, got: Any) -> None:
        """Add a finding about a document or a record as a whole."""
        rules = rules_at(self._protocol, str(path[0]), None, null=False)
        self._judgement.evaluated |= {rule.requirement for rule in rules}
        blame(self._judgement, rules, str(path[0]), path, kind, expected, got)


def blame(
    judgement: Judgement, rules: tuple[Rule, ...], skeleton: str, path: Path, kind: Kind, expected: Any, got: Any
) -> None:
    """Add a finding of the rule that such a difference breaks. Raises `SuiteError` if no rule claims it."""
    rule = broken_rule(rules, kind)
    cause = fingerprint(rule.requirement, skeleton, kind)
    harmed = f"{skeleton}.{path[-1]}" if kind is Kind.DOUBLED else skeleton
    harm = harm_of(harmed, kind, expected, got, holds=rule.holds)
    judgement.findings.append(Finding(rule.requirement, path_text(path), kind, expected, got, cause, harm))


def _parsed(data: bytes | None) -> Any:
    return None if data is None else exact_json.loads(data.decode("utf-8"))


_PAYLOAD = b',"payload":'  # in no string, where quotes are escaped, and no schema has such a member


def _same_schema(expected: bytes | None, got: bytes | None) -> bytes | None:
    """The schema that two documents begin with; None if they have none, or not the same bytes."""
    if expected is None or got is None or not expected.startswith(b'{"schema":{'):
        return None
    begin = expected[: expected.find(_PAYLOAD) + len(_PAYLOAD)]
    return begin if begin.endswith(_PAYLOAD) and got.startswith(begin) else None


def _headers(record: Record) -> dict[str, Any]:
    return {name: None if value is None else value.decode("utf-8", "replace") for name, value in record.headers}


def _member_orders(tree: Any) -> Any:
    """The names of members in their order, all the way down."""
    if isinstance(tree, dict):
        return [(name, _member_orders(part)) for name, part in tree.items()]
    return [_member_orders(part) for part in tree] if isinstance(tree, list) else None


def _readable(data: bytes | None) -> Any:
    """Bytes as a finding shows them."""
    return None if data is None else data.decode("utf-8", "backslashreplace")
