"""Groups the findings of one case: those of one difference, and those of one missing or additional column or member."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from reports.vocabulary import LEVELS

__all__ = ["Finding", "clusters", "possible_leads", "strongest_level"]

Finding: TypeAlias = Mapping[str, Any]
_Difference: TypeAlias = tuple[str, ...]
"""The identity of a difference, which several requirements may find."""

_LACKING_SIDE = {"missing": "got", "extra": "expected"}


def clusters(findings: Iterable[Finding]) -> list[list[Finding]]:
    """The findings of a case in groups, each with its most informative finding first.

    Findings of one difference keep their order: the most specific requirement is the first. Of several differences the
    first has the strongest level, and shows a value rather than a description of one.
    """
    found: dict[object, dict[_Difference, list[Finding]]] = {}
    for finding in findings:
        difference, name = _difference(finding), _name_of_missing(finding)
        cluster = (finding["kind"], name) if name else difference
        found.setdefault(cluster, {}).setdefault(difference, []).append(finding)
    return [
        [finding for same in sorted(differences.values(), key=_weight) for finding in same]
        for differences in found.values()
    ]


def strongest_level(findings: Iterable[Finding]) -> str:
    """The strongest level of one or more findings."""
    return str(min((finding["level"] for finding in findings), key=_level))


def possible_leads(cluster: Sequence[Finding]) -> list[int]:
    """Positions of possible leading findings: the first of each difference with a finding of the strongest level."""
    differences = [_difference(finding) for finding in cluster]
    level = strongest_level(cluster)
    strong = {difference for difference, one in zip(differences, cluster, strict=True) if one["level"] == level}
    return [differences.index(difference) for difference in dict.fromkeys(differences) if difference in strong]


def _difference(finding: Finding) -> _Difference:
    return tuple(str(finding.get(name, "")) for name in ("where", "operations", "path", "kind"))


def _name_of_missing(finding: Finding) -> str:
    """The name of the missing or additional column or member of a finding; `{column}` for any; "" without one."""
    lacking = _LACKING_SIDE.get(finding["kind"], "")
    if not lacking or not isinstance(finding[lacking], dict) or "$missing" not in finding[lacking]:
        return ""
    part = finding["expected" if lacking == "got" else "got"]
    # An element of a list that describes columns has its name inside.
    inner = part.get("field", part.get("name")) if isinstance(part, dict) else None
    name = inner if isinstance(inner, str) else str(finding["path"].rpartition(".")[2])
    return "{column}" if name and "{column}" in finding["fingerprint"] else name


def _weight(findings: Iterable[Finding]) -> tuple[int, bool, int]:
    """By level, by whether a value is shown, by depth of the path: the most informative is the least."""
    return min(
        (_level(one["level"]), isinstance(one["expected"], dict), -one["path"].count(".") - one["path"].count("["))
        for one in findings
    )


def _level(level: str) -> int:
    return LEVELS.index(level) if level in LEVELS else 0
