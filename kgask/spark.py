"""A column of questions in a Spark DataFrame, answered on its workers.

    from kgask.spark import answer

    answered = answer(spark.read.text("questions.txt"), "mine", column="value")
    answered.select("value", "answered.answer", "answered.confidence").write.parquet("answers")

A Python worker opens the pack and the models at its first question and keeps them. So kgask is installed where the
workers run, and the pack is there by the same name or path. Nothing is downloaded.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from kgask.answer.lines import answer_lines
from kgask.answer.request import AskOptions
from kgask.answer.result import Answer
from kgask.config import load_settings
from kgask.errors import UsageError
from kgask.opened import Opened

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

_ROWS = 256  # answered together
SCHEMA = (
    "question STRING, answer STRING, kind STRING, "
    "entities ARRAY<STRUCT<id: BIGINT, key: STRING, label: STRING>>, "
    "support ARRAY<STRUCT<id: BIGINT, subject: STRING, relation: STRING, object: STRING, hop: BIGINT, score: DOUBLE, "
    "qualifiers: ARRAY<ARRAY<STRING>>>>, "
    "confidence DOUBLE, abstained BOOLEAN, reason STRING, died_at STRING, query STRING, sparql STRING, "
    "notes ARRAY<STRING>, json STRING"
)


def answer(
    df: DataFrame,
    pack: str | None = None,
    *,
    column: str = "question",
    into: str = "answered",
    options: AskOptions | None = None,
    settings: dict[str, Any] | None = None,
    **opened: Any,
) -> DataFrame:
    """``df`` with what each text of ``column`` was answered, a struct of :data:`SCHEMA` in the new column ``into``.

    Its fields are those of these names that ``kgask ask --json`` prints (docs/json.md); ``json`` is the whole object.
    What is no question, NULL among it, is not answered, and ``reason`` says why. ``options`` are of every question; the
    others are those of :func:`kgask.open`, and the user's settings are read here. Like all of a DataFrame it runs when
    its rows are asked for; a pack or model that a worker does not find fails then, with kgask's line in Spark's error.

    Raises :class:`UsageError` for a column that is not there or holds no texts, and where ``into`` is there.
    """
    from pyspark.sql.pandas.types import to_arrow_type
    from pyspark.sql.types import StringType, StructType

    if column not in df.columns or not isinstance(df.schema[column].dataType, StringType):
        raise UsageError(f"no column {column!r} of texts; columns: {', '.join(df.columns)}")
    if into in df.columns:
        raise UsageError(f"there is a column {into!r} already; into= names another")
    told = StructType.fromDDL(SCHEMA)
    settings = load_settings() if settings is None else settings
    given = pickle.dumps((opened | {"pack": pack, "settings": settings}, options or AskOptions()))
    work = partial(_answered, given=given, column=column, into=into, told=to_arrow_type(told))
    return df.mapInArrow(work, StructType([*df.schema.fields]).add(into, told))


def _answered(
    batches: Iterable[pyarrow.RecordBatch], given: bytes, column: str, into: str, told: pyarrow.DataType
) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS):
            part = batch.slice(start, _ROWS)
            pipeline, options = _opened(given)
            texts = [text or "" for text in part.column(column).to_pylist()]
            rows = [_row(one) for one in answer_lines(pipeline, texts, options)]
            columns = [*part.columns, pyarrow.array(rows, told)]
            yield pyarrow.RecordBatch.from_arrays(columns, names=[*part.schema.names, into])


@lru_cache(maxsize=1)
def _opened(given: bytes) -> tuple[Opened, AskOptions]:
    """What this worker answers with, from its first question on."""
    opening, options = pickle.loads(given)
    return Opened.open(**opening), options


def _row(one: Answer) -> Mapping[str, Any]:
    content = one.to_dict()
    return content | {"json": json.dumps(content, ensure_ascii=False)}
