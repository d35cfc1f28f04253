"""The fastest path: reads messages of the canal family into structs, for fingerprints.

Like the fast path (`differential.decode.quick`) it accepts no message that the slow path refuses or reports as odd.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from differential.decode.quick import canal as quick_canal
from differential.decode.quick import is_simple
from differential.decode.quick import ticdc as quick_ticdc
from differential.decode.typed import canal, ticdc
from differential.decode.typed.shape import Pieces, Shape, TypedChanges
from differential.sides import Side, codec_of
from reference_impl.errors import Rejected, Unsupported
from reference_impl.options import parse
from reference_impl.protocols import CANAL, CANAL_JSON, Rows

__all__ = ["TypedChanges", "TypedRows"]

_DIALECTS: Rows[tuple[ModuleType, ModuleType]] = Rows({CANAL_JSON: (quick_ticdc, ticdc), CANAL: (quick_canal, canal)})


class TypedRows:
    """The fastest path for one side, for tables with one version."""

    def __init__(self, side: Side) -> None:
        self._shapes: dict[object, Shape] = {}
        quick, typed = _DIALECTS.own(side.dialect) or (None, None)
        if quick is None or typed is None:
            return
        options: Any = parse(codec_of(side.dialect).options, side.options)
        if not quick.is_quick(options):
            return
        self._head: Callable[[bytes], object] = quick.head
        self._longest: int = quick.longest(options)
        for table in side.tables:
            if not is_simple(side, table):
                continue
            try:
                self._shapes.update(typed.shapes(side, table, options))
            except (Rejected, Unsupported, ValueError):
                continue  # a type that the dialect does not support, or a name that no struct can have

    def read(
        self, values: Sequence[bytes | None], keys: Sequence[bytes | None]
    ) -> tuple[list[TypedChanges], list[int]]:
        """The changes of ordinary messages, and the positions of all others, in order."""
        if not self._shapes:
            return [], list(range(len(values)))
        rest: list[int] = []
        by_shape: dict[Shape, tuple[list[Pieces], list[int]]] = {}
        shapes, head_of, longest = self._shapes, self._head, self._longest
        for position, (value, key) in enumerate(zip(values, keys, strict=True)):
            if not value or key or len(value) > longest or (shape := shapes.get(head_of(value))) is None:
                rest.append(position)
                continue
            pieces = shape.cut(value)  # at once, while the message is in the processor's cache
            if pieces is None:
                rest.append(position)
                continue
            same_shape = by_shape.get(shape) or by_shape.setdefault(shape, ([], []))
            same_shape[0].append(pieces)
            same_shape[1].append(position)
        changes: list[TypedChanges] = []
        for shape, (messages, positions) in by_shape.items():
            of_shape, left = shape.read(messages, positions)
            changes += of_shape
            rest += left
        return changes, sorted(rest)
