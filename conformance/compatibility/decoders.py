"""Records read by an implementation of a decoder, and judged by the suite's own oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.cases.model import Anchor, Case, CaseHead
from conformance.compatibility.cells import Fidelity, Reading, Trouble
from conformance.compatibility.encoders import EncodedCase, NamedIut, implementation_of, run_to_end
from conformance.engine import RunConfig
from conformance.engine.implementation import Target, already_made
from conformance.engine.selection import Selection
from reference_impl.profiles import Profile

__all__ = ["read_by_decoder"]

# Verdicts of the engine: the decoder gave no answer; the case was not run.
_BROKEN = frozenset({"crash", "timeout", "protocol_error", "false_claim"})
_UNTRIED = frozenset({"unsupported", "excluded", "not_run", "suite_error"})
# The worst harm first; any other harm leaves the rows as they were.
_BY_HARM: Mapping[str, Fidelity] = {"lost": Fidelity.WRONG, "changed": Fidelity.WRONG, "schema": Fidelity.LOSSY}


def read_by_decoder(
    config: RunConfig, target: Target, cases: Sequence[EncodedCase], style: str
) -> tuple[NamedIut, list[Reading]]:
    """The decoder's name, and its result for the records of each case; `style` is the profile of the encoder."""
    originals = [one.case for one in cases if not one.reason]  # `reason`: why there are no records
    decode_cases = [_decode_case(case, style) for case in originals]

    def cases_of(protocol: str, profile: Profile) -> Sequence[CaseHead]:
        return [case for case in decode_cases if case.protocol == protocol]

    run_events: list[dict[str, Any]] = []
    # These cases exist in this process only, and need not be made.
    reader = replace(target, cases=cases_of, make_case=already_made, for_worker=None)
    protocols = tuple(dict.fromkeys(case.protocol for case in decode_cases))
    selection = Selection(protocols=protocols, roles=("decode",))
    run_to_end(replace(config, targets=(reader,), selection=selection, sessions=1), run_events)

    original_of = {(made.protocol, made.id): case for made, case in zip(decode_cases, originals, strict=True)}
    verdicts = (event for event in run_events if event["event"] == "verdict")
    readings = [_reading(original_of[event["protocol"], event["case"]], event) for event in verdicts]
    readings += [
        Reading(one.case, Fidelity.NOT_TRIED, [Trouble(Fidelity.NOT_TRIED, one.reason)]) for one in cases if one.reason
    ]
    return implementation_of(run_events), readings


def _decode_case(case: Case, style: str) -> Case:
    """The case in which the encoder's records are the input of a decoder, and its events are what must come back."""
    return replace(
        case,
        id=f"{case.id}/decode",
        role="decode",
        style=style,
        expected=None,  # derived from the events
        anchor=Anchor.REFERENCE,
        requirements=(),
    )


def _reading(case: Case, event: Mapping[str, Any]) -> Reading:
    """The reading that a verdict event of the engine stands for."""
    findings = sorted(event["findings"], key=_rank)
    worst = findings[0] if findings else {}
    verdict = _verdict(event["verdict"], worst)
    if verdict is Fidelity.LOSSLESS:
        return Reading(case, verdict)
    return Reading(case, verdict, [_trouble(verdict, event, worst)])


def _trouble(verdict: Fidelity, event: Mapping[str, Any], worst: Mapping[str, Any]) -> Trouble:
    """The evidence: what the engine says of a lost or refused answer, else the worst finding and its column."""
    effect = str(worst.get("rule", "")) if _is_refusal(worst) else event.get("message", "")
    if effect or not worst:
        return Trouble(verdict, effect or event["verdict"])
    column = str(worst.get("path", "")).rpartition(".")[2]
    return Trouble(verdict, f"{worst['requirement']}: {worst.get('rule', '')}", column)


def _is_refusal(finding: Mapping[str, Any]) -> bool:
    return finding.get("kind") == "refused"


def _rank(finding: Mapping[str, Any]) -> int:
    """The rank of a finding; the lowest decides the verdict: a refusal, then harms in the order of `_BY_HARM`."""
    if _is_refusal(finding):
        return -1
    harms = list(_BY_HARM)
    harm = finding.get("harm")
    return harms.index(harm) if harm in harms else len(harms)


def _verdict(engine_verdict: str, worst: Mapping[str, Any]) -> Fidelity:
    if engine_verdict in _UNTRIED:
        return Fidelity.NOT_TRIED
    if engine_verdict in _BROKEN or _is_refusal(worst):
        return Fidelity.REJECTED
    return _BY_HARM.get(str(worst.get("harm", "")), Fidelity.LOSSLESS)
