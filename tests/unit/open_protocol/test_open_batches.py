"""Sizes, batches, large rows, claim check, compression and partitions."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from itertools import pairwise

import pytest
from open_samples import AB, A, column, delete, events_of, insert, table, texts, update

from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Encoded, Record, RowChange, Table, Watermark
from reference_impl.open_protocol import Encoder, Options, decode, encode
from reference_impl.open_protocol.framing import unframe
from reference_impl.profiles import CLASSIC
from reference_impl.settings import Settings

TS = 424316592563683329  # of 18 digits
SMALL = table(column("a", "varchar(10)", nullable=False), column("b", "varchar(10)"), primary_key=("a",))
AA = insert({"a": "aa", "b": "bb"}, ts=TS, of=SMALL)
KEYLESS = table(column("a", "varchar(200)"))


def _length(record: Record) -> int:
    """A message's length as the limits count it: key, value, and 36 bytes of overhead."""
    return len(record.key or b"") + len(record.value or b"") + 36


def _sizes(encoded: Encoded) -> list[int]:
    return [len(unframe(record.key, record.value)) for record in encoded.records]


def _reason(change: RowChange, of: Table, **options: object) -> str:
    with pytest.raises(Rejected) as refused:
        encode([change], [of], Options(**options))  # type: ignore[arg-type]
    return str(refused.value.reason)


def test_a_row_of_188_bytes_fits_into_188_and_not_into_187() -> None:
    [(key, value)] = texts(AA, tables=[SMALL])
    assert (len(key), len(value)) == (54, 74)  # TV-OP-049
    assert _sizes(encode([AA], [SMALL], Options(max_message_bytes=188))) == [1]
    assert _reason(AA, SMALL, max_message_bytes=187) == "range"


def test_a_row_beyond_100_bytes_is_too_large_for_100() -> None:
    with pytest.raises(Rejected, match=r"^message too large: a row of test\.t needs \d+ bytes of 100$") as refused:
        encode([insert({"a": "1", "b": "123"})], [AB], Options(max_message_bytes=100))
    assert refused.value.reason == "range"  # TV-OP-054


def test_no_message_of_many_rows_is_longer_than_the_limit() -> None:
    encoded = encode([AA] * 1000, [SMALL], Options(max_message_bytes=256))  # TV-OP-050
    assert max(map(_length, encoded.records)) <= 256
    assert sum(_sizes(encoded)) == 1000


@pytest.mark.parametrize(
    ("rows", "most", "sizes"),
    [(5, 2, [2, 2, 1]), (130, 64, [64, 64, 2]), (3, 1, [1, 1, 1]), (16, 16, [16]), (17, 16, [16, 1])],
)
def test_a_message_has_at_most_max_batch_size_rows(rows: int, most: int, sizes: list[int]) -> None:
    assert _sizes(encode([AA] * rows, [SMALL], Options(max_batch_size=most))) == sizes  # TV-OP-051, TV-OP-052


def test_a_message_ends_before_the_row_that_would_make_it_too_long() -> None:
    row = insert({"a": "1", "b": "123"}, ts=TS)
    encoded = encode([row] * 3, [AB], Options(max_message_bytes=400))  # TV-OP-053
    assert _sizes(encoded) == [2, 1]


def test_a_message_may_be_exactly_as_long_as_the_limit() -> None:
    two = encode([AA, AA], [SMALL])
    limit = _length(two.records[0])
    assert _sizes(encode([AA, AA], [SMALL], Options(max_message_bytes=limit))) == [2]
    assert _sizes(encode([AA, AA], [SMALL], Options(max_message_bytes=limit - 1))) == [1, 1]  # OP-152


def test_a_ddl_event_or_a_watermark_ends_the_messages_before_it() -> None:
    ddl = DdlEvent("test", "t", "x", action_code=3, commit_ts=2)
    events = [AA, AA, ddl, AA, Watermark(3), AA]
    encoded = encode(events, [SMALL])
    assert _sizes(encoded) == [2, 1, 1, 1, 1]  # OP-008
    assert decode(encoded.records, [SMALL]) == [
        AA, AA, DdlEvent("test", "t", "x", "create table", 3, 2), AA, Watermark(3), AA,
    ]  # fmt: skip


