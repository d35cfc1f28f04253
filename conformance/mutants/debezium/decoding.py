"""Decoders that refuse valid messages."""

from __future__ import annotations

import json
import re

from conformance.mutants.debezium.edits import decoder, refuses
from conformance.mutants.model import Mutant

__all__ = ["MUTANTS"]

_SCHEMA_FIRST = re.compile(rb'^\s*\{\s*"schema"')
_OP_FIRST = re.compile(rb'"(?:op|before|after)"\s*:.*"source"\s*:\s*\{', re.DOTALL)


def _is_reordered(key: bytes, value: bytes) -> bool:
    payload = value.partition(b'"schema"')[0]
    return _SCHEMA_FIRST.search(value) is not None or _OP_FIRST.search(payload) is not None


_MEMBERS = frozenset(
    {"payload", "schema", "source", "op", "ts_ms", "transaction", "before", "after"}
    | {"databaseName", "schemaName", "ddl", "tableChanges"}
    | {"version", "connector", "name", "snapshot", "db", "table", "server_id", "gtid", "file", "pos", "row", "thread"}
    | {"query", "commit_ts", "cluster_id", "start_ts"}
)


def _has_unknown(key: bytes, value: bytes) -> bool:
    try:
        outermost, tree = json.loads(key), json.loads(value)
        return not {*outermost, *tree, *tree["payload"], *tree["payload"]["source"]} <= _MEMBERS
    except (ValueError, KeyError, TypeError):
        return False


MUTANTS: tuple[Mutant, ...] = (
    decoder("read-unknown-members-refused", "DBZ-454", "unknown members are refused")(refuses("schema", _has_unknown)),
    decoder("read-in-order", "DBZ-451v", "members in another order are refused")(refuses("schema", _is_reordered)),
    decoder("read-with-schema-alone", "DBZ-451w", "messages without schema are refused")(
        refuses("schema", lambda key, value: b'"schema":' not in value)
    ),
)
