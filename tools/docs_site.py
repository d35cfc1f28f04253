"""Hooks of mkdocs: point links out of `docs` to the repository, and publish schemas at the addresses of their ids."""

from __future__ import annotations

import logging
import posixpath
import re
import shutil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_OUT = re.compile(r"(\]\()(\.\./[^)\s#]+)(#[^)\s]*)?\)")
_SCHEMA = "fixtures/schemas/"
_log = logging.getLogger("mkdocs.hooks.docs_site")


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Point links out of `docs` to the repository, and those to schemas to the site.

    Report missing files.
    """

    def link(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), found[2]))
        if path.startswith("docs/"):
            return found[0]  # from a folder of pages to another page
        if not (ROOT / path).exists():
            _log.warning("%s links to %s, which is not in the repository", page.file.src_uri, path)
        if path.startswith(_SCHEMA):
            return f"{found[1]}{config['site_url']}schemas/{path.removeprefix(_SCHEMA)})"
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        return f"{found[1]}{config['repo_url']}/{kind}/main/{path}{found[3] or ''})"

    return _OUT.sub(link, markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Put the schemas beside the pages."""
    folder = Path(config["site_dir"]) / "schemas"
    folder.mkdir(exist_ok=True)
    for path in sorted((ROOT / "fixtures" / "schemas").glob("*.schema.json")):
        shutil.copyfile(path, folder / path.name)
