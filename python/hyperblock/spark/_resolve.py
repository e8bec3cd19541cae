"""From pairs to entities: forests of pairs, merged in a few rounds.

Each partition of pairs is reduced to a spanning forest, which connects the same records by fewer pairs than there are records. Forests
are merged, sixteen partitions at a time, until one task has all of them. Nothing is iterated until it converges, and nothing is
checkpointed: how many rounds there are is known beforehand.

Records of two tables have names of their own meanwhile, `l` or `r` and the id: so an id may be in both. Names are ordered as ids are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .._asked import Rules
from .._entities import Method, _method
from .._spread import clustered, forested, gathered
from ._job import Job, choosing, job, quoted

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
    from pyspark.sql import DataFrame  # type: ignore[import-not-found, unused-ignore]

MERGED = 16
"""Partitions whose forests are merged to one."""


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
        kind = "bigint" if _are_integers(job)[0] else "string"
        records = job.frames[0].select(quoted(job.ids[0]).cast(kind).alias("id"))
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
    are_integers, two = _are_integers(job), len(job.frames) == 2
    kind = "bigint" if are_integers[0] and not two else "string"
    edges = f"`left` {kind}, `right` {kind}"
    forests = pairs.select("left", "right").mapInArrow(naming(are_integers), edges) if two else pairs.select("left", "right")
    forests = forests.mapInArrow(forested, edges)
    n_forests = job.spread.n_packs
    while n_forests > 1:
        n_forests = -(-n_forests // MERGED)
        forests = forests.repartition(n_forests).mapInArrow(forested, edges)
    columns = "`table` string, id string, entity_id string" if two else f"id {kind}, entity_id {kind}"
    # One task: it has them all already, where there was a round.
    return forests.repartition(1).mapInArrow(componenting(are_integers if two else None, job.threads), columns)


def _within(job: Job, pairs: DataFrame, components: DataFrame, method: str) -> DataFrame:
    """The entities of a method that takes components apart, some components at a time."""
    from pyspark.sql import functions as F

    two = len(job.frames) == 2
    bucket = F.pmod(F.hash("entity_id"), F.lit(job.spread.n_packs)).alias("bucket")
    of_left = components.where("table = 'left'") if two else components
    of_left = of_left.select(F.col("id").alias("named"), bucket)
    named = F.col("left").cast("string") if two else F.col("left")
    rows = pairs.drop("rule").withColumn("named", named).join(of_left, "named").drop("named")
    kind = "bigint" if _are_integers(job)[0] and not two else "string"
    threads = job.threads

    def of_bucket(rows: pa.Table) -> pa.Table:
        return clustered(rows.drop_columns(["bucket"]), method, two, threads)

    columns = "`table` string, id string, entity_id string" if two else f"id {kind}, entity_id {kind}"
    return rows.groupBy("bucket").applyInArrow(of_bucket, columns)


def _are_integers(job: Job) -> list[bool]:
    """Whether left and right ids are whole numbers."""
    return [str(job.spread.schema.field(side).type) == "int64" for side in ("left", "right")]


def naming(are_integers: list[bool]) -> Any:
    """What gives the records of two tables names that tell them apart, ordered as ids are."""

    def named(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            columns = [names(batch.column(side), "lr"[side], are_integers[side]) for side in (0, 1)]
            yield pa.RecordBatch.from_arrays(columns, names=["left", "right"])

    return named


def names(ids: pa.Array, table: str, are_integers: bool) -> pa.Array:
    """Ids as names: whole numbers from the least one on, so that they are ordered as texts, too."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if are_integers:
        ids = pc.utf8_lpad(turned(ids.view(pa.uint64())).cast(pa.string()), 20, "0")
    return pc.binary_join_element_wise(table, ids, "")


def turned(numbers: pa.Array) -> pa.Array:
    """With the first bit turned: the least number of those with a sign is then 0, and back."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.bit_wise_xor(numbers, pa.scalar(1 << 63, pa.uint64()))


def unnamed(named: pa.Array, are_integers: list[bool]) -> tuple[pa.Array, pa.Array]:
    """The tables and the ids, as text, of names."""
    import pyarrow as pa
    import pyarrow.compute as pc

    named = named.combine_chunks() if isinstance(named, pa.ChunkedArray) else named

    of_left = pc.starts_with(named, "l")
    rest = pc.utf8_slice_codeunits(named, 1)
    found = []
    for numbers, of in zip(are_integers, (of_left, pc.invert(of_left))):
        text = pc.if_else(of, rest, pa.scalar(None, pa.string()))
        if numbers:
            text = turned(text.cast(pa.uint64())).view(pa.int64()).cast(pa.string())
        found.append(text)
    return pc.if_else(of_left, "left", "right"), pc.coalesce(*found)


def componenting(are_integers: list[bool] | None, threads: int) -> Any:
    """What makes components of a forest; of two tables, if it is told of which kinds their ids are."""

    def components(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        for forest in gathered(batches, 1 << 62):
            found = clustered(forest, "components", False, threads)
            if are_integers is not None:
                tables, ids = unnamed(found.column("id"), are_integers)
                entities = pc.binary_join_element_wise(*unnamed(found.column("entity_id"), are_integers), ":")
                found = pa.table({"table": tables, "id": ids, "entity_id": entities})
            yield from found.to_batches()

    return components
