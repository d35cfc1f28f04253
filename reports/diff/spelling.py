"""The differences in the bytes of two JSON texts of equal meaning: order of members, escapes, white space, digits."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator

from reports.diff.trees import Doubled, Path, Tree, skeleton_of

__all__ = ["reordered_objects", "spellings"]

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_CHARACTER = re.compile(r"\\u[0-9a-fA-F]{4}|\\?.", re.DOTALL)
_SPACE = re.compile(r"\s+")


def reordered_objects(left: Tree, right: Tree, path: Path, columns_at: Collection[str]) -> Iterator[str]:
    """The skeletons of objects that have their members in another order, in two equal trees."""
    if isinstance(left, dict) and isinstance(right, dict):
        if [*left] != [*right]:
            yield skeleton_of(path, columns_at)
        for name, part in left.items():
            if isinstance(part, (dict, list, Doubled)):
                yield from reordered_objects(part, right.get(name), (*path, name), columns_at)
    elif isinstance(left, (list, Doubled)) and isinstance(right, (list, Doubled)):
        for i, (one, other) in enumerate(zip(left, right, strict=False)):
            yield from reordered_objects(one, other, (*path, i), columns_at)


def spellings(left: str, right: str) -> Iterator[str]:
    """`escape of U+003C`, `white space`: the differences in spelling between texts of equal trees."""
    if "\\" in left or "\\" in right:
        tokens = [{*_STRING.findall(text)} for text in (left, right)]
        lefts, rights = _meanings(tokens[0] - tokens[1]), _meanings(tokens[1] - tokens[0])
        for meaning in sorted(lefts.keys() & rights.keys()):
            characters = [_CHARACTER.findall(side[meaning][1:-1]) for side in (lefts, rights)]
            yield from _escapes(meaning, *characters)
    # Texts of one length may have their blanks elsewhere; checking that in every message costs too much.
    if len(left) != len(right) and any(_SPACE.search(text) for text in (left, right)):
        spaces = [_SPACE.findall(_STRING.sub("", text)) for text in (left, right)]
        if spaces[0] != spaces[1]:
            yield "white space"


def _meanings(tokens: Iterable[str]) -> dict[str, str]:
    """The content of strings → their spelling."""
    return {json.loads(token, strict=False): token for token in sorted(tokens)}


def _escapes(meaning: str, left: list[str], right: list[str]) -> Iterator[str]:
    """The characters of a string that are escaped on one side only, or in another way."""
    # Characters beyond the first plane are two escapes, so that the positions no longer match.
    if not len(left) == len(right) == len(meaning):
        yield "escapes"
        return
    for character, one, other in zip(meaning, left, right, strict=True):
        if one != other:
            yield f"escape of U+{ord(character):04X}"
