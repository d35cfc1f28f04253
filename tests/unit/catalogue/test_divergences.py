"""The catalogue of divergences as it is read: what is refused, when an entry applies, who is found by which name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.catalogue.divergences import Divergence, Edit, find_divergence, load_divergences, read_divergences
from conformance.catalogue.register import load_register
from conformance.catalogue.remedies import Remedy
from conformance.errors import SuiteError
from reference_impl.protocols import DIALECTS

ONE = """
upstream = "canal"
ticdc = "canal-json"

[[divergence]]
id = "X-01"
title = "about"
upstream_does = "this"
ticdc_does = "that"
harm = "form"
remedy = [{ options = { canal-json = { mode = "on" } }, but = "some of it", breaks = "much" }]
reader = "look twice"
met = "text"
documented = true
place = { document = "ticdc-canal-json", heading = "Update" }
when.canal-json = { mode = ["off", "auto"] }
when.canal = { java = ["25"] }
requirements = ["CJ-010"]
reproducer = { columns = ["c INT"], statements = [], changes = [{ op = "insert", after = { c = "1" } }] }
near_miss = { dialect = "canal", old = "1", new = "2" }
"""


def _read(folder: Path, text: str) -> Divergence:
    path = folder / "some.toml"
    path.write_text(text, encoding="utf-8")
    [entry] = read_divergences(path).divergences
    return entry


def test_an_entry_is_read(tmp_path: Path) -> None:
    entry = _read(tmp_path, ONE)
    assert (entry.name, entry.upstream, entry.ticdc) == ("divergence/X-01", "canal", "canal-json")
    assert entry.place == ("ticdc-canal-json", "Update")
    assert entry.remedies == (Remedy("much", {"canal-json": {"mode": "on"}}, but="some of it"),)
    assert entry.remedy(["canal-json"]) == "mode=on of canal-json (but some of it); what it breaks: much"
    assert entry.near_miss == Edit("canal", "1", "2")
    assert entry.reproducer is not None
    assert entry.reproducer.changes == ({"op": "insert", "after": {"c": "1"}},)


def test_it_applies_where_every_option_that_it_names_has_one_of_its_values(tmp_path: Path) -> None:
    entry = _read(tmp_path, ONE)
    assert entry.applies({"canal": {"java": "25"}, "canal-json": {"mode": "auto"}})
    assert entry.applies({"canal": {"java": "25", "zone": "x"}})
    assert not entry.applies({"canal": {"java": "17"}, "canal-json": {"mode": "auto"}})
    assert not entry.applies({"canal": {"java": "25"}, "canal-json": {"mode": "on"}})


_OPTIONS = "options = { canal-json"
WRONG = {
    "no title": ONE.replace('title = "about"\n', ""),
    "an empty title": ONE.replace('"about"', '""'),
    "no harm": ONE.replace('harm = "form"\n', ""),
    "no remedy": ONE.replace("remedy = [", "# remedy = ["),
    "a remedy in words that say nothing of it": re.sub(r"remedy = \[.*", 'remedy = "nobody knows"', ONE),
    "an empty list of remedies": re.sub(r"remedy = \[.*", "remedy = []", ONE),
    "a remedy that breaks something untold": ONE.replace(', breaks = "much"', ""),
    "a remedy of options and a change": ONE.replace(_OPTIONS, 'change = "all", options = { canal-json'),
    "a remedy of neither": ONE.replace('options = { canal-json = { mode = "on" } }', 'change = ""'),
    "a remedy that says more": ONE.replace(_OPTIONS, 'cost = "1", options = { canal-json'),
    "no TOML": "[[",
    "nothing": "",
    "a member that nobody knows": ONE + 'more = ""\n',
    "a harm that is none": ONE.replace('"form"', '"small"'),
    "met nowhere": ONE.replace('"text"', '"somewhere"'),
    "documented at no place": ONE.replace("place = {", "# place = {"),
    "a place without the document": ONE.replace("documented = true", "documented = false"),
    "a title that is no text": ONE.replace('"about"', "7"),
    "requirements that are no list": ONE.replace('["CJ-010"]', '"CJ-010"'),
    "a change that does more": ONE.replace('op = "insert",', 'op = "insert", at = 1,'),
    "an edit without a dialect": ONE.replace('dialect = "canal", ', ""),
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_a_malformed_file_is_the_suites_fault_and_is_named(text: str, tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"some\.toml"):
        _read(tmp_path, text)


def test_that_nothing_removes_a_divergence_is_said_in_words(tmp_path: Path) -> None:
    entry = _read(tmp_path, re.sub(r"remedy = \[.*", 'remedy = "none exists"', ONE))
    assert (entry.remedies, entry.remedy(["canal-json"])) == ((), "none exists")


def test_every_shipped_entry_is_found_by_its_id_and_by_what_else_it_is_called() -> None:
    for pair in load_divergences().values():
        for entry in pair.divergences:
            assert all(find_divergence(name) is entry for name in (entry.id, entry.name, *entry.aliases))
    assert find_divergence("X-01") is None


def test_every_requirement_that_a_shipped_entry_names_is_in_a_register() -> None:
    known = {
        name
        for dialect in DIALECTS
        for one in load_register(dialect).requirements.values()
        for name in (one.id, *one.aliases)
    }
    entries = [one for pair in load_divergences().values() for one in pair.divergences]
    assert {name for one in entries for name in one.requirements} - known == set()
