"""Rules of the names of schemas: what they are made of, and how that is made fit.

[DBZ-031, DBZ-050b, DBZ-340, DBZ-402]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from conformance.oracle.conditions import all_of, apart_from, shows
from conformance.oracle.debezium.places import expected_in
from conformance.oracle.rules import Condition, Place, Rule, ranked
from conformance.oracle.tree import Kind
from reference_impl.model import RowChange

__all__ = ["is_named_for_table", "name_rules"]

_FORM = frozenset({Kind.MISSING, Kind.EXTRA, Kind.JSON_KIND, Kind.VALUE})


def _variants(name: str, *, dots: bool) -> list[str]:
    """The name as it is to be, and as it may be taken to be: as it is, cleaned in another way."""
    cleaned = re.sub(r"[^A-Za-z0-9_.]" if dots else r"[^A-Za-z0-9_]", "_", name)
    digit = not dots and cleaned[:1].isdigit()
    others = (name, cleaned, "_" + cleaned, re.sub(r"[^A-Za-z0-9_.\-]", "_", name), re.sub(r"[^A-Za-z0-9_]", "_", name))
    right = "_" + cleaned if digit else cleaned
    return [right, *(other for other in dict.fromkeys(others) if other != right)]


def _parts(place: Place) -> tuple[list[str], list[str]]:
    """(cluster and schema, table): the names that the schema's name is made of."""
    event, cluster = place.event, place.case.settings.cluster_id
    if isinstance(event, RowChange):
        return [cluster, event.schema], [event.table]
    return [cluster], []


def _differs_in(place: Place) -> str | None:
    """Which part alone differs by how it is made fit: `namespace` or `table`."""
    namespace, table = _parts(place)
    end = str(place.expected).rpartition(".")[2]
    if not table:
        end = "watermark." + end
    made = [_variants(name, dots=False) for name in namespace] + [_variants(name, dots=True) for name in table]
    for names in product(*made):
        if ".".join((*names, end)) == place.got:
            differing = [name != variants[0] for name, variants in zip(names, made, strict=True)]
            return "namespace" if any(differing[: len(namespace)]) else "table" if any(differing) else None
    return None


def is_named_for_table(place: Place) -> bool:
    """The name of a DDL value is that which the document's table gives it: of the cluster, the schema and the table."""
    schema, table = (str(expected_in(place, "value", "payload", "source", name)) for name in ("db", "table"))
    namespace = (_variants(name, dots=False) for name in (place.case.settings.cluster_id, schema))
    made = product(*namespace, _variants(table, dots=True))
    return any(".".join((*names, "SchemaChangeValue")) == place.got for names in made)


def _needs(place: Place, part: int) -> bool:
    return any(len(_variants(name, dots=part == 1)) > 1 for name in _parts(place)[part])


def name_rules(requirement: str, at: str, when: Condition) -> Iterator[Rule]:
    """The rules of the name at a place: `requirement` says what it is made of."""
    of_names = shows(lambda place: _differs_in(place) == "namespace")
    of_table = shows(lambda place: _differs_in(place) == "table")
    cleaned = (
        ("DBZ-031a", all_of(when, lambda place: _needs(place, 0), of_names)),
        ("DBZ-031b", all_of(when, lambda place: _needs(place, 1), of_table)),
    )
    yield from ranked(at, _FORM, *cleaned, (requirement, all_of(when, apart_from(*cleaned))))
