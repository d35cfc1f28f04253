"""The pytest plug-in's way in: refuses with one clear message when another package shadows one of ours."""

from __future__ import annotations

import pytest

from ticdc_conformance import shadowed

_PROBLEM = shadowed()

if _PROBLEM is None:
    from conformance.pytest_plugin import *  # noqa: F403
else:

    def pytest_addoption(parser: pytest.Parser) -> None:
        """Say what is wrong as soon as pytest asks."""
        raise pytest.UsageError(f"ticdc-conformance: {_PROBLEM}")
