"""Looking into things: how rules would be evaluated, why two records are a pair, which devices there are."""

from __future__ import annotations

import json
from typing import Any, Literal, TypeAlias, overload

from . import _native
from ._asked import Columns, Progress, Rules, Table, Tables, asked
from ._place import place

Format: TypeAlias = Literal["text", "json"]


@overload
def explain(
    table: Tables,
    rules: Rules,
    *,
    right: Table | None = ...,
    within: bool = ...,
    map: Columns | None = ...,
    id: str | None = ...,
    right_id: str | None = ...,
    max_block: int | None = ...,
    format: Literal["text"] = ...,
    device: str = ...,
    threads: int | None = ...,
    memory: int | None = ...,
    device_memory: int | None = ...,
    progress: Progress = ...,
) -> str: ...
@overload
def explain(
    table: Tables,
    rules: Rules,
    *,
    right: Table | None = ...,
    within: bool = ...,
    map: Columns | None = ...,
    id: str | None = ...,
    right_id: str | None = ...,
    max_block: int | None = ...,
    format: Literal["json"],
    device: str = ...,
    threads: int | None = ...,
    memory: int | None = ...,
    device_memory: int | None = ...,
    progress: Progress = ...,
) -> dict[str, Any]: ...
def explain(
    table: Tables,
    rules: Rules,
    *,
    right: Table | None = None,
    within: bool = False,
    map: Columns | None = None,
    id: str | None = None,
    right_id: str | None = None,
    max_block: int | None = None,
    format: Format = "text",
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> str | dict[str, Any]:
    """Shows how rules would be evaluated, without evaluating them.

    Args:
        table: The table, or the left one: a path, or a table of pyarrow, pandas, Polars or DuckDB. Or several, across which pairs
            are looked for: a list, or a dict of what they are called.
        rules: A path of a rule file, its text, or names and conditions.
        right: The right table, if there are two.
        within: Whether pairs within several tables count too.
        map: What rules call columns that tables name differently, as in `link`.
        id: The column with the ids. By default the first column named ``id``, else ids are row numbers, from 1.
        right_id: The right table's column of ids, if it has another name.
        max_block: Values that more records than this share are left out.
        format: ``"text"`` for people, or ``"json"`` for programs: then the answer is a dictionary.
        device: ``"auto"`` (a GPU where there is one), ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
        threads: So many CPU threads; by default as many as there are cores.
        memory: At most so many bytes of memory; by default what there is.
        device_memory: At most so many bytes of the GPU's memory; by default what is free.
        progress: True for a bar (needs tqdm), or a function of stage, done, all and what is counted. What it raises ends the call.

    >>> import hyperblock as hb, pyarrow as pa
    >>> people = pa.table({"city": ["Leeds", "Leeds", "York"]})
    >>> "l.city = r.city" in hb.explain(people, [("same city", "l.city = r.city")], device="cpu")
    True
    """
    as_json = _is_json(format)
    job = asked(dict(table=table, right=right), rules, across=True, within=within, map=map, id=id, right_id=right_id, max_block=max_block)
    with place(device, threads, memory, device_memory, progress) as there:
        said = _native.explain(job, as_json, there)
    return _answer(said, as_json)


@overload
def why(
    left_id: object,
    other_id: object,
    table: Tables,
    rules: Rules,
    *,
    right: Table | None = ...,
    within: bool = ...,
    map: Columns | None = ...,
    id: str | None = ...,
    right_id: str | None = ...,
    format: Literal["text"] = ...,
    threads: int | None = ...,
    memory: int | None = ...,
    progress: Progress = ...,
) -> str: ...
@overload
def why(
    left_id: object,
    other_id: object,
    table: Tables,
    rules: Rules,
    *,
    right: Table | None = ...,
    within: bool = ...,
    map: Columns | None = ...,
    id: str | None = ...,
    right_id: str | None = ...,
    format: Literal["json"],
    threads: int | None = ...,
    memory: int | None = ...,
    progress: Progress = ...,
) -> dict[str, Any]: ...
def why(
    left_id: object,
    other_id: object,
    table: Tables,
    rules: Rules,
    *,
    right: Table | None = None,
    within: bool = False,
    map: Columns | None = None,
    id: str | None = None,
    right_id: str | None = None,
    format: Format = "text",
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress = None,
) -> str | dict[str, Any]:
    """Shows why two records are a candidate, or why not: every rule, both values, what the measures say.

    Args:
        left_id: The id of one record; of the left table, if there are two.
        other_id: The id of the other; of the right table, if there are two.
        table: The table, or the left one: a path, or a table of pyarrow, pandas, Polars or DuckDB. Or several, across which pairs
            are looked for: a list, or a dict of what they are called.
        rules: A path of a rule file, its text, or names and conditions.
        right: The right table, if there are two.
        within: Whether pairs within several tables count too.
        map: What rules call columns that tables name differently, as in `link`.
        id: The column with the ids. By default the first column named ``id``, else ids are row numbers, from 1.
        right_id: The right table's column of ids, if it has another name.
        format: ``"text"`` for people, or ``"json"`` for programs: then the answer is a dictionary.
        threads: So many CPU threads; by default as many as there are cores.
        memory: At most so many bytes of memory; by default what there is.
        progress: True for a bar (needs tqdm), or a function of stage, done, all and what is counted. What it raises ends the call.

    >>> import hyperblock as hb, pyarrow as pa
    >>> people = pa.table({"name": ["Ann", "Anne"]})
    >>> rules = [("alike", "levenshtein(l.name, r.name) <= 1")]
    >>> hb.why(1, 2, people, rules, format="json")["candidate"]
    True
    """
    as_json = _is_json(format)
    job = asked(dict(table=table, right=right), rules, across=True, within=within, map=map, id=id, right_id=right_id)
    # Two records are looked at here, whatever devices there are.
    with place("cpu", threads, memory, None, progress) as there:
        said = _native.why(job, str(left_id), str(other_id), as_json, there)
    return _answer(said, as_json)


def devices() -> list[tuple[str, str]]:
    """The devices there are: what ``device`` can be, and what that stands for.

    >>> import hyperblock as hb
    >>> hb.devices()[0][0]
    'cpu'
    """
    return _native.devices()


def _is_json(format: str) -> bool:
    if format not in ("text", "json"):
        raise ValueError(f"format: text or json, not {format!r}")
    return format == "json"


def _answer(said: str, as_json: bool) -> str | dict[str, Any]:
    if not as_json:
        return said
    answer: dict[str, Any] = json.loads(said)
    return answer
