"""What a job of Spark would do, before it does: units, copies, bytes to shuffle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from .._asked import Rules
from .._inspect import Format, _is_json
from ._job import Job, job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame  # type: ignore[import-not-found, unused-ignore]


@overload
def explain(
    df: DataFrame,
    rules: Rules,
    *,
    right: DataFrame | None = ...,
    id: str,
    right_id: str | None = ...,
    worker_memory: int,
    max_shuffle: int | None = ...,
    cores: int | None = ...,
    format: Literal["text"] = ...,
) -> str: ...
@overload
def explain(
    df: DataFrame,
    rules: Rules,
    *,
    right: DataFrame | None = ...,
    id: str,
    right_id: str | None = ...,
    worker_memory: int,
    max_shuffle: int | None = ...,
    cores: int | None = ...,
    format: Literal["json"],
) -> dict[str, Any]: ...
def explain(
    df: DataFrame,
    rules: Rules,
    *,
    right: DataFrame | None = None,
    id: str,
    right_id: str | None = None,
    worker_memory: int,
    max_shuffle: int | None = None,
    cores: int | None = None,
    format: Format = "text",
) -> str | dict[str, Any]:
    """Shows into how many units a job would be cut, and what it would copy and shuffle. Records are counted and a sample is drawn;
    nothing else is run, and ids are not looked at.

    Args:
        df: The table, or the left one.
        rules: A path of a rule file, its text, or names and conditions.
        right: The right table, if there are two.
        id: The column with the ids: whole numbers or texts, each of one record.
        right_id: The right table's column of ids, if it has another name.
        worker_memory: Bytes that the Python process of one task may take, as in `dedupe`.
        max_shuffle: More bytes than this to shuffle are a ``ValueError``, which says how many.
        cores: Of all executors together; by default as many as Spark runs tasks at a time on.
        format: ``"text"`` for people, or ``"json"`` for programs: then the answer is a dictionary.
    """
    as_json = _is_json(format)
    tables = dict(df=df) if right is None else dict(df=df, right=right)
    found = job(
        tables, rules, id=id, right_id=right_id, worker_memory=worker_memory, max_shuffle=max_shuffle, cores=cores, checks_ids=False
    )  # fmt: skip
    answer = told(found)
    return answer if as_json else as_text(answer)


def told(job: Job) -> dict[str, Any]:
    """What the plan says, with bytes as Spark shuffles them."""
    of_copy = job.bytes_of_copy
    branches = [branch | dict(bytes=round(branch["copies"] * of_copy)) for branch in job.spread.told["branches"]]
    answer = job.spread.told | dict(branches=branches, bytes_to_shuffle=job.bytes_to_shuffle, bytes_of_copy=round(of_copy, 1), cores=job.cores)
    return answer


def as_text(told: dict[str, Any]) -> str:
    """The same for people."""
    records, copies = sum(told["records"]), told["copies"]
    lines = [
        ("records", " and ".join(f"{n:,}" for n in told["records"])),
        ("units", f"{told['units']:,} in {told['packs']:,} packs, for {told['cores']:,} cores"),
        ("copies", f"{copies:,}, {copies / max(records, 1):.2f} of each record"),
        ("to shuffle", f"{size(told['bytes_to_shuffle'])}, {told['bytes_of_copy']:.0f} bytes a copy"),
        ("ids", f"{size(told['bytes_of_ids'])} more, to see that none is there twice"),
    ]
    if told["terms"]:
        names = ", ".join(term["name"] for term in told["terms"])
        lines.append(("values", f"counted before, in one more pass: {names}"))
    largest = told.get("largest_pack")
    if largest:
        shares = [largest[f"{of}"] / max(largest[f"mean_{of}"], 1) for of in ("records", "pairs")]
        lines.append(("largest pack", f"{shares[0]:.2f} times the mean in records, {shares[1]:.2f} times in pairs"))
    text = "\n".join(f"{name:<12}  {value}" for name, value in lines)
    for branch in told["branches"]:
        text += f"\n\nbranch {branch['branch']}: {', '.join(branch['rules'])}\n"
        text += f"  by {branch['cover']} of {branch['about']}, {branch['side']:,} records a side"
        text += f", {branch['heavy_keys']:,} heavy\n" if branch["heavy_keys"] else "\n"
        text += f"  {branch['units']:,} units, {branch['copies']:,} copies, {size(branch['bytes'])}"
    return text + (f"\n\n{told['advice']}\n" if told["advice"] else "\n")


def size(n_bytes: float) -> str:
    """Bytes in a unit that people read.

    >>> size(123), size(2048), size(3 * 2**30)
    ('123 B', '2.00 KiB', '3.00 GiB')
    """
    if n_bytes < 1024:
        return f"{n_bytes:.0f} B"
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        n_bytes /= 1024
        if n_bytes < 1024 or unit == "TiB":
            break
    return f"{n_bytes:.3g} {unit}" if n_bytes >= 10 else f"{n_bytes:.2f} {unit}"
