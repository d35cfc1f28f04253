"""The pytest plug-in: judges in this process, or elsewhere where a package of ours is shadowed by one of the user."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ticdc_conformance import shadowed
from ticdc_conformance_door import plugin
from ticdc_conformance_door.elsewhere import ElsewhereEngine, command_of, suite_named
from ticdc_conformance_door.engine import Engine
from ticdc_conformance_door.plugin import *  # noqa: F403

_SUITE = suite_named(sys.argv[1:], os.environ)
_PROBLEM = shadowed()


def _engine() -> Engine:
    if _SUITE or _PROBLEM:
        home = Path(__file__).resolve().parent
        return ElsewhereEngine(command_of(_SUITE, home), _PROBLEM or f"It was named as {_SUITE}.")
    from conformance.pytest_plugin import LocalEngine

    return LocalEngine()


plugin.use(_engine)
