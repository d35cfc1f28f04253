"""Compressed messages: what comes back, and how much memory a few bytes may ask for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from reference_impl.canal_json import Options
from reference_impl.compression import KINDS, LARGEST, compress, decompress, largest_of
from reference_impl.errors import Rejected, TooLarge

COMPRESSING = [kind for kind in KINDS if kind != "none"]


@pytest.mark.parametrize("kind", COMPRESSING)
@pytest.mark.parametrize("size", [0, 1, 999, 1000])
def test_what_is_no_larger_than_the_limit_comes_back(kind: str, size: int) -> None:
    assert decompress(kind, compress(kind, b"x" * size), largest=1000) == b"x" * size


@pytest.mark.parametrize("kind", COMPRESSING)
def test_what_is_larger_is_refused_by_name_and_says_what_to_do(kind: str) -> None:
    with pytest.raises(TooLarge, match=f"more than 1000 bytes in {kind} data: a larger max-message-bytes allows more"):
        decompress(kind, compress(kind, b"x" * 1001), largest=1000)


IN_LITTLE_MEMORY = """
import resource, sys
from reference_impl.compression import decompress
from reference_impl.errors import TooLarge

data = sys.stdin.buffer.read()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 100 * 2**20,) * 2)
try:
    decompress(sys.argv[1], data, largest=2**20)
except TooLarge:
    print("refused")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of a process's memory is set as Linux has it")
@pytest.mark.parametrize("kind", COMPRESSING)
def test_a_few_bytes_that_stand_for_many_are_refused_in_the_memory_of_the_limit(kind: str) -> None:
    bomb = compress(kind, bytes(2**28))
    command = [sys.executable, "-c", IN_LITTLE_MEMORY, kind]
    found = subprocess.run(command, input=bomb, capture_output=True, check=False)
    assert (found.stdout.split(), found.stderr) == ([b"refused"], b"")


@pytest.mark.parametrize("kind", COMPRESSING)
@pytest.mark.parametrize("data", [b"", b"\xff" * 12, b"{}" * 300], ids=["nothing", "ones", "text"])
def test_what_is_not_of_the_kind_is_refused_as_syntax_whatever_the_limit(kind: str, data: bytes) -> None:
    for largest in (200, LARGEST):
        with pytest.raises(Rejected) as refused:
            decompress(kind, data, largest)
        assert refused.value.reason == "syntax"


def test_the_limit_is_that_of_the_changefeed_where_it_is_larger() -> None:
    assert [largest_of(Options(max_message_bytes=n)) for n in (1, LARGEST + 1)] == [LARGEST, LARGEST + 1]
