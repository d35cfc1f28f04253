"""The shared corpora as cases of the upstream dialects: tables, values, keys, statements, under their own options.

A decoder gets the reference encoder's output. If a producer stops at an input, an encoder must refuse it where a
recording shows the stop; other such inputs make no case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import partial
from itertools import chain, islice

from conformance.cases.added import added_inputs
from conformance.cases.boundaries import boundary_inputs, declared_type_inputs, flag_inputs, whole_family_inputs
from conformance.cases.defaults import declared_default_inputs, default_inputs
from conformance.cases.evolution import evolution_inputs
from conformance.cases.inputs import Input, altered, column, insert, numbered, table, timed, with_sql
from conformance.cases.keyed import keyed_inputs
from conformance.cases.model import Anchor, Case, ExpectedRejection
from conformance.cases.names import name_inputs
from conformance.cases.options import pairwise
from conformance.cases.partitions import partition_inputs
from conformance.cases.sql import script
from conformance.cases.statements import statement_inputs, text_inputs
from conformance.cases.streams import stream_inputs
from conformance.cases.tables import shape_inputs, table_inputs, whole_life
from conformance.cases.times import time_inputs, zone_inputs
from conformance.cases.upstream.dialects import DIALECTS
from conformance.catalogue.corpora import load_table_forms
from conformance.errors import SuiteError
from reference_impl.column_types import BINARY, Family
from reference_impl.errors import Rejected, RejectionClass, Unsupported
from reference_impl.model import DdlEvent, Event, Record, Row, RowChange, Watermark
from reference_impl.options import parse
from reference_impl.protocols import UPSTREAM
from reference_impl.tso import compose
from reference_impl.zones import zone_of

__all__ = ["corpora_of", "input_cases", "stop_cases"]

_NO_OPTIONS: Mapping[str, str] = {}


def _option_text(options: Mapping[str, str]) -> str:
    return "+".join(f"{name}={value}" for name, value in options.items())


def _under_options(inputs: Callable[[], Iterable[Input]], options: Mapping[str, str]) -> Iterator[Input]:
    for input_ in inputs():
        yield replace(input_, name=f"{input_.name}+{_option_text(options) or 'no options'}", options=options)


def _whole_lives() -> Iterator[Input]:
    """Every boundary of every type in the whole life of a row, for both roles; the steps alone make no cases."""
    return (replace(g, role=None) for g in boundary_inputs() if g.axes["operation"] == "insert+update+delete")


_ABOUT_VALUES: Mapping[str, Callable[[], Iterator[Input]]] = {
    "life": _whole_lives,
    "whole family": whole_family_inputs,
    "flag": flag_inputs,
    "table": table_inputs,
    "shape": shape_inputs,
    "keyed": keyed_inputs,
    "zone": zone_inputs,
}
# Option → the families that it concerns.
_TYPES_OF_OPTION: Mapping[str, frozenset[Family]] = {
    "jdk": frozenset({Family.FLOAT, Family.DOUBLE, Family.JSON}),
    "decimal.handling.mode": frozenset({Family.DECIMAL}),
    "time.precision.mode": frozenset({Family.DATE, Family.DATETIME, Family.TIMESTAMP, Family.TIME, Family.YEAR}),
    "bigint.unsigned.handling.mode": frozenset({Family.BIGINT}),
    "binary.handling.mode": BINARY,
}
_SAMPLE_STEP = 6
_END_OF_TIME = compose(1000 << 32)
"""A binary log counts seconds in 32 bits."""
_EARLY = re.compile("1970-01-0[12] ")

# The corpora that each of `OptionSets.corpora_options` gets.
_UNDER_OPTIONS: Mapping[str, Callable[[], Iterator[Input]]] = {
    "flag": flag_inputs,
    "shape": shape_inputs,
    "keyed": keyed_inputs,
    "statement": lambda: statement_inputs(_NO_OPTIONS),
    "stream": lambda: stream_inputs(_NO_OPTIONS),
    "text": lambda: text_inputs(_NO_OPTIONS),
    "evolution": lambda: evolution_inputs(_NO_OPTIONS),
    "time": lambda: time_inputs(_NO_OPTIONS),
    "snapshot": lambda: _snapshots(),
}


def corpora_of(protocol: str) -> Mapping[str, Callable[[], Iterable[Input]]]:
    """The corpora of a dialect in order: name → the function that makes its inputs."""
    return dict(_corpora_of(protocol))


def _corpora_of(protocol: str) -> Iterator[tuple[str, Callable[[], Iterable[Input]]]]:
    sets, imitator = DIALECTS[protocol].option_sets, UPSTREAM[protocol].imitator
    for name, inputs in _ABOUT_VALUES.items():
        yield name, partial(_with_options, inputs, sets.value_options)
    yield (
        "default",
        partial(_with_options, lambda: islice(default_inputs(), 0, None, _SAMPLE_STEP), sets.value_options),
    )
    yield "added", partial(_with_options, lambda: islice(added_inputs(), 0, None, _SAMPLE_STEP), sets.value_options)
    yield "name", partial(_with_options, lambda: name_inputs(imitator.name if imitator else ""), sets.value_options)
    for options in sets.corpora_options:
        for name, inputs in _UNDER_OPTIONS.items():
            yield f"{name} under {_option_text(options)}", partial(_under_options, inputs, options)
    for options in sets.type_options:
        yield f"type under {_option_text(options)}", partial(_types_concerned, options)
    for options in sets.default_options:
        yield f"default under {_option_text(options)}", partial(declared_default_inputs, options, _option_text(options))
    for options in sets.truncation_options:
        yield f"truncation under {_option_text(options)}", partial(_under_options, _truncations, options)
    yield "partition", lambda: partition_inputs(sets.value_options)
    yield "declared key", _declared_keys
    yield "pairwise", lambda: _pairwise_inputs(sets.known_values)
    yield "rows event", _rows_events


def _types_concerned(options: Mapping[str, str]) -> Iterator[Input]:
    """An input for each column type that the options concern: for all types if `_TYPES_OF_OPTION` has none of them."""
    families = frozenset(chain.from_iterable(_TYPES_OF_OPTION.get(name, ()) for name in options))
    for input_ in declared_type_inputs(options, _option_text(options)):
        if not families or input_.tables[0].columns[-1].type.family in families:
            yield input_


def _with_options(inputs: Callable[[], Iterable[Input]], options: Mapping[str, str]) -> Iterator[Input]:
    return (replace(input_, options=options) for input_ in inputs())


def _pairwise_inputs(known_values: Mapping[str, Sequence[str]]) -> Iterator[Input]:
    """Inputs that together combine every two values of two options, over the forms of tables."""
    forms = {form.table.name: form for form in load_table_forms()}
    for number, choice in enumerate(pairwise({**known_values, "table": list(forms)}), 1):
        form = forms[choice.pop("table")]
        options = {name: value for name, value in choice.items() if value != known_values[name][0]}
        yield Input(
            f"options/pairwise {number:02d}/{form.table.name}",
            (with_sql(form.table, form.expressions),),
            whole_life(form),
            options=options,
            axes={"table": form.table.name, "options": "pairwise"},
        )


def _truncations() -> Iterator[Input]:
    """A table that is emptied between its rows."""
    table_ = numbered(column("v", "varchar(5)"))
    before, after = (insert(table_, {"id": n, "v": "x"}) for n in "12")
    for words in ("TRUNCATE TABLE `t`", "TRUNCATE `test`.`t`"):
        statement = altered(table_, table_, words, "truncate table")
        yield Input(
            f"truncation/{words}", (table_,), timed([before, statement, after]), axes={"statement": "truncate table"}
        )


def _snapshots() -> Iterator[Input]:
    """The rows of two tables as a snapshot read them, and an insert after the snapshot."""
    forms = load_table_forms()[:2]
    reads: list[Event] = [
        RowChange("read", *form.table.id, None, None, row)
        for form in forms
        for row in (form.row, {**form.row, **form.rekeyed, **form.other})
    ]
    later = [insert(forms[0].table, forms[0].row)]
    tables = tuple(with_sql(form.table, form.expressions) for form in forms)
    yield Input("snapshot/two tables", tables, timed([*reads, *later]))


# The action, the key after it, the type of `id` then, and the statement.
_KEY_CHANGES: Sequence[tuple[str, Sequence[str], str, str]] = (
    ("drop primary key", (), "int", "DROP PRIMARY KEY"),
    ("another primary key", ("v",), "int", "DROP PRIMARY KEY, ADD PRIMARY KEY (`v`)"),
    ("modify column", ("id",), "bigint", "MODIFY COLUMN `id` bigint NOT NULL"),
    ("change column", ("id",), "bigint", "CHANGE COLUMN `id` `id` bigint NOT NULL"),
)


def _declared_keys() -> Iterator[Input]:
    """Changes of a primary key that is declared with its column, and of one behind the columns."""
    other = column("v", "int", nullable=False)
    keyed = numbered(other)
    for where, text in (("beside its column", "`id` int PRIMARY KEY, `v` int NOT NULL"), ("listed", None)):
        table_ = keyed if text is None else replace(keyed, create_sql=f"CREATE TABLE `test`.`t` ({text})")
        for what, key, id_type, query in _KEY_CHANGES:
            after = table("t", (column("id", id_type, nullable=False), other), primary_key=key)
            modified = altered(table_, after, f"ALTER TABLE `t` {query}", "modify column")
            statement = replace(modified, action=what)  # words of its own: upstream has no actions
            rows: list[Event] = [insert(table_, {"id": "1", "v": "1"}), statement, insert(after, {"id": "2", "v": "2"})]
            yield Input(f"key {where}/{what}", (table_,), timed(rows), axes={"statement": what})


def _rows_events() -> Iterator[Input]:
    """Rows of one rows event: of one message, or at one position in the binary log."""
    table_ = numbered(column("a", "int unsigned"), column("b", "varchar(20)"))
    rows: list[Row] = [
        {"id": "0", "a": "1", "b": "x"},
        {"id": "1", "a": "4294967295", "b": None},
        {"id": "2", "a": None, "b": "y"},
    ]
    changed: list[Row] = [{**rows[0], "a": "7"}, {**rows[1], "b": "z"}, {**rows[2], "a": "7"}]
    lives = {
        "inserted": [RowChange("insert", *table_.id, None, None, row) for row in rows],
        "updated": [RowChange("update", *table_.id, None, a, b) for a, b in zip(rows, changed, strict=True)],
        "deleted": [RowChange("delete", *table_.id, None, row) for row in rows],
    }
    for name, changes in lives.items():
        [first] = timed(changes[:1])
        source = {"rows_event": "1", "query": f"/* {name} */"}
        events = tuple(replace(change, commit_ts=first.commit_ts, source=source) for change in changes)
        yield Input(f"rows event/{name}", (table_,), events, axes={"table": "t", "operation": changes[0].op})


# -- cases -----------------------------------------------------------------------------------------------------------


def _logged_input(protocol: str, input_: Input) -> Input:
    """The input without events that the dialect never sees: watermarks, empty updates, perhaps reads."""
    reads = "read" in DIALECTS[protocol].ops
    return replace(input_, events=tuple(e for e in input_.events if _is_logged(e, reads=reads)))


def _is_logged(event: Event, *, reads: bool) -> bool:
    if isinstance(event, RowChange):
        return event.before != event.after and (reads or event.op != "read")
    return not isinstance(event, Watermark)


def _is_out_of_time(input_: Input) -> bool:
    """Whether an event is after the last second of a binary log, or a TIMESTAMP not after the epoch."""
    if any((e.commit_ts or 0) >= _END_OF_TIME for e in input_.events if not isinstance(e, Watermark)):
        return True
    zone = zone_of(input_.settings.timezone)
    moments = {c.name for t in input_.tables for c in t.columns if c.type.family is Family.TIMESTAMP}
    rows = (row for e in input_.events if isinstance(e, RowChange) for row in (e.before, e.after) if row)
    texts = (text for row in rows for name, text in row.items() if name in moments and isinstance(text, str))
    return any(_EARLY.match(text) and not _seconds(text, zone) > 0 for text in texts)


def _seconds(text: str, zone: tzinfo) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


def _written(protocol: str, input_: Input) -> tuple[Record, ...]:
    """The reference's output for an input. Raises `SuiteError` where it refuses the input."""
    codec = UPSTREAM[protocol]
    try:
        encoder = codec.encoder(parse(codec.options, input_.options), settings=input_.settings)
        return encoder.encode(input_.events, input_.tables).records
    except (Rejected, Unsupported) as e:
        raise SuiteError(f"{protocol}/{input_.name}: the reference refuses it ({e})") from None


