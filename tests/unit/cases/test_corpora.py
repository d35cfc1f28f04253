"""The corpora: complete, sound, without doubles, always the same."""

import json
import tomllib
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import combinations, product

import jsonschema
import pytest

from conformance.cases.corpora import corpus_inputs, coverage_table, input_cases
from conformance.cases.inputs import Input
from conformance.cases.model import Case, ExpectedOneOf, ExpectedRejection
from conformance.cases.options import pairwise
from conformance.catalogue.corpora import (
    load_families,
    load_option_space,
    load_statements,
    load_table_forms,
    load_zones,
)
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import load_register
from reference_impl.column_types import Family
from reference_impl.errors import Rejected
from reference_impl.keys import handle_key
from reference_impl.model import DdlEvent, Index, RawText, RowChange, Watermark
from reference_impl.options import names, parse
from reference_impl.protocols import CODECS
from reference_impl.wire import event_to_json, events_from_json, table_from_json, table_to_json
from reference_impl.zones import zone_of
from tests.amounts import ordinarily
from tests.every_case import every_corpus_case

PROTOCOLS = tuple(CODECS)
every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


@cache
def inputs(protocol: str) -> list[Input]:
    return list(corpus_inputs(protocol))


def in_order(protocol: str) -> list[Case]:
    """The cases in which no event comes again below a watermark: those are about nothing else."""
    return [case for case in every_corpus_case(protocol) if not isinstance(case.expected, ExpectedOneOf)]


def test_the_files_fit_the_published_schema() -> None:
    schema = json.loads((fixtures_root() / "schemas" / "corpora.schema.json").read_text("utf-8"))
    files = {p.stem: tomllib.loads(p.read_text("utf-8")) for p in (fixtures_root() / "corpora").glob("*.toml")}
    assert [e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(files)] == []


@every_protocol
def test_the_cases_are_the_same_every_time(protocol: str) -> None:
    """Of their inputs, which are soon made, ordinarily every ninth is made into cases again."""
    again = list(corpus_inputs(protocol))
    assert inputs(protocol) == again
    some = [case for given in again[:: ordinarily(9, 1)] for case in input_cases(protocol, given)]
    known = {(case.role, case.id): case for case in every_corpus_case(protocol)}
    # What puts a question again is no case.
    made = [(known[case.role, case.id], case) for case in some if (case.role, case.id) in known]
    assert len(made) > 300
    assert [case.id for first_case, case in made if first_case != case] == []


@every_protocol
def test_every_family_and_boundary_is_there_in_every_operation_with_default_options(protocol: str) -> None:
    asked = [c for c in every_corpus_case(protocol) if not c.options]
    known = {(c.role, c.id) for c in asked}
    # Two boundaries of one form, as the zero dates of Debezium, are one question: the double that was left out counts.
    for given in inputs(protocol):
        names = {("encode", f"{protocol}/{given.name}"), ("decode", f"{protocol}/{given.name}/decode")}
        if {"type", "boundary"} <= given.axes.keys() and not given.options and not names <= known:
            asked += input_cases(protocol, given)
    found = {
        (c.axes["type"], c.axes["boundary"], operation, c.role)
        for c in asked
        if {"type", "boundary"} <= c.axes.keys() and "default" not in c.axes
        for operation in c.axes["operation"].split("+")
    }
    without_form = {"enum index 0": Index, "text that is not UTF-8": RawText}
    refused = tuple(without_form[u.what] for u in load_option_space(protocol).unrepresentable if u.what in without_form)
    wanted = {
        (declaration.label, boundary, operation, role)
        for family in load_families()
        for declaration in family.declarations
        for boundary, value in declaration.boundaries.items()
        for operation in ("insert", "update", "delete")
        for role in ("encode", "decode")
        if role == "encode" or not isinstance(value, refused)
    }
    assert sorted(wanted - found) == []


@every_protocol
def test_the_coverage_table_counts_every_boundary_in_both_roles(protocol: str) -> None:
    rows = {(r["type"], r["boundary"], r["operation"], r["role"]) for r in coverage_table(every_corpus_case(protocol))}
    assert {
        ("bigint unsigned", "2^63", o, r) for o in ("insert", "update", "delete") for r in ("encode", "decode")
    } <= rows


def test_every_column_family_of_the_model_but_geometry_has_boundaries() -> None:
    covered = {d.column.type.family for f in load_families() for d in f.declarations}
    assert set(Family) - covered == {Family.GEOMETRY}


def test_every_fraction_of_a_second_is_declared() -> None:
    declared = {d.column.type.text for f in load_families() for d in f.declarations}
    wanted = {f"{kind}({n})" for kind in ("datetime", "timestamp", "time") for n in range(1, 7)}
    assert wanted - declared == set()


