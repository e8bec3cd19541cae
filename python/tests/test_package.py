"""The package beside the command line, and what may go wrong."""

from __future__ import annotations

import csv
import gc
import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hyperblock as hb

ROOT = Path(__file__).parents[2]
PEOPLE = ROOT / "examples/people/people.csv"
RULES = ROOT / "examples/people/rules.toml"
SAME = [("same", "l.a = r.a")]


def program() -> Path:
    built = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    for profile in ("release", "debug"):
        if (built / profile / "hyperblock").exists():
            return built / profile / "hyperblock"
    pytest.skip("the command line is not built")


def rows(found: hb.Pairs) -> list[tuple[str, ...]]:
    return [tuple(map(str, row.values())) for row in found.to_arrow().to_pylist()]


@pytest.fixture(scope="module")
def expected() -> list[tuple[str, ...]]:
    command = [program(), "dedupe", PEOPLE, "--rules", RULES, "--device", "cpu", "-q", "-o", "-"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [tuple(row) for row in csv.reader(io.StringIO(said))][1:]


def tables() -> dict[str, object]:
    # As text, where a reader would take `007` for a number.
    frame = pl.read_csv(PEOPLE, infer_schema=False, missing_utf8_is_empty_string=False)
    frame = frame.with_columns(
        pl.col("id").cast(pl.Int64), pl.col("birth_date").str.to_date(strict=False), pl.col("birth_year").cast(pl.Int64)
    )
    return {
        "path": PEOPLE,
        "polars": frame,
        "pyarrow": frame.to_arrow(),
        "pandas": frame.to_pandas(use_pyarrow_extension_array=True),
        "duckdb": duckdb.sql("SELECT * FROM frame"),
    }


@pytest.mark.parametrize("kind", ["path", "polars", "pyarrow", "pandas", "duckdb"])
def test_as_the_command_line(kind: str, expected: list[tuple[str, ...]]) -> None:
    assert rows(hb.dedupe(tables()[kind], RULES, device="cpu")) == expected  # type: ignore[arg-type]


def test_missing_values_are_not_equal() -> None:
    table = pa.table({"a": ["x", None, None, "", "x", ""]})
    assert rows(hb.dedupe(table, SAME, device="cpu")) == [("1", "5", "same")]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 1], pa.uint8()), pa.array([1.5, 1.5]), pa.array(["x", "x"], pa.large_string()),
        pa.array(["x", "x"], pa.string_view()), pa.array([True, True]), pa.array([0, 0], pa.date32()),
        pa.array([0, 0], pa.timestamp("us", "UTC")), pa.array(["x", "x"]).dictionary_encode(),
    ],
)  # fmt: skip
def test_types(column: pa.Array) -> None:
    assert len(hb.dedupe(pa.table({"a": column}), SAME, device="cpu")) == 1


def test_nested_columns_are_refused_only_if_asked_for() -> None:
    table = pa.table({"a": [1, 1], "n": [[1], [1]]})
    assert len(hb.dedupe(table, SAME, device="cpu")) == 1
    with pytest.raises(hb.TableError, match="`n`"):
        hb.dedupe(table, [("n", "l.n = r.n")], device="cpu")


def test_empty_tables() -> None:
    none = hb.dedupe(pa.table({"a": pa.array([], pa.string())}), SAME, device="cpu")
    assert len(none) == 0 and none.to_arrow().column_names == ["left", "right", "rule"]


def test_errors_say_where() -> None:
    with pytest.raises(hb.RuleError) as caught:
        hb.dedupe(pa.table({"a": [1]}), '[[rules]]\nname = "b"\nwhen = "l.a = r.b"\n', device="cpu")
    assert caught.value.line == 3
    with pytest.raises(hb.DeviceError):
        hb.dedupe(pa.table({"a": [1, 1]}), SAME, device="cuda:63")
    with pytest.raises(OSError):
        hb.dedupe("no such file.csv", SAME, device="cpu")


def test_a_result_is_read_twice_and_outlives_its_object() -> None:
    found = hb.dedupe(pa.table({"a": [1, 1, 1]}), SAME, device="cpu")
    assert found.to_arrow().equals(found.to_arrow()) and len(found.to_polars()) == 3
    reader = pa.RecordBatchReader.from_stream(found)
    del found
    gc.collect()
    assert reader.read_all().num_rows == 3


def test_html_is_escaped() -> None:
    table = pa.table({"id": ["<b>", "&"], "a": [1, 1]})
    assert "<b>" not in hb.dedupe(table, SAME, device="cpu")._repr_html_()


def test_two_threads() -> None:
    found: list[int] = []
    table = pa.table({"a": [n % 100 for n in range(10_000)]})
    run = lambda: found.append(len(hb.dedupe(table, SAME, device="cpu")))  # noqa: E731
    threads = [threading.Thread(target=run) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [495_000, 495_000]


def test_fork() -> None:
    table = pa.table({"a": [1, 1]})
    assert len(hb.dedupe(table, SAME, device="cpu")) == 1
    child = os.fork()
    if child == 0:
        os._exit(0 if len(hb.dedupe(table, SAME, device="cpu")) == 1 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_ctrl_c() -> None:
    code = (
        "import hyperblock as hb, pyarrow as pa\n"
        "table = pa.table({'a': [f'{n:020} some longer text' for n in range(300_000)]})\n"
        "print('begun', flush=True)\n"
        "hb.dedupe(table, [('x', 'jaro(l.a, r.a) >= 0.99')], device='cpu')\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "begun\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, said = child.communicate(timeout=30)
    assert "KeyboardInterrupt" in said
    # Half a second, and what the interpreter takes to end.
    assert time.monotonic() - start < 1.5


def test_pandas_stays_pandas() -> None:
    assert isinstance(hb.dedupe(pd.DataFrame({"a": [1, 1]}), SAME, device="cpu").to_pandas(), pd.DataFrame)


def test_splink() -> None:
    with pytest.raises(ValueError, match="salting_partitions"):
        rule = {"blocking_rule": "l.a = r.a", "salting_partitions": 4}
        hb.from_splink({"blocking_rules_to_generate_predictions": [rule]})
    rules = hb.from_splink({"blocking_rules_to_generate_predictions": ["l.a = r.a"]})
    assert len(hb.dedupe(pa.table({"a": [1, 1]}), rules, device="cpu")) == 1
