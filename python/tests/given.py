"""What tests are given: the command line to compare with, data sets, and one table in the forms that Python has for it."""

from __future__ import annotations

import csv
import io
import os
import subprocess
from pathlib import Path

import duckdb
import polars as pl
import pytest

import hyperblock as hb

ROOT = Path(__file__).parents[2]
PEOPLE = ROOT / "examples/people"
TRAFFIC_RULES = ROOT / "xtask/paper/traffic.toml"
PAPER_RULES = {
    "alike title": "jaccard(words(lower(l.title)), words(lower(r.title))) >= 0.6 AND abs(l.year - r.year) <= 1",
    "alike authors": "levenshtein_similarity(l.authors, r.authors) >= 0.8 AND l.year = r.year",
}
FORMS = ["path", "polars", "pyarrow", "pandas", "duckdb"]
"""All that `table` can make of a file."""

Line = tuple[str, ...]


def said(*arguments: object) -> str:
    """What the command line writes to standard output."""
    program = os.environ.get("HYPERBLOCK_PROGRAM")
    if program is None:
        pytest.skip("HYPERBLOCK_PROGRAM is not set: `cargo xtask python` sets it")
    command = [program, *map(str, arguments), "-q"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def printed(*arguments: object) -> list[Line]:
    """The rows that the command line writes as CSV, without the header."""
    return [tuple(row) for row in csv.reader(io.StringIO(said(*arguments, "-o", "-")))][1:]


def lines(found: hb.Pairs | hb.Entities) -> list[Line]:
    """The same of a result."""
    return [tuple("" if value is None else str(value) for value in row.values()) for row in found.to_arrow().to_pylist()]


def generated(name: str) -> Path:
    """A data set that `cargo xtask gen` makes."""
    folder = os.environ.get("HYPERBLOCK_GENERATED")
    if folder is None:
        pytest.skip("HYPERBLOCK_GENERATED is not set: `cargo xtask python` sets it")
    return Path(folder) / name


def frame(path: Path) -> pl.DataFrame:
    """A CSV file with the kinds that the command line sees: numbers and dates where each value is one as it is written."""
    text = pl.read_csv(path, infer_schema=False)
    typed = []
    for name in text.columns:
        values = text[name].drop_nulls()
        if len(values) and values.str.contains(r"^(0|-?[1-9]\d*)$").all():
            typed.append(pl.col(name).cast(pl.Int64))
        elif len(values) and values.str.contains(r"^\d{4}-\d{2}-\d{2}$").all():
            typed.append(pl.col(name).str.to_date())
    return text.with_columns(typed)


def table(path: Path, form: str) -> hb._asked.Table:
    if form == "path":
        return path
    found = frame(path)
    if form == "polars":
        return found
    if form == "pyarrow":
        return found.to_arrow()
    if form == "pandas":
        # With the types of Arrow: numpy's integers have no missing values.
        return found.to_pandas(use_pyarrow_extension_array=True)
    return duckdb.connect().from_arrow(found.to_arrow())
