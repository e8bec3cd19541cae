"""From pairs to entities: `resolve` in one go, `cluster` from pairs, `fit` for the weights of a score, `closure` for graphs."""

from __future__ import annotations

import json
import warnings
from decimal import Decimal, InvalidOperation
from typing import Literal, TypeAlias

from . import _native
from ._asked import Columns, Path, Progress, Rules, Table, Tables, asked, known, path, text, whole
from ._asked import table as checked
from ._place import place
from ._rows import Entities, Pairs, Rows

Method: TypeAlias = Literal["components", "center", "complete", "tiled-fw", "one-to-one", "many-to-one", "best"]
METHODS = ("components", "center", "complete", "tiled-fw", "one-to-one", "many-to-one", "best")


def resolve(
    table: Tables,
    rules: Rules,
    *,
    right: Table | None = None,
    within: bool = False,
    map: Columns | None = None,
    id: str | None = None,
    right_id: str | None = None,
    method: Method = "components",
    source: str | None = None,
    truth: Path | None = None,
    previous: Table | None = None,
    errors: Path | None = None,
    each_rule: bool = False,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> Entities:
    """Finds pairs, scores them if the rules have a score, and makes entities: a row for each record.

    Args:
        table: The table, or the left one: a path, or a table of pyarrow, pandas, Polars or DuckDB. Or several, across which pairs
            are looked for: a list, or a dict of what they are called.
        rules: A path of a rule file, its text, or names and conditions.
        right: The right table, if there are two. The answer then has a column ``table``, and entities such as ``left:17``; of
            several tables it has a column ``source``, and entities such as ``shop:17``.
        within: Whether pairs within several tables count too.
        map: What rules call columns that tables name differently, as in `link`.
        id: The column with the ids. By default the first column named ``id``, else ids are row numbers, from 1.
        right_id: The right table's column of ids, if it has another name.
        method: ``"components"`` (all records that pairs connect), ``"center"`` or ``"complete"`` (no chains); of two tables
            also ``"one-to-one"``, ``"many-to-one"`` or ``"best"``. ``"tiled-fw"`` is for comparison.
        source: A column that says where a record is from: no entity then has two records of one source.
        truth: A file of all matching pairs (``id_a, id_b``), of labels of some (``id_a, id_b, label``), or of entities of all
            records or some (``id, entity_id``). ``summary`` then says how many were right.
        previous: The entities as they were: an earlier answer, or a path or table with ``id`` and ``entity_id``, and of two tables
            ``table``. Their ids survive, as text, and ``changes`` of the answer tells what became of them.
        errors: Where the errors go, by ``truth``: ``.csv``, ``.tsv``, ``.parquet`` or ``.arrow``. A row for each pair that matches and
            is not in the answer, and for each that is in it and does not match, with the cause. ``summary["errors"]`` counts them.
        each_rule: Whether ``summary["pairs"]["by_rule"]`` tells of each rule how many pairs it allows by itself, and how many it
            alone; with ``truth`` also how many of them match, and how much recall goes if it goes.
        device: ``"auto"`` (a GPU where there is one), ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
        threads: So many CPU threads; by default as many as there are cores.
        memory: At most so many bytes of memory; by default what there is.
        device_memory: At most so many bytes of the GPU's memory; by default what is free.
        progress: True for a bar (needs tqdm), or a function of stage, done, all and what is counted. What it raises ends the call.

    >>> import hyperblock as hb, pyarrow as pa
    >>> people = pa.table({"id": [1, 2, 3], "phone": ["77", "77", "99"]})
    >>> hb.resolve(people, [("same phone", "l.phone = r.phone")], device="cpu").to_arrow().to_pylist()
    [{'id': 1, 'entity_id': 1}, {'id': 2, 'entity_id': 1}, {'id': 3, 'entity_id': 3}]
    """
    job = asked(
        dict(table=table, right=right), rules, across=True, within=within, map=map, id=id, right_id=right_id, errors=errors,
        each_rule=each_rule,
    )
    labels = known(truth, errors)
    before = None if previous is None else checked("previous", previous)
    with place(device, threads, memory, device_memory, progress) as there:
        stream, changes, words = _native.resolve(job, _method(method), labels, text("source", source), before, there)
    summary = json.loads(words)
    return Entities(stream, summary, None if changes is None else Rows(changes, summary))


def cluster(
    pairs: Table,
    *,
    method: Method = "components",
    threshold: float | Decimal | str | None = None,
    two_tables: bool = False,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> Entities:
    """Makes entities of pairs. Records that no pair names are in none: `resolve` has all of them.

    Args:
        pairs: Pairs of this package, or a path or table with columns ``left`` and ``right``, or ``id_a`` and ``id_b``, or else
            the first two. A column ``score``, or ``weight`` and ``probability``, says how alike they are. Of several tables the
            columns ``left_source`` and ``right_source`` say which one each id is of, and the answer has a column ``source``.
        method: As in `resolve`. All but ``"components"`` and ``"tiled-fw"`` look at scores.
        threshold: Pairs with a lower score, or a lower probability where there are weights, are left out: from 0 to 1.
        two_tables: Whether left and right ids are of two tables, as those of `link` are.
        device: ``"auto"`` (a GPU where there is one), ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
        threads: So many CPU threads; by default as many as there are cores.
        memory: At most so many bytes of memory; by default what there is.
        device_memory: At most so many bytes of the GPU's memory; by default what is free.
        progress: True for a bar (needs tqdm), or a function of stage, done, all and what is counted. What it raises ends the call.

    >>> import hyperblock as hb, pyarrow as pa
    >>> pairs = pa.table({"left": [1, 2, 7], "right": [2, 3, 8], "score": [0.9, 0.8, 0.4]})
    >>> hb.cluster(pairs, threshold=0.5, device="cpu").to_arrow().to_pylist()[:3]
    [{'id': 1, 'entity_id': 1}, {'id': 2, 'entity_id': 1}, {'id': 3, 'entity_id': 1}]
    """
    given, least = checked("pairs", pairs), _share("threshold", threshold)
    with place(device, threads, memory, device_memory, progress) as there:
        stream, summary = _native.cluster(given, _method(method), least, bool(two_tables), there)
    return Entities(stream, json.loads(summary))


def fit(
    table: Tables,
    rules: Rules,
    *,
    right: Table | None = None,
    within: bool = False,
    map: Columns | None = None,
    id: str | None = None,
    right_id: str | None = None,
    seed: int = 1,
    truth: Path | None = None,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> str:
    """Estimates the weights of a score from the tables alone. The answer is the text of a file of weights.

    Write it to the file that ``weights`` in ``[score]`` names. What is doubtful about it is a ``UserWarning``.

    Args:
        table: The table, or the left one: a path, or a table of pyarrow, pandas, Polars or DuckDB. Or several, across which pairs
            are looked for: a list, or a dict of what they are called.
        rules: A path of a rule file, or its text, with ``score = "fellegi-sunter"``.
        right: The right table, if there are two.
        within: Whether pairs within several tables count too.
        map: What rules call columns that tables name differently, as in `link`.
        id: The column with the ids. By default the first column named ``id``, else ids are row numbers, from 1.
        right_id: The right table's column of ids, if it has another name.
        seed: The same seed draws the same random pairs.
        truth: A file as of `resolve`, to count matches in instead of estimating them.
        device: ``"auto"`` (a GPU where there is one), ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
        threads: So many CPU threads; by default as many as there are cores.
        memory: At most so many bytes of memory; by default what there is.
        device_memory: At most so many bytes of the GPU's memory; by default what is free.
        progress: True for a bar (needs tqdm), or a function of stage, done, all and what is counted. What it raises ends the call.

    >>> import hyperblock as hb, pyarrow as pa, warnings
    >>> people = pa.table({
    ...     "name": [f"name {n // 2 % 90 + n * n % 7 // 4}" for n in range(400)],
    ...     "phone": [f"{n // 2 + n * n % 11 // 9}" for n in range(400)],
    ...     "mail": [f"{n // 2 + n * n % 13 // 11}@x" for n in range(400)],
    ... })
    >>> rules = '''
    ... [[rules]]
    ... when = "l.phone = r.phone"
    ... [[rules]]
    ... when = "l.mail = r.mail"
    ... [score]
    ... score = "fellegi-sunter"
    ... weights = "weights.toml"
    ... [[score.attributes]]
    ... name = "name"
    ... levels = ["l.name = r.name"]
    ... [[score.attributes]]
    ... name = "phone"
    ... levels = ["l.phone = r.phone"]
    ... [[score.attributes]]
    ... name = "mail"
    ... levels = ["l.mail = r.mail"]
    ... '''
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # so small a table is doubtful
    ...     weights = hb.fit(people, rules, device="cpu")
    >>> weights.count("[[attributes]]")
    3
    """
    job = asked(dict(table=table, right=right), rules, across=True, within=within, map=map, id=id, right_id=right_id)
    labels = None if truth is None else path("truth", truth)
    drawn = whole("seed", seed, least=0)
    if drawn is None:
        raise TypeError("seed: a whole number, not NoneType")
    with place(device, threads, memory, device_memory, progress) as there:
        weights, _, doubts = _native.fit(job, drawn, labels, there)
    for doubt in doubts:
        warnings.warn(doubt, stacklevel=2)
    return weights


def closure(
    edges: Table,
    *,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> Pairs:
    """Finds which nodes of a directed graph reach which: its transitive closure.

    Args:
        edges: A path (lines of a source and a target, Parquet or Arrow), or a table whose first two columns are the edges.
        device: ``"auto"`` (a GPU where there is one), ``"cpu"``, ``"cuda"`` or ``"cuda:1"``.
        threads: So many CPU threads; by default as many as there are cores.
        memory: At most so many bytes of memory; by default what there is.
        device_memory: At most so many bytes of the GPU's memory; by default what is free.
        progress: True for a bar (needs tqdm), or a function of stage, done, all and what is counted. What it raises ends the call.

    >>> import hyperblock as hb, pyarrow as pa
    >>> reached = hb.closure(pa.table({"from": [1, 2], "to": [2, 3]}), device="cpu")
    >>> sorted(tuple(row.values()) for row in reached.to_arrow().to_pylist())
    [(1, 2), (1, 3), (2, 3)]
    """
    given = checked("edges", edges)
    with place(device, threads, memory, device_memory, progress) as there:
        stream, summary = _native.closure(given, there)
    return Pairs(stream, json.loads(summary))


def _method(method: str) -> str:
    if method not in METHODS:
        raise ValueError(f"method: one of {', '.join(METHODS)}, not {method!r}")
    return method


def _share(name: str, value: float | Decimal | str | None) -> str | None:
    """A number from 0 to 1, as it was written: 0.1 is a tenth, not the binary number beside it."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal, str)):
        raise TypeError(f"{name}: a number from 0 to 1, not {type(value).__qualname__}")
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        raise ValueError(f"{name}: a number from 0 to 1, not {value!r}") from None
    # This way round, since nan compares as false, or raises.
    if not number.is_finite() or not 0 <= number <= 1:
        raise ValueError(f"{name}: a number from 0 to 1, not {value}")
    return format(number, "f")
