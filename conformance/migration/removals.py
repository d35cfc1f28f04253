"""What removes a finding: options that are tried on the model, and the new effects that they bring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from conformance.catalogue.divergences import find_divergence
from conformance.migration.assessment import Removal
from conformance.migration.effects import Effect, Kind
from conformance.migration.options import Candidate
from conformance.migration.trial import HARMLESS, Trial
from conformance.migration.writing import WrittenProbe

__all__ = ["removals_of"]

_TRIED_ON = 3
"""The number of probes on which an option is tried."""
_KINDS, _BLOCKING = list(Kind), {Kind.FAILS, Kind.SKIPS}
ProbeEffects: TypeAlias = Sequence[tuple[WrittenProbe, Effect]]
"""The effects of one probe."""


def removals_of(
    trial: Trial, names: Sequence[str], by_probe: Sequence[ProbeEffects], *, is_everywhere: bool
) -> tuple[Removal, ...]:
    """The options that remove the effects, and the other changes that the divergences name as remedies.

    `by_probe` has the effects to remove. With `is_everywhere`, an option may leave other effects at some columns: the
    report lists them as what the option brings.
    """
    tried = (_tried(trial, candidate, by_probe, is_everywhere=is_everywhere) for candidate in trial.candidates)
    found = [removal for removal in tried if removal is not None]
    for name in names:
        known = find_divergence(name)
        for remedy in known.remedies if known else ():
            if remedy.change and all(remedy.what != one.what for one in found):
                found.append(Removal(remedy.what, remedy.breaks, remedy.but))
    return tuple(found)


def _tried(
    trial: Trial, candidate: Candidate, by_probe: Sequence[ProbeEffects], *, is_everywhere: bool
) -> Removal | None:
    """The candidate as a removal; None if the effects stay, or it puts new harmful ones in their place."""
    tried = by_probe[:_TRIED_ON]
    kinds = {effect.kind for effects in tried for _, effect in effects}
    if is_everywhere:
        kinds |= _BLOCKING
    left = trial.effects_under(candidate, [effects[0][0].probe for effects in tried])
    if left is None:
        return None
    columns: dict[int, set[str]] = {}
    worst = min((_KINDS.index(kind) for kind in kinds - _BLOCKING), default=-1)
    for effect in (one for effects in tried for _, one in effects):
        columns.setdefault(id(effect.written.step), {""}).add(effect.column)
    for written, one in left:
        if one.kind in HARMLESS or one.column not in columns.get(id(one.written.step), ()):
            continue
        is_milder = one.kind is not Kind.OPEN and _KINDS.index(one.kind) > worst
        if one.kind in kinds or not (is_everywhere or (is_milder and trial.is_found(written, one))):
            return None
    return Removal(candidate.what, candidate.breaks, "", tried=True, brings=trial.new_effects_under(candidate))
