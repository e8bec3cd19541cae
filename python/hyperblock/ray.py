"""hyperblock on Ray: the pairs of a dataset, by the functions that Spark is given. docs/spark.md has an example.

Ray itself is imported when a function is called, since this module has its name.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._asked import Rules
from ._spread import check_ids, check_terms, covering, planned, sample_share, solving

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]


def dedupe(ds: Any, rules: Rules, *, id: str, worker_memory: int, max_shuffle: int | None = None, device: str = "auto") -> Any:
    """Finds the pairs within a ``ray.data.Dataset``: the rows of `hyperblock.dedupe` over the same table, as a dataset.

    Args:
        ds: The table.
        rules: A path of a rule file, its text, or names and conditions.
        id: The column with the ids: whole numbers or texts, each of one record.
        worker_memory: Bytes that one task may take.
        max_shuffle: More bytes than this to shuffle are a ``ValueError``, which says how many.
        device: ``"auto"`` (a GPU if Ray gave one to the task, else the CPU), ``"cpu"`` or ``"cuda"``.
    """
    import pyarrow as pa

    # As a value: its types are not whole.
    ray: Any = import_module("ray")

    n = ds.count()
    ids = ds.select_columns([id]).groupby(id).count()
    repeated = ids.filter(lambda row: row["count()"] > 1)
    present = ids.filter(lambda row: row[id] is not None)
    check_ids(id, n, present.sum("count()") or 0, present.count(), lambda: [row[id] for row in repeated.take(5)])
    sample = pa.concat_tables(ray.get(ds.random_sample(sample_share(n), seed=7).to_arrow_refs()))
    cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
    spread = planned([sample], [n], rules, id=id, right_id=None, worker_memory=worker_memory, cores=cores, max_shuffle=max_shuffle)
    check_terms(spread)
    cover = covering(spread, 0, range(spread.n_packs))
    # Ray shows a task its own GPUs alone.
    solve = solving(spread, lambda: "cuda" if device == "auto" and ray.get_gpu_ids() else device.replace("auto", "cpu"), 1, worker_memory)

    def covered(records: pa.Table) -> pa.Table:
        found = list(cover(records.cast(sample.schema).select(spread.columns[0]).to_batches()))
        return pa.Table.from_batches(found) if found else nothing

    nothing = pa.Table.from_batches(list(cover(sample.select(spread.columns[0]).slice(0, 1).to_batches()))).slice(0, 0)
    rows = ds.map_batches(covered, batch_format="pyarrow", batch_size=1 << 16)
    return rows.groupby(["label", "unit"]).map_groups(lambda rows: solve(rows.column("unit")[0].as_py(), rows), batch_format="pyarrow")
