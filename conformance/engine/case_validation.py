"""Checks an edited case before it is run: the suite's own answer to it must be right."""

from __future__ import annotations

from conformance.cases.model import Case
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.errors import ConformanceError, UsageError
from conformance.oracle.judges import judge_of
from conformance.oracle.tree import Kind
from reference_impl.errors import Rejected, Unsupported
from reference_impl.profiles import Profile
from reference_impl.zones import zone_of

__all__ = ["check_case"]

# Errors that a nonsensical case raises inside the codecs and the judge, which rely on well-formed cases.
_NONSENSE = (
    *(ConformanceError, Rejected, Unsupported),
    *(ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
)


def check_case(case: Case, profile: Profile) -> None:
    """Raises `UsageError`, naming the file, for a case whose input, expectation and records do not fit together.

    Otherwise the implementation would be blamed for the file.
    """
    register = load_register(case.protocol)
    try:
        zone_of(case.settings.timezone)
        judgement = judge_of(case.protocol, register, profile).judge(case, Embedded(profile).ask(case))
    except _NONSENSE as e:
        why = str(e) if isinstance(e, (ConformanceError, Rejected, Unsupported)) else f"{type(e).__name__}: {e}"
        raise UsageError(f"{case.saved_in}: a case that cannot be run: {why}") from None
    for finding in judgement.findings:
        if register.requirements[finding.requirement].level != "may" and finding.kind is not Kind.CLASS:
            raise UsageError(
                f"{case.saved_in}: a case that contradicts itself: the right answer breaks {finding.requirement} at "
                f"{finding.path}"
            )
    if not judgement.findings and (idle := set(case.requirements) - judgement.evaluated):
        raise UsageError(f"{case.saved_in}: a case that contradicts itself: no answer to it can break {min(idle)}")
