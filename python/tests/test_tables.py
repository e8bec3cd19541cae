"""Tables in memory: which types there are, what is missing, what is refused, and tables without rows."""

from __future__ import annotations

import decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from given import lines

import hyperblock as hb

SAME = {"same": "l.a = r.a"}
EMPTY = pa.table({"id": pa.array([], pa.int64()), "a": pa.array([], pa.string())})


def count(column: pa.Array | pa.ChunkedArray, when: str = "l.a = r.a") -> int:
    return len(hb.dedupe(pa.table({"a": column}), {"rule": when}, device="cpu"))


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"])
def test_numbers(kind: str) -> None:
    column = pa.array([1, 2, 1, None, None], getattr(pa, kind)())
    assert count(column) == 1 and count(column, "abs(l.a - r.a) <= 1") == 3


def test_decimals() -> None:
    column = pa.array([decimal.Decimal("1.50"), decimal.Decimal("1.5"), decimal.Decimal("1.51"), None], pa.decimal128(9, 2))
    assert count(column) == 1 and count(column, "abs(l.a - r.a) <= 0.01") == 3


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"])
def test_text(kind: str) -> None:
    column = pa.array(["Ann", "Anne", "Ann", None, None], pa.string()).cast(getattr(pa, kind)())
    assert count(column) == 1 and count(column, "levenshtein(l.a, r.a) <= 1") == 3