def _stops_producer(input_: Input) -> bool:
    """Whether the producer stops at the input: only a new connector knows vectors.  [CJ-428, DBZ-704]"""
    if input_.options.get("version", "2.4.0") != "2.4.0":
        return False
    altered = (table for e in input_.events if isinstance(e, DdlEvent) for table in e.tables_after)
    return any(c.type.family is Family.VECTOR for table in (*input_.tables, *altered) for c in table.columns)


def _prints_no_json(protocol: str, input_: Input) -> bool:
    """Whether the dialect prints a JSON value of the input as something else than JSON."""
    prints_as_json = DIALECTS[protocol].option_sets.prints_as_json
    if prints_as_json is None:
        return False
    rows = [row for e in input_.events if isinstance(e, RowChange) for row in (e.before, e.after) if row]
    names = {c.name for table in input_.tables for c in table.columns if c.type.family is Family.JSON}
    texts = (row.get(name) for row in rows for name in names)
    return any(isinstance(text, str) and not prints_as_json(text) for text in texts)


def _lacks_statements(protocol: str, input_: Input) -> bool:
    """Whether statements without records alter a table: then a decoder sees only a part of the new types."""
    option, value = DIALECTS[protocol].option_sets.without_statements or ("", "")
    is_without = bool(option) and input_.options.get(option) == value
    return is_without and any(isinstance(e, DdlEvent) and e.table_after != e.table_before for e in input_.events)


