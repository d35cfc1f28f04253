"""The requirement on each family of columns, by the checks of a register."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.catalogue.register import load_register
from conformance.oracle.table import families_of
from reference_impl.column_types import Family

__all__ = ["requirements_of_families"]


def requirements_of_families(protocol: str, at: str, *conditions: tuple[str, ...]) -> Mapping[Family, str]:
    """By the checks at that place that name families; `conditions` are the `when` of those that count."""
    checks = (check for r in load_register(protocol).requirements.values() for check in r.checks if at in check.at)
    return {
        family: check.requirement
        for check in checks
        if check.families and check.when in conditions
        for family in families_of(check.families)
    }
