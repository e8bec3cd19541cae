"""Finding pairs: within one table, and across two."""

from __future__ import annotations

import json

from . import _native
from ._asked import Progress, Rules, Table, asked
from ._place import place
from ._rows import Pairs


def dedupe(
    table: Table,
    rules: Rules,
    *,
    id: str | None = None,
    max_pairs: int | None = None,
    max_block: int | None = None,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> Pairs:
    """Finds the pairs within one table, each unordered pair once, with the smaller id on the left.

    Args:
        table: A path (CSV, Parquet, Arrow), or a table of pyarrow, pandas, Polars or DuckDB.
        rules: A path of a rule file, its text, or names and conditions: ``[("same city", "l.city = r.city")]``, or a dict.
        id: The column with the ids. By default the first column named ``id``, else ids are row numbers, from 1.
        max_pairs: More pairs than this are a ``ValueError``, instead of an answer that fills the memory.
        max_block: Values that more records than this share are left out. The result is then approximate.
        device: ``"auto"`` (a GPU where there is one), ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
        threads: So many CPU threads; by default as many as there are cores.
        memory: At most so many bytes of memory; by default what there is.
        device_memory: At most so many bytes of the GPU's memory; by default what is free.
        progress: True for a bar (needs tqdm), or a function of stage, done, all and what is counted. What it raises ends the call.

    Raises:
        RuleError: The rules are wrong; ``line`` and ``column`` say where.
        TableError: The table is not what the rules need.
        DeviceError: There is no such device, or it failed.

    >>> import hyperblock as hb, pyarrow as pa
    >>> people = pa.table({"id": ["a", "b", "c"], "name": ["Smith", "Smyth", "Jones"], "zip": ["10", "10", "10"]})
    >>> pairs = hb.dedupe(people, {"alike": "levenshtein(l.name, r.name) <= 1 AND l.zip = r.zip"}, device="cpu")
    >>> pairs.to_arrow().to_pylist()
    [{'left': 'a', 'right': 'b', 'rule': 'alike'}]
    >>> pairs.summary["pairs"]["candidates"]
    1
    """
    job = asked(dict(table=table), rules, id=id, max_pairs=max_pairs, max_block=max_block)
    with place(device, threads, memory, device_memory, progress) as there:
        stream, summary = _native.find(job, there)
    return Pairs(stream, json.loads(summary))


def link(
    left: Table,
    right: Table,
    rules: Rules,
    *,
    id: str | None = None,
    right_id: str | None = None,
    max_pairs: int | None = None,
    max_block: int | None = None,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> Pairs:
    """Finds the pairs of a record of the left table and one of the right.

    Args:
        left: The left table, ``l`` in rules: a path, or a table of pyarrow, pandas, Polars or DuckDB.
        right: The right table, ``r`` in rules. Its columns may have other names.
        rules: A path of a rule file, its text, or names and conditions.
        id: The column with the ids. By default the first column named ``id``, else ids are row numbers, from 1.
        right_id: The right table's column of ids, if it has another name.
        max_pairs: More pairs than this are a ``ValueError``.
        max_block: Values that more records than this share are left out. The result is then approximate.
        device: ``"auto"`` (a GPU where there is one), ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
        threads: So many CPU threads; by default as many as there are cores.
        memory: At most so many bytes of memory; by default what there is.
        device_memory: At most so many bytes of the GPU's memory; by default what is free.
        progress: True for a bar (needs tqdm), or a function of stage, done, all and what is counted. What it raises ends the call.

    Raises:
        RuleError: The rules are wrong; ``line`` and ``column`` say where.
        TableError: A table is not what the rules need.
        DeviceError: There is no such device, or it failed.

    >>> import hyperblock as hb, pyarrow as pa
    >>> shop = pa.table({"id": [1, 2], "item": ["red tea", "green tea"]})
    >>> catalogue = pa.table({"code": ["x", "y"], "name": ["tea green", "coffee"]})
    >>> rules = [("same words", "jaccard(words(l.item), words(r.name)) >= 0.9")]
    >>> hb.link(shop, catalogue, rules, right_id="code", device="cpu").to_arrow().to_pylist()
    [{'left': 2, 'right': 'x', 'rule': 'same words'}]
    """
    tables: dict[str, Table | None] = dict(left=left, right=right)
    job = asked(tables, rules, id=id, right_id=right_id, max_pairs=max_pairs, max_block=max_block)
    with place(device, threads, memory, device_memory, progress) as there:
        stream, summary = _native.find(job, there)
    return Pairs(stream, json.loads(summary))
