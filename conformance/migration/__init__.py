"""What a move from an upstream dialect to one of TiCDC's breaks for a reader, restricted to tables of one's own.

Samples of every column are told by both dialects, by the reference encoders; a comparison says what differs, and the
model of a consumer what becomes of it there. Nothing is run live, and two runs say the same.
"""

from __future__ import annotations

from conformance.migration.assess import assess
from conformance.migration.assessment import Assessment, Finding, NotAssessed, Removal, Severity
from conformance.migration.move import FORMATS, OPTIONS, ORIGINS, RECORDED, TARGETS, Move

__all__ = [
    "FORMATS",
    "OPTIONS",
    "ORIGINS",
    "RECORDED",
    "TARGETS",
    "Assessment",
    "Finding",
    "Move",
    "NotAssessed",
    "Removal",
    "Severity",
    "assess",
]
