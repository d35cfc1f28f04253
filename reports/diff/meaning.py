"""The differences between two answers to one case, in meaning or in bytes alone.

Members that vary from run to run (the dialect's `volatile`) are ignored, and so are names of stored files and ids of
schemas: two runs of one build have no difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from reports.diff.answers import Answer, Message, parsed_answer
from reports.diff.dialect import Dialect
from reports.diff.spelling import reordered_objects, spellings
from reports.diff.trees import Number, Path, Tree, differences, path_text, shown, skeleton_of

__all__ = ["Change", "changes"]


class Change(NamedTuple):
    """A difference at a path of two answers."""

    at: str
    """The skeleton of the path; of bytes with equal meaning the name of the spelling."""
    kind: str
    """The kind of difference; `text` for bytes with equal meaning."""
    harm: str
    """The effect on a reader."""
    where: str = ""
    """The message: `messages[0]`, `events[2]`."""
    path: str = ""
    """The path in the message."""
    left: Any = None
    right: Any = None
    is_unexpected: bool = False
    """Whether the format does not know the path."""

    @property
    def is_meaning(self) -> bool:
        """Whether a reader gets another meaning."""
        return self.kind != "text"


def changes(left: bytes, right: bytes, dialect: Dialect) -> list[Change]:
    """The differences between two answers, given as the JSON of a saved run.

    Differences in spelling alone are listed only where no meaning differs. Raises `ValueError` for a malformed answer.
    """
    if left == right:
        return []
    found = list(_Pair(parsed_answer(left, dialect), parsed_answer(right, dialect), dialect).changes())
    meant = [change for change in found if change.is_meaning]
    return meant or found


_MOST_SPELLED = 20
"""Keys and values of one answer whose spelling is compared: a long stream has one spelling."""


class _Pair:
    """Two parsed answers to one case."""

    def __init__(self, left: Answer, right: Answer, dialect: Dialect) -> None:
        self._left = left
        self._right = right
        self._dialect = dialect
        self._has_volatile = False
        """Whether the trees compared last differ in a volatile member."""
        self._spelled = 0
        """The number of keys and values whose spelling was compared."""

    def changes(self) -> Iterator[Change]:
        """Every difference, in the order of the messages."""
        left, right = self._left, self._right
        if left.kind != right.kind or left.kind != "ok":
            yield from self._kinds()
        elif (left.events is None) != (right.events is None):
            yield self._change("answer", "json kind", "", (), left.events, right.events)
        elif left.events is not None and right.events is not None:
            yield from self._events(left.events, right.events)
        else:
            yield from self._records()

    def _kinds(self) -> Iterator[Change]:
        left, right = self._left, self._right
        if (left.kind, left.reason) == (right.kind, right.reason):
            return
        if left.kind == right.kind:
            kind = "class"
        elif right.kind == "ok":
            kind = "accepted"
        else:
            kind = "refused" if right.kind == "rejected" else "broken"
        yield self._change("answer", kind, "", (), _kind_text(left), _kind_text(right))

    def _events(self, left: Sequence[Tree], right: Sequence[Tree]) -> Iterator[Change]:
        if len(left) != len(right):
            yield self._counted("events", left, right)
            return
        for i, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from self._trees(f"events[{i}]", "event", one, other)

    def _records(self) -> Iterator[Change]:
        left, right = self._left, self._right
        if len(left.messages) != len(right.messages):
            yield self._counted("messages", left.messages, right.messages)
            return
        if len(left.frames) == len(right.frames):
            for i, frames in enumerate(zip(left.frames, right.frames, strict=True)):
                yield from self._frames(f"records[{i}]", *frames)
        else:
            yield self._change("frame.events", "value", "", ("records",), len(left.frames), len(right.frames))
        yield from self._trees("", "registry.subjects", left.subjects, right.subjects)
        for i, pair in enumerate(zip(left.messages, right.messages, strict=True)):
            yield from self._messages(f"messages[{i}]", "", *pair)
        if len(left.stored) != len(right.stored):
            yield self._change("claim", "count", "", ("claims",), len(left.stored), len(right.stored))
            return
        for i, (one, other) in enumerate(zip(left.stored, right.stored, strict=True)):
            if len(one) != len(other):
                yield self._change("claim.messages", "count", f"claims[{i}]", (), len(one), len(other))
                continue
            for pair in zip(one, other, strict=True):
                yield from self._messages(f"claims[{i}]", "claim.messages[].", *pair)

    def _frames(self, where: str, left: Mapping[str, Tree], right: Mapping[str, Tree]) -> Iterator[Change]:
        for name, part in left.items():
            at = name if name == "topic" else f"frame.{name}"
            yield from self._trees(where, at, part, right[name])

    # `where` is the message, and `within` the lead of a path inside a stored file.

    def _messages(self, where: str, within: str, left: Message, right: Message) -> Iterator[Change]:
        if left.texts == right.texts and all(isinstance(text, str) for text in left.texts.values()):
            return  # JSON of the same characters
        for part, tree in left.trees.items():
            found = list(self._trees(where, part, tree, right.trees[part], within))
            yield from found
            texts = left.texts.get(part), right.texts.get(part)
            if texts[0] != texts[1] and self._spelled < _MOST_SPELLED and not any(c.is_meaning for c in found):
                self._spelled += 1
                yield from self._bytes(within, part, tree, right.trees[part], texts, has_respelled=bool(found))

    def _trees(self, where: str, root: str, left: Tree, right: Tree, within: str = "") -> Iterator[Change]:
        self._has_volatile = False
        if left == right:
            return
        for difference in differences(left, right, (root,)):
            at = skeleton_of(difference.path, self._dialect.columns_at)
            if at in self._dialect.volatile:
                self._has_volatile = True
            elif difference.kind == "text":
                yield Change(f"digits or JSON text at {within}{at}", "text", "form", where, path_text(difference.path))
            else:
                left_part, right_part = difference.left, difference.right
                yield self._change(within + at, difference.kind, where, difference.path, left_part, right_part)

    def _bytes(
        self,
        within: str,
        part: str,
        left: Tree,
        right: Tree,
        texts: tuple[str | bytes | None, ...],
        *,
        has_respelled: bool,
    ) -> Iterator[Change]:
        """The differences in the bytes of two trees of one meaning; empty where volatile members cause them.

        `has_respelled`: other digits or JSON texts in the trees were found, and explain other bytes.
        """
        unordered = self._dialect.unordered
        reordered = list(reordered_objects(left, right, (part,), self._dialect.columns_at))
        has_volatile = self._has_volatile or not unordered.isdisjoint(reordered)
        found = [f"order of members at {within}{at}" for at in reordered if at not in unordered]
        one, other = texts
        if isinstance(one, str) and isinstance(other, str):
            found += spellings(one, other)
        elif not has_respelled:
            found.append(f"encoding of {within}{part}")
        if not found and not has_respelled and not has_volatile:
            found.append(f"spelling of {within}{part}")
        yield from (Change(what, "text", "form") for what in dict.fromkeys(found))

    # -- one change ----------------------------------------------------------------------------------------------------

    def _counted(self, what: str, left: Sequence[Any], right: Sequence[Any]) -> Change:
        return self._change("answer", "count", what, (), len(left), len(right))

    def _change(self, at: str, kind: str, where: str, path: Path, left: Any, right: Any) -> Change:
        harm = self._dialect.harm(at, kind, left, right)
        one, other = (shown(Number(side) if type(side) is int else side) for side in (left, right))
        return Change(at, kind, harm or "schema", where, path_text(path), one, other, is_unexpected=not harm)


def _kind_text(answer: Answer) -> str:
    return f"{answer.kind} ({answer.reason})" if answer.reason else answer.kind
