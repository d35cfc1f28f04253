"""Reports pytest's test items to allure-pytest, with the same content as `--report allure=`.

Allure is imported only if allure-pytest is installed and requested.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from conformance.catalogue.register import load_register
from reports.allure.labels import Rules, labels_of, parameters_of
from reports.allure.texts import FirstOfACause, attachments_of, description_of

__all__ = ["AllureItems"]


class AllureItems:
    """Adds labels, parameters, description and attachments to the running test item.

    `several`: whether the run judges more than one implementation.
    """

    def __init__(self, config: pytest.Config, *, several: bool) -> None:
        self._plugins = config.pluginmanager
        self._several = several
        self._is_shown = FirstOfACause()

    def report(self, verdict: Mapping[str, Any], case: Mapping[str, Any], replay: str) -> None:
        """Report the verdict of the running item, if allure-pytest listens."""
        if not self._plugins.hasplugin("allure_listener"):
            return
        import allure  # an optional dependency

        rules = _rules_of(verdict["protocol"])
        for name, value in labels_of(verdict, rules):
            if name != "package":  # allure-pytest derives it from the test id
                allure.dynamic.label(name, value)
        for name, value in parameters_of(verdict, several=self._several).items():
            allure.dynamic.parameter(name, value)
        allure.dynamic.title(verdict["case"])
        if verdict["verdict"] == "pass":
            return
        allure.dynamic.description(description_of(verdict, replay))
        if self._is_shown(verdict):
            for attachment in attachments_of(verdict, case):
                kind = allure.attachment_type[attachment.kind]
                allure.attach(attachment.text, name=attachment.name, attachment_type=kind)


@cache
def _rules_of(protocol: str) -> Rules:
    return {(protocol, r.id): (r.group, r.rule) for r in load_register(protocol).requirements.values()}
