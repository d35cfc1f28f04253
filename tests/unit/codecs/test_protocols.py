"""The table of dialects, profiles of releases, the settings of a codec, and a registry in memory."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import reference_impl
from reference_impl import calls, canal_json, profiles, protocols
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Column, RowChange, Table, Watermark
from reference_impl.profiles import CLASSIC, DOC, LATEST, NEWARCH, PROFILES, Profile, parse_release, profile_of_release
from reference_impl.protocols import Dialect, Rows, register
from reference_impl.registry import MemoryRegistry, RegisteredSchema
from reference_impl.settings import Settings

# The name in the harness protocol, the title, the package, and what it imitates.
DIALECTS = [
    ("canal-json", "Canal-JSON", "canal_json", "canal"),
    ("open-protocol", "Open Protocol", "open_protocol", None),
    ("debezium", "Debezium JSON", "debezium_json", "debezium-connector"),
    ("avro", "Avro", "avro", None),
    ("canal", "Alibaba Canal", "upstream.canal", None),
    ("debezium-connector", "Debezium connector", "upstream.debezium", None),
]


@pytest.mark.parametrize(("name", "title", "package", "imitated"), DIALECTS)
def test_a_dialect_has_a_title_a_package_and_what_it_imitates(
    name: str, title: str, package: str, imitated: str | None
) -> None:
    dialect = protocols.DIALECTS[name]
    assert (dialect.name, dialect.title, dialect.module) == (name, title, f"reference_impl.{package}")
    assert (dialect.imitates.name if dialect.imitates else None) == imitated
    assert (dialect.base, [*dialect.lineage]) == (None, [dialect])
    assert dialect.of_ticdc is (not package.startswith("upstream"))
    assert dialect.uses_registry is (name == "avro")
    for kind, module in (("Options", "options"), ("Encoder", "encoder"), ("Decoder", "decoder")):
        found = {"Options": dialect.options, "Encoder": dialect.encoder, "Decoder": dialect.decoder}[kind]
        assert found is getattr(import_module(f"reference_impl.{package}.{module}"), kind)


def test_the_tables_have_ticdc_s_protocols_the_dialects_that_they_imitate_and_all() -> None:
    names = [name for name, *_ in DIALECTS]
    assert [*protocols.CODECS] == names[:4]
    assert [*protocols.UPSTREAM] == names[4:]
    assert [*protocols.DIALECTS] == names
    constants = (protocols.CANAL_JSON, protocols.OPEN_PROTOCOL, protocols.DEBEZIUM, protocols.AVRO)
    assert [*constants, protocols.CANAL, protocols.CONNECTOR] == [protocols.DIALECTS[name] for name in names]


@pytest.fixture
def registered() -> Iterator[tuple[Dialect, Dialect]]:
    """A dialect that builds on upstream's Canal, and one that builds on TiCDC's Avro."""
    ours = Dialect("ours", "Ours", "nowhere", base=protocols.CANAL, of_ticdc=False)
    more = Dialect("more", "More", "nowhere", base=protocols.AVRO)
    register(ours)
    register(more)
    yield ours, more
    for dialect in (ours, more):
        for table in (protocols.DIALECTS, protocols.CODECS, protocols.UPSTREAM):
            table.pop(dialect.name, None)


def test_a_dialect_that_is_registered_is_in_the_tables_of_its_kind(registered: tuple[Dialect, Dialect]) -> None:
    ours, more = registered
    assert (protocols.UPSTREAM["ours"], protocols.DIALECTS["ours"]) == (ours, ours)
    assert (protocols.CODECS["more"], protocols.DIALECTS["more"]) == (more, more)
    assert "ours" not in protocols.CODECS
    assert "more" not in protocols.UPSTREAM


def test_a_dialect_is_imitated_as_what_it_builds_on_is(registered: tuple[Dialect, Dialect]) -> None:
    ours, more = registered
    assert [*ours.lineage] == [ours, protocols.CANAL]
    assert (ours.imitator, protocols.CANAL.imitator) == (protocols.CANAL_JSON, protocols.CANAL_JSON)
    assert (protocols.CONNECTOR.imitator, more.imitator, protocols.AVRO.imitator) == (protocols.DEBEZIUM, None, None)


def test_a_dialect_without_a_row_has_that_of_the_nearest_it_builds_on_and_none_of_what_it_imitates(
    registered: tuple[Dialect, Dialect], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, more = registered
    nearer = Dialect("nearer", "Nearer", "nowhere", base=ours, of_ticdc=False)
    monkeypatch.setitem(protocols.DIALECTS, "nearer", nearer)
    rows: Rows[int] = Rows({protocols.CANAL: 1, protocols.OPEN_PROTOCOL: 2})
    assert (rows["canal"], rows["ours"], rows["open-protocol"]) == (1, 1, 2)
    assert dict(rows) == {"open-protocol": 2, "canal": 1, "ours": 1, "nearer": 1}
    assert ([*rows], len(rows)) == (["open-protocol", "canal", "ours", "nearer"], 4)
    assert (rows.own("canal"), rows.own("ours"), rows.own("avro")) == (1, None, None)
    for name in ("avro", more.name, "nowhere", "canal-json"):
        with pytest.raises(KeyError, match=name):
            rows[name]
    rows.add(ours, 3)
    assert (rows["ours"], rows.own("ours"), rows["canal"], rows["nearer"], rows.own("nearer")) == (3, 3, 1, 3, None)
    assert nearer.imitator is protocols.CANAL_JSON


# -- profiles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("v5.4.0", (5, 4, 0)),
        ("5.4.0", (5, 4, 0)),
        (" v8.5.10\n", (8, 5, 10)),
        ("v9.0.0-beta.1", (9, 0, 0)),
        ("v8.5.4+build", (8, 5, 4)),
        ("8.5.4.1", (8, 5, 4)),
    ],
)
def test_a_release_is_three_numbers(text: str, release: tuple[int, int, int]) -> None:
    assert parse_release(text) == release


@pytest.mark.parametrize("text", ["", "v8.5", "8", "vv8.5.4", "8.5.x", "x8.5.4", "8.5.4x", "8-5-4"])
def test_what_is_no_release_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a TiCDC release; it looks like v8\.5\.4"):
        parse_release(text)


@pytest.mark.parametrize(
    ("text", "base", "release"),
    [
        ("v5.4.0", CLASSIC, (5, 4, 0)),
        ("v8.5.3", CLASSIC, (8, 5, 3)),
        ("v8.5.4", NEWARCH, (8, 5, 4)),
        ("v8.5.5", NEWARCH, (8, 5, 5)),
        ("v9.0.0", NEWARCH, (9, 0, 0)),
    ],
)
def test_the_new_architecture_begins_with_v8_5_4(text: str, base: Profile, release: tuple[int, int, int]) -> None:
    assert profile_of_release(text) == Profile(base.name, f"{base.title}, as of {text}", release)


def test_profiles_have_names_and_the_latest_release() -> None:
    assert [*PROFILES.items()] == [("newarch", NEWARCH), ("classic", CLASSIC), ("doc", DOC)]
    assert [profile.name for profile in (NEWARCH, CLASSIC, DOC)] == [*PROFILES]
    assert [profile.title for profile in PROFILES.values()] == [
        "TiCDC new architecture, master of 2026-08",
        "TiCDC classic (tiflow v8.5.7)",
        "the documents; silent points as newarch",
    ]
    assert {profile.release for profile in PROFILES.values()} == {LATEST}
    assert LATEST == (9999, 0, 0)
    assert profiles.NEWEST_KNOWN == (8, 5, 7)


# -- settings, schemas, and names that are imported late ---------------------------------------------------------------


def test_settings_have_the_defaults_of_the_harness_protocol() -> None:
    found = Settings()
    assert (found.timezone, found.cluster_id, found.topic, found.partitions) == (
        *("UTC", "default", "{schema}_{table}"),
        1,
    )
    assert (found.registry_url, found.now_ms, found.registry) == (None, None, None)


@pytest.mark.parametrize("partitions", [0, -1])
def test_a_topic_has_a_partition(partitions: int) -> None:
    with pytest.raises(Rejected, match=f"partitions is {partitions}: a topic has one or more") as refused:
        Settings(partitions=partitions)
    assert refused.value.reason == "range"


def test_settings_are_compared_and_shown_without_their_registry() -> None:
    assert Settings(registry=MemoryRegistry()) == Settings()
    assert repr(Settings(registry=MemoryRegistry())) == repr(Settings())
    assert replace(Settings(), partitions=2) != Settings()


def test_a_registry_gives_equal_texts_one_id_and_new_ones_the_next() -> None:
    registry = MemoryRegistry(
        [RegisteredSchema(7, "a", "A"), RegisteredSchema(3, "b", "B"), RegisteredSchema(9, "c", "A")]
    )
    assert [registry.schema(number) for number in (7, 3, 9)] == ["A", "B", "A"]
    assert registry.requests == []
    found = [registry.register(subject, text) for subject, text in (("x", "A"), ("x", "C"), ("y", "C"), ("y", "D"))]
    assert found == [7, 10, 10, 11]
    assert registry.requests == [
        RegisteredSchema(7, "x", "A"),
        RegisteredSchema(10, "x", "C"),
        RegisteredSchema(10, "y", "C"),
        RegisteredSchema(11, "y", "D"),
    ]
    assert registry.schema(11) == "D"
    with pytest.raises(Rejected, match="the registry has no schema 4") as refused:
        registry.schema(4)
    assert refused.value.reason == "schema"


def test_the_first_id_of_an_empty_registry_is_1() -> None:
    assert [MemoryRegistry().register("s", "A"), MemoryRegistry([]).register("s", "B")] == [1, 1]


@pytest.mark.parametrize(
    ("name", "module"), [("Decoder", "decoder"), ("Encoder", "encoder"), ("Options", "options"), ("decode", None)]
)
def test_a_package_finds_its_three_classes_in_their_modules(name: str, module: str | None) -> None:
    find = calls.names_of("reference_impl.canal_json")
    if module is None:
        with pytest.raises(AttributeError, match=r"module 'reference_impl\.canal_json' has no attribute 'decode'"):
            find(name)
    else:
        assert find(name) is getattr(import_module(f"reference_impl.canal_json.{module}"), name)


HOMES = {
    **{name: name for name in ("avro", "canal_json", "debezium_json", "open_protocol")},
    **dict.fromkeys(("ColumnType", "parse_column_type"), "column_types"),
    **dict.fromkeys(("Rejected", "Unsupported"), "errors"),
    **dict.fromkeys(("Column", "DdlEvent", "Encoded", "Key", "Record", "RowChange", "Table", "Watermark"), "model"),
    **dict.fromkeys(("CLASSIC", "NEWARCH", "Profile"), "profiles"),
    **dict.fromkeys(("compose", "physical_ms"), "tso"),
    "Settings": "settings",
}


@pytest.mark.parametrize(("name", "home"), HOMES.items())
def test_a_name_of_the_library_is_that_of_its_module(name: str, home: str) -> None:
    module = import_module(f"reference_impl.{home}")
    assert reference_impl.__getattr__(name) is (module if name == home else getattr(module, name))


def test_the_library_has_these_names_and_no_others() -> None:
    assert sorted(reference_impl.__all__) == sorted(HOMES)
    with pytest.raises(AttributeError, match="module 'reference_impl' has no attribute 'wire'"):
        reference_impl.__getattr__("wire")


def test_the_code_on_the_page_about_the_library_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "library.md").read_text(encoding="utf-8")
    first, printed, second = page.split("```")[1::2]
    exec(first.removeprefix("python") + second.removeprefix("python"), {})
    assert capsys.readouterr().out.startswith(printed.lstrip("\n"))


# -- one call ----------------------------------------------------------------------------------------------------------


def test_one_call_encodes_as_an_encoder_with_the_same_arguments_does() -> None:
    encode, decode = calls.encode_of("reference_impl.canal_json"), calls.decode_of("reference_impl.canal_json")
    package = import_module("reference_impl.canal_json")
    assert (encode.__module__, decode.__module__) == ("reference_impl.canal_json", "reference_impl.canal_json")
    assert (encode.__doc__, decode.__doc__) == (calls.Encode.__doc__, calls.Decode.__doc__)
    options = package.Options(enable_tidb_extension=True)
    settings = Settings(partitions=2, now_ms=5)
    events = [Watermark(7 << 18)]
    made = package.Encoder(options, CLASSIC, settings=settings, defects=frozenset()).encode(events)
    assert encode(iter(events), (), options, CLASSIC, settings=settings) == made
    assert [record.partition for record in made.records] == [0, 1]
    assert decode(made.records[:1], (), (), options, settings=settings) == events
    assert encode(events).records == ()


def test_one_call_keeps_schemas_in_the_registry_of_its_settings() -> None:
    encode, decode = calls.encode_of("reference_impl.avro"), calls.decode_of("reference_impl.avro")
    settings = Settings(registry=MemoryRegistry([RegisteredSchema(41, "s", '"int"')]))
    table = Table("d", "t", (Column("id", parse_column_type("int"), nullable=False),), ("id",))
    change = RowChange("insert", "d", "t", 7 << 18, after={"id": "1"})
    records = encode([change], [table], settings=settings).records
    ids = {int.from_bytes(data[1:5]) for record in records for data in (record.key, record.value) if data}
    assert ids == {42}  # the schema of the key and of the value: they are alike
    assert [event.after for event in decode(records, [table], settings=settings)] == [{"id": "1"}]  # type: ignore[union-attr]
    with pytest.raises(Rejected, match="the registry has no schema"):
        decode(records, [table])


def test_one_call_refuses_an_event_that_is_none_of_its_table() -> None:
    encode = calls.encode_of("reference_impl.open_protocol")
    change: Any = RowChange("insert", "d", "t", "7", after={})  # type: ignore[arg-type]
    with pytest.raises(Rejected, match="event 2: commit_ts is a TSO"):
        encode([Watermark(1), change])


PAGE = Path(__file__).resolve().parents[3] / "docs" / "library.md"


def test_what_the_page_shows_is_what_the_library_does() -> None:
    code, printed, more = re.findall(r"^```(?:python)?\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.M)
    names: dict[str, Any] = {}
    for text, expected in ((code, printed), (more, "0000000002 {'id': '1', 'amount': '9.90'}\n")):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(text, names)  # our own page
        assert out.getvalue() == expected


@pytest.mark.parametrize("codec", protocols.DIALECTS.values(), ids=protocols.DIALECTS)
def test_every_protocol_offers_the_same_five_names_with_the_same_parameters(codec: Any) -> None:
    package = import_module(codec.module)
    assert package.__all__ == ["Decoder", "Encoder", "Options", "decode", "encode"]
    for name in ("encode", "decode"):
        assert inspect.signature(getattr(package, name)) == inspect.signature(getattr(canal_json, name))
    for name in ("Encoder", "Decoder"):
        taken = list(inspect.signature(getattr(package, name)).parameters)
        assert taken == list(inspect.signature(getattr(canal_json, name)).parameters)
