"""Mutants of TiCDC's Debezium JSON: encoders and decoders with one deliberate fault each.

Faults of options and JSON text are in `framing`, of lost rows in `lost_rows`, of payloads in `envelope`, of keys
and order in `keys`, of schemas in `schemas`, of the descriptions of columns in `columns` and `tidb_types`, of defaults
in `defaults` and of NULL in `nulls`, of values in `values` and `edge_values`, of DDL messages in `statements` and
`changed_types`, of sending DDL messages and watermarks in `streams`, of decoders in `decoding`, `reading` and `coded`;
further historical defects are in `historical`. A fault that one changed value shows is pinned instead:
`fixtures/pinned_faults.json`.
"""

from __future__ import annotations

from conformance.mutants.debezium import (
    changed_types,
    coded,
    columns,
    decoding,
    defaults,
    edge_values,
    envelope,
    framing,
    historical,
    keys,
    lost_rows,
    nulls,
    reading,
    schemas,
    statements,
    streams,
    tidb_types,
    values,
)
from conformance.mutants.generations import generation_mutants
from conformance.mutants.model import Mutant
from conformance.mutants.negatives import negative_mutants

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *framing.MUTANTS,
    *lost_rows.MUTANTS,
    *envelope.MUTANTS,
    *keys.MUTANTS,
    *schemas.MUTANTS,
    *columns.MUTANTS,
    *tidb_types.MUTANTS,
    *defaults.MUTANTS,
    *nulls.MUTANTS,
    *values.MUTANTS,
    *edge_values.MUTANTS,
    *statements.MUTANTS,
    *changed_types.MUTANTS,
    *streams.MUTANTS,
    *decoding.MUTANTS,
    *reading.MUTANTS,
    *coded.MUTANTS,
    *historical.MUTANTS,
    *negative_mutants("debezium"),
    *generation_mutants("debezium"),
)
