"""Imports the names of a protocol package when they are first used, so that its options load no codec."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["names_of"]

_HOMES = {"Decoder": "decoder", "Encoder": "encoder", "Options": "options"}


def names_of(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a protocol package, which imports its three classes from their modules."""

    def find(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{_HOMES[name]}"), name)

    return find
