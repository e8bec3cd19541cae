"""Results: read as often as somebody likes, by whoever reads Arrow, also after they are gone."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hyperblock as hb

ALL = {"same": "l.a = r.a"}


def found(n: int = 40) -> hb.Pairs:
    """All pairs of so many records."""
    return hb.dedupe(pa.table({"a": ["x"] * n}), ALL, device="cpu")


def test_it_is_read_twice() -> None:
    pairs = found()
    assert pairs.to_arrow().equals(pairs.to_arrow()) and len(pairs.to_polars()) == len(pairs.to_pandas()) == 780


def test_everybody_reads_it() -> None:
    pairs = found()
    assert isinstance(pairs.to_pandas(), pd.DataFrame) and isinstance(pairs.to_polars(), pl.DataFrame)
    assert pa.RecordBatchReader.from_stream(pairs).schema.names == ["left", "right", "rule"]
    assert pl.DataFrame(pairs).equals(pairs.to_polars())
    arrow = pairs.to_arrow()
    assert duckdb.sql("SELECT count(*) FROM arrow").fetchall() == [(780,)]
    assert arrow.schema.field("left").type == pa.int64()


def test_a_stream_outlives_its_result() -> None:
    pairs = found()
    gone = weakref.ref(pairs)
    reader = pa.RecordBatchReader.from_stream(pairs)
    del pairs
    gc.collect()
    assert gone() is None and reader.read_all().num_rows == 780


def test_a_stream_that_nobody_reads_is_freed() -> None:
    pairs = found()
    for _ in range(1000):
        pairs.__arrow_c_stream__()
    gc.collect()
    assert len(pairs.to_arrow()) == 780


def test_threads_read_it_at_once() -> None:
    pairs, read = found(), []
    readers = [threading.Thread(target=lambda: read.append(pairs.to_arrow().num_rows)) for _ in range(8)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert read == [780] * 8


def test_it_tells_what_it_is() -> None:
    pairs = found()
    assert repr(pairs) == "<hyperblock.Pairs: 780 rows>" and bool(pairs)
    shown = pairs._repr_html_()
    assert shown.count("<tr>") == 21 and "780 rows, the first 20 of them here" in shown
    assert "first" not in found(3)._repr_html_()
    assert repr(hb.cluster(pairs, device="cpu")) == "<hyperblock.Entities: 40 rows>"


def test_html_is_escaped() -> None:
    people = pa.table({"id": ["<b>", "&"], "a": ["x", "x"]})
    shown = hb.dedupe(people, {"<i>": "l.a = r.a"}, device="cpu")._repr_html_()
    assert "&lt;b&gt;" in shown and "&lt;i&gt;" in shown and "<b>" not in shown and "<i>" not in shown


def test_html_does_not_read_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = found(2000)
    monkeypatch.setattr(hb.Pairs, "to_arrow", lambda _: pytest.fail("all rows were read"))
    start = time.monotonic()
    assert f"{len(pairs):,} rows" in pairs._repr_html_()
    assert time.monotonic() - start < 0.5
