"""A search depends on its seed alone, and runs with every Hypothesis that the package allows."""

from __future__ import annotations

import importlib
import sys

import pytest

from conformance.search import determinism


def test_a_hypothesis_that_draws_no_constants_of_modules_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from hypothesis.internal import conjecture

    monkeypatch.setitem(sys.modules, "hypothesis.internal.conjecture.providers", None)  # as if it were not there
    monkeypatch.delattr(conjecture, "providers", raising=False)
    importlib.reload(determinism)
    entered = []
    with determinism.without_constants_of_modules():
        entered.append(True)
    assert entered == [True]


def test_inside_of_a_search_no_constants_of_modules_are_drawn() -> None:
    providers = pytest.importorskip("hypothesis.internal.conjecture.providers")
    collect = getattr(providers, "_get_local_constants", None)
    if collect is None:
        pytest.skip("this Hypothesis draws none")
    with determinism.without_constants_of_modules():
        inside = providers._get_local_constants
    assert (inside is collect, providers._get_local_constants is collect) == (False, True)