def _sql(input_: Input) -> tuple[str, ...]:
    """The statements of an input; empty where the events do not determine them."""
    if input_.transactions or any(isinstance(e, RowChange) and e.op == "read" for e in input_.events):
        return ()
    return script(input_.tables, input_.events, input_.settings.timezone)


def input_cases(protocol: str, input_: Input) -> Iterator[Case]:
    """The cases of a dialect for an input; empty where no server logs it, or the producer stops at it."""
    input_ = _logged_input(protocol, input_)
    if not input_.events or _is_out_of_time(input_) or _stops_producer(input_):
        return
    records = _written(protocol, input_)
    encode = Case(
        id=f"{protocol}/{input_.name}",
        protocol=protocol,
        role="encode",
        tables=input_.tables,
        events=input_.events,
        options=input_.options,
        settings=input_.settings,
        sql=_sql(input_),
        anchor=Anchor.REFERENCE,
        source="corpora",
        axes=input_.axes,
    )
    if input_.role != "decode":
        yield encode
    unreadable = _lacks_statements(protocol, input_) or _prints_no_json(protocol, input_)
    if input_.role != "encode" and records and not unreadable:
        decode = replace(encode, id=f"{encode.id}/decode", role="decode", records=records)
        yield decode
        if input_.blind:
            yield replace(decode, id=f"{decode.id} without tables", send_tables=False)


def stop_cases(protocol: str) -> Iterator[Case]:
    """Columns at which a recorded producer stopped."""
    for column_type, requirement in DIALECTS[protocol].option_sets.stops:
        table_ = numbered(column("c", column_type))
        yield Case(
            id=f"{protocol}/stops/{column_type}",
            protocol=protocol,
            role="encode",
            tables=(table_,),
            events=timed([insert(table_, {"id": "1", "c": "[1,2,3]"})]),
            expected=ExpectedRejection(frozenset({RejectionClass.TYPE})),
            anchor=Anchor.RECORDED,
            requirements=(requirement,),
            source="recorded: it ended there",
            axes={"type": column_type},
        )
