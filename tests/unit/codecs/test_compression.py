"""Compressed messages: what comes back, and how much memory a few bytes may ask for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable

import pytest

from reference_impl.canal_json import Options
from reference_impl.column_types import parse_column_type
from reference_impl.compression import COMPRESSIONS, DECOMPRESSED_LIMIT, compress, decompress, decompressed_limit
from reference_impl.errors import Rejected, TooLarge
from reference_impl.model import Column, DdlEvent, Event, Record, RowChange, Table
from reference_impl.options import parse
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings

COMPRESSING = [kind for kind in COMPRESSIONS if kind != "none"]


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
    bomb = compress(kind, bytes(2**27))
    command = [sys.executable, "-c", IN_LITTLE_MEMORY, kind]
    found = subprocess.run(command, input=bomb, capture_output=True, check=False)
    assert (found.stdout.split(), found.stderr) == ([b"refused"], b"")


@pytest.mark.parametrize("kind", COMPRESSING)
@pytest.mark.parametrize("data", [b"", b"\xff" * 12, b"{}" * 300], ids=["nothing", "ones", "text"])
def test_what_is_not_of_the_kind_is_refused_as_syntax_whatever_the_limit(kind: str, data: bytes) -> None:
    for largest in (200, DECOMPRESSED_LIMIT):
        with pytest.raises(Rejected) as refused:
            decompress(kind, data, largest)
        assert refused.value.reason == "syntax"


def test_the_limit_is_that_of_the_changefeed_where_it_is_larger() -> None:
    assert [decompressed_limit(Options(max_message_bytes=n)) for n in (1, DECOMPRESSED_LIMIT + 1)] == [
        DECOMPRESSED_LIMIT,
        DECOMPRESSED_LIMIT + 1,
    ]


def test_the_kinds_are_those_of_the_option() -> None:
    assert COMPRESSIONS == ("none", "lz4", "snappy")
    assert DECOMPRESSED_LIMIT == 64 * 1024 * 1024


def test_nothing_is_done_without_compression_whatever_the_limit() -> None:
    assert compress("none", b"data") == b"data"
    assert decompress("none", b"data", largest=1) == b"data"


# The frame of LZ4 begins with its magic number; a block of Snappy with the size of its data, then a literal.
@pytest.mark.parametrize(("kind", "beginning"), [("lz4", bytes.fromhex("04224d18")), ("snappy", b"\x04\x0cdata")])
def test_lz4_is_a_frame_and_snappy_a_block(kind: str, beginning: bytes) -> None:
    assert compress(kind, b"data").startswith(beginning)


def test_a_block_of_snappy_holds_what_its_first_number_says() -> None:
    assert decompress("snappy", b"\x04\x0cdata") == b"data"
    # Two bytes that declare 510 might hold them, 511 not.
    for declared, words in ((b"\xfe\x03", "not snappy data: "), (b"\xff\x03", "not snappy data: 2 bytes declare 511")):
        with pytest.raises(Rejected, match=words) as refused:
            decompress("snappy", declared)
        assert refused.value.reason == "syntax"
        assert ("declare" in refused.value.message) is ("declare" in words)


def test_the_limit_is_64_mebibytes_unless_another_is_given() -> None:
    for size, refusal in ((b"\x80\x80\x80\x20", Rejected), (b"\x81\x80\x80\x20", TooLarge)):  # 2**26, and one more
        with pytest.raises(refusal):
            decompress("snappy", size + bytes(2**26 // 255))


@pytest.mark.parametrize("data", [b"x" * 255, b"x" * 256, bytes(range(256)) * 4])
def test_little_data_of_lz4_is_read_whatever_the_limit(data: bytes) -> None:
    packed = compress("lz4", data)
    for largest in (len(data), 255 * len(packed), 255 * len(packed) - 1, 255 * len(packed) + 1):
        assert decompress("lz4", packed, largest) == data


# -- in records ------------------------------------------------------------------------------------------------------

TABLE = Table("test", "t", (Column("id", parse_column_type("int"), nullable=False),), primary_key=("id",))
EVENTS = [
    RowChange("insert", "test", "t", 1, after={"id": "1"}),
    DdlEvent("test", "t", "truncate table t", None, 11, 2),
]


def records_of(protocol: str, kind: str, settings: Settings) -> tuple[Record, ...]:
    options = parse(CODECS[protocol].options, {"large-message-handle-compression": kind})
    return CODECS[protocol].encoder(options, settings=settings).encode(EVENTS, [TABLE]).records


def read(protocol: str, kind: str, records: Iterable[Record], settings: Settings) -> list[Event]:
    options = parse(CODECS[protocol].options, {"large-message-handle-compression": kind})
    return CODECS[protocol].decoder(options, settings=settings).decode(records, [TABLE])


@pytest.mark.parametrize("kind", ["none", "lz4", "snappy"])
@pytest.mark.parametrize(
    ("protocol", "parts"), [("canal-json", {"value"}), ("debezium", {"key", "value"}), ("avro", set())]
)
def test_a_protocol_compresses_these_parts_of_every_record_and_reads_them(
    protocol: str, parts: set[str], kind: str
) -> None:
    settings = Settings(registry=MemoryRegistry())
    plain, packed = (records_of(protocol, one, settings) for one in ("none", kind))
    for want, got in zip(plain, packed, strict=True):
        for part in ("key", "value"):
            data = getattr(got, part)
            is_packed = part in parts and data is not None
            assert (decompress(kind, data) if is_packed else data) == getattr(want, part)
    assert read(protocol, kind, packed, settings) == read(protocol, "none", plain, settings)


@pytest.mark.parametrize("kind", ["lz4", "snappy"])
@pytest.mark.parametrize("protocol", ["canal-json", "debezium", "open-protocol"])
def test_a_record_that_is_not_compressed_as_configured_is_a_syntax_fault(protocol: str, kind: str) -> None:
    with pytest.raises(Rejected) as refused:
        read(protocol, kind, records_of(protocol, "none", Settings()), Settings())
    assert refused.value.reason == "syntax"
