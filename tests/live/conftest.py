"""A real broker for the tests of this folder; where none can be had, they are skipped and say why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harnesses.kafka import broker as kafka


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kafka.Broker]:
    try:
        with kafka.broker(tmp_path_factory.mktemp("broker")) as found:
            yield found
    except kafka.Unavailable as e:
        pytest.skip(str(e))


@pytest.fixture(scope="session")
def connector() -> Path:
    try:
        return kafka.connector()
    except kafka.Unavailable as e:
        pytest.skip(str(e))
