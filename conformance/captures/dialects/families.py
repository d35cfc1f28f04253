"""Looks up the requirement on each column family in the checks of a register."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.catalogue.register import load_register
from conformance.oracle.table import families_of
from reference_impl.column_types import Family

__all__ = ["requirements_of_families"]


def requirements_of_families(protocol: str, at: str, *conditions: tuple[str, ...]) -> Mapping[Family, str]:
    """The requirement on each family at the path `at`, by the checks whose `when` is one of `conditions`."""
    checks = (check for r in load_register(protocol).requirements.values() for check in r.checks if at in check.at)
    return {
        family: check.requirement
        for check in checks
        if check.families and check.when in conditions
        for family in families_of(check.families)
    }
