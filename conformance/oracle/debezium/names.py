"""Predicates on the names of schemas: their parts, and how each part is sanitized."""

from __future__ import annotations

import re
from itertools import product

from conformance.oracle.debezium.places import expected_in
from conformance.oracle.rules import Condition, Place
from reference_impl.model import RowChange
from reference_impl.names import sanitized

__all__ = ["PREDICATES"]


def _variants(name: str, *, dots: bool) -> list[str]:
    """The correctly sanitized name first, then wrong forms: unsanitized, or sanitized in another way."""
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
    """The part that the answer sanitizes wrongly: `namespace`, or else `table`; None if neither explains the answer."""
    namespace, table = _parts(place)
    end = str(place.expected).rpartition(".")[2]
    if not table:
        end = "watermark." + end
    variants = [_variants(name, dots=False) for name in namespace] + [_variants(name, dots=True) for name in table]
    for names in product(*variants):
        if ".".join((*names, end)) != place.got:
            continue
        is_wrong = [name != right for name, (right, *_) in zip(names, variants, strict=True)]
        if any(is_wrong[: len(namespace)]):
            return "namespace"
        return "table" if any(is_wrong) else None
    return None


def has_namespace_to_clean(place: Place) -> bool:
    """The name of the cluster or the schema changes when it is sanitized."""
    return any(_variants(name, dots=False)[0] != name for name in _parts(place)[0])


def has_table_to_clean(place: Place) -> bool:
    """The table has a name with a character that is replaced, or a dot, which is kept."""
    return any(re.search(r"[^A-Za-z0-9_]", name) for name in _parts(place)[1])


def is_namespace_cleaned_otherwise(place: Place) -> bool:
    """The answered name has the cluster or the schema unsanitized, or sanitized differently."""
    return _differs_in(place) == "namespace"


def is_table_cleaned_otherwise(place: Place) -> bool:
    """The answered name differs only in the table, which is unsanitized, or sanitized differently."""
    return _differs_in(place) == "table"


def is_named_for_table(place: Place) -> bool:
    """The answered name of a DDL value is that in the document's table: made of cluster, schema and table."""
    schema, table = (str(expected_in(place, "value", "payload", "source", name)) for name in ("db", "table"))
    namespace = (_variants(name, dots=False) for name in (place.case.settings.cluster_id, schema))
    combinations = product(*namespace, _variants(table, dots=True))
    return any(".".join((*names, "SchemaChangeValue")) == place.got for names in combinations)


def has_cluster_to_clean(place: Place) -> bool:
    """The name of the cluster changes when it is sanitized for the name of a schema."""
    cluster = place.case.settings.cluster_id
    return sanitized(cluster) != cluster


def is_cluster_cleaned(place: Place) -> bool:
    """The answered name of the cluster is sanitized, as in the names of schemas."""
    return bool(place.got == sanitized(place.case.settings.cluster_id))


PREDICATES: tuple[Condition, ...] = (
    *(has_cluster_to_clean, has_namespace_to_clean, has_table_to_clean, is_cluster_cleaned, is_named_for_table),
    *(is_namespace_cleaned_otherwise, is_table_cleaned_otherwise),
)
