"""The pytest plug-in: runs the suite in this process, or in another one where no package of the user shadows ours."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ticdc_conformance import shadowed
from ticdc_conformance_door import plugin
from ticdc_conformance_door.engine import Engine
from ticdc_conformance_door.plugin import *  # noqa: F403
from ticdc_conformance_door.subprocess_engine import SubprocessEngine, command_of, suite_named

_SUITE = suite_named(sys.argv[1:], os.environ)
_PROBLEM = shadowed()


def _engine() -> Engine:
    if _SUITE or _PROBLEM:
        home = Path(__file__).resolve().parent
        return SubprocessEngine(command_of(_SUITE, home), _PROBLEM or f"It was named as {_SUITE}.")
    from conformance.pytest_plugin import LocalEngine

    return LocalEngine()


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Load the suite for a run before a conftest of the user brings a package with the name of one of ours."""
    if early_config.known_args_namespace.ticdc_iut and not (_SUITE or _PROBLEM):
        import conformance.pytest_run  # noqa: F401


plugin.use(_engine)
