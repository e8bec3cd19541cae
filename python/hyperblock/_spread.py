"""A job spread over units: the functions over Arrow tables that Spark, Ray and Dask call, each wherever it has records.

    samples, counts, rules ─► planned ─► Spread ─┬─► covered: records, each copied to the units that it is in
                                                 └─► solved: the candidates of one unit

A score that asks how frequent values are needs them counted before: `counting` makes what does so wherever records are.

Functions that others send to their workers hold the plan as bytes. The worker's own native module reads them, and says so if it is of
another version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _native
from ._asked import Rules, Tables, _rules, asked, text, whole
from ._errors import TableError
from ._place import place

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

PLACES = ("label", "unit", "side")
"""The columns before those of the records: which pack a row is of, by the pack's label; its unit; and the side there."""
ROWS = 1 << 16
"""Rows that are given to the native module at a time: each call opens the plan."""
FOREST_ROWS = 1 << 22
"""Pairs that are gathered before a forest is made of them."""

Chosen = Callable[[], str]
"""Tells a task, where it runs, which device is its own."""


def sample_share(n_records: int) -> float:
    """The share of a table that planning looks at: a hundredth, but some thousand records and no more than a million."""
    if n_records == 0:
        return 1.0
    return min(1.0, max(0.01, 20_000 / n_records), max(1_000_000 / n_records, 1e-9))


def mentioned(column: str, rules: Rules) -> bool:
    """Whether rules may be about a column: its name is somewhere in them. Where that cannot be told, they may."""
    words = _words(rules)
    if words is None:
        return True
    # Quotes are written twice, or behind a backslash, or both.
    said, name = (re.sub(r'["\\]', "", text).casefold() for text in (words, column))
    return name in said or "\\u" in words.casefold()


def scored(rules: Rules) -> bool:
    """Whether rules have a section `[score]`."""
    return re.search(r"^\s*(\[+\s*score\b|score\s*[.=])", _words(rules) or "", re.MULTILINE) is not None


def _words(rules: Rules) -> str | None:
    """The text of rules. Whoever reads a file for its own sake says why it cannot be read."""
    file, words = _rules(rules)
    if file is None:
        return words or ""
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


@dataclass(frozen=True)
class Spread:
    """A planned job."""

    plan: bytes
    told: dict[str, Any]
    """What the plan says of itself: units, copies, bytes."""
    columns: list[list[str]]
    """By table: the columns that are needed, the one with the ids first."""
    schema: pa.Schema
    """Of candidates, in types that all engines have: texts, whole numbers, doubles."""
    slots: list[pa.Field]
    """The columns that rows of all tables are copied in."""
    slots_of: list[list[int]] = field(default_factory=list)
    """By table and column: its slot."""

    @property
    def n_packs(self) -> int:
        return max(1, int(self.told["packs"]))

    @property
    def terms(self) -> list[dict[str, Any]]:
        """The attributes of the score that ask how frequent their values are in whole tables."""
        return list(self.told["terms"])

    def with_terms(self, counts: pa.Table) -> Spread:
        """With how frequent they are: attribute, value, n and total."""
        import pyarrow as pa

        types = pa.schema([("attribute", pa.int32()), ("value", pa.string()), ("n", pa.int64()), ("total", pa.int64())])
        return replace(self, plan=_native.with_terms(self.plan, counts.select(types.names).cast(types)))


def planned(
    samples: Sequence[pa.Table],
    counts: Sequence[int],
    rules: Rules,
    *,
    id: str,
    right_id: str | None,
    worker_memory: int,
    cores: int,
    max_shuffle: int | None = None,
    side: int | None = None,
) -> Spread:
    """Plans a job over tables of so many records, of which samples are given."""
    import pyarrow as pa

    memory = whole("worker_memory", worker_memory)
    if memory is None:
        raise TypeError("worker_memory: a whole number of bytes, not NoneType")
    tables: dict[str, Tables | None] = dict(zip(("left", "right"), samples))
    two = len(samples) == 2
    job = asked(tables, rules, across=two, link=two, id=id, right_id=right_id)
    budget = dict(
        memory=memory, cores=whole("cores", cores), pairs=None, side=side,
        most_shuffle=whole("max_shuffle", max_shuffle, least=0), scored=scored(rules),
    )  # fmt: skip
    plan = _native.plan(job, dict(records=list(counts)), budget)
    told: dict[str, Any] = json.loads(_native.told(plan))
    columns = [list(names) for names in told["columns"]]
    slots, slots_of = _slots([sample.schema for sample in samples], columns)
    nothing = [sample.schema.empty_table().select(names) for sample, names in zip(samples, columns)]
    with place("cpu", 1) as there:
        schema = pa.table(_native.solve(plan, 0, nothing[0], nothing[1] if two else None, there)).schema
    return Spread(plan, told, columns, plain(schema), slots, slots_of)


def _slots(schemas: Sequence[pa.Schema], columns: list[list[str]]) -> tuple[list[pa.Field], list[list[int]]]:
    """The columns of a row of any table: those of the first, and of the second what has no column of its type left. Names are
    their own, so that no column of a table is taken for `unit`."""
    import pyarrow as pa

    types: list[pa.DataType] = []
    slots_of: list[list[int]] = []
    for schema, names in zip(schemas, columns):
        taken: list[int] = []
        for name in names:
            wanted = schema.field(name).type
            free = [slot for slot, found in enumerate(types) if found == wanted and slot not in taken]
            if not free:
                free = [len(types)]
                types.append(wanted)
            taken.append(free[0])
        slots_of.append(taken)
    return [pa.field(f"c{slot}", found) for slot, found in enumerate(types)], slots_of


