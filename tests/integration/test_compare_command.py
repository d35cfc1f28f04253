"""`generate` and `compare` as commands: streams out of a seed, what is found in them, files that keep to schemas."""

from __future__ import annotations

import json
from base64 import b64decode
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pyarrow import parquet

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.harm import Harm
from conformance.cli.inputs import read_schemas
from conformance.cli.main import main
from conformance.registry import LocalRegistry, RegistryClient, ServedRegistry
from conformance.registry.client import exchange_with
from differential.rows import COLUMNS
from reference_impl.errors import RejectionClass

DIALECTS = (
    *("canal-json?enable-tidb-extension=true", "canal", "open-protocol", "debezium", "debezium-connector"),
    "avro?enable-tidb-extension=true",
)
FAULTS = "".join(
    f'[[fault]]\nkind = "{kind}"\ncount = 2\nside = "canal-json"\n' for kind in ("lost", "cut", "wrong-type")
)


def schema(name: str) -> Any:
    return json.loads((fixtures_root() / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))


SUMMARY, GENERATED = schema("comparison"), schema("generate")


def errors(given: Any, of: Any) -> list[str]:
    return [f"{e.json_path}: {e.message}" for e in Draft202012Validator(of).iter_errors(given)]


@dataclass(frozen=True)
class Streams:
    """Two streams of the same changes, one with faults in Canal-JSON's messages."""

    folder: Path
    out: Path

    def spec(self, dialect: str, kind: str = "sound") -> str:
        name = dialect.partition("?")[0]
        return f"{dialect}:{self.folder / kind / name}"

    def compare(self, *sides: str, more: tuple[str, ...] = ()) -> dict[str, Any]:
        options = [
            part for name, spec in zip(("left", "right", "third"), sides, strict=False) for part in (f"--{name}", spec)
        ]
        tables = str(self.folder / "sound" / "tables.json")
        status = main(["compare", *options, "--tables", tables, "--out", str(self.out), "-n", "1", *more])
        found: dict[str, Any] = json.loads((self.out / "summary.json").read_text(encoding="utf-8"))
        assert (errors(found, SUMMARY), found["exit_status"]) == ([], status)
        return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("streams")
    (made / "faults.toml").write_text(FAULTS, encoding="utf-8")
    what = ["--preset", "shop", "--seed", "5", "--changes", "150", "--ddl", "6", "--format", "jsonl", "-n", "1"]
    told = [part for dialect in DIALECTS for part in ("--dialect", dialect)]
    assert main(["generate", *what, *told, "--out", str(made / "sound")]) == 0
    faults = ["--dialect", DIALECTS[0], "--faults", str(made / "faults.toml"), "--out", str(made / "faulty")]
    assert main(["generate", *what, *faults]) == 0
    return made


@pytest.fixture
def streams(folder: Path, tmp_path: Path) -> Streams:
    return Streams(folder, tmp_path)


CANAL_JSON, CANAL, OPEN, DEBEZIUM, CONNECTOR, AVRO = DIALECTS


