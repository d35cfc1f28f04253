"""What tests of whole commands on Spark start from."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.main import main
from reference_impl.wire import table_to_json
from tests.spark.staged import found, write_frames
from tests.unit.differential.streams import TABLE, changes, cut, lost, messages, repeated, side

LEFT = side("left", "canal-json", enable_tidb_extension="true")
RIGHT = side("right", "open-protocol", max_batch_size="1")
CHANGES = changes(seed=22, count=120)
STREAMS = (repeated(lost(cut(messages(LEFT, CHANGES), 30), 70), 90), messages(RIGHT, CHANGES))

# The JVMs live for seconds: compiling costs them more than it saves.
DEFAULTS = """
spark.executor.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.sql.codegen.wholeStage false
"""


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing leads to our code."""
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text(DEFAULTS, encoding="utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "JAVA_HOME") if name in os.environ}
    here = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_CONF_DIR": str(conf), "PYSPARK_PYTHON": sys.executable}
    return kept | here


@pytest.fixture
def compared(tmp_path: Path) -> tuple[list[str], dict[str, Any]]:
    """The arguments of a comparison, and what it finds on one machine."""
    files = write_frames(tmp_path, STREAMS)
    (tmp_path / "tables.json").write_text(json.dumps([table_to_json(TABLE)]), encoding="utf-8")
    arguments = [
        "compare",
        *("--left", f"canal-json?enable-tidb-extension=true:{files[0]}"),
        *("--right", f"open-protocol?max-batch-size=1:{files[1]}"),
        *("--tables", str(tmp_path / "tables.json"), "--partitions", "2"),
    ]
    assert main([*arguments, "-n", "1", "--out", str(tmp_path / "local")]) == 1
    return arguments, found(tmp_path / "local")
