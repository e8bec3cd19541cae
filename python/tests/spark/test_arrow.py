"""The functions over Arrow tables that engines are given: by a loop that stands for any engine, by Dask, and by what stands for Ray."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from jobs import MEMORY, RULES, SCORE, people, rows

import hyperblock as hb
from hyperblock._spread import Spread, covering, mentioned, planned, sample_share, scored, solving
from hyperblock.spark._labels import labels, murmur3
from hyperblock.spark._rows import bytes_of_rows


def looped(spread: Spread, tables: Sequence[pa.Table], batch: int) -> pa.Table:
    """What an engine does, in a loop: units are done whatever batches and packs their rows come in."""
    covered: list[pa.RecordBatch] = []
    for nth, table in enumerate(tables):
        records = table.select(spread.columns[nth]).to_batches(max_chunksize=batch)
        covered += covering(spread, nth, labels(spread.n_packs))(records)
    placed = pa.Table.from_batches(covered)
    solve = solving(spread, lambda: "cpu", 1, None)
    units = sorted(set(zip(placed.column("label").to_pylist(), placed.column("unit").to_pylist())))
    assert len(units) == len({unit for _, unit in units}), "a unit is in one pack"
    of = [solve(unit, placed.filter(pc.equal(placed.column("unit"), unit))) for _, unit in units]
    return pa.concat_tables([spread.schema.empty_table(), *of])


@pytest.mark.parametrize("side", [None, 30, 7])
@pytest.mark.parametrize("rules", [RULES, RULES + SCORE])
def test_units_find_what_one_machine_finds(rules: str, side: int | None) -> None:
    table = people(350, 2)
    spread = planned([table.slice(0, 100)], [350], rules, id="id", right_id=None, worker_memory=MEMORY, cores=2, side=side)
    single = rows(hb.dedupe(table, rules, id="id", device="cpu"))
    assert rows(looped(spread, [table], 64)) == single
    assert rows(looped(spread, [table.take(pc.sort_indices(table, [("name", "descending")]))], 1000)) == single


@pytest.mark.parametrize("side", [None, 20])
def test_units_of_two_tables(side: int | None) -> None:
    left, right = people(200, 2), people(250, 3, text_ids=True).rename_columns(lambda_code)
    spread = planned([left, right], [200, 250], RULES, id="id", right_id="code", worker_memory=MEMORY, cores=2, side=side)
    assert rows(looped(spread, [left, right], 64)) == rows(hb.link(left, right, RULES, id="id", right_id="code", device="cpu"))


lambda_code = {"id": "code"} | {name: name for name in people(1).column_names[1:]}


def test_labels_have_a_partition_each() -> None:
    assert murmur3(0) == 933211791 and murmur3(1) == -559580957
    for n in (1, 2, 48, 601):
        assert [murmur3(label) % n for label in labels(n)] == list(range(n))


def test_rows_are_as_large_as_spark_makes_them() -> None:
    def plain(*columns: list[Any]) -> float:
        """Without what can be compressed: a lone row hardly can."""
        return bytes_of_rows(pa.table(list(columns), names=[str(nth) for nth in range(len(columns))]), 1)

    # A length, a word of bits, and a word for each value; a header for each stream, and one that ends it.
    assert plain([0x1234567890ABCDEF]) == pytest.approx(4 + 16 + 42, abs=4)
    assert plain(["abcdefghi"]) - plain(["abcdefgh"]) == pytest.approx(1, abs=8)
    many = pa.table({"a": list(range(4000)), "b": ["the same text"] * 4000})
    assert bytes_of_rows(many, 4000) < 20 < bytes_of_rows(many, 1)
    assert bytes_of_rows(many.slice(0, 0), 1) == 0


def test_what_rules_mention() -> None:
    assert mentioned("zip", RULES) and not mentioned("lists", RULES)
    assert mentioned('a "b"', {"x": 'l."a ""b""" = r."a ""b"""'}) and mentioned("anything", "no such file.toml")


def test_whether_rules_score() -> None:
    assert scored(RULES + SCORE) and scored("[[rules]]\nwhen = 'x'\n[[score.attributes]]\n")
    assert not scored(RULES) and not scored({"score": "l.score = r.score"}) and not scored("no such file.toml")


def test_samples_are_a_hundredth() -> None:
    assert sample_share(0) == sample_share(5_000) == 1
    assert sample_share(10_000_000) == 0.01 and sample_share(10**9) == 0.001


def test_dask() -> None:
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    import hyperblock.dask as hd

    table = people(300, 5).drop_columns(["lists"])
    given = dd.from_pandas(table.to_pandas(types_mapper=pd.ArrowDtype), npartitions=3)
    found = hd.dedupe(given, RULES, id="id", worker_memory=MEMORY, cores=2).compute()
    assert rows(pa.Table.from_pandas(found, preserve_index=False)) == rows(hb.dedupe(table, RULES, id="id", device="cpu"))
    with pytest.raises(hb.TableError, match="more than once"):
        hd.dedupe(dd.concat([given, given]), RULES, id="id", worker_memory=MEMORY, cores=2)


class Dataset:
    """As much of a dataset of Ray as is asked of it."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def count(self) -> int:
        return len(self.table)

    def select_columns(self, names: list[str]) -> Dataset:
        return Dataset(self.table.select(names))

    def filter(self, keep: Callable[[dict[str, Any]], bool]) -> Dataset:
        return Dataset(self.table.filter(pa.array([keep(row) for row in self.table.to_pylist()], pa.bool_())))

    def sum(self, name: str) -> int:
        return sum(self.table.column(name).to_pylist())

    def take(self, n: int) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.table.slice(0, n).to_pylist()
        return rows

    def random_sample(self, share: float, seed: int) -> Dataset:
        return self

    def to_arrow_refs(self) -> list[pa.Table]:
        return [self.table]

    def map_batches(self, of: Callable[[pa.Table], pa.Table], batch_format: str, batch_size: int) -> Dataset:
        return Dataset(pa.concat_tables([of(self.table.slice(0, 100)), of(self.table.slice(100, 0)), of(self.table.slice(100))]))

    def groupby(self, keys: str | list[str]) -> Groups:
        return Groups(self.table, [keys] if isinstance(keys, str) else keys)


class Groups:
    def __init__(self, table: pa.Table, keys: list[str]) -> None:
        self.table, self.keys = table, keys

    def count(self) -> Dataset:
        return Dataset(self.table.group_by(self.keys).aggregate([([], "count_all")]).rename_columns([*self.keys, "count()"]))

    def map_groups(self, of: Callable[[pa.Table], pa.Table], batch_format: str) -> Dataset:
        units = sorted(set(self.table.column("unit").to_pylist()))
        return Dataset(pa.concat_tables([of(self.table.filter(pc.equal(self.table.column("unit"), unit))) for unit in units]))


def test_what_stands_for_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray itself takes a minute to install and to start: its calls are made to a table in memory."""
    ray: Any = ModuleType("ray")
    ray.get, ray.get_gpu_ids, ray.cluster_resources = lambda tables: tables, lambda: [], lambda: {"CPU": 2.0}
    monkeypatch.setitem(sys.modules, "ray", ray)
    import hyperblock.ray as hr

    table = people(300, 6)
    found = hr.dedupe(Dataset(table), RULES, id="id", worker_memory=MEMORY)
    assert rows(found.table) == rows(hb.dedupe(table, RULES, id="id", device="cpu"))
    with pytest.raises(hb.TableError, match="more than once: 600 records have 300 ids"):
        hr.dedupe(Dataset(pa.concat_tables([table, table])), RULES, id="id", worker_memory=MEMORY)