def test_every_call_is_a_flush() -> None:
    encoder = Encoder()
    assert _sizes(encoder.encode([AA], [SMALL])) == [1]
    assert _sizes(encoder.encode([AA])) == [1]


def test_nothing_of_a_refused_flush_is_kept() -> None:
    encoder = Encoder()
    with pytest.raises(Rejected):
        encoder.encode([AA, insert({"a": "x"}, ts=None, of=SMALL)], [SMALL])
    assert encoder.encode([]).records == ()


FULL = insert({"a": "1", "b": "123"}, ts=TS)


def test_a_row_too_large_is_reduced_to_its_handle_key() -> None:
    limit = 168
    assert [len(text) for pair in texts(FULL) for text in pair] == [54, 68]  # TV-OP-056
    [(key, value)] = texts(FULL, large_message_handle_option="handle-key-only", max_message_bytes=limit)
    assert key == f'{{"ts":{TS},"scm":"test","tbl":"t","t":1,"ohk":true}}'
    assert value == f'{{"u":{{{A}}}}}'  # TV-OP-037
    assert (len(key), len(value)) == (65, 41)


def test_a_reduced_row_reads_as_the_columns_that_it_has() -> None:
    options = Options(large_message_handle_option="handle-key-only", max_message_bytes=168)
    assert decode(encode([FULL], [AB], options).records, [AB]) == [insert({"a": "1"}, ts=TS)]  # OP-244


def test_a_row_that_fits_is_not_reduced() -> None:
    assert texts(FULL, large_message_handle_option="handle-key-only", max_message_bytes=182) == texts(FULL)


def test_a_reduced_row_that_is_still_too_large_is_refused() -> None:
    assert _reason(FULL, AB, large_message_handle_option="handle-key-only", max_message_bytes=165) == "range"


@pytest.mark.parametrize("option", ["handle-key-only", "claim-check"])
@pytest.mark.parametrize(
    "change",
    [
        insert({"a": "x" * 150}, of=KEYLESS),
        update({"a": "x" * 150}, {"a": "y" * 150}, of=KEYLESS),
        delete({"a": "x" * 150}, of=KEYLESS),
    ],
)
def test_a_large_row_without_a_handle_key_is_refused(change: RowChange, option: str) -> None:
    options = {"large_message_handle_option": option, "claim_check_storage_uri": "file:///x", "max_message_bytes": 150}
    assert _reason(change, KEYLESS, **options) == "semantics"  # TV-OP-045, TV-OP-057


BIG = table(column("id", "int", nullable=False), column("v", "longtext"), primary_key=("id",))
LARGE = [
    insert({"id": "1", "v": "v" * 500}, of=BIG),
    update({"id": "1", "v": "v" * 500}, {"id": "1", "v": "w" * 500}, of=BIG),
    delete({"id": "1", "v": "w" * 500}, of=BIG),
]


def _claimed(**options: object) -> Encoded:
    given = Options(
        large_message_handle_option="claim-check",
        claim_check_storage_uri="file:///claims/",
        max_message_bytes=500,
        **options,  # type: ignore[arg-type]
    )
    return encode(LARGE, [BIG], given)


def test_a_claim_check_message_has_the_handle_key_and_the_place_of_the_file() -> None:
    encoded = _claimed()
    for (key, value), claim, image in zip(events_of(encoded.records), encoded.claims, "uud", strict=True):
        assert key.endswith(f'"t":1,"ohk":true,"ccl":"{claim.location}"}}')
        assert value.startswith(f'{{"{image}":{{"id":{{"t":3,"h":true,"f":11,"v":1}}}}')
        assert '"v":{' not in value  # OP-170


