"""`report merge`: of the shards of a run the run itself, byte for byte but for what differs between any two runs."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.cli.configuring import REFERENCE
from conformance.cli.main import main
from conformance.engine.baseline import Known
from conformance.engine.merging import ShardRecord, merged
from conformance.engine.selection import Selection, Shard
from reports.saved import ANSWERS, RECORD, open_run
from tests.integration.test_run_folder import ASKED, stable, verdicts_of
from tests.toy import case, run

BASELINE = """
[[known]]
match = "canal-json/flags/*"
fingerprint = ["crash@encode", "crash@decode", "timeout@encode", "timeout@decode", "never@seen"]
partial = true
expires = 2020-01-01
[[known]]
cases = ["canal-json/evolution/nothing", "canal-json/keyed/nothing"]
fingerprint = "value@nowhere"
[[known]]
match = "canal-json/name/*"
fingerprint = "value@nowhere"
"""
RECORDINGS = f"recorded:{fixtures_root() / 'recorded' / 'ticdc-classic'}"
_OF_REFERENCE = ["--iut", REFERENCE, "--protocol", "open-protocol"]
_UNDECLARED = ["--protocol", "canal-json", "--protocol", "open-protocol"]
_OF_CLASSIC = ["--iut", RECORDINGS, "--profile", "classic"]
RUNS = {
    "faulty harness, sessions": [*ASKED, "-n", "2", "--role", "decode"],
    "known failures": [*ASKED, "-n", "1", "--baseline", "BASELINE", "--today", "2026-01-01"],
    "reference": [*_OF_REFERENCE, "-k", "insert and bigint and not unsigned", "-n", "2"],
    "recordings, whole": [*_OF_CLASSIC, "--baseline", "SHIPPED", "-n", "1", "--protocol", "debezium"],
    "a protocol that is not declared": [*_UNDECLARED, "--iut", ASKED[1], "--role", "encode", "-k", "name", "-n", "2"],
    "two implementations": ["--iut", RECORDINGS, *_OF_CLASSIC, "--role", "encode", "--protocol", "avro", "-k", "int"],
}


@cache
def folder(name: str) -> Path:
    """The folder of a run, `whole`, and those of its shards, `1`, `2` and `3`."""
    out = Path(mkdtemp())
    (out / "baseline.toml").write_text(BASELINE, encoding="utf-8")
    files = {"BASELINE": str(out / "baseline.toml"), "SHIPPED": str(fixtures_root() / "recorded" / "baseline.toml")}
    asked = [files.get(word, word) for word in RUNS[name]]
    main(["run", "-q", *asked, "--out", str(out / "whole")])
    for i in (1, 2, 3):
        main(["run", "-q", *asked, "--shard", f"{i}/3", "--out", str(out / str(i))])
    return out


@pytest.mark.parametrize("name", RUNS)
def test_the_shards_of_a_run_make_the_run(name: str, tmp_path: Path) -> None:
    out = folder(name)
    # In any order.
    status = main(["report", "merge", *(str(out / i) for i in "312"), "--out", str(tmp_path / "merged")])
    sessions = "-n" not in RUNS[name] or RUNS[name][RUNS[name].index("-n") + 1] != "1"
    whole = stable(out / "whole", sessions=sessions)
    assert stable(tmp_path / "merged", sessions=sessions) == whole
    assert any('"verdict": "pass"' in line or '"verdict": "fail"' in line for line in whole)
    assert (tmp_path / "merged" / ANSWERS).read_bytes() == (out / "whole" / ANSWERS).read_bytes()
    end = open_run(out / "whole").end
    assert end is not None
    assert status == end["exit"]


def test_the_runs_that_are_merged_show_what_can_go_wrong() -> None:
    events = [event for name in RUNS for event in open_run(folder(name) / "whole").events]
    kinds = {event["event"] for event in events}
    assert {"restart", "case", "requirement"} <= kinds
    assert {"fail", "crash", "timeout", "xfail"} <= {e["verdict"] for e in events if e["event"] == "verdict"}
    standings = {s for e in events if e["event"] == "end" for s in e["baseline"]["standings"]}
    assert {"failing", "not judged"} <= standings


def test_a_record_alone_is_merged_into_a_file(tmp_path: Path) -> None:
    out = folder("reference")
    main(["report", "merge", *(str(out / i / RECORD) for i in "123"), "--out", str(tmp_path / "merged.jsonl")])
    assert stable(tmp_path / "merged.jsonl", sessions=True) == stable(out / "whole", sessions=True)


def changed(name: str, kind: str, **members: Any) -> str:
    """The record of the second shard, with members of an event set."""
    path = Path(mkdtemp(), name.replace(" ", "-") + ".jsonl")
    events = [dict(e) for e in open_run(folder("reference") / "2").events]
    for event in events:
        event |= members if event["event"] == kind else {}
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return str(path)


def cut() -> str:
    path = Path(mkdtemp(), "cut.jsonl")
    path.write_bytes(b"".join((folder("reference") / "2" / RECORD).read_bytes().splitlines(keepends=True)[:-1]))
    return str(path)


REFUSED = {
    "a shard is missing": (["1", "3"], "shard 2 of 3 is missing"),
    "a shard is there twice": (["1", "2", "2", "3"], "both are shard 2 of 3"),
    "a whole run": (["1", "whole", "3"], "not a shard of a run"),
    "another version": (["1", changed, "iut", {"version": "9"}], "its version of the implementation differs: '9'"),
    "another profile": (["1", changed, "iut", {"profile": "doc"}], "its profile of the implementation differs"),
    "another suite": (["1", changed, "run", {"suite": "9"}], "its suite differs: '9'"),
    "another register": (["1", changed, "run", {"registers": {}}], "its registers differs"),
    "another gate": (["1", changed, "run", {"gate": "must"}], "its gate differs: 'must', not 'data'"),
    "another baseline": (["1", changed, "run", {"baseline": "x"}], "its baseline differs"),
    "a shard that was cut": (["1", cut, "3"], "the record is incomplete"),
}


@pytest.mark.parametrize(("given", "words"), REFUSED.values(), ids=REFUSED)
def test_what_are_no_shards_of_one_run_is_refused_in_a_sentence(given: list[Any], words: str, tmp_path, capsys) -> None:
    shards = [str(folder("reference") / one) for one in given if isinstance(one, str) and one.isalnum()]
    if changed in given:
        first, third = (str(folder("reference") / i) for i in "13")
        shards = [first, changed("other", given[2], **given[3]), third]
    elif cut in given:
        shards.append(cut())
    assert main(["report", "merge", *shards, "--out", str(tmp_path / "merged")]) == 4
    assert words in capsys.readouterr().err
    assert not (tmp_path / "merged").exists()


@pytest.mark.parametrize("record", ["", "run.jsonl"])
def test_a_shard_is_never_written_over(record: str, capsys: pytest.CaptureFixture[str]) -> None:
    shards = [str(folder("reference") / i / record) for i in "123"]
    assert main(["report", "merge", *shards, "--out", str(folder("reference") / "1")]) == 4
    assert "that is one of the shards" in capsys.readouterr().err


def lossy(cases: int = 0, torn: int = 0) -> str:
    """The record of the third shard, without some of its verdicts, and with lines that were torn."""
    path = Path(mkdtemp(), "lossy.jsonl")
    lines = (folder("reference") / "3" / RECORD).read_text(encoding="utf-8").splitlines()
    verdicts = [i for i, line in enumerate(lines) if line.startswith('{"event":"verdict"')]
    torn_lines = set(verdicts[cases : cases + torn])
    kept = [line[:50] if i in torn_lines else line for i, line in enumerate(lines) if i not in verdicts[:cases]]
    path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cases": 5}, "5 of its verdicts are missing"),
        ({"cases": 1}, "1 of its verdicts is missing"),
        ({"torn": 2}, "2 of its verdicts are missing"),
    ],
)
def test_a_shard_that_lost_verdicts_is_refused_and_named(given: dict[str, int], words: str, tmp_path, capsys) -> None:
    shards = [*(str(folder("reference") / i) for i in "12"), lossy(**given)]
    assert main(["report", "merge", *shards, "--out", str(tmp_path / "merged")]) == 4
    said = capsys.readouterr().err
    assert f"{shards[2]}, shard 3: " in said
    assert words in said
    assert not (tmp_path / "merged").exists()


def test_a_shard_of_which_answers_are_missing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder("reference")
    shards = [str(out / "1"), str(out / "2"), str(out / "3" / RECORD)]
    (tmp_path / "alone").mkdir()
    shards[2] = str(shutil.copy(shards[2], tmp_path / "alone" / RECORD))
    capsys.readouterr()
    main(["report", "merge", *shards, "--out", str(tmp_path / "merged")])
    [said] = [line for line in capsys.readouterr().err.splitlines() if "missing" in line]
    named = {v["answer"] for v in verdicts_of(open_run(Path(shards[2]))).values() if v["answer"]}
    kept = {digest for i in "12" for digest, _ in open_run(out / i).answers}
    assert f"{shards[2]}: {len(named - kept):,} of its {len(named):,} answers are missing" in said


@pytest.mark.parametrize("end", ["lose", "ok"])
def test_merged_shards_are_a_whole_run_unless_an_implementation_was_lost_in_one(end: str) -> None:
    words = {"a": "ok", "b": "ok", "c": end, "d": "ok", "e": "ok"}
    cases = [case(name) for name in words]
    known = (Known(cases=("a",), fingerprints=("value",)),)

    def recorded(shard: Shard | None) -> list[dict[str, Any]]:
        return run(words, cases, selection=Selection(shard=shard), baseline=known)[1]

    shards = [ShardRecord.of(f"{i}", recorded(Shard(i, 2))) for i in (1, 2)]
    whole = [events[-1]["baseline"]["whole"] for events in (recorded(None), list(merged(shards)))]
    assert whole == [end == "ok"] * 2


def test_shards_make_the_same_record_in_whatever_order_they_are_given() -> None:
    words = {"a": "ok", "b": "ok"}
    events = [run(words, [case(name) for name in words], selection=Selection(shard=Shard(i, 2)))[1] for i in (1, 2)]
    for i, (begin, *_) in enumerate(events, 1):
        begin["host"] = f"machine {i}"
    shards = [ShardRecord.of(f"{i}", of) for i, of in enumerate(events, 1)]
    whole = list(merged(shards))
    assert whole == list(merged(shards[::-1]))
    assert whole[0]["host"] == "machine 1; machine 2"
