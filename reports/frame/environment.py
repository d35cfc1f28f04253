"""The environment of jinja2 in which the pages are rendered; only a command that writes a page needs it."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    select_autoescape,
)
from markupsafe import Markup

from reports.frame.filters import FILTERS
from reports.texts import printable

__all__ = ["environment_of", "shipped"]

_SUITE = "suite"


@cache
def shipped(folders: tuple[Path, ...]) -> Environment:
    """The environment of a report without overrides, made once: its templates do not change during a run."""
    return environment_of(folders, None)


def environment_of(folders: tuple[Path, ...], overrides: Path | None) -> Environment:
    """The environment in which a template of `overrides` stands before those of the suite's `folders`."""
    suite = ChoiceLoader([FileSystemLoader(folder) for folder in folders])
    of_user = [FileSystemLoader(overrides)] if overrides is not None else []
    environment = Environment(
        loader=ChoiceLoader([*of_user, suite, PrefixLoader({_SUITE: suite})]),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    script = _asset("page.js")
    environment.globals.update(
        stylesheet=Markup(_asset("page.css")),  # a text of the suite, not a value of the run
        script=Markup(script),
        script_hash="sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    return environment


def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def _shown(value: Any) -> Any:
    """The filter of every value on a page, before it is escaped."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
