"""The frame of every HTML page: one base template, one stylesheet, one small script, and filters for values.

A report has a folder `templates` of its own beside its view; `Frame` finds both. A page needs no network, and can be
read without its script, which only filters rows and copies text. Every value is escaped twice: markup by jinja2,
invisible characters (controls, right-to-left marks) by their pictures or numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # most runs write no page
    from jinja2 import Environment

__all__ = ["Frame", "TemplateProblem"]


class TemplateProblem(Exception):
    """A user's template is wrong; the text says which, where and why."""


@dataclass(frozen=True)
class Frame:
    """Renders pages from templates.

    `package` is that of the report: its data have the report's own templates. `overrides` is a folder of the user's
    (option `--template DIR`): a template there replaces the one with its name, and may extend that one as `suite/NAME`
    to override single blocks. Raises `TemplateProblem` where such a template is wrong.
    """

    package: str
    overrides: Path | None = None

    def render(self, name: str, view: Mapping[str, Any]) -> str:
        """The page `name` (as `run.html`), with the members of `view` as its variables. Same view, same bytes."""
        with self._faults_of(name):
            text = self._environment.get_template(name).render(view)
        return text if text.endswith("\n") else text + "\n"

    def check(self) -> None:
        """Raises `TemplateProblem` for a user's folder that is missing, has no template, or one with a fault.

        An unknown variable and a wrong expression show only when the page is rendered.
        """
        if self.overrides is None:
            return
        if not self.overrides.is_dir():
            raise TemplateProblem(f"there is no folder {self.overrides}")
        names = sorted(path.name for path in self.overrides.glob("*.html"))
        known = sorted(path.name for package in (self.package, __package__) for path in _folder(package).glob("*.html"))
        if not set(names) & set(known):
            raise TemplateProblem(f"{self.overrides} has none of the templates that are used here: {', '.join(known)}")
        for name in names:
            with self._faults_of(name):
                self._environment.get_template(name)

    @contextmanager
    def _faults_of(self, name: str) -> Iterator[None]:
        """Raises `TemplateProblem` for an error of jinja2, and for any error while a user's template is rendered."""
        try:
            yield
        except Exception as e:
            from jinja2 import TemplateError

            if self.overrides is None and not isinstance(e, TemplateError):
                raise
            raise _problem(e, name) from None

    @cached_property
    def _environment(self) -> Environment:
        from reports.frame.environment import environment_of, shipped

        suite = tuple(_folder(one) for one in dict.fromkeys((self.package, __package__)))
        return shipped(suite) if self.overrides is None else environment_of(suite, self.overrides)


def _problem(error: Exception, name: str) -> TemplateProblem:
    from jinja2 import TemplateError

    line = f", line {number}" if (number := getattr(error, "lineno", None)) else ""
    # An error of Python also has a `name`, but that of an attribute or variable.
    template = getattr(error, "name", None) if isinstance(error, TemplateError) else None
    where = f"{getattr(error, 'filename', None) or template or name}{line}"
    return TemplateProblem(f"template {where}: {type(error).__name__}: {getattr(error, 'message', '') or error}")


def _folder(package: str) -> Path:
    return Path(str(files(package).joinpath("templates")))
