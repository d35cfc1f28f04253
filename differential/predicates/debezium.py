"""Predicates of the divergences between Debezium's connector and TiCDC's Debezium JSON.

What a column is called in its statement decides much upstream, so several ask for the word of its type.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any

from differential.canonical import canonical
from differential.model import Cell
from differential.predicates.kinds import CellTest, ColumnCellTest, StepTest, ValueTest
from reference_impl import epochs, exact_json
from reference_impl.column_types import BINARY, ColumnType, Family
from reference_impl.debezium_json import json_text as ticdc_json
from reference_impl.debezium_json import types as ticdc_types
from reference_impl.errors import Rejected
from reference_impl.floats import nearest_float32, plain
from reference_impl.java_numbers import double_text, exact_text, float_text
from reference_impl.model import Absent, Column, Expression
from reference_impl.upstream.debezium import json_text as connector_json
from reference_impl.upstream.debezium import texts, types
from reference_impl.upstream.debezium.defaults import default_text
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.readers import LOST, Shape, reader

__all__ = ["CELLS", "COLUMN_CELLS", "LACKED", "STEPS", "VALUES"]
VALUES = {}
CELLS = {}
COLUMN_CELLS = {}
LACKED = {}
STEPS = {}
