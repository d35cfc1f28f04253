"""Properties of the flat message: what is written is read back, and what is read is written again."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl import options as option_strings
from reference_impl.column_types import ColumnType, Family
from reference_impl.model import Column, Event, RowChange, Table
from reference_impl.stored_json import stored_tree
from reference_impl.upstream.canal import Options, decode, encode
from reference_impl.upstream.canal.json_text import stored_text
from reference_impl.upstream.canal.layout import canal_column
from reference_impl.upstream.canal.texts import reader, writer
from reference_impl.values import same_value
from tests.amounts import examples
from tests.round_trips import assert_image
from tests.strategies import column_types, rows, tables, values_of

_options = st.fixed_dictionaries(
    {
        "jdk": st.sampled_from(["17", "25"]),
        "tsdb": st.sampled_from(["true", "false"]),
        "server": st.sampled_from(["mysql", "mariadb"]),
    }
).map(lambda given: option_strings.parse(Options, given))

# Of these a message loses something, or it has none: see the vectors.
_LOSSY = frozenset({Family.JSON, Family.VECTOR})


def _keeps(column_type: ColumnType) -> bool:
    return column_type.family not in _LOSSY


@st.composite
def _events(draw: st.DrawFn) -> tuple[Table, list[RowChange]]:
    """The rows of one rows event."""
    table = draw(tables(generated=False))
    columns = [c if _keeps(c.type) else replace(c, type=_INT) for c in table.columns]
    table = replace(table, columns=tuple(columns))
    op = draw(st.sampled_from(["insert", "update", "delete"]))
    images = draw(st.lists(st.tuples(rows(table), rows(table)), min_size=1, max_size=3))
    source = {"id": "1", "es": "1000", "ts": "1", "gtid": "", "rows_event": "1"}
    return table, [
        RowChange(
            op,  # type: ignore[arg-type]
            *table.id,
            None,
            before=None if op == "insert" else before,
            after=None if op == "delete" else after,
            source=source,
        )
        for before, after in images
    ]


_INT = ColumnType("int", Family.INT)


def _completed(event: Event) -> RowChange:
    """The update with its whole image before: what `old` lacks is as in `data`.  [CJ-516]"""
    assert isinstance(event, RowChange)
    if event.op != "update":
        return event
    assert event.before is not None
    assert event.after is not None
    return replace(event, before={**event.after, **event.before})


@settings(max_examples=examples(80), deadline=None)
@given(_events(), _options)
def test_the_rows_of_a_rows_event_are_read_back(given_rows: tuple[Table, list[RowChange]], options: Options) -> None:
    table, events = given_rows
    records = encode(events, [table], options).records
    assert len(records) == 1
    got = [_completed(event) for event in decode(records, [table], options=options)]
    assert len(got) == len(events)
    for sent, event in zip(events, got, strict=True):
        assert (event.op, event.schema, event.table) == (sent.op, sent.schema, sent.table)
        assert event.source == {**(sent.source or {}), "rows_event": "1"}
        assert_image(table, sent.before, event.before)
        assert_image(table, sent.after, event.after)
    assert encode(got, [table], options).records == records
    assert len(decode(records, options=options)) == len(events)


@settings(deadline=None)
@given(column_types().filter(_keeps), _options, st.data())
def test_the_text_of_a_value_is_read_as_the_value(
    column_type: ColumnType, options: Options, data: st.DataObject
) -> None:
    column = Column("c", column_type)
    source = canal_column(column, Table("s", "t", (column,)), options)
    value = data.draw(values_of(column_type))
    text = writer(source)(value)
    assert same_value(column_type, reader(source)(text), value)
    assert writer(source)(reader(source)(text)) == text


_names = st.text(st.characters(categories=["L", "N"]), max_size=4)
_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)
)
_trees = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3), max_leaves=6
)


@settings(deadline=None)
@given(_trees, st.sampled_from([17, 25]))
def test_a_json_value_without_nul_and_with_plain_names_stays_the_same_json(tree: object, java: int) -> None:
    text = stored_text(stored_tree(json.dumps(tree, ensure_ascii=False)), java)
    assert json.loads(text) == tree
    assert stored_text(stored_tree(text), java) == text
