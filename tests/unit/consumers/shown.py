"""What the model of a consumer predicts for a message that a test writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from conformance.consumers import MODELS
from conformance.consumers.model import Message, Prediction


def table(**types: str) -> dict[str, Any]:
    columns = [{"name": "id", "type": "int"}, *({"name": name, "type": text} for name, text in types.items())]
    return {"schema": "test", "name": "t", "columns": columns, "primary_key": ["id"]}


def shown(consumer: str, protocol: str, tree: Any, types: Mapping[str, str], **options: str) -> Prediction:
    model = MODELS[consumer]("2.3.0")
    value = tree if tree is None or isinstance(tree, bytes) else json.dumps(tree).encode()
    given = {name.replace("_", "-"): text for name, text in options.items()}
    return model.predict(Message(protocol, None, value, table(**types), given))


def canal(kind: str, data: list[Any] | None, old: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"database": "test", "table": "t", "type": kind, "isDdl": False, "data": data, "old": old, **more}


def shown_text(consumer: str, type_: str, text: str) -> Prediction:
    """The prediction for an insert of Canal-JSON with a text in the column `v` of a type."""
    message = canal("INSERT", [{"id": "1", "v": text}], mysqlType={"id": "int", "v": type_})
    return shown(consumer, "canal-json", message, {"v": type_})


def values_of(prediction: Prediction) -> list[str | None]:
    """The values of the column `v` in the predicted rows."""
    return [row["v"] for _, row in prediction.rows]
