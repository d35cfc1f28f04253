"""Deliberately broken implementations, and the matrix that shows which requirement catches each."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from importlib import import_module

from conformance.errors import UsageError
from conformance.mutants.model import Mutant

__all__ = ["all_mutants", "mutant_named", "mutants_of"]


# The packages of mutants, in the order of the published table; loaded on demand.
_PACKAGES = ("canal_json", "open_protocol", "debezium", "avro", "upstream")


def all_mutants() -> Sequence[Mutant]:
    """Every mutant of every protocol, in the order of the tables."""
    return tuple(mutant for package in _PACKAGES for mutant in _in_package(package))


def mutants_of(protocol: str) -> Sequence[Mutant]:
    """Every mutant of one protocol; loads only its package."""
    package = protocol.replace("-", "_")
    return tuple(m for m in _in_package(package if package in _PACKAGES else "upstream") if m.protocol == protocol)


def _in_package(name: str) -> Sequence[Mutant]:
    mutants: Sequence[Mutant] = import_module(f"conformance.mutants.{name}").MUTANTS
    return mutants


def mutant_named(name: str) -> Mutant:
    """The mutant of that name. Raises `UsageError`, with the nearest name, for an unknown name."""
    by_name = {mutant.name: mutant for mutant in all_mutants()}
    if name in by_name:
        return by_name[name]
    near = difflib.get_close_matches(name, by_name, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"unknown mutant {name!r}{hint}  All of them: ticdc-conformance list mutants")