def test_a_claim_check_file_holds_the_framed_key_and_value_of_the_whole_event() -> None:
    content = json.loads(_claimed().claims[0].content)
    assert list(content) == ["key", "value"]  # OP-172
    pairs = unframe(base64.b64decode(content["key"]), base64.b64decode(content["value"]))
    assert [(key.decode(), value.decode()) for key, value in pairs] == texts(LARGE[0], tables=[BIG])


@pytest.mark.parametrize("compression", ["none", "lz4", "snappy"])
def test_claim_checked_rows_read_back_whole(compression: str) -> None:
    options = Options(
        large_message_handle_option="claim-check",
        claim_check_storage_uri="s3://bucket/a",
        max_message_bytes=240,
        large_message_handle_compression=compression,
    )
    noise = "".join(map(chr, range(0x4E00, 0x4E00 + 200)))
    large = [insert({"id": "1", "v": noise}, of=BIG), delete({"id": "1", "v": noise}, of=BIG)]
    encoded = encode(large, [BIG], options)
    assert len(encoded.claims) == 2
    assert decode(encoded.records, [BIG], encoded.claims, options) == large


def test_classic_writes_no_ohk_beside_a_claim() -> None:
    options = Options(
        large_message_handle_option="claim-check", claim_check_storage_uri="file:///c", max_message_bytes=500
    )
    [(key, _)] = events_of(encode(LARGE[:1], [BIG], options, CLASSIC).records)
    assert '"t":1,"ccl":"' in key  # OP-032


def test_a_claim_whose_message_is_still_too_large_is_refused() -> None:
    options = {"large_message_handle_option": "claim-check", "claim_check_storage_uri": "file:///" + "x" * 400}
    assert _reason(LARGE[0], BIG, max_message_bytes=500, **options) == "range"  # OP-174


@pytest.mark.parametrize("kind", ["lz4", "snappy"])
def test_values_are_compressed_one_by_one_and_keys_and_resolved_events_are_not(kind: str) -> None:
    options = Options(large_message_handle_compression=kind)
    events = [LARGE[0], DdlEvent("test", "t", "x" * 99, "create table", 3, 2), Watermark(3)]
    encoded = encode(events, [BIG], options)
    [row], [ddl], [resolved] = (unframe(record.key, record.value) for record in encoded.records)
    assert row[0].startswith(b'{"ts":')  # OP-011
    assert not row[1].startswith(b"{")
    assert not ddl[1].startswith(b'{"q"')  # TV-OP-057c
    assert resolved[1] == b""
    assert decode(encoded.records, [BIG], options=options) == events


TWO_TABLES = [table(column("a", "int"), name=name) for name in ("t1", "t2")]  # partitions 15 and 5 of 16


def test_rows_are_batched_by_partition_and_keep_their_order_there() -> None:
    rows = [insert({"a": str(n)}, ts=n, of=TWO_TABLES[n % 2]) for n in range(1, 7)]
    encoded = encode(rows, TWO_TABLES, settings=Settings(partitions=16))
    assert [record.partition for record in encoded.records] == [5, 15]  # in the order in which they were begun
    for record in encoded.records:
        stamps = [event.commit_ts for event in decode([record], TWO_TABLES)]
        assert all(a < b for a, b in pairwise(stamps))


@pytest.mark.parametrize("option", ["handle-key-only", "claim-check"])
def test_a_large_update_without_old_values_is_refused_only_on_request(option: str) -> None:
    options = Options(
        large_message_handle_option=option,
        claim_check_storage_uri="file:///claims",
        max_message_bytes=500,
        open_output_old_value=False,
    )
    assert len(encode(LARGE[1:2], [BIG], options, CLASSIC).records) == 1
    defects = frozenset({"open-protocol/reduced-update-refused"})
    assert len(encode(LARGE[:1] + LARGE[2:], [BIG], options, CLASSIC, defects=defects).records) > 0
    with pytest.raises(Rejected) as refused:
        encode(LARGE[1:2], [BIG], options, CLASSIC, defects=defects)  # OP-160
    assert refused.value.reason == "semantics"
    assert encode(LARGE[1:2], [BIG], replace(options, open_output_old_value=True), CLASSIC, defects=defects).records
