"""A Confluent schema registry: as a pure state, on loopback for the implementation's `registry_url`, and as a client.

This package records registrations; the oracle judges them.
"""

from __future__ import annotations

from conformance.registry.client import HttpRegistry, RegistryClient, open_registry
from conformance.registry.faults import FAULTS
from conformance.registry.observed import (
    CaseRegistry,
    Inapplicable,
    LocalRegistry,
    RealRegistry,
    ServedRegistry,
    with_ids,
)
from conformance.registry.store import Store

__all__ = [
    "FAULTS",
    "CaseRegistry",
    "HttpRegistry",
    "Inapplicable",
    "LocalRegistry",
    "RealRegistry",
    "RegistryClient",
    "ServedRegistry",
    "Store",
    "open_registry",
    "with_ids",
]
