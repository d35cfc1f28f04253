"""What a move from an upstream dialect to one of TiCDC's breaks for the reader of given tables.

The reference encoders write samples of every column in both dialects. A comparison finds the differences, and the model
of a consumer says what each difference does to its rows. Nothing is run live; two runs give the same result.
"""

from __future__ import annotations

from conformance.migration.assess import assess
from conformance.migration.assessment import Assessment, Finding, NotAssessed, Removal, Severity
from conformance.migration.move import FORMATS, ORIGINS, RECORDED, TARGETS, Move

__all__ = [
    "FORMATS",
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
