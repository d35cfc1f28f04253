"""Records read by an implementation of a decoder, and judged by the suite's own oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.cases.model import Anchor, Case, CaseHead
from conformance.compatibility.cells import Reading, Trouble, Verdict
from conformance.compatibility.encoders import EncodedCase, NamedIut, implementation_of, run_to_end
from conformance.engine import RunConfig
from conformance.engine.implementation import Target, already_made
from conformance.engine.selection import Selection
from reference_impl.profiles import Profile

__all__ = ["read_by_decoder"]

_BROKEN = frozenset({"crash", "timeout", "protocol_error", "false_claim"})
_UNTRIED = frozenset({"unsupported", "excluded", "not_run", "suite_error"})
_BY_HARM: Mapping[str, Verdict] = {"lost": Verdict.WRONG, "changed": Verdict.WRONG, "schema": Verdict.LOSSY}
_DECODE_SUFFIX = "/decode"


def read_by_decoder(
    config: RunConfig, target: Target, cases: Sequence[EncodedCase], style: str
) -> tuple[NamedIut, list[Reading]]:
    """The decoder's name, and its result for the records of each case; `style` is the profile of the encoder."""
    with_records = [one for one in cases if not one.reason]
    original_cases = {(one.case.protocol, f"{one.case.id}{_DECODE_SUFFIX}"): one.case for one in with_records}
    decode_cases = [_decode_case(one.case, style) for one in with_records]

    def source(protocol: str, profile: Profile) -> Sequence[CaseHead]:
        return [case for case in decode_cases if case.protocol == protocol]

    events: list[dict[str, Any]] = []
    alone = replace(target, cases=source, made=already_made, again=None)
    protocols = tuple(dict.fromkeys(case.protocol for case in decode_cases))
    selection = Selection(protocols=protocols, roles=("decode",))
    run_to_end(replace(config, targets=(alone,), selection=selection, sessions=1), events)
    verdicts = (event for event in events if event["event"] == "verdict")
    readings = [_reading(original_cases[event["protocol"], event["case"]], event) for event in verdicts]
    readings += [
        Reading(one.case, Verdict.NOT_TRIED, [Trouble(Verdict.NOT_TRIED, one.reason)]) for one in cases if one.reason
    ]
    return implementation_of(events), readings


def _decode_case(case: Case, style: str) -> Case:
    return replace(
        case,
        id=f"{case.id}{_DECODE_SUFFIX}",
        role="decode",
        style=style,
        expected=None,
        anchor=Anchor.REFERENCE,
        requirements=(),
    )


def _reading(case: Case, event: dict[str, Any]) -> Reading:
    findings = sorted(event["findings"], key=_rank)
    first = findings[0] if findings else {}
    verdict = _verdict(event["verdict"], first)
    if verdict is Verdict.LOSSLESS:
        return Reading(case, verdict)
    effect = str(first.get("rule", "")) if first.get("kind") == "refused" else event.get("message", "")
    column = ""
    if first and not effect:
        effect = f"{first['requirement']}: {first.get('rule', '')}"
        column = str(first.get("path", "")).rpartition(".")[2]
    return Reading(case, verdict, [Trouble(verdict, effect or event["verdict"], column)])


def _rank(finding: Mapping[str, Any]) -> int:
    """The rank of a finding; the lowest decides the verdict: a refusal, then harms in the order of `_BY_HARM`."""
    if finding.get("kind") == "refused":
        return -1
    harms = list(_BY_HARM)
    harm = finding.get("harm")
    return harms.index(harm) if harm in harms else len(harms)


def _verdict(word: str, first: Mapping[str, Any]) -> Verdict:
    if word in _UNTRIED:
        return Verdict.NOT_TRIED
    if word in _BROKEN or first.get("kind") == "refused":
        return Verdict.REJECTED
    return _BY_HARM.get(str(first.get("harm", "")), Verdict.LOSSLESS)
