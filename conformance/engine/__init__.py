"""The engine runs the suite: `run_suite` is the entry point for the command line, the pytest plugin and tox.

The engine knows no reports: it passes each event of the run record to sinks at once. The names below are imported at
their first use, so that a command that only selects cases loads no judge.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conformance.engine.suite import RunConfig, Sink, plans, run_suite, suite_events
    from conformance.engine.verdicts import ExitStatus, Gate, Verdict

__all__ = ["ExitStatus", "Gate", "RunConfig", "Sink", "Verdict", "plans", "run_suite", "suite_events"]

_IN_SUITE = frozenset({"RunConfig", "Sink", "plans", "run_suite", "suite_events"})


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{'suite' if name in _IN_SUITE else 'verdicts'}"), name)
