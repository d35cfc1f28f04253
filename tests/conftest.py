"""For all tests: no test of properties fails because the machine is slow, and the garbage collector looks seldom.

Properties are tried with the same examples in every run; `THOROUGH=1` draws others each time.

Files are shared out among processes so that what is made once a process is made once.

What the tests start hears Ctrl-C, also where a shell runs them in the background, which would have them ignore it.
A pytest that a test starts has a cache of its own: under tox, all of an environment would share one.
"""

import gc
import os
import signal
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.amounts import THOROUGH, examples

settings.register_profile(
    "untimed",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=examples(),
    derandomize=not THOROUGH,
)
settings.load_profile("untimed")

# Those of one process, which makes every case once.
_OF_EVERY_CASE = (
    "cases/test_catalogue.py",
    "cases/test_corpora.py",
    "cases/test_finding_cases.py",
    "cases/test_index.py",
    "engine/test_declared_subsets.py",
    "oracle/test_second_reader.py",
    "upstream/test_upstream_cases.py",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadfile` a file is of one process, and so are all those that look at every case."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return "every case" if file.endswith(_OF_EVERY_CASE) else file

    return Scheduling(config, log)


# The register and the corpora stay on the heap anyhow.
gc.set_threshold(100_000, 50, 100)


def pytest_collection_finish() -> None:
    """Modules, and what tests are parametrised with, are not looked at again."""
    gc.freeze()


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.pop("TOX_ENV_DIR", None)