def test_what_is_generated_keeps_to_its_schema(folder: Path) -> None:
    for name in ("sound", "faulty"):
        assert errors(json.loads((folder / name / "generate.json").read_text(encoding="utf-8")), GENERATED) == []
    lines = (folder / "faulty" / "injected.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 6
    injected = {"$defs": GENERATED["$defs"], "$ref": "#/$defs/injected"}
    assert [errors(json.loads(line), injected) for line in lines] == [[]] * 6


@pytest.mark.parametrize(("left", "right"), [(CANAL_JSON, CANAL), (DEBEZIUM, CONNECTOR), (CANAL_JSON, OPEN)])
def test_the_same_changes_are_green_and_each_divergence_has_one_row_of_all_its_counts(
    left: str, right: str, streams: Streams
) -> None:
    found = streams.compare(streams.spec(left), streams.spec(right))
    [pair] = found["pairs"]
    assert (found["exit_status"], pair["by_status"].get("unexplained")) == (0, None)
    told = pair["statements"]
    assert (told["left"], told["right"], told["alike"], told["silent"]) == (6, 6, 6, None)
    assert all(row["remedy"] for row in pair["divergences"] if row["divergence"])
    names = [row["divergence"] for row in pair["divergences"] if row["divergence"]]
    assert len(names) == len({*names}), "a row a divergence"
    by_name = Counter[str | None]()
    for row in pair["divergences"]:
        by_name[row["divergence"]] += row["count"]
    assert {**by_name} == {**counted(pair)}, "and no row of none"


def test_a_divergence_of_every_message_is_counted_only_where_messages_can_show_it(tmp_path: Path) -> None:
    tables, out = tmp_path / "s.sql", tmp_path / "out"
    of_b = "CREATE TABLE s.b (id INT PRIMARY KEY, c INT);"
    tables.write_text(f"CREATE TABLE s.a (id INT PRIMARY KEY, e ENUM('x'));{of_b}")
    more = ["--dialect", "canal", "--changes", "60", "--seed", "1", "--format", "jsonl", "--shards", "1"]

    def counts(options: str) -> tuple[dict[str, Counter[str]], Counter[str]]:
        dialect = f"canal-json?{options}"
        assert main(["generate", "--tables", str(tables), "--dialect", dialect, *more, "--out", str(out)]) == 0
        sides = ["--left", f"{dialect}:{out / 'canal-json'}", "--right", f"canal:{out / 'canal'}"]
        main(["compare", "--tables", str(tables), *sides, "--out", str(tmp_path / "found"), "-n", "1", "--quiet"])
        [pair] = json.loads((tmp_path / "found" / "summary.json").read_text(encoding="utf-8"))["pairs"]
        by_name: dict[str, Counter[str]] = {}
        for one in pair["written_otherwise"]:
            by_name.setdefault(one["divergence"], Counter())[one["table"]] += one["count"]
        lines = (out / "canal-json" / "part-00000.jsonl").read_text(encoding="utf-8").splitlines()
        kinds = Counter(json.loads(b64decode(json.loads(line)["value"]))["type"] for line in lines)
        return by_name, kinds

    bare, kinds = counts("enable-tidb-extension=true")
    assert [*bare["DV-02"]] == ["a"]
    assert bare["DV-03"].total() == kinds.total()
    assert bare["DV-01"].total() <= kinds["UPDATE"] < kinds.total()
    assert "DV-104" not in counts("content-compatible=true")[0]  # no member of the ENUM has a character to escape


def test_three_sides_are_three_pairs_and_the_reports_have_every_section(streams: Streams, capsys) -> None:
    page, text = streams.out / "page.html", streams.out / "page.md"
    sides = (streams.spec(CANAL_JSON, "faulty"), streams.spec(CANAL), streams.spec(OPEN))
    found = streams.compare(*sides, more=("--report", f"html={page}", "--report", f"markdown={text}"))
    assert [pair["pair"] for pair in found["pairs"]] == ["left-right", "left-third", "right-third"]
    assert [pair["type_names"]["compared"] for pair in found["pairs"]] == [True, False, False]
    told = (capsys.readouterr().out, page.read_text(encoding="utf-8"), text.read_text(encoding="utf-8"))
    for report in told:
        for words in (
            "statements",
            "types of columns",
            "incomparable members",
            "red: there are unexplained differences",
        ):
            assert words in " ".join(report.lower().split())


def test_nothing_different_and_nothing_read_are_said_so(streams: Streams, capsys: pytest.CaptureFixture[str]) -> None:
    found = streams.compare(streams.spec(OPEN), streams.spec(OPEN))
    assert (found["exit_status"], found["pairs"][0]["cells"]) == (0, [])
    assert found["pairs"][0]["type_names"]["equal"] > 0
    empty = streams.out / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    found = streams.compare(f"canal:{empty}", f"canal-json:{empty}")
    assert (found["exit_status"], found["final_tables"]) == (5, [])
    assert "nothing was compared" in capsys.readouterr().out


def test_if_no_message_is_of_a_given_table_the_tables_of_both_are_named(streams: Streams, capsys) -> None:
    tables = streams.out / "dump.sql"
    tables.parent.mkdir(exist_ok=True)
    tables.write_text("CREATE TABLE orders (id int PRIMARY KEY);", encoding="utf-8")
    sides = ("--left", streams.spec(CANAL_JSON), "--right", streams.spec(CANAL))
    assert main(["compare", *sides, "--tables", str(tables), "--out", str(streams.out / "none"), "-n", "1"]) == 5
    said = " ".join(capsys.readouterr().out.split())
    named = "shop.accounts, shop.customers, shop.items, shop.orders; --tables has dump.orders"
    for side in ("left", "right"):
        assert f"the first messages of {side} are of {named}" in said


def test_the_columns_of_differences_are_those_that_the_schema_tells(streams: Streams) -> None:
    streams.compare(streams.spec(CANAL_JSON, "faulty"), streams.spec(CANAL))
    table = parquet.read_table(streams.out / "differences")
    assert list(SUMMARY["$defs"]["difference_row"]["properties"]) == [name for name, _ in COLUMNS] == table.column_names
    row = {"$defs": SUMMARY["$defs"], "$ref": "#/$defs/difference_row"}
    assert {str(errors(one, row)) for one in table.to_pylist()} == {"[]"}


# -- schemas of Avro ---------------------------------------------------------------------------------------------------


def test_a_side_of_avro_has_the_schemas_beside_its_source(streams: Streams) -> None:
    found = streams.compare(streams.spec(AVRO), streams.spec(CANAL_JSON))
    [pair] = found["pairs"]
    assert (pair["differences"], pair["statements"]["silent"]) == (0, "left")
    assert pair["not_compared"] == [
        {"side": "right", "what": "statements", "count": 6, "divergence": None, "status": None}
    ]


def test_a_side_of_avro_takes_schemas_from_a_file_or_from_a_registry(streams: Streams, tmp_path: Path) -> None:
    alone = tmp_path / "alone.jsonl"
    alone.write_bytes(b"".join(sorted(p.read_bytes() for p in (streams.folder / "sound" / "avro").iterdir())))
    file = streams.folder / "sound" / "avro.schemas.json"
    sides = (streams.spec(CANAL_JSON), f"{AVRO}:{alone}")
    assert streams.compare(*sides, more=("--schemas", f"right={file}"))["pairs"][0]["differences"] == 0
    with closing(ServedRegistry()) as served:
        served.begin(read_schemas(file))
        assert streams.compare(*sides, more=("--registry-url", str(served.url)))["pairs"][0]["differences"] == 0


def test_a_registry_lists_what_it_has_version_by_version_where_it_has_no_list(folder: Path) -> None:
    given = read_schemas(folder / "sound" / "avro.schemas.json")
    local = LocalRegistry()
    local.begin([*given, replace(given[0], subject="a/b ü")])
    listed = RegistryClient(exchange_with(local.api)).listed()
    assert {(one.id, one.subject) for one in listed} == {
        *((one.id, one.subject) for one in given),
        (given[0].id, "a/b ü"),
    }
    assert {one.id: one.schema for one in listed} == {one.id: one.schema for one in given}


# -- by divergence, and the gate ---------------------------------------------------------------------------------------


def counted(pair: dict[str, Any]) -> Counter[str | None]:
    """By divergence, what the parts of the summary have: differences, other words, messages that are not compared."""
    total = Counter[str | None]()
    for one in (*pair["cells"], *pair["written_otherwise"], *pair["not_compared"]):
        if one["divergence"] or "class" in one:
            total[one["divergence"]] += one["count"]
    return total


def test_what_has_no_name_comes_first_and_then_the_worst_harm(streams: Streams) -> None:
    found = streams.compare(streams.spec(CANAL_JSON, "faulty"), streams.spec(CANAL))
    rows = found["pairs"][0]["divergences"]
    harms = [harm.value for harm in Harm]
    keys = [(row["divergence"] is not None, harms.index(row["harm"]), -row["count"]) for row in rows]
    assert keys == sorted(keys)
    assert {row["divergence"] for row in rows if row["divergence"]} <= {one["id"] for one in found["explanations"]}
    assert {"extra", "undecodable"} <= {kind for row in rows[:4] for kind in row["classes"]}


@pytest.mark.parametrize(("fail_on", "status"), [("unexplained", 0), ("lost", 1)])
def test_a_loss_that_is_explained_is_said_in_the_verdict_and_red_where_that_is_asked(fail_on, status, streams, capsys):
    found = streams.compare(streams.spec(CANAL_JSON), streams.spec(CANAL), more=("--fail-on", fail_on))
    assert any(row["harm"] == "lost" for row in found["pairs"][0]["divergences"])
    assert found["exit_status"] == status
    verdict = " ".join(capsys.readouterr().out.split())
    assert ("explained: values lost in" in verdict) is (status == 0)
    assert "green" not in verdict


def test_classes_that_are_ignored_are_counted_and_never_red(streams: Streams, capsys) -> None:
    sides = (streams.spec(OPEN), streams.spec(CANAL_JSON, "faulty"))
    plain = streams.compare(*sides)
    [pair] = plain["pairs"]
    assert plain["exit_status"] == 1
    ignored = ",".join(sorted(pair["by_class"]))
    found = streams.compare(*sides, more=("--ignore", ignored, "--fail-on", "any"))
    assert (found["exit_status"], found["pairs"][0]["by_class"]) == (0, pair["by_class"])
    assert found["gate"]["ignore"] == sorted(pair["by_class"])
    assert all(row["ignored"] == sum(row["classes"].values()) for row in found["pairs"][0]["divergences"])
    assert f"ignored: {pair['by_class'][min(pair['by_class'])]}" in " ".join(capsys.readouterr().out.split())
    some = streams.compare(*sides, more=("--ignore", min(pair["by_class"])))
    assert some["exit_status"] == 1


def test_redacted_no_report_shows_a_value(streams: Streams, capsys: pytest.CaptureFixture[str]) -> None:
    page = streams.out / "page.html"
    sides = (streams.spec(CANAL_JSON, "faulty"), streams.spec(CANAL))
    plain = streams.compare(*sides, more=("--report", f"html={page}"))
    shown = [example for row in plain["pairs"][0]["divergences"] for example in row["examples"]]
    values = {example["value"] for example in shown if len(example["value"] or "") > 3}
    values |= {image for example in shown if "{" in (image := example["right_value"] or "")}
    values -= {"NULL"}  # a word of many explanations
    assert values
    capsys.readouterr()
    found = streams.compare(*sides, more=("--redact", "--report", f"html={page}"))
    kept = [e for cell in found["pairs"][0]["cells"] for e in cell["examples"]]
    texts = {text for one in kept for text in (one["key"], one["left_value"], one["right_value"]) if text}
    assert all(text.startswith("…") or text.partition(": …")[0] in [*RejectionClass] for text in texts)
    assert texts
    assert [one["examples"] for one in found["pairs"][0]["written_otherwise"] if one["examples"]] == []
    for text in (json.dumps(found["pairs"], ensure_ascii=False), page.read_text("utf-8"), capsys.readouterr().out):
        assert [value for value in values if value in text] == []
