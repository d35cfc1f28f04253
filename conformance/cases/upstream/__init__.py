"""Cases of the upstream dialects: Alibaba Canal's flat message and the records of Debezium's MySQL connector.

What was recorded comes first, then the shared corpora under the dialect's options, then what must be refused.
"""

from __future__ import annotations

from functools import cache

from conformance.cases.corpora import distinct
from conformance.cases.model import Case
from conformance.cases.upstream.corpora import corpus_cases
from conformance.cases.upstream.negatives import negative_cases
from conformance.cases.upstream.recorded import recorded_cases

__all__ = ["upstream_cases"]


@cache
def upstream_cases(protocol: str) -> tuple[Case, ...]:
    """The cases of an upstream dialect, both roles, always the same and in the same order."""
    return tuple(distinct([*recorded_cases(protocol), *corpus_cases(protocol), *negative_cases(protocol)]))
