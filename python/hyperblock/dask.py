"""hyperblock on Dask: the pairs of a data frame, by the functions that Spark is given. docs/spark.md has an example.

Dask itself is imported when a function is called, since this module has its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._asked import Rules
from ._spread import check_ids, check_terms, covering, planned, sample_share, solving

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped, unused-ignore]


def dedupe(df: Any, rules: Rules, *, id: str, worker_memory: int, cores: int, max_shuffle: int | None = None, device: str = "cpu") -> Any:
    """Finds the pairs within a ``dask.dataframe.DataFrame``: the rows of `hyperblock.dedupe` over the same table, as a data frame.

    Args:
        df: The table.
        rules: A path of a rule file, its text, or names and conditions.
        id: The column with the ids: whole numbers or texts, each of one record.
        worker_memory: Bytes that one task may take.
        cores: Of all workers together.
        max_shuffle: More bytes than this to shuffle are a ``ValueError``, which says how many.
        device: ``"cpu"``, or ``"cuda"`` where each worker sees a GPU of its own.
    """
    import pandas as pd
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

    n, present = len(df), int(df[id].count().compute())
    check_ids(id, n, present, int(df[id].nunique().compute()), lambda: list(df[id].value_counts().nlargest(5).compute().index))
    sample = pa.Table.from_pandas(df.sample(frac=sample_share(n), random_state=7).compute(), preserve_index=False)
    spread = planned([sample], [n], rules, id=id, right_id=None, worker_memory=worker_memory, cores=cores, max_shuffle=max_shuffle)
    check_terms(spread)
    cover, solve = covering(spread, 0, range(spread.n_packs)), solving(spread, lambda: device, 1, worker_memory)

    def frame(table: pa.Table) -> pd.DataFrame:
        return table.to_pandas(types_mapper=pd.ArrowDtype)

    def covered(part: pd.DataFrame) -> pd.DataFrame:
        found = list(cover(pa.Table.from_pandas(part, schema=own.schema, preserve_index=False).to_batches()))
        return frame(pa.Table.from_batches(found)) if found else frame(rows)

    def solved(part: pd.DataFrame) -> pd.DataFrame:
        units = [solve(int(unit), pa.Table.from_pandas(some, schema=rows.schema, preserve_index=False)) for unit, some in part.groupby("unit")]
        return frame(pa.concat_tables([spread.schema.empty_table(), *units]))

    own = sample.select(spread.columns[0])
    rows = pa.Table.from_batches(list(cover(own.slice(0, 1).to_batches()))).slice(0, 0)
    packs = df.map_partitions(covered, meta=frame(rows)).shuffle("label", npartitions=spread.n_packs)
    return packs.map_partitions(solved, meta=frame(spread.schema.empty_table()))
