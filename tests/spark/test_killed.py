"""A driver that is killed on the way: the next run goes on from what is complete, and finds the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from pyarrow import parquet

from tests.spark.staged import DRIVER, complaints, found, run


def test_a_run_that_was_killed_after_its_first_stage_is_taken_up_there(
    tmp_path: Path, elsewhere: dict[str, str], compared: tuple[list[str], dict[str, Any]]
) -> None:
    arguments, expected = compared
    out = tmp_path / "out"
    given = [*arguments, "--master", "local[1]", "--plan", "two-pass", "--out", str(out)]
    decoded, merged = (out / "stage" / f"{name}.manifest.json" for name in ("decoded", "merged"))
    killed = subprocess.Popen(
        [sys.executable, "-c", DRIVER, *given, "--runner", "spark"],
        cwd=tmp_path,
        env=elsewhere,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not decoded.exists():
        assert killed.poll() is None
        time.sleep(0.02)
    killed.kill()
    assert killed.wait() == -signal.SIGKILL
    assert not merged.exists()
    for file in tmp_path.glob("side*.parquet"):
        spoil(file)
    done = run(given, elsewhere, tmp_path)
    assert (done.returncode, complaints(done.stderr)) == (1, "")
    assert found(out) == expected


def spoil(file: Path) -> None:
    """Make the last rows of a file unreadable, in a way that its name, size and time do not tell.

    The first messages stay: every run looks at them.
    """
    about = parquet.read_metadata(file)
    pages = about.row_group(about.num_row_groups - 1).column(1)
    begin = pages.dictionary_page_offset if pages.has_dictionary_page else pages.data_page_offset
    times, data = file.stat(), file.read_bytes()
    file.write_bytes(data[:begin] + bytes(64) + data[begin + 64 :])
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