@pytest.mark.parametrize("name", ["tinyint", "smallint", "mediumint", "int", "bigint"])
@pytest.mark.parametrize("suffix", ["", " unsigned"])
def test_integers_are_tried_at_their_bounds(name: str, suffix: str) -> None:
    [family] = [f for f in load_families() if f.name == name + suffix]
    declaration = family.declarations[0]
    bits = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}[name]
    bounds = (0, 2**bits - 1) if suffix else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    assert {str(b) for b in bounds} <= set(declaration.boundaries.values())


@pytest.mark.parametrize("bits", [8, 16, 24, 32, 64])
def test_unsigned_integers_are_tried_about_the_signed_maximum(bits: int) -> None:
    edge = 2 ** (bits - 1)
    values = {v for f in load_families() for v in f.declarations[0].boundaries.values() if f.name.endswith("unsigned")}
    assert {str(edge - 1), str(edge), str(edge + 1)} <= values


@every_protocol
def test_events_and_tables_survive_the_harness_protocol(protocol: str) -> None:
    wrong = []
    # Cases that have their tables and events in common are looked at once; most inputs are those of every protocol.
    distinct = {(id(case.tables), id(case.events)): case for case in every_corpus_case(protocol)}
    assert len(distinct) > 1000
    for case in [*distinct.values()][:: 1 if protocol == PROTOCOLS[0] else ordinarily(8, 1)]:
        tables = [table_from_json(json.loads(json.dumps(table_to_json(t)))) for t in case.tables]
        events = events_from_json(json.loads(json.dumps([event_to_json(e) for e in case.events])), tables)
        if tables != list(case.tables) or events != list(case.events):
            wrong.append(case.id)
    assert wrong == []


@every_protocol
def test_a_row_is_inserted_before_it_is_changed(protocol: str) -> None:
    wrong = []
    for case in every_corpus_case(protocol):
        alive = []
        for event in case.events:
            if not isinstance(event, RowChange) or case.axes.get("stream"):
                continue
            if event.before is not None and event.before not in alive:
                wrong.append(case.id)
            if event.before in alive:
                alive.remove(event.before)
            if event.after is not None:
                alive.append(event.after)
    assert wrong == []


@every_protocol
def test_time_stamps_never_go_back(protocol: str) -> None:
    wrong = []
    for case in in_order(protocol):
        times = [e.commit_ts for e in case.events]
        if None in times or times != sorted(times):
            wrong.append(case.id)
    assert wrong == []


@every_protocol
def test_no_row_comes_below_a_watermark_before_it(protocol: str) -> None:
    wrong = []
    for case in in_order(protocol):
        mark = 0
        for event in case.events:
            if isinstance(event, Watermark):
                mark = max(mark, event.commit_ts)
            elif event.commit_ts < mark:
                wrong.append(case.id)
    assert wrong == []


@every_protocol
def test_every_case_has_sql_unless_it_has_neither_table_nor_statement(protocol: str) -> None:
    needing = [c for c in in_order(protocol) if c.tables or any(not isinstance(e, Watermark) for e in c.events)]
    assert [c.id for c in needing if len(c.sql) < 2] == []


@every_protocol
def test_every_shown_requirement_is_a_testable_one_of_the_register(protocol: str) -> None:
    register = load_register(protocol)
    named = {i for c in every_corpus_case(protocol) for i in c.requirements}
    assert [i for i in sorted(named) if not (r := register.find(i)) or not r.testable] == []


@every_protocol
def test_what_must_be_refused_says_for_which_requirement(protocol: str) -> None:
    refused = [c for c in every_corpus_case(protocol) if isinstance(c.expected, ExpectedRejection)]
    assert refused
    assert [c.id for c in refused if not c.requirements] == []


@every_protocol
def test_the_reference_refuses_what_must_be_refused_with_the_class_that_is_expected(protocol: str) -> None:
    wrong = []
    for case in every_corpus_case(protocol):
        if not isinstance(case.expected, ExpectedRejection):
            continue
        codec = CODECS[protocol]
        try:
            codec.encoder(parse(codec.options, case.options), settings=case.settings).encode(case.events, case.tables)
            wrong.append(case.id)
        except Rejected as e:
            if e.reason not in case.expected.classes:
                wrong.append(case.id)
    assert wrong == []


