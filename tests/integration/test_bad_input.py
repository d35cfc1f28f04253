"""Bad input of any command is one clear message and the right exit status; no traceback, and no file is written."""

from __future__ import annotations

import shlex

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.cli.configuring import REFERENCE
from conformance.cli.main import main
from tests.integration.minimal import ROOT, address

PLACES = {
    "{reference}": REFERENCE,
    "{decoder}": address(),
    "{recorded}": f"recorded:{fixtures_root() / 'recorded' / 'canal'}",
    "{file}": __file__,
    "{tables}": str(ROOT / "tests" / "schemas" / "game.sql"),
}
# The exit status, the command line, and words of what is said.
TABLE = """
4 | run --iut {reference} --protocol canal-jsn | 'canal-jsn' | canal-json
4 | run --role encoder | 'encoder' | did you mean encode or decode?
4 | run --itu cmd:x | did you mean --iut? | ticdc-conformance run --help
4 | check-capture --protcol avro | unknown option --protcol; did you mean --protocol? | ticdc-conformance check-capture --help
4 | explain OP-040 OP-041 | 'OP-041' is not expected here
4 | runn | 'runn'; did you mean run?
4 | list requirments | 'requirments'; did you mean requirements?
4 | list mutants -k x | -k goes with: list cases
4 | list defects --oracle | list divergences
4 | list consumers --protocol canal-json | --protocol does not go with: list
4 | list protocols avro --protocol canal-json | --protocol does not go with: list
4 | run --iut ftp:x | ftp | cmd: | recorded:
4 | run --iut podman:x | 'podman:x' | docker:IMAGE
4 | explain OP-40 | 'OP-40' | did you mean OP-040
4 | explain cj-388 | did you mean CJ-388
4 | explain CJ-9999 | CJ-9999 | list requirements
4 | explain DB-04 | did you mean history/DB-04?
4 | run --today 2026-13-01 | --today 2026-13-01: not a day such as 2027-03-31
4 | baseline check --run no.jsonl --today tomorrow | --today tomorrow: not a day such as 2027-03-31
4 | run --profile newarc | 'newarc' | did you mean newarch?
4 | run --ticdc-version eight | 'eight' | v8.5.4
4 | run --profile doc --ticdc-version 8.1.0 | one of them
4 | run --protocol canal --profile classic --iut cmd:true | --profile goes with protocols of TiCDC
4 | run --strict --gate must | --strict
4 | run -k 'a and (b' | -k
4 | run --shard 3/2 | 3/2
4 | run --timeout soon | timeout | soon
4 | run --report pdf=x | 'pdf' | junit
4 | run --report junit | junit=PATH
4 | run --baseline none.toml | none.toml
4 | run --gate regress --against no.jsonl | no.jsonl
4 | run --gate regress | --against
4 | run --iut recorded:nowhere | nowhere
4 | run --protocol canal --iut recorded:. | the folder holds none
4 | run --iut {reference} --protocol canal-json -k golden --dump-stdin {file} | --dump-stdin {file}
4 | run --protocol avro --registry-config r.properties | --registry-config goes with --registry-url
4 | replay nothing --iut {reference} | nothing | list cases
4 | replay open-protocol/golden/01-event-formats/row-kei --iut {reference} | did you mean open-protocol/golden/01-event-formats/row-key
4 | explain open-protocol/golden/01-event-formats/row-kei | did you mean open-protocol/golden/01-event-formats/row-key
4 | check-capture --protocol canal-json --records no.jsonl | no.jsonl
5 | check-capture --protocol canal-json --records /dev/null | /dev/null: there is no record in it
4 | check-capture --protocol canal-json --records /dev/null --tables /dev/null | there is no CREATE TABLE statement
4 | check-capture --protocol debezium --records no.jsonl --partitions 0 | --partitions: '0' is not a whole number from 1 on
4 | check-capture --protocol debezium --records no.jsonl --timezone Mars | --timezone: 'Mars' is not a time zone such as UTC
4 | check-capture --protocol debezium --records no.jsonl --events none.jsonl | --events none.jsonl: cannot be read
4 | check-capture --protocol debezium --records no.jsonl --schemas none.jsonl | --schemas none.jsonl: cannot be read
4 | check-capture --protocol debezium --records no.jsonl --registry-url ftp://here | --registry-url:
4 | check-capture --protocol avro --records no.jsonl | give --schemas FILE or --registry-url URL
4 | compare --left canal:x --right avro:y --tables {tables} --out o | give --schemas FILE
4 | compare --left canal:x --right avro:y --tables {tables} --out o --schemas left=x.json | no side of that name has a dialect with schemas
4 | compare --left canal:x --right avro:y --tables {tables} --out o --schemas x.json --schemas y.json | given twice
4 | compare --left canal:x --right canal:y --tables {tables} --out o --schemas x.json | no side has a dialect with schemas
4 | compare --left canal:x --right avro:y --tables {tables} --out o --schemas right= | --schemas .: cannot be read
4 | compare --left canal:x --right avro:y --tables {tables} --out o --registry-url right= | '' is not an http or https URL
4 | compare --left canal:x --right avro:y --tables {tables} --out o --registry-config x --schemas x.json | --registry-config goes with --registry-url
4 | compare --left canal:x --right avro:y --tables {tables} --out o --kafka-config x | --kafka-config x: it is for topics
4 | compare --left canal:x --right avro:y --tables {tables} --out o --registry-url http://127.0.0.1:1 | the schema registry cannot be reached
4 | compare --left canal?binlog_row_image=MINIMAL:x --right canal-json:y --tables {tables} --out o | left: binlog_row_image=MINIMAL | DV-34 | binlog_row_image=FULL
4 | compare --left canal-json:x --right canal?binlog_row_image=MINIMAL:y --tables {tables} --out o | right: binlog_row_image=MINIMAL
4 | compare --left canal?binlog_row_image=NOBLOB:x --right canal-json:y --tables {tables} --out o | left: binlog_row_image=NOBLOB
4 | compare --left canal:x --right canal:y --tables /dev/null --out o | there is no CREATE TABLE statement
4 | compare --left canal:x --right canal:y --tables t --out o --ignore value,vlaue | --ignore: unknown class of differences 'vlaue'; did you mean value?
4 | migrate --from canal --to canal-json --timezone Mars | --timezone: 'Mars' is not a time zone such as UTC
4 | migrate --from canal --to canal-json --options xyzzy=red | unknown option 'xyzzy'; its options are max-message-bytes
4 | replay CJ-388 | no case is called 'CJ-388' | `list cases -k CJ-388` those of that requirement
4 | matrix --consumer flink@1.20.4:nonsense=1 | unknown option 'nonsense'; its model knows ignore-parse-errors
4 | matrix --consumer flink-avro@1.20.4:connector=x | connector='x' is not one of kafka, upsert-kafka
4 | matrix --consumer flink@1.20.4:nonsense | it looks like NAME=VALUE
5 | matrix --encoder reference --decoder reference --protocol canal-json -k zzzz | no case with a row matches -k 'zzzz'
4 | run --iut cmd:./any -n 0 | --sessions: '0' is not a whole number above 0
4 | check-capture --protocol canal-json --records x --option a=1 --option a=2 | 'a' is given twice
4 | check-capture --protocol canal --records no.jsonl --profile classic | --profile goes with protocols of TiCDC
4 | check-capture --protocol debezium-connector --records no.jsonl --ticdc-version 8.5.4 | --ticdc-version goes with protocols
4 | check-capture --protocol canal-json --records no.jsonl --kafka-config k.properties | --kafka-config k.properties: it is for topics
4 | check-capture --protocol avro --records no.jsonl --registry-config r.properties | --registry-config goes with --registry-url
4 | check-capture --protocol canal-json --records no.jsonl --tables no.json | no.json
4 | serve-reference --mutant canal-json/read-column-lost --registry-config no.properties | no.properties
4 | serve-reference --mutant canal-json/none | list mutants
4 | serve-reference --protocol maxwell | maxwell
4 | baseline update --run no.jsonl | no.jsonl
4 | compare --left canal:x --right canal:y --tables t --out o --max-share 1 | --max-share: '1' is not a number from 0 to below 1
4 | report render html . | there is no run.jsonl in it
4 | diff nothing nothing --fail-on chagned | did you mean changed?
4 | doctor | doctor needs --iut ADDRESS, or a line iut = [
4 | migrate --from canal --to avro --consumer spark:parse-mode=DROPMALFORMED | parse-mode='DROPMALFORMED' is not one of PERMISSIVE, FAILFAST
4 | migrate --from canal --to canal | unknown --to dialect 'canal'; did you mean canal-json?
4 | migrate --from canal@1.0 --to canal-json | --from canal@1.0: the suite knows the versions 1.1.7
4 | migrate --from canal --to canal-json --options content-compatible | write options as name=value, joined by &
4 | migrate --from canal --to canal-json?a=1&a=2 | --to: 'a' is given twice
4 | migrate --from canal --to canal-json@9 | --to …@9: '9' is not a TiCDC release
4 | migrate --from debezium-connector@3.0.7?version=2.4.0 --to debezium | the version is given twice
4 | migrate --from canal --to canal-json --consumer flinc | unknown consumer 'flinc'; did you mean flink?
4 | migrate --from canal --to canal-json --consumer flink@new | 'new' is no version; write one like 2.3.0
4 | migrate --from canal --to canal-json --report pdf=x | unknown kind of report 'pdf'
4 | migrate --from canal --to canal-json --consumer flink-debezium-json | it reads Debezium JSON, and neither canal nor canal-json is
4 | migrate --from canal --to canal-json --consumer flink:nonsense=1 | unknown option 'nonsense'; its model knows ignore-parse-errors
4 | migrate --from canal --to canal-json --consumer paimon:mode=jdbc | unknown option 'mode'; its model knows none
4 | migrate --from canal --to canal-json --schema {tables} --consumer connect:mode=strange | mode='strange' is not one of unwrap, converter, jdbc
4 | matrix --consumer flink | --consumer flink: it looks like flink@VERSION
4 | matrix --consumer flinc@1 | unknown consumer 'flinc'; did you mean flink?
4 | matrix --encoder reference --decoder reference --timeout 0 | --timeout: '0' is not a number above 0
4 | migrate --from canal --to canal-json@latest | --to …@latest: 'latest' is not a TiCDC release
4 | migrate --from canal --to canal-json --consumer spark-from-avro | it reads Avro, and neither canal nor canal-json is Avro; write spark
4 | mutants --report json | it looks like json=PATH
4 | mutants --report htlm=x.html | did you mean html?
4 | mutants --report json=/dev/null/x.json | cannot be written
4 | mutants -n 0 | -n: '0' is not a whole number from 1 on
4 | mutants --cases many | --cases: 'many' is not a whole number from 1 on | ticdc-conformance mutants --help
4 | mutants -k '(avro' | a parenthesis is not closed
4 | generate --preset shop --dialect canal --changes 5 --seed x --out o | --seed: 'x' is not a whole number
4 | sweep --share 0 | --share: '0' is not a whole number from 1 on
4 | sweep -n 0 | -n: '0' is not a whole number from 1 on
4 | sweep --protocol canal-jsn | canal-jsn | canal-json
4 | bench --iut exec:./one-shot | bench needs one program that answers many requests
4 | bench --iut {decoder} --rounds 0 | --rounds: '0' is not a whole number from 1 on
4 | bench --iut {decoder} --timeout 0 | --timeout: '0' is not a number above 0
5 | bench --iut {decoder} --protocol avro | minimal-harness declares none of these protocols and roles: avro
6 | bench --iut cmd:./no-such-harness | the program './no-such-harness' cannot be started
4 | fuzz --examples 1 --protocol canal-json --baseline none.toml | none.toml
4 | fuzz --protocol canal-json --role encode --examples 0 | --examples: '0' is not a whole number from 1 on
4 | fuzz --protocol canal-json --role encode --seed -1 | --seed: '-1' is not a whole number from 0 on
4 | fuzz --protocol canal-json --role encode --budget soon | it looks like 90s, 5m or 1h
4 | fuzz --protocol canal-json --role encode --save /dev/null/x | cannot be made
4 | fuzz --protocol canal-json --role encode --iut recorded:. | there is no recording in
4 | fuzz --protocol canal --iut {recorded} | a recording answers no new inputs
4 | fuzz --protocol canal --profile classic | --profile goes with protocols of TiCDC
4 | fuzz --protocol canal --ticdc-version 8.5.0 | --ticdc-version goes with protocols of TiCDC
6 | fuzz --protocol canal-json --role encode --iut cmd:/no/such/program | cannot be started
4 | init --lang pyton new | 'pyton'; did you mean python? | go
4 | init new | --lang
4 | init --lang go | DIR
4 | init --lang go --protocol avro new | 'avro' | canal-json
4 | init --lang python --wrap-encoder new | --wrap-encoder
4 | record kanal | unknown producer 'kanal'
4 | record canal --only mysql | unknown recording 'mysql'
4 | record canal --from . | add --check
4 | record canal --check --from . | none of these recordings is there
4 | record canal --check --from . --version 1.1.7 | --from records nothing
4 | record canal --check --from no-such-folder | --from no-such-folder: there is no such folder
4 | record canal --check --report pdf=x | unknown kind of report 'pdf'
4 | report-bug no/such-case | no/such-case
4 | report-bug canal-json/golden/06-delete-event/since-v5-4-0 --role encode -o . | exists; name another with -o
4 | report-bug canal-json/golden/06-delete-event/since-v5-4-0 --role encode --iut recorded:x | --iut names a program
4 | report-bug canal-json/golden/06-delete-event/since-v5-4-0 --role encode --iut cmd:a --iut cmd:b | give one --iut; write a bundle for each
5 | run --iut {reference} --protocol canal-json -k zzzz | zzzz
5 | run --iut {reference} --protocol open-protocol -k unsinged | no case matches 'unsinged'; did you mean unsigned
5 | run --iut {reference} --protocol open-protocol -k unsinged -q | no case matches 'unsinged'; did you mean unsigned
5 | run --iut {reference} --protocol open-protocol -k 'encode and decode' | each term alone leaves some cases
5 | list cases --protocol open-protocol -k unsinged | 0 cases | no case matches 'unsinged'; did you mean unsigned
6 | run --iut cmd:./no-such-harness -q |
6 | doctor --iut cmd:./no-such-harness | no-such-harness
"""  # noqa: E501
ROWS = [tuple(cell.strip() for cell in line.split(" |")) for line in TABLE.strip().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row[1] for row in ROWS])
def test_bad_input_is_one_clear_message_and_the_right_status(row, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    status, line, *words = row
    got = main([PLACES.get(word, word) for word in shlex.split(line)])
    said = capsys.readouterr()
    assert got == int(status), said.err
    assert [w for w in words if w.replace("{file}", __file__) not in said.out + said.err] == []
    assert "Traceback" not in said.out + said.err
    assert "usage:" not in said.err
    assert got != 4 or [line[:2] for line in said.err.splitlines()] == ["ti", *["  "] * said.err.strip().count("\n")]
    assert got != 4 or not list(tmp_path.iterdir())
