"""Fixtures that several tests share because they are costly."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from conformance.engine.coverage import Coverage, reference_coverage
from reference_impl.protocols import CODECS


@pytest.fixture(scope="session")
def coverage() -> Mapping[str, Coverage]:
    """By protocol, what the embedded reference's own run evaluates: about half a minute a protocol, once a session."""
    return {protocol: reference_coverage(protocol) for protocol in CODECS}
