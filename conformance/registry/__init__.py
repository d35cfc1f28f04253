"""A Confluent schema registry: its state, a server on loopback for the implementation's `registry_url`, and a client.

This package records registrations; the oracle judges them. `store` is the state and `api` answers requests from it;
`server` and `client` speak HTTP. `avro_schema` and `compatibility` decide whether a schema may follow others. `faults`
are the ways in which the registry of a case may fail; `case_registries` are the registries that the engine uses.
"""

from __future__ import annotations

from conformance.registry.case_registries import (
    CaseRegistry,
    LocalRegistry,
    RealRegistry,
    ServedRegistry,
    with_ids,
)
from conformance.registry.client import HttpRegistry, RegistryClient, open_registry
from conformance.registry.faults import FAULTS

__all__ = [
    "FAULTS",
    "CaseRegistry",
    "HttpRegistry",
    "LocalRegistry",
    "RealRegistry",
    "RegistryClient",
    "ServedRegistry",
    "open_registry",
    "with_ids",
]
