"""How the suite talks to an implementation under test: addresses, life-cycle, frames; no cases, no verdicts."""

from conformance.transport.answers import Answer
from conformance.transport.connection import Trace
from conformance.transport.dump import StdinDump
from conformance.transport.errors import Crashed, HarnessLost, ProtocolError, TimedOut
from conformance.transport.limits import Limits
from conformance.transport.opening import open_session
from conformance.transport.session import AnswerOrFault, Session

__all__ = [
    "Answer",
    "AnswerOrFault",
    "Crashed",
    "HarnessLost",
    "Limits",
    "ProtocolError",
    "Session",
    "StdinDump",
    "TimedOut",
    "Trace",
    "open_session",
]
