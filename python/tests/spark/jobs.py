"""Jobs that are done on Spark and by one machine, and must come to the same."""

from __future__ import annotations

import datetime
import os
import random
import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

import hyperblock as hb

# Workers are of the Python that tests run in.
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable

MEMORY = 1 << 30
"""Of a task."""

RULES = """
[[rules]]
name = "same phone"
when = "l.phone = r.phone"

[[rules]]
name = "alike, one zip"
when = "l.zip = r.zip AND levenshtein_similarity(lower(l.name), lower(r.name)) >= 0.75"

[[rules]]
name = "same words"
when = "jaccard(words(l.street), words(r.street)) >= 0.6 AND abs(l.born - r.born) <= 40"

[[rules]]
name = "name of the other"
when = "l.name = r.maiden AND soundex(l.first) = soundex(r.first)"
"""
"""A key, a key with a similarity, a similarity that finds pairs by itself, and one that is not the same either way round."""

SCORE = """
[score]
threshold = 0.55
[[score.attributes]]
measure = "jaro_winkler(l.name, r.name)"
[[score.attributes]]
measure = "levenshtein_similarity(l.first, r.first)"
"""


def people(n: int, seed: int = 1, text_ids: bool = False) -> pa.Table:
    """People, some of whom are there again with slips; values are missing here and there, and one zip is that of a fifth of all."""
    draw = random.Random(seed)
    surnames = ["".join(draw.choices("abdeilmnorst", k=draw.randrange(4, 9))) for _ in range(max(8, n // 6))]
    roads = ["".join(draw.choices("aeiklmnoprst", k=6)) for _ in range(max(6, n // 20))]
    rows: list[dict[str, Any]] = []
    for _ in range(n):
        if rows and draw.random() < 0.25:
            row = dict(draw.choice(rows))
            slip = draw.randrange(4)
            if slip == 0:
                row["name"] = row["name"][1:] + "x"
            elif slip == 1:
                row["phone"] = None
            elif slip == 2:
                row["name"], row["maiden"] = row["maiden"] or row["name"], row["name"]
        else:
            row = dict(
                first=draw.choice(["Ann", "Anne", "Bob", "Rob", "Robert", "Eve"]),
                name=draw.choice(surnames),
                maiden=draw.choice(surnames) if draw.random() < 0.3 else None,
                street=f"{draw.randrange(1, 30)} {draw.choice(roads)} {draw.choice(['road', 'lane'])}",
                zip="10115" if draw.random() < 0.2 else str(draw.randrange(10000, 10000 + n // 8 + 1)),
                phone=str(draw.randrange(10 * n)) if draw.random() < 0.9 else None,
                born=datetime.date(1950, 1, 1) + datetime.timedelta(days=draw.randrange(18_000)),
                lists=[str(draw.randrange(50)) for _ in range(draw.randrange(3))],
            )
        rows.append(row)
    numbers = draw.sample(range(-n, 10 * n), n)
    ids: list[Any] = [f"p{number}" for number in numbers] if text_ids else numbers
    table = pa.Table.from_pylist(rows)
    return table.add_column(0, "id", pa.array(ids))


def rows(found: Any) -> list[tuple[Any, ...]]:
    """The rows of a table, in one order."""
    table = found.toArrow() if hasattr(found, "toArrow") else found.to_arrow() if hasattr(found, "to_arrow") else found
    return sorted((tuple(row.values()) for row in table.to_pylist()), key=repr)


def session(spark: Any) -> Iterator[Any]:
    """A session for as long as tests of a file run, with as few partitions as so small tables need."""
    spark.conf.set("spark.sql.shuffle.partitions", "3")
    yield spark
    spark.stop()


def same_pairs(spark: Any, table: pa.Table, rules: str, **options: Any) -> int:
    """How many pairs Spark finds, which have to be those that one machine finds."""
    import hyperblock.spark as hs

    single = rows(hb.dedupe(table, rules, id="id", device="cpu"))
    found = rows(hs.dedupe(spark.createDataFrame(table), rules, id="id", worker_memory=MEMORY, **options))
    assert len(found) == len(set(found)), "no pair comes twice"
    assert found == single
    return len(found)
