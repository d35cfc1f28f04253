"""The pytest plug-in: runs the suite in this process, or in another one where no package of the user shadows ours."""

from __future__ import annotations

import os
import sys
from pathlib import Path

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


plugin.use(_engine)
