"""What is of a profile and what is a defect, in the messages of the Debezium encoder."""

from __future__ import annotations

import pytest

from conformance.catalogue.defects import defects_of_profile, load_defects
from reference_impl.debezium_json import Encoder
from reference_impl.model import ABSENT, Default, RawText, RowChange, Value
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from tests.unit.debezium_json.messages import BARE, field_and_value, one_column

# Defect, column type, default, value, zone, what is right, what the defect writes.
DEFECTIVE: list[tuple[str, str, Default, Value, str, str, str]] = [
    ("doubled-binary-default", "varbinary(8)", "bin", None, "UTC", '"Ymlu"', '"Ymlu","c":"bin"'),
    (
        "early-timestamp-as-zero",
        "timestamp",
        ABSENT,
        "1969-12-31 16:00:01",
        "-08:00",
        '"1970-01-01T00:00:01Z"',
        '"1970-01-01T00:00:00Z"',
    ),
    ("doubled-binary-default", "blob", "x", None, "UTC", '"eA=="', '"eA==","c":"x"'),
    ("doubled-binary-default", "varchar(5)", "x", None, "UTC", '"x"', '"x"'),
    ("large-default-as-zero", "bigint unsigned", str(2**63 - 1), None, "UTC", str(2**63 - 1), str(2**63 - 1)),
    ("large-default-as-zero", "bigint unsigned", "9223372036854775808", None, "UTC", "-9223372036854775808", "0"),
    (
        "shifted-timestamp-default",
        "timestamp",
        "2020-01-01 08:00:00",
        None,
        "+08:00",
        '"2020-01-01T00:00:00Z"',
        '"2019-12-31T16:00:00Z"',
    ),
    ("time-default-as-zero", "time", "01:02:03", None, "UTC", "3723000000", "0"),
    ("year-default-as-text", "year", "2024", None, "UTC", "2024", '"2024"'),
]


@pytest.mark.parametrize(("name", "kind", "default", "value", "zone", "right", "wrong"), DEFECTIVE)
def test_a_defect_shows_on_request(
    name: str, kind: str, default: Default, value: Value, zone: str, right: str, wrong: str
) -> None:
    table = one_column(kind, default=default)
    assert field_and_value(table, value, timezone=zone)[1] == right
    assert field_and_value(table, value, timezone=zone, defects=frozenset({f"debezium/{name}"}))[1] == wrong


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC, DOC])
def test_a_wider_float_default_is_a_matter_of_style(profile: Profile) -> None:
    text = field_and_value(one_column("float", default="1.23456789"), None, profile=profile)[1]
    assert text == ("1.23456789" if profile is CLASSIC else "1.2345679")


def test_bytes_that_are_not_utf8_are_replaced_unless_the_defect_copies_them() -> None:
    table = one_column("varchar(5)")
    change = RowChange("insert", *table.id, 1, after={"c": RawText(b"a\xff")})
    for defects, expected in (
        (frozenset[str](), '"c":"a\ufffd"'.encode()),
        (frozenset({"debezium/raw-invalid-utf8"}), b'"c":"a\xff"'),
    ):
        [record] = Encoder(BARE, defects=defects).encode([change], [table]).records
        assert expected in (record.value or b"")


def test_defects_belong_to_producers_that_were_recorded() -> None:
    assert {name for d in load_defects() if d.protocol == "debezium" for name in d.profiles} == {"newarch", "classic"}
    assert not [d for d in defects_of_profile("doc") if d.protocol == "debezium"]
