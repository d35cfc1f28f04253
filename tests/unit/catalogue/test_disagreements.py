"""The catalogue of disagreements as it is read: what is refused, and who is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.catalogue.disagreements import Conflict, Evidence, load_disagreements, read_catalogue
from conformance.catalogue.fixtures import fixtures_root
from conformance.errors import SuiteError

ONE = """
protocol = "open-protocol"
silent = ["OP-080"]

[[disagreement]]
id = "XD-01"
kind = "producer defect"
title = "About"
place = "Row Changed Event"
parties.document = "This."
parties.classic = "That."
parties.newarch = "That."
requirements = ["OP-045"]
decision = "The one."
recorded = [{ cases = ["type/bigint/*"], at = ["value.u"], kinds = ["order"] }]
golden = [{ cases = ["02-logs/log-1"], mended_by = ["compact"] }]
defects = ["open-protocol/doubled-ohk"]
"""
SECOND = ONE[ONE.index("[[disagreement]]") :]


def _file(folder: Path, text: str) -> Path:
    path = folder / "some.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_catalogue_is_read(tmp_path: Path) -> None:
    catalogue = read_catalogue(_file(tmp_path, ONE))
    [entry] = catalogue.disagreements
    assert (catalogue.protocol, catalogue.silent) == ("open-protocol", {"OP-080"})
    assert (entry.name, entry.kind, entry.place) == ("disagreement/XD-01", Conflict.DEFECT, "Row Changed Event")
    assert entry.recorded == (Evidence(("type/bigint/*",), ("value.u",), ("order",)),)
    assert entry.golden == (Evidence(("02-logs/log-1",), mended_by=("compact",)),)
    assert entry.statements() == [("document", "This."), ("producers", "That.")]


WRONG: dict[str, tuple[str, str]] = {
    "no TOML": ("[[", "not a catalogue"),
    "nothing": ("", "not a catalogue"),
    "no decision": (ONE.replace('decision = "The one."', ""), "has no decision"),
    "an empty decision": (ONE.replace('"The one."', '""'), "has no decision"),
    "a decision that is no text": (ONE.replace('"The one."', "1"), "not a string"),
    "a member that nobody knows": (ONE + 'more = ""\n', "unknown member 'more'"),
    "a party that nobody knows": (ONE.replace("parties.classic", "parties.tiflow"), "unknown party 'tiflow'"),
    "a kind that nobody knows": (ONE.replace("producer defect", "quarrel"), "quarrel"),
    "a document at no place": (ONE.replace('place = "Row Changed Event"', ""), "'place' is needed"),
    "a place without the document": (ONE.replace('parties.document = "This."', ""), "'place' is needed"),
    "evidence anywhere": (ONE.replace('at = ["value.u"], ', ""), "'recorded' has the members"),
    "a recording that was mended": (ONE.replace('at = ["value.u"], kinds', "mended_by"), "'recorded' has the members"),
    "no cases": (ONE.replace('["type/bigint/*"]', "[]"), "'cases' is not a list of strings"),
    "an id twice": (ONE + SECOND, "'XD-01' is described twice"),
    "an id that is told twice": (ONE.replace("kind =", 'also = ["XD-01"]\nkind ='), "'XD-01' is described twice"),
    "a requirement that does not exist": (ONE.replace("OP-045", "OP-999"), "no requirement 'OP-999'"),
    "a silent one that does not exist": (ONE.replace("OP-080", "OP-999"), "no requirement 'OP-999'"),
    "a requirement of another protocol": (ONE.replace("OP-045", "CJ-011"), "no requirement 'CJ-011'"),
    "a heading that does not exist": (ONE.replace("Row Changed", "Column Changed"), "no heading"),
    "a defect that does not exist": (ONE.replace("doubled-ohk", "none"), "no defect 'open-protocol/none'"),
    "a case that was not recorded": (ONE.replace("type/bigint/*", "type/geometry/*"), "called 'type/geometry/"),
    "an example that is not there": (ONE.replace("02-logs/log-1", "02-logs/log-99"), "called '02-logs/log-99'"),
    "nothing to stand on": (
        ONE[: ONE.index("requirements")] + 'decision = "The one."\n',
        "neither a requirement nor evidence",
    ),
}


@pytest.mark.parametrize(("text", "says"), WRONG.values(), ids=WRONG)
def test_a_catalogue_that_is_wrong_is_the_suites_fault_and_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(SuiteError) as wrong:
        read_catalogue(_file(tmp_path, text))
    assert "some.toml" in str(wrong.value)
    assert says in str(wrong.value)


def test_the_shipped_catalogues_are_read_and_every_id_is_there_once() -> None:
    ids = [entry.id for catalogue in load_disagreements().values() for entry in catalogue.disagreements]
    assert len(ids) == len(set(ids)) > 150


@pytest.mark.parametrize("path", sorted((fixtures_root() / "disagreements").glob("*.toml")), ids=lambda path: path.stem)
def test_what_a_shipped_catalogue_refers_to_is_there(path: Path) -> None:
    assert read_catalogue(path) == load_disagreements()[path.stem]
