"""Inputs for the options of a protocol: single values, pairwise combinations, defaults, and refused values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from typing import TypeAlias

from conformance.cases.boundaries import changed_only_inputs, declared_type_inputs, subtle_change_inputs
from conformance.cases.defaults import declared_default_inputs
from conformance.cases.inputs import BASE, Input, commit_times, insert, timed, with_sql
from conformance.cases.tables import option_on_table_inputs, whole_life
from conformance.catalogue.corpora import OptionSpace, Sweep, load_table_forms
from reference_impl.errors import RejectionClass
from reference_impl.keys import handle_key
from reference_impl.model import Watermark

__all__ = ["option_inputs", "pairwise"]


Choice: TypeAlias = tuple[str, str]
"""An option and a value of it."""


def _pair_count(pairs: Iterable[tuple[Choice, Choice]], chosen: Mapping[str, str], choice: Choice) -> int:
    """The number of `pairs` of `choice` and one of the `chosen`."""
    choices = {*chosen.items()}
    return sum((a == choice and b in choices) or (b == choice and a in choices) for a, b in pairs)


def pairwise(factors: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """Rows with one value of every factor that together contain each pair of values: greedy, deterministic."""
    names = list(factors)
    pairs = {((a, x), (b, y)): None for a, b in combinations(names, 2) for x, y in product(factors[a], factors[b])}
    rows: list[dict[str, str]] = []
    while pairs:
        chosen = dict(next(iter(pairs)))
        for name in names:
            if name not in chosen:
                gains = {value: _pair_count(pairs, chosen, (name, value)) for value in factors[name]}
                chosen[name] = max(gains, key=gains.__getitem__)
        row = {name: chosen[name] for name in names}
        rows.append(row)
        for pair in combinations(row.items(), 2):
            pairs.pop(pair, None)
    return rows


# The word in `Sweep.over` → the inputs for options, a sweep and a suffix for their names.
_OVER: Mapping[str, Callable[[Mapping[str, str], Sweep, str], Iterator[Input]]] = {
    "tables": lambda options, sweep, suffix: option_on_table_inputs(
        options, suffix, sweep.without_handle, sweep.handle_needed_by
    ),
    "types": lambda options, sweep, suffix: declared_type_inputs(options, suffix),
    "defaults": lambda options, sweep, suffix: declared_default_inputs(options, suffix),
    "changes": lambda options, sweep, suffix: chain(
        changed_only_inputs(options, suffix), subtle_change_inputs(options, suffix)
    ),
}


def _sweeps(space: OptionSpace) -> Iterator[Input]:
    """One value of one option, over tables, column types, defaults or changes."""
    for sweep in space.sweeps:
        options = space.with_needs({sweep.option: sweep.value})
        for over in sweep.over:
            yield from _OVER[over](options, sweep, f"{sweep.option}={sweep.value}")


def _pairs(space: OptionSpace) -> Iterator[Input]:
    """Every two values of two options, and every value in every kind of table with a handle key."""
    forms = {form.table.name: form for form in load_table_forms() if handle_key(form.table)}
    for number, choice in enumerate(pairwise({**space.values, "table": list(forms)}), 1):
        form = forms[choice.pop("table")]
        table_ = with_sql(form.table, form.expressions)
        yield Input(
            f"options/pairwise {number:02d}/{table_.name}",
            (table_,),
            whole_life(form),
            options=space.with_needs(choice),
            axes={"table": table_.name, "options": "pairwise"},
        )


def _defaults(space: OptionSpace) -> Iterator[Input]:
    """Every option set to its default, which must change nothing."""
    form = load_table_forms()[0]
    table_, life = with_sql(form.table, form.expressions), whole_life(form)
    yield Input(
        "options/defaults by name",
        (table_,),
        (*life, Watermark(commit_times(1, len(life))[0])),
        options={name: values[0] for name, values in space.values.items()},
        axes={"table": table_.name, "options": "defaults"},
    )


def _refusals(space: OptionSpace) -> Iterator[Input]:
    """Option values that an encoder must refuse."""
    for refusal in space.refused:
        yield Input(
            f"options/refused/{refusal.name}",
            (BASE,),
            timed([insert(BASE, {"id": "1", "a": "x"})]),
            options=refusal.options,
            role="encode",
            refused=frozenset({RejectionClass.SEMANTICS}),
            requirements=refusal.requirements,
            axes={"options": "refused"},
        )


def option_inputs(space: OptionSpace) -> Iterator[Input]:
    """Every input about the options of a protocol except sizes and batches."""
    yield from _sweeps(space)
    yield from _pairs(space)
    yield from _defaults(space)
    yield from _refusals(space)
