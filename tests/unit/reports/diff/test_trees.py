"""Our comparer of trees, and that DeepDiff, which shares nothing with it, finds the same members."""

from __future__ import annotations

import json
from typing import Any

import pytest
from deepdiff import DeepDiff
from hypothesis import given
from hypothesis import strategies as st

from reports.diff.trees import Difference, Doubled, differences, path_text, read_json, shown, skeleton_of
from reports.texts import value_text


def found(left: str, right: str) -> list[tuple[str, str]]:
    return [(path_text(d.path), d.kind) for d in differences(read_json(left), read_json(right))]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ('{"a":1,"b":2}', '{"b":2,"a":1}', []),
        ('{"a":1}', '{"a":2}', [("a", "value")]),
        ('{"a":1}', '{"a":"1"}', [("a", "json kind")]),
        ('{"a":1}', '{"a":true}', [("a", "json kind")]),
        ('{"a":1}', "{}", [("a", "missing")]),
        ("{}", '{"a":null}', [("a", "extra")]),
        ('{"a":1}', '{"a":1,"a":1}', [("a", "doubled")]),
        ('{"a":1,"a":2}', '{"a":1,"a":3}', [("a[1]", "value")]),
        ('{"a":[1,2]}', '{"a":[2,1]}', [("a", "order")]),
        ('{"a":[1,2]}', '{"a":[1]}', [("a[1]", "missing")]),
        ('{"a":[{"b":1},{"b":2}]}', '{"a":[{"b":1},{"b":3}]}', [("a[1].b", "value")]),
        ('{"a":1.0}', '{"a":1}', [("a", "text")]),
        ('{"a":100}', '{"a":1e2}', [("a", "text")]),
        ('{"a":18446744073709551615}', '{"a":18446744073709551616}', [("a", "value")]),
        ('{"a":0.1}', '{"a":0.1000000000000000001}', [("a", "value")]),
        ('{"a":"{\\"x\\":1,\\"y\\":2}"}', '{"a":"{\\"y\\": 2, \\"x\\": 1}"}', [("a", "text")]),
        ('{"a":"{x"}', '{"a":"{y"}', [("a", "value")]),
    ],
)
def test_members_are_compared_exactly_and_their_order_is_free(left, right, expected) -> None:
    assert found(left, right) == expected


def test_one_more_field_of_a_schema_moves_none_behind_it() -> None:
    left = '{"fields":[{"field":"a","type":1},{"field":"c","type":3}]}'
    right = '{"fields":[{"field":"a","type":1},{"field":"b","type":2},{"field":"c","type":4}]}'
    assert found(left, right) == [("fields.c.type", "value"), ("fields.b", "extra")]


def test_rows_are_told_apart_by_position_whatever_their_columns_are_called() -> None:
    assert found('{"data":[{"name":"a"}]}', '{"data":[{"name":"b"}]}') == [("data[0].name", "value")]


def test_members_of_objects_with_columns_share_a_skeleton() -> None:
    columns_at = frozenset({"value.data[]"})
    assert skeleton_of(("value", "data", 3, "price"), columns_at) == "value.data[].{column}"
    assert skeleton_of(("value", "data", 3, "price", "x"), columns_at) == "value.data[].{column}.x"
    assert skeleton_of(("value", "type"), columns_at) == "value.type"


def test_what_is_no_json_is_refused() -> None:
    for text in ("", "{", "[" * 100_000, "NaN", "{'a':1}"):
        with pytest.raises(ValueError):
            read_json(text)


def test_a_shown_tree_keeps_exact_numbers_and_cuts_what_nobody_reads() -> None:
    long, deep = "x" * 5000, "[" * 40 + "]" * 40
    tree = read_json(f'{{"n":1.10,"t":"{long}","d":[1,2],"e":{deep}}}')
    assert shown(tree)["n"] == {"$number": "1.10"}
    assert shown(tree)["t"]["length"] == 5000
    assert len(json.dumps(shown(tree))) < 3000


def test_a_member_called_like_a_mark_of_the_record_is_shown_as_a_member() -> None:
    assert value_text(shown(read_json('{"$bytes":5,"$x":"y"}'))) == r'{\$bytes: 5, \$x: "y"}'


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=4).filter(lambda text: text[:1] not in "{[")
TREES = st.recursive(
    LEAVES,
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.sampled_from("abcdef"), parts, max_size=4),
    max_leaves=12,
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    """Two trees: any, or one and the same with a few members changed."""
    left = {"a": draw(TREES), "b": draw(TREES)}
    if draw(st.booleans()):
        return left, {"a": draw(TREES), "b": draw(TREES)}
    right = json.loads(json.dumps(left))
    for _ in range(draw(st.integers(0, 3))):
        _change(draw, right)
    return left, right


def _change(draw: st.DrawFn, tree: Any) -> None:
    while isinstance(tree, (dict, list)) and tree:
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        key = draw(st.sampled_from(keys))
        if not isinstance(tree[key], (dict, list)) or not tree[key] or draw(st.booleans()):
            tree[key] = draw(TREES)
            return
        tree = tree[key]


def members(steps: Any) -> tuple[Any, ...]:
    """The path of the member, without positions in lists: those two comparers need not agree on."""
    path: list[Any] = []
    for step in steps:
        if isinstance(step, int):
            break
        path.append(step)
    return tuple(path)


@given(pairs())
def test_our_comparer_and_deepdiff_agree_on_which_members_differ(pair: tuple[Any, Any]) -> None:
    left, right = pair
    both = [read_json(json.dumps(tree)) for tree in pair]
    ours = {members(difference.path) for difference in differences(*both)}
    tree = DeepDiff(left, right, view="tree", zip_ordered_iterables=True, threshold_to_diff_deeper=0)
    theirs = {members(item.path(output_format="list")) for items in tree.values() for item in items}
    assert ours == theirs


@given(TREES)
def test_a_tree_does_not_differ_from_itself_with_its_members_the_other_way_round(tree: Any) -> None:
    def turned(part: Any) -> Any:
        if isinstance(part, dict):
            return {name: turned(part[name]) for name in reversed(part)}
        return [turned(one) for one in part] if isinstance(part, list) else part

    assert list(differences(read_json(json.dumps(tree)), read_json(json.dumps(turned(tree))))) == []


def test_doubled_members_are_a_value_of_their_own() -> None:
    tree = read_json('{"a":1,"a":2}')
    assert isinstance(tree["a"], Doubled)
    [difference] = differences(read_json('{"a":2}'), tree)
    assert isinstance(difference, Difference)
    assert (shown(difference.left), shown(difference.right)) == ({"$number": "2"}, [{"$number": "1"}, {"$number": "2"}])
