"""The shared corpora as cases of the upstream dialects: tables, values, keys, statements, under their own options.

A decoder gets the reference encoder's output. An input at which a dialect stops must be refused if a recording shows
that; else it makes no case.
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
from conformance.cases.inputs import BOTH, Input, column, ddl, insert, table, timed, with_sql
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
from conformance.cases.upstream.model import Space
from conformance.catalogue.corpora import load_table_forms
from conformance.errors import SuiteError
from reference_impl.column_types import BINARY, Family
from reference_impl.errors import Rejected, RejectionClass, Unsupported
from reference_impl.model import DdlEvent, Event, Record, RowChange, Watermark
from reference_impl.options import parse
from reference_impl.protocols import UPSTREAM
from reference_impl.tso import compose
from reference_impl.zones import zone_of

__all__ = ["corpora_of", "input_cases", "stop_cases"]

_NO_OPTIONS: Mapping[str, str] = {}


def _named(options: Mapping[str, str]) -> str:
    return "+".join(f"{name}={value}" for name, value in options.items())


def _under(inputs: Callable[[], Iterable[Input]], options: Mapping[str, str]) -> Iterator[Input]:
    for given in inputs():
        yield replace(given, name=f"{given.name}+{_named(options) or 'no options'}", options=options)


def _lives() -> Iterator[Input]:
    """Every boundary of every type in a row's whole life, both roles; encoders have no cases step by step."""
    return (replace(g, roles=BOTH) for g in boundary_inputs() if g.axes["operation"] == "insert+update+delete")


_ABOUT_VALUES: Mapping[str, Callable[[], Iterator[Input]]] = {
    "life": _lives,
    "whole family": whole_family_inputs,
    "flag": flag_inputs,
    "table": table_inputs,
    "shape": shape_inputs,
    "keyed": keyed_inputs,
    "zone": zone_inputs,
}
# The types that an option concerns; other options concern all of them.
_TOUCHED: Mapping[str, frozenset[Family]] = {
    "jdk": frozenset({Family.FLOAT, Family.DOUBLE, Family.JSON}),
    "decimal.handling.mode": frozenset({Family.DECIMAL}),
    "time.precision.mode": frozenset({Family.DATE, Family.DATETIME, Family.TIMESTAMP, Family.TIME, Family.YEAR}),
    "bigint.unsigned.handling.mode": frozenset({Family.BIGINT}),
    "binary.handling.mode": BINARY,
}
_EVERY_SO_MANY = 6
_END_OF_TIME = compose(1000 << 32)
"""A binary log counts seconds in 32 bits."""
_EARLY = re.compile("1970-01-0[12] ")


# Options for the cases of some corpora.
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
    space, imitator = DIALECTS[protocol].space, UPSTREAM[protocol].imitator
    for name, inputs in _ABOUT_VALUES.items():
        yield name, partial(_plainly, inputs, space.plain)
    yield "default", partial(_plainly, lambda: islice(default_inputs(), 0, None, _EVERY_SO_MANY), space.plain)
    yield "added", partial(_plainly, lambda: islice(added_inputs(), 0, None, _EVERY_SO_MANY), space.plain)
    yield "name", partial(_plainly, lambda: name_inputs(imitator.name if imitator else ""), space.plain)
    for options in space.whole:
        for name, inputs in _UNDER_OPTIONS.items():
            yield f"{name} under {_named(options)}", partial(_under, inputs, options)
    for options in space.tried:
        yield f"type under {_named(options)}", partial(_touched, options)
    for options in space.filled:
        yield f"default under {_named(options)}", partial(declared_default_inputs, options, _named(options))
    for options in space.emptied:
        yield f"truncation under {_named(options)}", partial(_under, _truncations, options)
    yield "partition", lambda: partition_inputs(space.plain)
    yield "declared key", _declared_keys
    yield "pairwise", lambda: _combined(space)
    yield "rows event", _rows_together


def _touched(options: Mapping[str, str]) -> Iterator[Input]:
    """The types that the options concern."""
    touched = frozenset(chain.from_iterable(_TOUCHED.get(name, ()) for name in options))
    for given in declared_type_inputs(options, _named(options)):
        if not touched or given.tables[0].columns[-1].type.family in touched:
            yield given


def _plainly(inputs: Callable[[], Iterable[Input]], options: Mapping[str, str]) -> Iterator[Input]:
    return (replace(given, options=options) for given in inputs())


