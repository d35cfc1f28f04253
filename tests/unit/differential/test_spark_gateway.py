"""What py4j logs while a session of Spark is open."""

from __future__ import annotations

import logging

import pytest

from differential.spark.gateway import sigterm_like_ctrl_c


def test_the_log_of_py4j_is_silent_while_a_session_is_open(caplog: pytest.LogCaptureFixture) -> None:
    of_py4j, of_another = logging.getLogger("py4j.clientserver"), logging.getLogger("of.a.user")
    with sigterm_like_ctrl_c():
        of_py4j.error("the connection is closed")
        of_another.error("to be read")
    of_py4j.error("said afterwards")
    assert caplog.messages == ["to be read", "said afterwards"]
