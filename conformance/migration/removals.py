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
    """The candidate as a removal; None if it leaves a harmful effect at one of the steps."""
    tried = by_probe[:_TRIED_ON]
    kinds = {effect.kind for effects in tried for _, effect in effects}
    if is_everywhere:
        kinds |= {Kind.FAILS, Kind.SKIPS}
    left = trial.effects_under(candidate, [effects[0][0].probe for effects in tried])
    if left is None:
        return None
    steps = {(id(effect.written.step), effect.column) for effects in tried for _, effect in effects}
    still = [one for _, one in left if (id(one.written.step), one.column) in steps and one.kind not in HARMLESS]
    if any(one.kind in kinds for one in still) or (still and not is_everywhere):
        return None
    return Removal(candidate.what, candidate.breaks, "", tried=True, brings=trial.new_effects_under(candidate))
