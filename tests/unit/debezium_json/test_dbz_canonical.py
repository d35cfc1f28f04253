"""Debezium JSON: canonical texts of whole messages, and the document's own example."""

from __future__ import annotations

import json

from reference_impl.debezium_json import Options
from reference_impl.model import DdlEvent, RowChange, Watermark
from reference_impl.settings import Settings
from tests.unit.debezium_json.messages import BARE, EXTENSION, NOW, decode_one, write

# Canonical messages of `table1`; what the extension adds is left out.

_SOURCE = (
    '"source":{"version":"2.4.0.Final","connector":"TiCDC","name":"test_cluster","ts_ms":0,"snapshot":"false",'
    '"db":"%s","table":"%s","server_id":0,"gtid":null,"file":"","pos":0,"row":0,"thread":0,"query":null,'
    '"commit_ts":%d,"cluster_id":"test_cluster"},"ts_ms":1701326309000'
)
_TINY_SOURCE = _SOURCE % ("test", "table1", 1)
_SOURCE_SCHEMA = (
    '{"type":"struct","fields":[{"type":"string","optional":false,"field":"version"},{"type":"string",'
    '"optional":false,"field":"connector"},{"type":"string","optional":false,"field":"name"},{"type":"int64",'
    '"optional":false,"field":"ts_ms"},{"type":"string","optional":true,"name":"io.debezium.data.Enum","version":1,'
    '"parameters":{"allowed":"true,last,false,incremental"},"default":"false","field":"snapshot"},{"type":"string",'
    '"optional":false,"field":"db"},{"type":"string","optional":true,"field":"sequence"},{"type":"string",'
    '"optional":true,"field":"table"},{"type":"int64","optional":false,"field":"server_id"},{"type":"string",'
    '"optional":true,"field":"gtid"},{"type":"string","optional":false,"field":"file"},{"type":"int64",'
    '"optional":false,"field":"pos"},{"type":"int32","optional":false,"field":"row"},{"type":"int64",'
    '"optional":true,"field":"thread"},{"type":"string","optional":true,"field":"query"}%s],"optional":false,'
    '"name":"io.debezium.connector.mysql.Source","field":"source"}'
)
_COMMIT_SCHEMA = (
    ',{"type":"int64","optional":false,"field":"commit_ts"},{"type":"string","optional":false,"field":"cluster_id"}'
)
_END_SCHEMA = (
    '{"type":"string","optional":false,"field":"op"},{"type":"int64","optional":true,"field":"ts_ms"},'
    '{"type":"struct","fields":[{"type":"string","optional":false,"field":"id"},{"type":"int64","optional":false,'
    '"field":"total_order"},{"type":"int64","optional":false,"field":"data_collection_order"}],"optional":true,'
    '"name":"event.block","version":1,"field":"transaction"}'
)


def test_an_insert_without_schema_is_the_canonical_text() -> None:
    change = RowChange("insert", "test", "table1", 1, after={"tiny": "1"})
    assert write(change, options=BARE) == [
        (
            '{"payload":{"tiny":1}}',
            f'{{"payload":{{{_TINY_SOURCE},"transaction":null,"op":"c","before":null,"after":{{"tiny":1}}}}}}',
        )
    ]


def test_an_update_with_extension_is_the_canonical_text() -> None:
    change = RowChange("update", "test", "table1", 1, before={"tiny": "2"}, after={"tiny": "1"})
    options = Options(enable_tidb_extension=True, output_raw_change_event=True)
    field = '{"tidb_type":"tinyint","type":"int16","optional":false,"field":"tiny"}'
    images = ",".join(
        f'{{"type":"struct","optional":true,"name":"test_cluster.test.table1.Value","field":"{name}","fields":[{field}]}}'
        for name in ("before", "after")
    )
    assert write(change, options=options) == [
        (
            '{"payload":{"tiny":1},"schema":{"type":"struct","name":"test_cluster.test.table1.Key","optional":false,'
            f'"fields":[{field}]}}}}',
            f'{{"payload":{{{_TINY_SOURCE},"transaction":null,"op":"u","before":{{"tiny":2}},"after":{{"tiny":1}}}},'
            '"schema":{"type":"struct","optional":false,"name":"test_cluster.test.table1.Envelope","version":1,'
            f'"fields":[{images},{_SOURCE_SCHEMA % _COMMIT_SCHEMA},{_END_SCHEMA}]}}}}',
        )
    ]