def _combined(space: Space) -> Iterator[Input]:
    """Every two values of two options, over the forms of tables."""
    forms = {form.table.name: form for form in load_table_forms()}
    for number, choice in enumerate(pairwise({**space.values, "table": list(forms)}), 1):
        form = forms[choice.pop("table")]
        options = {name: value for name, value in choice.items() if value != space.values[name][0]}
        yield Input(
            f"options/pairwise {number:02d}/{form.table.name}",
            (with_sql(form.table, form.expressions),),
            whole_life(form),
            options=options,
            axes={"table": form.table.name, "options": "pairwise"},
        )


def _truncations() -> Iterator[Input]:
    """A table that is emptied between its rows."""
    made = table("t", (column("id", "int", nullable=False), column("v", "varchar(5)")))
    before, after = (insert(made, {"id": n, "v": "x"}) for n in "12")
    for words in ("TRUNCATE TABLE `t`", "TRUNCATE `test`.`t`"):
        statement = ddl(made, words, "truncate table", 11, table_before=made, table_after=made)
        yield Input(
            f"truncation/{words}", (made,), timed([before, statement, after]), axes={"statement": "truncate table"}
        )


# The action, the key after it, the type of `id` then, and the statement.
_KEY_CHANGES: Sequence[tuple[str, Sequence[str], str, str]] = (
    ("drop primary key", (), "int", "DROP PRIMARY KEY"),
    ("another primary key", ("v",), "int", "DROP PRIMARY KEY, ADD PRIMARY KEY (`v`)"),
    ("modify column", ("id",), "bigint", "MODIFY COLUMN `id` bigint NOT NULL"),
    ("change column", ("id",), "bigint", "CHANGE COLUMN `id` `id` bigint NOT NULL"),
)


def _snapshots() -> Iterator[Input]:
    """The rows of two tables as a snapshot read them, and one that was written later."""
    forms = load_table_forms()[:2]
    reads: list[Event] = [
        RowChange("read", *form.table.id, None, None, row)
        for form in forms
        for row in (form.row, {**form.row, **form.rekeyed, **form.other})
    ]
    later = [insert(forms[0].table, forms[0].row)]
    made = tuple(with_sql(form.table, form.expressions) for form in forms)
    yield Input("snapshot/two tables", made, timed([*reads, *later]))


def _declared_keys() -> Iterator[Input]:
    """A primary key declared with its column, and one in a list, and changes of them."""
    other = column("v", "int", nullable=False)
    keyed = table("t", (column("id", "int", nullable=False), other))
    for where, text in (("beside its column", "`id` int PRIMARY KEY, `v` int NOT NULL"), ("listed", None)):
        made = keyed if text is None else replace(keyed, create_sql=f"CREATE TABLE `test`.`t` ({text})")
        for what, key, kind, query in _KEY_CHANGES:
            after = table("t", (column("id", kind, nullable=False), other), primary_key=key)
            statement = ddl(after, f"ALTER TABLE `t` {query}", what, 12, table_before=made, table_after=after)
            rows: list[Event] = [insert(made, {"id": "1", "v": "1"}), statement, insert(after, {"id": "2", "v": "2"})]
            yield Input(f"key {where}/{what}", (made,), timed(rows), axes={"statement": what})


def _rows_together() -> Iterator[Input]:
    """Rows of one rows event: of one message, or at one position in the binary log."""
    made = table("t", (column("id", "int", nullable=False), column("a", "int unsigned"), column("b", "varchar(20)")))
    rows = [{"id": str(n), "a": a, "b": b} for n, (a, b) in enumerate((("1", "x"), ("4294967295", None), (None, "y")))]
    changed = [{**row, "a": "7"} if n != 1 else {**row, "b": "z"} for n, row in enumerate(rows)]
    lives = {
        "inserted": [RowChange("insert", *made.id, None, None, row) for row in rows],
        "updated": [RowChange("update", *made.id, None, a, b) for a, b in zip(rows, changed, strict=True)],
        "deleted": [RowChange("delete", *made.id, None, row) for row in rows],
    }
    for name, changes in lives.items():
        [first] = timed(changes[:1])
        source = {"rows_event": "1", "query": f"/* {name} */"}
        events = tuple(replace(change, commit_ts=first.commit_ts, source=source) for change in changes)
        yield Input(f"rows event/{name}", (made,), events, axes={"table": "t", "operation": changes[0].op})


# -- cases -----------------------------------------------------------------------------------------------------------


def _carried(protocol: str, given: Input) -> Input:
    """The input without events that no upstream dialect has.

    These are watermarks, reads in a dialect without them, and updates without a change, which the binary log lacks.
    """
    reads = "read" in DIALECTS[protocol].ops
    return replace(given, events=tuple(e for e in given.events if _is_logged(e, reads=reads)))


def _is_logged(event: Event, *, reads: bool) -> bool:
    if isinstance(event, RowChange):
        return event.before != event.after and (reads or event.op != "read")
    return not isinstance(event, Watermark)


