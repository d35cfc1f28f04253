"""The codecs as a library: the page of the library, and one face for all protocols."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from reference_impl import canal_json
from reference_impl.protocols import DIALECTS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "library.md"


def test_what_the_page_shows_is_what_the_library_does() -> None:
    code, printed, more = re.findall(r"^```(?:python)?\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.M)
    names: dict[str, Any] = {}
    for text, expected in ((code, printed), (more, "0000000002 {'id': '1', 'amount': '9.90'}\n")):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(text, names)  # our own page
        assert out.getvalue() == expected


@pytest.mark.parametrize("codec", DIALECTS.values(), ids=DIALECTS)
def test_every_protocol_offers_the_same_five_names_with_the_same_parameters(codec: Any) -> None:
    package = import_module(codec.module)
    assert package.__all__ == ["Decoder", "Encoder", "Options", "decode", "encode"]
    for name in ("encode", "decode"):
        assert inspect.signature(getattr(package, name)) == inspect.signature(getattr(canal_json, name))
    for name in ("Encoder", "Decoder"):
        taken = list(inspect.signature(getattr(package, name)).parameters)
        assert taken == list(inspect.signature(getattr(canal_json, name)).parameters)
