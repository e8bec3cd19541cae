"""Finding pairs: within one table, and across two."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import cast, overload

from . import _native
from ._asked import Columns, Path, Progress, Rules, Table, Tables, asked, known
from ._place import place
from ._rows import Pairs


def dedupe(
    table: Tables,
    rules: Rules,
    *,
    map: Columns | None = None,
    id: str | None = None,
    max_pairs: int | None = None,
    max_block: int | None = None,
    truth: Path | None = None,
    errors: Path | None = None,
    each_rule: bool = False,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> Pairs:
    """Finds the pairs within one table, each unordered pair once, with the smaller id on the left.

    Args:
        table: A path (CSV, Parquet, Arrow), or a table of pyarrow, pandas, Polars or DuckDB. A list of them, a dict of what they
            are called, or a pattern of files (``"parts/*.csv"``) is taken as one table, with a column ``source`` for rules; the
            answer then has ``left_source`` and ``right_source``.
        rules: A path of a rule file, its text, or names and conditions: ``[("same city", "l.city = r.city")]``, or a dict.
        map: What rules call columns that tables name differently: ``{"name": ["title", "product_name"]}`` is the first of these
            that a table has, if it has no ``name``. ``"shop.cost"`` is the column ``cost`` of the table ``shop`` alone.
        id: The column with the ids. By default the first column named ``id``, else ids are row numbers, from 1.
        max_pairs: More pairs than this are a ``ValueError``, instead of an answer that fills the memory.
        max_block: Values that more records than this share are left out. The result is then approximate.
        truth: A file of all matching pairs (``id_a, id_b``), of labels of some (``id_a, id_b, label``), or of entities of all
            records or some (``id, entity_id``). ``summary["quality"]`` then says how many pairs were right.
        errors: Where the errors go, by ``truth``: ``.csv``, ``.tsv``, ``.parquet`` or ``.arrow``. A row for each pair that matches and
            is not in the answer, and for each that is in it and does not match, with the cause. ``summary["errors"]`` counts them.
        each_rule: Whether ``summary["pairs"]["by_rule"]`` tells of each rule how many pairs it allows by itself, and how many it
            alone; with ``truth`` also how many of them match, and how much recall goes if it goes.
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
    tables: dict[str, Tables | None] = dict(table=table)
    job = asked(
        tables, rules, across=False, map=map, id=id, max_pairs=max_pairs, max_block=max_block, errors=errors, each_rule=each_rule
    )
    with place(device, threads, memory, device_memory, progress) as there:
        stream, summary = _native.find(job, known(truth, errors), there)
    return Pairs(stream, json.loads(summary))


@overload
def link(
    left: Table,
    right: Table,
    rules: Rules,
    *,
    within: bool = ...,
    map: Columns | None = ...,
    id: str | None = ...,
    right_id: str | None = ...,
    max_pairs: int | None = ...,
    max_block: int | None = ...,
    truth: Path | None = ...,
    errors: Path | None = ...,
    each_rule: bool = ...,
    device: str = ...,
    threads: int | None = ...,
    memory: int | None = ...,
    device_memory: int | None = ...,
    progress: Progress = ...,
) -> Pairs: ...
@overload
def link(
    left: Tables,
    right: Table | Rules,
    *more: Table | Rules,
    rules: Rules = ...,
    within: bool = ...,
    map: Columns | None = ...,
    id: str | None = ...,
    right_id: str | None = ...,
    max_pairs: int | None = ...,
    max_block: int | None = ...,
    truth: Path | None = ...,
    errors: Path | None = ...,
    each_rule: bool = ...,
    device: str = ...,
    threads: int | None = ...,
    memory: int | None = ...,
    device_memory: int | None = ...,
    progress: Progress = ...,
) -> Pairs: ...
def link(
    left: Tables,
    right: Table | Rules | None = None,
    *more: Table | Rules,
    rules: Rules | None = None,
    within: bool = False,
    map: Columns | None = None,
    id: str | None = None,
    right_id: str | None = None,
    max_pairs: int | None = None,
    max_block: int | None = None,
    truth: Path | None = None,
    errors: Path | None = None,
    each_rule: bool = False,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> Pairs:
    """Finds the pairs of a record of the left table and one of the right; of more tables, across each two of them.

    Args:
        left: The left table, ``l`` in rules: a path, or a table of pyarrow, pandas, Polars or DuckDB. Or all tables, in a list or
            in a dict of what they are called.
        right: The right table, ``r`` in rules. Its columns may have other names.
        more: More tables. The answer then has ``left_source`` and ``right_source``: what the two tables are called.
        rules: A path of a rule file, its text, or names and conditions: behind the tables, or by name.
        within: Whether pairs within the tables are wanted too.
        map: What rules call columns that tables name differently: ``{"name": ["title", "product_name"]}`` is the first of these
            that a table has, if it has no ``name``. ``"shop.cost"`` is the column ``cost`` of the table ``shop`` alone.
        id: The column with the ids. By default the first column named ``id``, else ids are row numbers, from 1.
        right_id: The right table's column of ids, if it has another name; of more tables, that of all but the first.
        max_pairs: More pairs than this are a ``ValueError``.
        max_block: Values that more records than this share are left out. The result is then approximate.
        truth: A file of all matching pairs (``id_a, id_b``), of labels of some (``id_a, id_b, label``), or of entities of all
            records or some (``id, entity_id``). ``summary["quality"]`` then says how many pairs were right.
        errors: Where the errors go, by ``truth``: ``.csv``, ``.tsv``, ``.parquet`` or ``.arrow``. A row for each pair that matches and
            is not in the answer, and for each that is in it and does not match, with the cause. ``summary["errors"]`` counts them.
        each_rule: Whether ``summary["pairs"]["by_rule"]`` tells of each rule how many pairs it allows by itself, and how many it
            alone; with ``truth`` also how many of them match, and how much recall goes if it goes.
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
    >>> lists = dict(shop=shop, catalogue=catalogue.rename_columns(["id", "item"]), more=shop.slice(1))
    >>> found = hb.link(lists, {"same": "jaccard(words(l.item), words(r.item)) >= 0.9"}, device="cpu")
    >>> [f"{l['left_source']}:{l['left']} {l['right_source']}:{l['right']}" for l in found.to_arrow().to_pylist()]
    ['shop:2 catalogue:x', 'shop:2 more:2', 'catalogue:x more:2']
    """
    behind: list[Table | Rules] = [*([] if right is None else [right]), *more]
    if rules is None:
        if not behind:
            raise TypeError("link: there are no rules")
        rules = cast(Rules, behind.pop())
    tables: dict[str, Tables | None] = dict(left=left)
    names = ["right"] if len(behind) == 1 else [f"table {nth}" for nth in range(2, len(behind) + 2)]
    tables.update(zip(names, cast("list[Table]", behind)))
    if len(tables) == 1 and not isinstance(left, (list, tuple, Mapping)) and not isinstance(left, (str, os.PathLike)):
        raise TypeError("link: two tables or more, and the rules; here is one table")
    job = asked(
        tables, rules, across=True, link=True, within=within, map=map, id=id, right_id=right_id, max_pairs=max_pairs,
        max_block=max_block, errors=errors, each_rule=each_rule,
    )
    with place(device, threads, memory, device_memory, progress) as there:
        stream, summary = _native.find(job, known(truth, errors), there)
    return Pairs(stream, json.loads(summary))