def covering(spread: Spread, table: int, labels: Sequence[int]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What makes rows of units out of the records of a table: label, unit, side, and the slots. It is given the needed columns, in their
    order, by whatever names: engines do not agree on what may be in one."""
    plan, names, slots, slots_of = spread.plan, spread.columns[table], spread.slots, spread.slots_of[table]

    def covered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        label_of = pa.array(labels, pa.int32())
        own = {slot: place for place, slot in enumerate(slots_of)}
        for some in gathered(batches, ROWS):
            found = pa.table(_native.cover(plan, some.rename_columns(names), table))
            # By place: a table's own columns come behind these three, and may be called as they are.
            placed = [label_of.take(found.column(0)), found.column(1), found.column(2)]
            rows = [found.column(3 + own[slot]).cast(of.type) if slot in own else pa.nulls(len(found), of.type) for slot, of in enumerate(slots)]
            yield from pa.table(placed + rows, names=[*PLACES, *(of.name for of in slots)]).to_batches()

    return covered


def counting(spread: Spread, table: int) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What counts the values of the attributes that ask how frequent they are: attribute, value, n, to be added up by the first two."""
    plan, names = spread.plan, spread.columns[table]

    def counted(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for some in gathered(batches, ROWS):
            yield from pa.table(_native.count(plan, some.rename_columns(names), table)).to_batches()

    return counted


def check_terms(spread: Spread) -> None:
    """Whether all is known that the score asks, where nobody counts values."""
    if spread.terms:
        names = ", ".join(f"`{term['name']}`" for term in spread.terms)
        raise ValueError(f"how frequent the values of {names} are is counted on Spark alone: leave `term_frequency` out")


def solving(spread: Spread, chosen: Chosen, threads: int, memory: int | None) -> Callable[[int, pa.Table], pa.Table]:
    """What finds the candidates of a unit among its rows."""
    plan, columns, slots_of, schema = spread.plan, spread.columns, spread.slots_of, spread.schema

    def solved(unit: int, rows: pa.Table) -> pa.Table:
        import pyarrow as pa
        import pyarrow.compute as pc  # type: ignore[import-untyped, unused-ignore]

        def of(side: int, table: int) -> pa.Table:
            some = rows.filter(pc.equal(rows.column("side"), side))
            return some.select([f"c{slot}" for slot in slots_of[table]]).rename_columns(columns[table])

        two = len(columns) == 2
        left, right = of(0, 0), of(1, 1 if two else 0)
        # One table without a right side has units that compare their records with each other.
        given = right if two or len(right) else None
        with place(chosen(), threads, memory) as there:
            found = pa.table(_native.solve(plan, unit, left, given, there))
        return found.cast(schema)

    return solved


def gathered(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """Tables of about so many rows, none of them empty."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
        if sum(one.num_rows for one in held) >= rows:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def foresting(two_tables: bool) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What makes a spanning forest of pairs: who is connected is what it was, and there are fewer pairs than records."""

    def forested(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        forest: pa.Table | None = None
        for some in gathered(batches, FOREST_ROWS):
            pairs = some if forest is None else pa.concat_tables([forest, some])
            with place("cpu", 1) as there:
                forest = pa.table(_native.forest(pairs, there, two_tables)).cast(some.schema)
        if forest is not None:
            yield from forest.to_batches()

    return forested


def clustered(pairs: pa.Table, method: str, two_tables: bool, threads: int) -> pa.Table:
    """Entities of pairs, in types that all engines have."""
    import pyarrow as pa

    with place("cpu", threads) as there:
        stream, _ = _native.cluster(pairs, method, None, two_tables, there)
    entities = pa.table(stream)
    return entities.cast(plain(entities.schema))


def plain(schema: pa.Schema) -> pa.Schema:
    """The same in types that all engines have."""
    import pyarrow as pa

    def one(of: pa.DataType) -> pa.DataType:
        if pa.types.is_dictionary(of):
            of = of.value_type
        return pa.string() if pa.types.is_large_string(of) or pa.types.is_string_view(of) else of

    return pa.schema([pa.field(of.name, one(of.type)) for of in schema])


def check_ids(name: str, n: int, n_present: int, n_distinct: int, repeated: Callable[[], Sequence[object]]) -> None:
    """Whether each record has an id of its own; some of those that are there twice are named."""
    if n_present < n:
        raise TableError(f"`{name}` is missing in {n - n_present:,} of {n:,} records: an id tells a record from all others")
    if n_distinct < n:
        some = ", ".join(f"`{one}`" for one in repeated())
        raise TableError(f"ids in `{name}` are there more than once: {n:,} records have {n_distinct:,} ids; {some} are some of them")


def name_of(option: str, value: str | None) -> str:
    """A column's name, which has to be given."""
    found = text(option, value)
    if not found:
        raise TypeError(f"{option}: the name of the column with the ids, as text")
    return found
