"""A job of Spark: tables are looked at and the job is planned, which runs at once; and the DataFrame that finds its pairs, which
runs when somebody reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from .._asked import Rules, text, whole
from .._errors import TableError
from .._spread import PLACES, Spread, check_ids, counting, covering, mentioned, name_of, planned, sample_share, solving
from ._labels import labels
from ._rows import bytes_of_rows

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
    from pyspark.sql import DataFrame  # type: ignore[import-not-found, unused-ignore]

SEED = 7
"""The same table gives the same sample, so the same plan."""
SHOWN = 5
"""So many ids that are there twice are named."""
MEASURED = 4096
"""Records of a sample whose rows are encoded as Spark would."""
IDS = ("tinyint", "smallint", "int", "bigint", "string")
"""Types of ids: of others neither order nor text is the same everywhere."""


@dataclass(frozen=True)
class Job:
    """A planned job, and the tables that it is over."""

    spread: Spread
    frames: list[DataFrame]
    ids: list[str]
    """By table: the column with the ids."""
    cores: int
    threads: int
    """Of a task."""
    memory: int
    bytes_of_copy: float

    @property
    def bytes_to_shuffle(self) -> int:
        return round(float(self.spread.told["copies"]) * self.bytes_of_copy)

    def pairs(self, device: str) -> DataFrame:
        """The candidates, each once. Values whose frequencies the score asks are counted now."""
        spread = _with_terms(self.spread, self.frames) if self.spread.terms else self.spread
        of_packs = labels(spread.n_packs)
        types = _types(self.frames, spread)
        schema = ", ".join(["label int", "unit bigint", "side tinyint", *(f"c{slot} {name}" for slot, name in enumerate(types))])
        rows = [_needed(frame, spread, table).mapInArrow(covering(spread, table, of_packs), schema) for table, frame in enumerate(self.frames)]
        solve = solving(spread, choosing(device), self.threads, self.memory)

        # By its values: workers have no function of this name in their own module.
        def of_unit(key: tuple[Any, ...], rows: pa.Table) -> pa.Table:
            return solve(key[1].as_py(), rows)

        # A plain groupBy would hash several packs to one partition, and small ones would be put together.
        packs = reduce(lambda left, right: left.unionAll(right), rows).repartition(spread.n_packs, "label")
        return packs.groupBy("label", "unit").applyInArrow(of_unit, ddl(spread.schema))


def job(
    frames: dict[str, DataFrame],
    rules: Rules,
    *,
    id: str,
    right_id: str | None,
    worker_memory: int,
    max_shuffle: int | None,
    cores: int | None,
    checks_ids: bool = True,
    side: int | None = None,
) -> Job:
    """Looks at tables, by the names of their options, and plans."""
    _needs_pyspark()
    most = whole("max_shuffle", max_shuffle, least=0)
    ids = [name_of("id", id)]
    if len(frames) > 1:
        ids.append(ids[0] if text("right_id", right_id) is None else name_of("right_id", right_id))
    given = list(frames.values())
    for (name, frame), id_column in zip(frames.items(), ids):
        _check(name, frame, id_column)
    counted = [_counted(frame, column, checks_ids) for frame, column in zip(given, ids)]
    counts = [n for n, _ in counted]
    samples = [_sampled(frame, n, column, rules) for frame, n, column in zip(given, counts, ids)]
    threads = _threads(given[0])
    n_cores = whole("cores", cores) or _cores(given[0])
    spread = planned(
        samples, counts, rules, id=ids[0], right_id=ids[1] if len(ids) > 1 else None, worker_memory=worker_memory,
        cores=max(1, n_cores // threads), side=side,
    )  # fmt: skip
    bytes_of_copy = _bytes_of_copy(spread, samples, counts, [n for _, n in counted])
    planned_job = Job(spread, given, ids, n_cores, threads, worker_memory, bytes_of_copy)
    if most is not None and planned_job.bytes_to_shuffle > most:
        copies = spread.told["copies"]
        by_branch = "; ".join(f"{branch['copies']:,} for {', '.join(branch['rules'])}" for branch in spread.told["branches"])
        raise ValueError(
            f"max_shuffle: {copies:,} copies of records at {bytes_of_copy:.0f} bytes are {planned_job.bytes_to_shuffle:,} bytes to shuffle, "
            f"and {most:,} are allowed. Copies by branch: {by_branch}. Ask for more that records have in common, or allow more"
        )
    return planned_job


def _needs_pyspark() -> None:
    try:
        import pyarrow  # noqa: F401
        import pyspark.sql  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
    except ImportError as error:
        raise ImportError("hyperblock.spark needs PySpark and pyarrow: `pip install hyperblock[spark]`") from error


def _check(option: str, frame: DataFrame, id_column: str) -> None:
    from pyspark.sql import DataFrame

    if not isinstance(frame, DataFrame):
        raise TypeError(f"{option}: a DataFrame of Spark, not {type(frame).__module__}.{type(frame).__qualname__}")
    if frame.isStreaming:
        raise TableError(f"{option}: a stream has no end, and pairs are of whole tables: write it to a table first")
    twice = sorted({name for name in frame.columns if frame.columns.count(name) > 1})
    if twice:
        raise TableError(f"{option}: {len(frame.columns)} columns, of which several are named `{twice[0]}`")
    types = dict(frame.dtypes)
    if id_column not in types:
        some = ", ".join(f"`{name}`" for name in frame.columns[:20])
        raise TableError(f"{option}: the table has no column `{id_column}` for ids; it has {some}")
    if types[id_column] not in IDS:
        raise TableError(f"{option}: ids in `{id_column}` are of type {types[id_column]}: cast them to string, or to bigint")


def _counted(frame: DataFrame, id_column: str, checks_ids: bool) -> tuple[int, int]:
    """How many records there are, and in how many partitions. Ids are looked at by one aggregation, over them alone."""
    from pyspark.sql import functions as F

    # A name of ours, since the table's may have dots in it.
    ids = frame.select(quoted(id_column).alias("id"), F.spark_partition_id().alias("partition"))
    asked = [F.count(F.lit(1)), F.max("partition")]
    if checks_ids:
        asked += [F.count("id"), F.count_distinct("id")]
    n, last, *of_ids = ids.agg(*asked).collect()[0]
    if checks_ids:

        def repeated() -> Sequence[object]:
            counts = ids.groupBy("id").agg(F.count(F.lit(1)).alias("n"))
            return [row[0] for row in counts.where("n > 1").orderBy("id").limit(SHOWN).collect()]

        check_ids(id_column, n, of_ids[0], of_ids[1], repeated)
    return n, 1 + (last or 0)


def _sampled(frame: DataFrame, n: int, id_column: str, rules: Rules) -> pa.Table:
    """Some records, in the columns that rules may be about. Of others only the name is there, for messages."""
    import pyarrow as pa

    kept = [name for name in frame.columns if name == id_column or mentioned(name, rules)]
    some = frame.select(*map(quoted, kept))
    share = sample_share(n)
    found = (some if share >= 1 else some.sample(False, share, SEED)).toArrow()
    if len(found) == 0:
        # A plan needs a record to look at, though nothing may come of it.
        nothing: list[Any] = [[0] if pa.types.is_integer(field.type) and field.name == id_column else [""] if field.name == id_column else [None] for field in found.schema]
        found = pa.table([pa.array(values, field.type) for values, field in zip(nothing, found.schema)], names=found.column_names)
    others = [name for name in frame.columns if name not in kept]
    for name in others:
        found = found.append_column(name, pa.nulls(len(found), pa.string()))
    return found


def _cores(frame: DataFrame) -> int:
    """How many tasks of one core the cluster runs at a time: into as many partitions Spark cuts a range."""
    from pyspark.sql import functions as F

    parts = frame.sparkSession.range(0, 1 << 20).select(F.spark_partition_id().alias("partition"))
    return 1 + int(parts.agg(F.max("partition")).collect()[0][0] or 0)


def _threads(frame: DataFrame) -> int:
    """How many cores a task has."""
    return max(1, int(frame.sparkSession.conf.get("spark.task.cpus", "1") or 1))


def choosing(device: str) -> Callable[[], str]:
    """What tells a task its device: the GPU that Spark assigned to it, if any."""
    wanted = text("device", device)
    if wanted is None:
        raise TypeError("device: text, not NoneType")
    if wanted not in ("auto", "cpu", "cuda") and not (wanted.startswith("cuda:") and wanted[5:].isdigit()):
        raise ValueError(f"device: auto, cpu, cuda or cuda:N, not {wanted!r}")

    def chosen() -> str:
        from pyspark import TaskContext  # type: ignore[import-not-found, unused-ignore]

        # Sail has no such context.
        context = TaskContext.get()
        gpus = context.resources().get("gpu") if context is not None and wanted in ("auto", "cuda") else None
        if gpus is not None and gpus.addresses:
            return f"cuda:{gpus.addresses[0]}"
        return "cpu" if wanted == "auto" else wanted

    return chosen


def _bytes_of_copy(spread: Spread, samples: Sequence[pa.Table], counts: Sequence[int], n_partitions: Sequence[int]) -> float:
    """The mean bytes of a row as Spark shuffles it, by the rows of samples."""
    import pyarrow as pa

    total, rows_in_all = 0.0, 0.0
    n_streams = max(1, sum(n_partitions) * spread.n_packs)
    together = max(1, round(spread.told["copies"] / n_streams))
    for table, (sample, n) in enumerate(zip(samples, counts)):
        step = max(1, len(sample) // MEASURED)
        some = sample.select(spread.columns[table]).take(list(range(0, len(sample), step)))
        batches = list(covering(spread, table, range(spread.n_packs))(some.to_batches()))
        if not batches:
            continue
        rows = pa.Table.from_batches(batches).sort_by("label")
        of_table = n * len(rows) / len(some)
        total += of_table * bytes_of_rows(rows.slice(0, MEASURED * 4), together)
        rows_in_all += of_table
    return total / rows_in_all if rows_in_all else 0.0


def _needed(frame: DataFrame, spread: Spread, table: int) -> DataFrame:
    """The columns that are needed, by names that all engines take."""
    return frame.select(*(quoted(name).alias(f"c{at}") for at, name in enumerate(spread.columns[table])))


def _with_terms(spread: Spread, frames: Sequence[DataFrame]) -> Spread:
    """Counts values, and has those in the plan that are not rare."""
    from pyspark.sql import functions as F

    found = [_needed(frame, spread, table).mapInArrow(counting(spread, table), "attribute int, value string, n bigint") for table, frame in enumerate(frames)]
    values = reduce(lambda left, right: left.unionAll(right), found)
    counts = values.groupBy("attribute", "value").agg(F.sum("n").alias("n"))
    totals = counts.groupBy("attribute").agg(F.sum("n").alias("total"))
    # A little below, so that no rounding leaves a value out: those that are rarer do no harm.
    of = [(F.col("attribute") == term["attribute"]) & (F.col("n") >= F.col("total") * (0.999 * term["least_frequency"])) for term in spread.terms]
    enough = reduce(lambda left, right: left | right, of)
    return spread.with_terms(counts.join(totals, "attribute").where(enough).toArrow())


def _types(frames: Sequence[DataFrame], spread: Spread) -> list[str]:
    """By slot: its type in Spark."""
    found = [""] * len(spread.slots)
    for frame, names, slots in zip(frames, spread.columns, spread.slots_of):
        types = dict(frame.dtypes)
        for name, slot in zip(names, slots):
            found[slot] = types[name]
    return found


def ddl(schema: pa.Schema) -> str:
    """A schema of results, in words of Spark."""
    names = {"int64": "bigint", "int32": "int", "string": "string", "double": "double", "float": "float"}
    return ", ".join(f"`{field.name}` {names[str(field.type)]}" for field in schema)


def quoted(name: str) -> Any:
    """A column by its name, whatever is in it."""
    from pyspark.sql import functions as F

    return F.col("`" + name.replace("`", "``") + "`")