@every_protocol
def test_columns_that_change_or_stay_are_of_every_family_and_can_be_encoded(protocol: str) -> None:
    cases = [case for case in every_corpus_case(protocol) if "/changed and unchanged+" in case.id]
    assert {case.axes["family"] for case in cases} == {family.name for family in load_families()}
    assert [case.id for case in cases if isinstance(case.expected, ExpectedRejection)] == []


@every_protocol
def test_every_option_is_used_somewhere(protocol: str) -> None:
    used = {o for c in every_corpus_case(protocol) for o in c.options}
    assert set(names(CODECS[protocol].options)) - used == set()


@every_protocol
def test_every_action_is_a_statement_of_its_own(protocol: str) -> None:
    codes = {
        c.events[0].action_code for c in every_corpus_case(protocol) if c.axes.get("statement") and len(c.events) == 1
    }
    assert {s.code for s in load_statements()} - codes == set()


@every_protocol
def test_a_statement_has_the_code_of_its_action(protocol: str) -> None:
    codes = {statement.action: statement.code for statement in load_statements()}
    events = (event for input_ in inputs(protocol) for event in input_.events if isinstance(event, DdlEvent))
    assert [e.query for e in events if e.action is not None and codes[e.action] != e.action_code] == []


def test_statements_cover_every_action_that_the_documents_list() -> None:
    assert set(range(1, 37)) - {s.code for s in load_statements()} == set()


def test_tables_cover_every_kind_of_handle_key() -> None:
    handles = {form.table.name: handle_key(form.table) for form in load_table_forms()}
    assert handles["unique-shortest-wins"] == ("c",)
    assert handles["unique-first-wins"] == ("b",)
    assert handles["unique-nullable-passed-over"] == ("b", "c")
    assert handles["unique-nullable-only"] == handles["no-key"] == ()
    assert handles["composite-pk"] == ("a", "b", "c")


def test_every_two_values_of_two_factors_meet_in_a_pairwise_choice() -> None:
    factors = {"a": "12", "b": "123", "c": "12", "d": "1234"}
    rows = pairwise(factors)
    wanted = {((a, x), (b, y)) for a, b in combinations(factors, 2) for x, y in product(factors[a], factors[b])}
    assert wanted == {pair for row in rows for pair in combinations(row.items(), 2)}
    assert len(rows) < 2 * 3 * 2 * 4 / 2


@every_protocol
def test_options_meet_pairwise_with_what_they_need(protocol: str) -> None:
    space = load_option_space(protocol)
    chosen = [c.options for c in every_corpus_case(protocol) if "/options/pairwise" in c.id]
    assert all(parse(CODECS[protocol].options, options) for options in chosen)
    assert {o for options in chosen for o in options} >= set(space.values)


@every_protocol
def test_limits_are_met_to_the_byte_where_there_are_any(protocol: str) -> None:
    if not load_option_space(protocol).limited:
        assert not any("/size/at the limit" in c.id for c in every_corpus_case(protocol))
        return
    by_name = {c.id.split("/", 1)[1]: c for c in every_corpus_case(protocol)}
    at, beyond = by_name["size/at the limit"], by_name["size/one byte more"]
    assert int(at.options["max-message-bytes"]) - 1 == int(beyond.options["max-message-bytes"])
    assert (at.expected is None, isinstance(beyond.expected, ExpectedRejection)) == (True, True)


def _is_a_time_of(zone: str, text: str) -> bool:
    local = datetime.fromisoformat(text).replace(tzinfo=zone_of(zone))
    return local.astimezone(UTC).astimezone(zone_of(zone)).replace(tzinfo=None) == local.replace(tzinfo=None)


def test_an_instant_of_a_zone_is_a_time_that_the_zone_has() -> None:
    assert [(z.name, text) for z in load_zones() for text in z.instants if not _is_a_time_of(z.name, text)] == []


def test_zones_change_their_rules_between_1970_and_2037_and_differ_by_parts_of_an_hour() -> None:
    offsets = {
        zone.name: {
            datetime.fromisoformat(text).replace(tzinfo=zone_of(zone.name)).utcoffset() for text in zone.instants
        }
        for zone in load_zones()
    }
    parts = {int((offset or timedelta()).total_seconds()) // 60 % 60 for each in offsets.values() for offset in each}
    assert parts == {0, 30, 45}
    years = {text[:4] for zone in load_zones() for text in zone.instants}
    assert {"1970", "1987", "2006", "2007", "2024", "2037", "2038"} <= years
    assert sum(len(each) > 1 for each in offsets.values()) >= 9


def test_inputs_are_named_once() -> None:
    for protocol in PROTOCOLS:
        counts = Counter(i.name for i in inputs(protocol) if i.role != "decode")
        assert [name for name, n in counts.items() if n > 1] == []