@pytest.mark.parametrize(
    "kind",
    [pa.date32(), pa.date64(), *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")), pa.timestamp("us", "UTC")],
    ids=str,
)
def test_dates(kind: pa.DataType) -> None:
    days = pa.array([18_000, 18_000, 18_001, None], pa.int32()).cast(pa.date32())
    assert count(days.cast(kind)) == 1 and count(days.cast(kind), "abs(l.a - r.a) <= 1") == 3


def test_booleans() -> None:
    assert count(pa.array([True, False, True, None])) == 1


def test_dictionaries() -> None:
    column = pa.array(["x", "y", "x", None]).dictionary_encode()
    assert count(column) == 1
    # As pandas and Polars have them.
    values = ["x", "y", "x", None]
    assert len(hb.dedupe(pd.DataFrame({"a": pd.Categorical(values)}), SAME, device="cpu")) == 1
    assert len(hb.dedupe(pl.DataFrame({"a": pl.Series(values, dtype=pl.Categorical)}), SAME, device="cpu")) == 1


def test_times_are_text() -> None:
    assert count(pa.array([45_000, 45_000, 1, None], pa.int32()).cast(pa.time32("s"))) == 1


def test_a_column_of_nothing() -> None:
    assert count(pa.nulls(3)) == 0


def test_pandas_with_numpy() -> None:
    people = pd.DataFrame({"a": ["x", None, "x", ""], "n": [1.0, np.nan, 1.0, 2.0]}, index=[9, 8, 7, 6])
    assert lines(hb.dedupe(people, SAME, device="cpu"))[0][:2] == ("1", "3")
    assert len(hb.dedupe(people, {"n": "l.n = r.n"}, device="cpu")) == 1


def test_missing_values_are_not_equal() -> None:
    people = pa.table({"a": ["x", None, None, "", "x", ""]})
    assert lines(hb.dedupe(people, SAME, device="cpu")) == [("1", "5", "same")]
    assert len(hb.dedupe(people, {"not": "l.a <> r.a"}, device="cpu")) == 0


def test_many_chunks_and_slices() -> None:
    whole = pa.table({"a": ["no", "x", "y", "x", "no"]})
    assert len(hb.dedupe(whole.slice(1, 3), SAME, device="cpu")) == 1
    assert len(hb.dedupe(pa.concat_tables([whole.slice(1, 1), whole.slice(0, 0), whole.slice(3, 1)]), SAME, device="cpu")) == 1


def test_streams_and_relations() -> None:
    people = pa.table({"a": ["x", "x"]})
    assert len(hb.dedupe(people.to_reader(), SAME, device="cpu")) == 1
    assert len(hb.dedupe(pa.record_batch({"a": ["x", "x"]}), SAME, device="cpu")) == 1
    relation = duckdb.sql("SELECT 'x' AS a FROM range(2)")
    # A relation is a query: it can be asked again.
    assert [len(hb.dedupe(relation, SAME, device="cpu")) for _ in range(2)] == [1, 1]


def test_ids() -> None:
    numbers = pa.table({"key": [30, 7], "a": ["x", "x"]})
    assert hb.dedupe(numbers, SAME, id="key", device="cpu").to_arrow().to_pylist() == [{"left": 7, "right": 30, "rule": "same"}]
    assert lines(hb.dedupe(numbers, SAME, device="cpu")) == [("1", "2", "same")]
    texts = pa.table({"id": ["b", "a"], "a": ["x", "x"]})
    assert lines(hb.dedupe(texts, SAME, device="cpu")) == [("a", "b", "same")]
    both = hb.link(numbers, texts, SAME, id="key", right_id="id", device="cpu")
    assert lines(both) == [("7", "a", "same"), ("7", "b", "same"), ("30", "a", "same"), ("30", "b", "same")]


def test_ids_that_are_twice_or_missing_are_refused() -> None:
    for ids in ([1, 1], [1, None]):
        with pytest.raises(hb.TableError):
            hb.dedupe(pa.table({"id": ids, "a": ["x", "x"]}), SAME, device="cpu")


@pytest.mark.parametrize(
    "nested",
    [pa.array([[[1]], [[1]]]), pa.array([{"x": 1}, {"x": 1}]), pa.array([[(1, 2)], [(1, 2)]], pa.map_(pa.int8(), pa.int8()))],
    ids=["list of lists", "struct", "map"],
)
def test_nested_columns_are_refused_only_if_a_rule_asks(nested: pa.Array) -> None:
    people = pa.table({"a": [1, 1], "n": nested})
    assert len(hb.dedupe(people, SAME, device="cpu")) == 1
    with pytest.raises(hb.TableError, match="`n`"):
        hb.dedupe(people, {"n": "l.n = r.n"}, device="cpu")


def test_lists_are_compared() -> None:
    people = pa.table({"n": pa.array([[1, 2], [2, 1], [2, 3], None])})
    found = {rule: len(hb.dedupe(people, {"n": rule}, device="cpu")) for rule in ("l.n = r.n", "overlap(l.n, r.n) >= 1")}
    assert found == {"l.n = r.n": 1, "overlap(l.n, r.n) >= 1": 3}


@pytest.mark.parametrize("empty", [EMPTY, EMPTY.to_pandas(), pl.DataFrame(EMPTY), EMPTY.to_reader()], ids=lambda kind: type(kind).__name__)
def test_empty_tables(empty: object) -> None:
    found = hb.dedupe(empty, SAME, device="cpu")  # type: ignore[arg-type]
    assert len(found) == 0 and found.to_arrow().column_names == ["left", "right", "rule"]
    assert found.to_pandas().empty and found.to_polars().is_empty() and "0 rows" in found._repr_html_()


def test_empty_tables_elsewhere() -> None:
    some = pa.table({"id": [1, 2], "a": ["x", "x"]})
    assert len(hb.link(EMPTY, some, SAME, device="cpu")) == len(hb.link(some, EMPTY, SAME, device="cpu")) == 0
    assert len(hb.resolve(EMPTY, SAME, device="cpu")) == 0
    assert lines(hb.resolve(some, SAME, right=EMPTY, device="cpu")) == [("left", "1", "left:1"), ("left", "2", "left:2")]
    nobody = pa.table({"left": pa.array([], pa.int64()), "right": pa.array([], pa.int64())})
    assert len(hb.cluster(nobody, device="cpu")) == 0
    assert len(hb.cluster(hb.dedupe(EMPTY, SAME, device="cpu"), device="cpu")) == 0
    assert len(hb.closure(nobody, device="cpu")) == 0


def test_a_wrong_rule_is_wrong_for_an_empty_table_too() -> None:
    with pytest.raises(hb.RuleError):
        hb.dedupe(EMPTY, {"no": "l.a = r.no"}, device="cpu")


def test_what_an_empty_table_cannot_tell() -> None:
    for ask in (hb.fit, hb.explain, lambda *asked, **_: hb.why(1, 2, *asked)):
        with pytest.raises(hb.TableError, match="no rows"):
            ask(EMPTY, SAME, device="cpu")
