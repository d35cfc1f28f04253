"""Every encoder's records read by every decoder and by the models of consumers, compared with the original rows.

The truth is the events that an encoder was given, never its own records.
"""

from __future__ import annotations

from conformance.compatibility.cells import Fidelity, Reading
from conformance.compatibility.encoders import Encoder, ExecutedEncoder
from conformance.compatibility.recordings import RecordedProducer
from conformance.compatibility.table import Reader, compatibility

__all__ = [
    "Encoder",
    "ExecutedEncoder",
    "Fidelity",
    "Reader",
    "Reading",
    "RecordedProducer",
    "compatibility",
]
