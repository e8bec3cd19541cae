"""Finding pairs in DataFrames: within one, and across two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._asked import Rules
from ._job import job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame  # type: ignore[import-not-found, unused-ignore]


def dedupe(
    df: DataFrame,
    rules: Rules,
    *,
    id: str,
    worker_memory: int,
    max_shuffle: int | None = None,
    device: str = "auto",
    cores: int | None = None,
) -> DataFrame:
    """Finds the pairs within a DataFrame: the rows of `hyperblock.dedupe` over the same table, in no order.

    The call counts records, sees to it that no id is there twice, draws a sample and plans. Pairs are looked for when the answer is
    read, and again each time it is: write it, or cache it.

    Args:
        df: The table. It is read three times, and has to have the same records each time.
        rules: A path of a rule file, its text, or names and conditions. Files are read where the call is made.
        id: The column with the ids: whole numbers or texts, each of one record.
        worker_memory: Bytes that the Python process of one task may take: the memory of an executor that is not Java's, by the
            tasks that it runs at a time.
        max_shuffle: More bytes than this to shuffle are a ``ValueError``, which says how many.
        device: ``"auto"`` (the GPU that Spark assigned to the task, else the CPU), ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
        cores: Of all executors together; by default as many as Spark runs tasks at a time on.

    Raises:
        RuleError: The rules are wrong; ``line`` and ``column`` say where.
        TableError: Ids are missing or there twice, or the table is not what the rules need.
        ValueError: The rules cannot be distributed, or `max_shuffle` does not suffice.
    """
    found = job(
        dict(df=df), rules, id=id, right_id=None, worker_memory=worker_memory, max_shuffle=max_shuffle, cores=cores
    )  # fmt: skip
    return found.pairs(device)


def link(
    left: DataFrame,
    right: DataFrame,
    rules: Rules,
    *,
    id: str,
    right_id: str | None = None,
    worker_memory: int,
    max_shuffle: int | None = None,
    device: str = "auto",
    cores: int | None = None,
) -> DataFrame:
    """Finds the pairs of a record of the left DataFrame and one of the right: the rows of `hyperblock.link`, in no order.

    Args:
        left: The left table, ``l`` in rules.
        right: The right table, ``r`` in rules. Its columns may have other names.
        rules: A path of a rule file, its text, or names and conditions. Files are read where the call is made.
        id: The column with the ids: whole numbers or texts, each of one record of its table.
        right_id: The right table's column of ids, if it has another name.
        worker_memory: Bytes that the Python process of one task may take, as in `dedupe`.
        max_shuffle: More bytes than this to shuffle are a ``ValueError``, which says how many.
        device: ``"auto"`` (the GPU that Spark assigned to the task, else the CPU), ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
        cores: Of all executors together; by default as many as Spark runs tasks at a time on.

    Raises:
        RuleError: The rules are wrong; ``line`` and ``column`` say where.
        TableError: Ids are missing or there twice, or a table is not what the rules need.
        ValueError: The rules cannot be distributed, or `max_shuffle` does not suffice.
    """
    found = job(
        dict(left=left, right=right), rules, id=id, right_id=right_id, worker_memory=worker_memory, max_shuffle=max_shuffle, cores=cores
    )  # fmt: skip
    return found.pairs(device)
