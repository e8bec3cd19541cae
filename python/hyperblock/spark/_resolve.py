"""From pairs to entities: forests of pairs, merged in a few rounds.

Each partition of pairs is reduced to a spanning forest, which connects the same records by fewer pairs than there are records. Forests
are merged, sixteen partitions at a time, until one task has all of them. Nothing is iterated until it converges, and nothing is
checkpointed: how many rounds there are is known beforehand. Of two tables a forest keeps left ids on the left, so an id may be in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .._asked import Rules
from .._entities import Method, _method
from .._spread import clustered, foresting, gathered
from ._job import Job, ddl, job, quoted

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
    from pyspark.sql import DataFrame  # type: ignore[import-not-found, unused-ignore]

MERGED = 16
"""Partitions whose forests are merged to one."""
ALL = 1 << 62


def resolve(
    df: DataFrame,
    rules: Rules,
    *,
    right: DataFrame | None = None,
    id: str,
    right_id: str | None = None,
    method: Method = "components",
    worker_memory: int,
    max_shuffle: int | None = None,
    device: str = "auto",
    cores: int | None = None,
) -> DataFrame:
    """Finds pairs, scores them if the rules have a score, and makes entities: the rows of `hyperblock.resolve`, in no order.

    The forest of all pairs has to fit into one task: it has fewer pairs than there are records in pairs.

    Args:
        df: The table, or the left one.
        rules: A path of a rule file, its text, or names and conditions. Files are read where the call is made.
        right: The right table, if there are two. The answer then has a column ``table``, and entities such as ``left:17``.
        id: The column with the ids: whole numbers or texts, each of one record of its table.
        right_id: The right table's column of ids, if it has another name.
        method: As in `hyperblock.resolve`. All but ``"components"`` run within components, and read the pairs twice.
        worker_memory: Bytes that the Python process of one task may take, as in `dedupe`.
        max_shuffle: More bytes than this to shuffle are a ``ValueError``, which says how many.
        device: ``"auto"`` (the GPU that Spark assigned to the task, else the CPU), ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
        cores: Of all executors together; by default as many as Spark runs tasks at a time on.
    """
    how = _method(method)
    tables = dict(df=df) if right is None else dict(df=df, right=right)
    found = job(tables, rules, id=id, right_id=right_id, worker_memory=worker_memory, max_shuffle=max_shuffle, cores=cores)
    return _entities(found, how, found.pairs(device))


def _entities(job: Job, method: str, pairs: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    two = len(job.frames) == 2
    of_pairs = _components(job, pairs)
    if method != "components":
        of_pairs = _within(job, pairs, of_pairs, method)
    if not two:
        records = job.frames[0].select(quoted(job.ids[0]).cast(_kind(job)).alias("id"))
        found = records.join(of_pairs, "id", "left")
        return found.select("id", F.coalesce("entity_id", "id").alias("entity_id"))
    records = _of_both(job)
    found = records.join(of_pairs, ["table", "id"], "left")
    own = F.concat(F.col("table"), F.lit(":"), F.col("id"))
    return found.select("table", "id", F.coalesce(F.col("entity_id"), own).alias("entity_id"))


def _of_both(job: Job) -> DataFrame:
    """The ids of both tables, as text."""
    from pyspark.sql import functions as F

    of = [
        frame.select(F.lit(table).alias("table"), quoted(id_column).cast("string").alias("id"))
        for table, frame, id_column in zip(("left", "right"), job.frames, job.ids)
    ]
    return of[0].unionAll(of[1])


def _components(job: Job, pairs: DataFrame) -> DataFrame:
    """The component of each record that is in a pair, called as the entity that its records would be."""
    two, threads = len(job.frames) == 2, job.threads
    forest = foresting(two)
    edges = ", ".join(ddl(job.spread.schema).split(", ")[:2])
    forests = pairs.select("left", "right").mapInArrow(forest, edges)
    n_forests = job.spread.n_packs
    while n_forests > 1:
        n_forests = -(-n_forests // MERGED)
        forests = forests.repartition(n_forests).mapInArrow(forest, edges)

    def components(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for pairs in gathered(batches, ALL):
            yield from clustered(pairs, "components", two, threads).to_batches()

    # One task has all of them.
    return forests.repartition(1).mapInArrow(components, _columns(job))


def _within(job: Job, pairs: DataFrame, components: DataFrame, method: str) -> DataFrame:
    """The entities of a method that takes components apart, some components at a time."""
    from pyspark.sql import functions as F

    two, threads = len(job.frames) == 2, job.threads
    bucket = F.pmod(F.hash("entity_id"), F.lit(job.spread.n_packs)).alias("bucket")
    of_left = components.where("table = 'left'") if two else components
    of_left = of_left.select(F.col("id").alias("named"), bucket)
    named = F.col("left").cast("string") if two else F.col("left")
    rows = pairs.drop("rule").withColumn("named", named).join(of_left, "named").drop("named")

    def of_bucket(rows: pa.Table) -> pa.Table:
        return clustered(rows.drop_columns(["bucket"]), method, two, threads)

    return rows.groupBy("bucket").applyInArrow(of_bucket, _columns(job))


def _columns(job: Job) -> str:
    """Those of entities: ids of two tables are text."""
    if len(job.frames) == 2:
        return "`table` string, id string, entity_id string"
    kind = _kind(job)
    return f"id {kind}, entity_id {kind}"


def _kind(job: Job) -> str:
    return "bigint" if str(job.spread.schema.field("left").type) == "int64" else "string"
