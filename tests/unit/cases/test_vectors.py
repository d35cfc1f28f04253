"""Recorded vectors: what is shipped, how it is packed, and what a reader makes of broken lines."""

import json
import lzma
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.vectors import load_producers, read_vectors, recorded_vectors
from reference_impl.errors import RejectionClass
from tests.amounts import ordinarily

ROOT = Path(__file__).parents[3]
RECORDED = sorted((fixtures_root() / "recorded").glob("ticdc-*/*.jsonl.xz"))
GOOD = {"case": "x/a", "protocol": "canal-json", "options": {}, "tables": [], "events": [], "records": []}


def lines(*vectors: object) -> str:
    return "".join(v if isinstance(v, str) else json.dumps(v) + "\n" for v in vectors)


def members_of(vector: dict[str, Any]) -> frozenset[str]:
    """The names of all members of a vector, and the kinds of its events: what a schema tells apart."""
    parts = [vector, *vector["events"], *vector["tables"], *(c for t in vector["tables"] for c in t["columns"])]
    parts += [*(vector.get("records") or ()), *vector.get("schemas", ()), *vector.get("claims", ())]
    return frozenset([name for part in parts for name in part] + [event["kind"] for event in vector["events"]])


@pytest.mark.parametrize("path", RECORDED, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_recorded_line_fits_the_published_schema(path: Path) -> None:
    """Ordinarily some of those with the same members."""
    schema = json.loads((fixtures_root() / "schemas" / "vector.schema.json").read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    vectors = [json.loads(line) for line in lzma.decompress(path.read_bytes()).splitlines()]
    alike: dict[frozenset[str], list[dict[str, Any]]] = {}
    for vector in vectors:
        alike.setdefault(members_of(vector), []).append(vector)
    some = [vector for group in alike.values() for vector in group[: ordinarily(4, len(vectors))]]
    assert some
    assert [e.message for vector in some for e in validator.iter_errors(vector)] == []


@pytest.mark.parametrize("producer", load_producers().values(), ids=lambda p: p.id)
def test_meta_data_name_every_file_with_its_count_and_hash(producer) -> None:
    listed = {f["name"]: f for f in tomllib.loads((producer.folder / "meta.toml").read_text("utf-8"))["file"]}
    found = {}
    for path in producer.folder.glob("*.xz"):
        data = lzma.decompress(path.read_bytes())
        found[path.name] = {
            "name": path.name,
            "vectors": data.count(b"\n"),
            "sha256_of_lines": sha256(data).hexdigest(),
        }
    assert found == listed


def test_both_generations_of_ticdc_are_shipped_for_both_protocols() -> None:
    counts = {
        (p.id, protocol): len(recorded_vectors(p, protocol))
        for p in load_producers().values()
        for protocol in ("canal-json", "open-protocol")
    }
    assert counts == {
        ("ticdc-classic", "canal-json"): 247,
        ("ticdc-classic", "open-protocol"): 195,
        ("ticdc-newarch", "canal-json"): 247,
        ("ticdc-newarch", "open-protocol"): 195,
    }


def test_inputs_on_which_classic_ticdc_crashed_are_among_its_vectors() -> None:
    vectors = recorded_vectors(load_producers()["ticdc-classic"], "canal-json")
    assert {v.crash for v in vectors if v.records is None and v.rejected is None} == {"panic"}


def test_a_recorded_rejection_has_its_class() -> None:
    vectors = recorded_vectors(load_producers()["ticdc-newarch"], "open-protocol")
    assert [v.rejected for v in vectors if v.rejected] == [RejectionClass.RANGE, RejectionClass.SEMANTICS]


BROKEN = {
    "not JSON": ("{", "not JSON"),
    "not an object": ("[]", "not an object"),
    "no case": (json.dumps({k: v for k, v in GOOD.items() if k != "case"}), "no member 'case'"),
    "two outcomes": (json.dumps(GOOD | {"crash": {"kind": "panic"}}), "one of records, rejected and crash is needed"),
    "no outcome": (json.dumps({k: v for k, v in GOOD.items() if k != "records"}), "there are 0"),
    "a record without a key": (json.dumps(GOOD | {"records": [{"value": ""}]}), "no member 'key'"),
    "a record that is not base64": (json.dumps(GOOD | {"records": [{"key": None, "value": "?"}]}), "not base64"),
    "an unknown kind of event": (json.dumps(GOOD | {"events": [{"kind": "x"}]}), "an event has the kind 'x'"),
    "an unknown class": (
        json.dumps({k: v for k, v in GOOD.items() if k != "records"} | {"rejected": {"class": "x"}}),
        "'x' is not a valid RejectionClass",
    ),
    "nested too deeply": ("[" * 100_000, "recursion"),
    "a case that is no text": (json.dumps(GOOD | {"case": 5}), "at case: 5 is not of type 'string'"),
    "half of a surrogate pair": (json.dumps(GOOD | {"case": "\ud800"}), "surrogates not allowed"),
    "an unknown protocol": (json.dumps(GOOD | {"protocol": "maxwell"}), "at protocol: 'maxwell' is not one of"),
    "an unknown option": (json.dumps(GOOD | {"options": {"nope": "1"}}), "canal-json has no option 'nope'"),
    "no partition": (json.dumps(GOOD | {"partitions": 0}), "partitions is 0: a topic has one or more"),
    "tables that are none": (json.dumps(GOOD | {"tables": 5}), "not iterable"),
}


@pytest.mark.parametrize(("line", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_broken_line_is_named_with_file_line_and_reason_and_the_rest_is_read(tmp_path, line, reason) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(lines(GOOD, line + "\n", GOOD | {"case": "x/b"}), "utf-8")
    vectors, [problem] = read_vectors(path)
    assert [v.case for v in vectors] == ["x/a", "x/b"]
    assert problem.startswith(f"{path}, line 2: ")
    assert reason in problem


def test_a_folder_is_read_with_everything_below_it_plain_or_compressed(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.jsonl").write_text(lines(GOOD), "utf-8")
    (tmp_path / "sub" / "a.jsonl.xz").write_bytes(lzma.compress(lines(GOOD | {"case": "x/b"}).encode()))
    (tmp_path / "notes.txt").write_text("nothing", "utf-8")
    vectors, problems = read_vectors(tmp_path)
    assert ([v.case for v in vectors], problems) == (["x/a", "x/b"], [])


def test_a_file_that_cannot_be_unpacked_is_a_problem_and_no_error(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl.xz"
    path.write_bytes(b"not xz")
    vectors, [problem] = read_vectors(path)
    assert vectors == []
    assert problem.startswith(f"{path}: cannot be read")


def test_a_missing_file_is_a_problem_and_no_error(tmp_path: Path) -> None:
    assert "cannot be read" in read_vectors(tmp_path / "no.jsonl")[1][0]


def test_packing_the_same_vectors_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "from" / "ticdc-newarch"
    source.mkdir(parents=True)
    producer = {"module": "m", "version": "v", "date": "2026-01-01"}
    (source / "canal-json.jsonl").write_text(lines(GOOD | {"producer": producer, "note": "\u2028"}), "utf-8")
    written = []
    for name in ("one", "two"):
        command = [sys.executable, str(ROOT / "tools" / "pack_recorded.py"), str(tmp_path / "from"), "--into"]
        subprocess.run([*command, str(tmp_path / name)], check=True, capture_output=True)
        written.append({p.name: p.read_bytes() for p in (tmp_path / name / "ticdc-newarch").iterdir()})
    assert written[0] == written[1]
    assert set(written[0]) == {"canal-json.jsonl.xz", "meta.toml"}
