"""Records read by an implementation of a decoder, and judged by the suite's own oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from conformance.cases.model import Anchor, Case, CaseHead
from conformance.compatibility.cells import Reading, Verdict
from conformance.compatibility.encoders import Encoded, Named, named_by
from conformance.engine import RunConfig, run_suite
from conformance.engine.implementation import Target, already_made
from conformance.engine.selection import Selection
from reference_impl.profiles import Profile

__all__ = ["decoded"]

_DATA = frozenset({"lost", "changed"})
_BROKEN = frozenset({"crash", "timeout", "protocol_error"})


def decoded(config: RunConfig, target: Target, cases: Sequence[Encoded], style: str) -> tuple[Named, list[Reading]]:
    """Put the records of an encoder, whose style is that of the profile `style`, to a decoder."""
    asked = [_asked(one.case, style) for one in cases]

    def source(protocol: str, profile: Profile) -> Sequence[CaseHead]:
        return [case for case in asked if case.protocol == protocol]

    events: list[dict[str, Any]] = []
    alone = replace(target, cases=source, made=already_made, again=None)
    protocols = tuple(dict.fromkeys(case.protocol for case in asked))
    selection = Selection(protocols=protocols, roles=("decode",))
    run_suite(replace(config, targets=(alone,), selection=selection, sessions=1), [events.append])
    return named_by(events), [_reading(event) for event in events if event["event"] == "verdict"]


def _asked(case: Case, style: str) -> Case:
    return replace(
        case,
        id=f"{case.id}/decode",
        role="decode",
        style=style,
        expected=None,
        anchor=Anchor.REFERENCE,
        requirements=(),
    )


def _reading(event: dict[str, Any]) -> Reading:
    case, axes = event["case"].removesuffix("/decode"), event["axes"]
    findings = sorted(event["findings"], key=lambda f: f.get("harm") not in _DATA)
    first = findings[0] if findings else {}
    column = str(first.get("path", "")).rpartition(".")[2]
    harm = str(first.get("harm", ""))
    match event["verdict"]:
        case "unsupported" | "excluded" | "not_run" | "suite_error":
            return Reading(case, Verdict.NOT_TRIED, effect=event.get("message", ""), axes=axes)
        case word if word in _BROKEN or word == "false_claim":
            return Reading(case, Verdict.REJECTED, effect=event.get("message", "") or word, axes=axes)
        case _ if first.get("kind") == "refused":
            return Reading(case, Verdict.REJECTED, effect=str(first.get("rule", "")), axes=axes)
        case _ if harm in _DATA:
            effect = f"{first['requirement']}: {first.get('rule', '')}"
            return Reading(case, Verdict.WRONG, column, effect, axes=axes)
        case _ if harm == "schema":
            return Reading(case, Verdict.LOSSY, column, f"{first['requirement']}: {first.get('rule', '')}", axes=axes)
    return Reading(case, Verdict.LOSSLESS, axes=axes)