def _is_out_of_time(given: Input) -> bool:
    """Whether no server has such an input: it is after the last second of a binary log, or before a TIMESTAMP's first.

    The text of a TIMESTAMP may be earlier in its zone.
    """
    if any((e.commit_ts or 0) >= _END_OF_TIME for e in given.events if not isinstance(e, Watermark)):
        return True
    zone = zone_of(given.settings.timezone)
    moments = {c.name for t in given.tables for c in t.columns if c.type.family is Family.TIMESTAMP}
    rows = (row for e in given.events if isinstance(e, RowChange) for row in (e.before, e.after) if row)
    texts = (text for row in rows for name, text in row.items() if name in moments and isinstance(text, str))
    return any(_EARLY.match(text) and not _seconds(text, zone) > 0 for text in texts)


def _seconds(text: str, zone: tzinfo) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


def _written(protocol: str, given: Input) -> tuple[Record, ...]:
    """The reference's output for an input. Raises `SuiteError` where it refuses the input."""
    codec = UPSTREAM[protocol]
    try:
        encoder = codec.encoder(parse(codec.options, given.options), settings=given.settings)
        return encoder.encode(given.events, given.tables).records
    except (Rejected, Unsupported) as e:
        raise SuiteError(f"{protocol}/{given.name}: the reference refuses it ({e})") from None


def _stops_at(protocol: str, given: Input) -> bool:
    """Whether the producer stops at a column of the input: only a new connector knows vectors.  [CJ-428, DBZ-704]"""
    altered = (table for e in given.events if isinstance(e, DdlEvent) for table in (e.table_after, *e.other_tables))
    tables = (table for table in (*given.tables, *altered) if table is not None)
    return given.options.get("version", "2.4.0") == "2.4.0" and any(
        column.type.family is Family.VECTOR for table in tables for column in table.columns
    )


def _breaks_json(protocol: str, given: Input) -> bool:
    """Whether the dialect prints a JSON value of the input as something else than JSON."""
    readable = DIALECTS[protocol].space.readable_json
    if readable is None:
        return False
    rows = [row for e in given.events if isinstance(e, RowChange) for row in (e.before, e.after) if row]
    names = {c.name for table in given.tables for c in table.columns if c.type.family is Family.JSON}
    return any(isinstance(v := row.get(n), str) and not readable(v) for row in rows for n in names)


def _lacks_statements(protocol: str, given: Input) -> bool:
    """Whether a table is altered by statements without records: a schema beside rows shows types in part."""
    option, value = DIALECTS[protocol].space.silent or ("", "")
    silent = bool(option) and given.options.get(option) == value
    return silent and any(isinstance(e, DdlEvent) and e.table_after != e.table_before for e in given.events)


def _sql(given: Input) -> tuple[str, ...]:
    """The statements of an input; empty where the events do not determine them."""
    if given.transactions or any(isinstance(e, RowChange) and e.op == "read" for e in given.events):
        return ()
    return script(given.tables, given.events, given.settings.timezone)


def input_cases(protocol: str, given: Input) -> Iterator[Case]:
    """The cases of a dialect for an input; empty where its encoder stops at it."""
    given = _carried(protocol, given)
    if _is_out_of_time(given):
        return
    if not given.events or _stops_at(protocol, given):
        return
    records = _written(protocol, given)
    encode = Case(
        id=f"{protocol}/{given.name}",
        protocol=protocol,
        role="encode",
        tables=given.tables,
        events=given.events,
        options=given.options,
        settings=given.settings,
        sql=_sql(given),
        anchor=Anchor.REFERENCE,
        source="corpora",
        axes=given.axes,
    )
    if "encode" in given.roles:
        yield encode
    unreadable = _lacks_statements(protocol, given) or _breaks_json(protocol, given)
    if "decode" in given.roles and records and not unreadable:
        decode = replace(encode, id=f"{encode.id}/decode", role="decode", records=records)
        yield decode
        if given.blind:
            yield replace(decode, id=f"{decode.id} without tables", send_tables=False)


def stop_cases(protocol: str) -> Iterator[Case]:
    """Columns at which a recorded producer stopped."""
    for kind, requirement in DIALECTS[protocol].space.stops:
        made = table("t", (column("id", "int", nullable=False), column("c", kind)))
        yield Case(
            id=f"{protocol}/stops/{kind}",
            protocol=protocol,
            role="encode",
            tables=(made,),
            events=timed([insert(made, {"id": "1", "c": "[1,2,3]"})]),
            expected=ExpectedRejection(frozenset({RejectionClass.TYPE})),
            anchor=Anchor.RECORDED,
            requirements=(requirement,),
            source="recorded: it ended there",
            axes={"type": kind},
        )
