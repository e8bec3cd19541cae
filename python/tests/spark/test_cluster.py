"""On Spark itself, with executors of their own, one of which is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jobs
import pyarrow as pa
import pytest
from jobs import MEMORY, RULES, people, rows

import hyperblock as hb
import hyperblock.spark as hs


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("hyperblock")
    settings = {
        "spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "512m", "spark.driver.memory": "1g", "spark.sql.execution.arrow.pyspark.enabled": "true",
    }  # fmt: skip
    for name, value in settings.items():
        builder = builder.config(name, value)
    yield from jobs.session(builder.getOrCreate())


def test_pairs_and_entities(spark: Any) -> None:
    table = people(2000)
    frame = spark.createDataFrame(table).repartition(4).cache()
    assert rows(hs.dedupe(frame, RULES, id="id", worker_memory=MEMORY)) == rows(hb.dedupe(table, RULES, id="id", device="cpu"))
    entities = hs.resolve(frame, RULES, id="id", worker_memory=MEMORY)
    assert rows(entities) == rows(hb.resolve(table, RULES, id="id", device="cpu"))


def test_each_pack_has_a_partition(spark: Any) -> None:
    """Labels are chosen by Spark's own hash."""
    from pyspark.sql import functions as F

    from hyperblock.spark._labels import labels

    for n in (7, 24):
        packs = spark.createDataFrame([(label,) for label in labels(n)], "label int").repartition(n, "label")
        found = packs.select("label", F.spark_partition_id().alias("at")).collect()
        assert sorted((row["at"], row["label"]) for row in found) == list(enumerate(labels(n)))


def test_an_executor_is_killed(spark: Any, tmp_path: Path) -> None:
    """In the middle of the units, so that what it had shuffled is lost, too."""
    table, killed = people(1500, 2), str(tmp_path / "killed")

    def kill_once(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows and not os.path.exists(killed):
                Path(killed).touch()
                # The parent of this worker is a daemon, and its parent the executor.
                daemon = os.getppid()
                executor = int(Path(f"/proc/{daemon}/stat").read_text().rsplit(")", 1)[1].split()[1])
                os.kill(executor, signal.SIGKILL)
            yield batch

    frame = spark.createDataFrame(table).repartition(4)
    found = hs.dedupe(frame, RULES, id="id", worker_memory=MEMORY)
    found = found.mapInArrow(kill_once, found.schema)
    assert rows(found) == rows(hb.dedupe(table, RULES, id="id", device="cpu"))
    assert os.path.exists(killed)
