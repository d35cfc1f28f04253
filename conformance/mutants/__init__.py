"""Deliberately broken implementations, and the matrix that shows which requirement catches each."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from importlib import import_module

from conformance.errors import UsageError
from conformance.mutants.model import Mutant
from reference_impl.protocols import AVRO, CANAL, CANAL_JSON, CONNECTOR, DEBEZIUM, OPEN_PROTOCOL

__all__ = ["all_mutants", "mutant_named", "mutants_of"]


# The protocols in the order of the published table, each with the module of its own mutants, loaded on demand.
_PACKAGES = {
    CANAL_JSON.name: "canal_json",
    OPEN_PROTOCOL.name: "open_protocol",
    DEBEZIUM.name: "debezium",
    AVRO.name: "avro",
    CANAL.name: "upstream",
    CONNECTOR.name: "upstream",
}


def all_mutants() -> Sequence[Mutant]:
    """Every mutant of every protocol, in the order of the tables."""
    return tuple(mutant for protocol in _PACKAGES for mutant in mutants_of(protocol))


def mutants_of(protocol: str) -> Sequence[Mutant]:
    """Every mutant of one protocol: its own, and those of faults that concern several protocols."""
    from conformance.mutants.generations import GENERATIONS
    from conformance.mutants.historical import HISTORICAL
    from conformance.mutants.negatives import NEGATIVES

    if protocol not in _PACKAGES:
        return ()
    own = import_module(f"conformance.mutants.{_PACKAGES[protocol]}").MUTANTS
    mutants = (*own, *HISTORICAL, *NEGATIVES, *GENERATIONS)
    return tuple(mutant for mutant in mutants if mutant.protocol == protocol)


def mutant_named(name: str) -> Mutant:
    """The mutant of that name. Raises `UsageError`, with the nearest name, for an unknown name."""
    by_name = {mutant.name: mutant for mutant in all_mutants()}
    if name in by_name:
        return by_name[name]
    near = difflib.get_close_matches(name, by_name, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"unknown mutant {name!r}{hint}  All of them: ticdc-conformance list mutants")