def test_a_delete_puts_the_missing_image_first() -> None:
    change = RowChange("delete", "test", "table1", 1, before={"tiny": "2"})
    [(key, value)] = write(change, options=BARE)
    assert key == '{"payload":{"tiny":2}}'
    assert value.endswith('"transaction":null,"op":"d","after":null,"before":{"tiny":2}}}')


def test_a_watermark_is_the_canonical_text() -> None:
    key, value = write(Watermark(3), options=EXTENSION)[0]
    assert key == (
        '{"payload":{},"schema":{"type":"struct","name":"test_cluster.watermark.Key","optional":false,"fields":[]}}'
    )
    assert value == (
        f'{{"payload":{{{_SOURCE % ("", "", 3)},"transaction":null,"op":"m"}},"schema":{{"type":"struct",'
        '"optional":false,"name":"test_cluster.watermark.Envelope","version":1,'
        f'"fields":[{_SOURCE_SCHEMA % _COMMIT_SCHEMA},{_END_SCHEMA}]}}}}'
    )


def _field(name: str, optional: bool, kind: str, more: str = "") -> str:
    return f'{{"field":"{name}","optional":{str(optional).lower()},"type":"{kind}"{more}}}'


def test_the_schema_of_a_statement_is_the_canonical_text() -> None:
    strings = ',"items":{"type":"string","optional":false}'
    column = ",".join(
        (
            _field("name", False, "string"),
            _field("jdbcType", False, "int32"),
            _field("nativeType", True, "int32"),
            _field("typeName", False, "string"),
            _field("typeExpression", True, "string"),
            _field("charsetName", True, "string"),
            _field("length", True, "int32"),
            _field("scale", True, "int32"),
            _field("position", False, "int32"),
            _field("optional", True, "boolean"),
            _field("autoIncremented", True, "boolean"),
            _field("generated", True, "boolean"),
            _field("comment", True, "string"),
            _field("defaultValueExpression", True, "string"),
            _field("enumValues", True, "array", strings),
        )
    )
    items = (
        ',"items":{"name":"io.debezium.connector.schema.%s","optional":false,"type":"struct","version":1,"fields":[%s]}'
    )
    table = ",".join(
        (
            _field("defaultCharsetName", True, "string"),
            _field("primaryKeyColumnNames", True, "array", strings),
            _field("columns", False, "array", items % ("Column", column)),
            _field("comment", True, "string"),
        )
    )
    more = f',"name":"io.debezium.connector.schema.Table","version":1,"fields":[{table}]'
    change = ",".join(
        (_field("type", False, "string"), _field("id", False, "string"), _field("table", True, "struct", more))
    )
    fields = ",".join(
        (
            _SOURCE_SCHEMA % "",
            _field("ts_ms", False, "int64"),
            *(_field(name, True, "string") for name in ("databaseName", "schemaName", "ddl")),
            _field("tableChanges", False, "array", items % ("Change", change)),
        )
    )
    event = DdlEvent("test", "", "CREATE DATABASE test", action_code=1, commit_ts=1)
    [(key, value)] = write(event)
    assert key == (
        '{"payload":{"databaseName":"test"},"schema":{"type":"struct",'
        '"name":"io.debezium.connector.mysql.SchemaChangeKey","optional":false,"version":1,'
        '"fields":[{"field":"databaseName","optional":false,"type":"string"}]}}'
    )
    assert value == (
        f'{{"payload":{{{_SOURCE % ("test", "", 1)},"databaseName":"test","schemaName":null,'
        '"ddl":"CREATE DATABASE test","tableChanges":[]},"schema":{"optional":false,"type":"struct","version":1,'
        f'"name":"io.debezium.connector.mysql.SchemaChangeValue","fields":[{fields}]}}}}'
    )


def test_the_document_example_of_an_update_is_read() -> None:
    event = decode_one(
        {
            "payload": {
                "source": {
                    "version": "2.4.0.Final",
                    "connector": "TiCDC",
                    "db": "test",
                    "table": "table1",
                    "commit_ts": 1,
                },
                "ts_ms": NOW,
                "op": "u",
                "before": {"tiny": 2},
                "after": {"tiny": 1},
            }
        }
    )
    assert event == RowChange("update", "test", "table1", 1, before={"tiny": "2"}, after={"tiny": "1"})


def test_without_a_wall_clock_the_commit_gives_the_time() -> None:
    change = RowChange("insert", "test", "table1", 5 << 18, after={"tiny": "1"})
    [(_, value)] = write(change, settings=Settings())
    payload = json.loads(value)["payload"]
    assert (payload["ts_ms"], payload["source"]["ts_ms"]) == (5, 5)
