"""The engine: one entry, `run_suite`, that the command line, the pytest plugin and tox share.

It knows no report: what a run produces are the events of the run record, handed to sinks as they come.
"""

from __future__ import annotations

from conformance.engine.suite import RunConfig, Sink, planned, run_suite, suite_events
from conformance.engine.verdicts import ExitStatus, Gate, Verdict

__all__ = ["ExitStatus", "Gate", "RunConfig", "Sink", "Verdict", "planned", "run_suite", "suite_events"]
