"""Remedies: what removes a divergence between two dialects, and what each remedy breaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["NONE", "Remedy", "read_remedies"]

NONE = "none exists"
"""The value in the data, and the words of every report, where nothing removes a divergence."""

_MEMBERS = ("options", "change", "columns", "but", "breaks")


@dataclass(frozen=True, slots=True)
class Remedy:
    """One way to remove a divergence: options of the dialects, or another change, in words."""

    breaks: str
    """What fails or changes once the divergence is gone."""
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By dialect, the options to set."""
    change: str = ""
    """What to change where no option of a dialect helps: the table, the database, the release."""
    columns: tuple[str, ...] = ()
    """The columns of the reproducer after a change of the table."""
    but: str = ""
    """The part of the divergence that remains."""

    @property
    def what(self) -> str:
        """The options to set, or the change to make."""
        if self.change:
            return self.change
        named = (
            f"{' and '.join(f'{name}={value}' for name, value in options.items())} of {dialect}"
            for dialect, options in self.options.items()
        )
        return ", with ".join(named)

    @property
    def text(self) -> str:
        """The options or change, what remains, and what it breaks."""
        but = f" (but {self.but})" if self.but else ""
        return f"{self.what}{but}; what it breaks: {self.breaks}"


def read_remedies(given: Any) -> tuple[Remedy, ...]:
    """The remedies of an entry; empty for `NONE`. Raises `ValueError` for anything but that or a list of remedies."""
    if given == NONE:
        return ()
    if not isinstance(given, list) or not given:
        raise ValueError(f"remedy is neither a list of remedies nor {NONE!r}")
    return tuple(map(_remedy, given))


def _remedy(given: Any) -> Remedy:
    if not isinstance(given, dict) or given.keys() - {*_MEMBERS}:
        raise ValueError(f"a remedy has other members than {', '.join(_MEMBERS)}: {given!r}")
    texts = {name: given.get(name, "") for name in ("breaks", "change", "but")}
    if not all(isinstance(text, str) for text in texts.values()) or not texts["breaks"]:
        raise ValueError(f"a remedy does not say in words what it breaks: {given!r}")
    if bool(given.get("options")) is bool(texts["change"]):
        raise ValueError(f"a remedy is either options or a change: {given!r}")
    options = {dialect: dict(named) for dialect, named in dict(given.get("options", {})).items()}
    return Remedy(options=options, columns=tuple(given.get("columns", ())), **texts)
