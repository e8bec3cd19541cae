"""On Sail, which speaks Spark Connect and starts at once: so most of what does not need executors is tested here."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jobs
import pyarrow as pa
import pytest
from jobs import MEMORY, RULES, SCORE, people, rows

import hyperblock as hb
import hyperblock.spark as hs


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    pysail = pytest.importorskip("pysail.spark", reason="Sail is not there")
    server = pysail.SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    from pyspark.sql import SparkSession

    yield from jobs.session(SparkSession.builder.remote("sc://{}:{}".format(*server.listening_address)).getOrCreate())
    server.stop()


@pytest.mark.parametrize("seed", range(3))
def test_four_rules(spark: Any, seed: int) -> None:
    assert jobs.same_pairs(spark, people(600, seed), RULES, cores=4) > 300


def test_ids_may_be_texts(spark: Any) -> None:
    assert jobs.same_pairs(spark, people(400, 3, text_ids=True), RULES) > 100


def test_scores_are_the_same(spark: Any) -> None:
    assert jobs.same_pairs(spark, people(400, 5), RULES + SCORE) > 50


WEIGHTS = """prior = 0.2
[[attributes]]
name = "name"
measure = "jaro_winkler_similarity(l.name, r.name)"
levels = [{ at_least = 1, m = 0.8, u = 0.1 }, { at_least = 0.8, m = 0.15, u = 0.2 }, { below = 0.8, m = 0.05, u = 0.7 }]
"""
BY_RARITY = """
[score]
score = "fellegi-sunter"
weights = "weights.toml"
threshold = 0.3
[[score.attributes]]
name = "name"
measure = "jaro_winkler(l.name, r.name)"
levels = [1, 0.8]
term_frequency = true
least_frequency = 0.004
"""


def test_values_are_counted_and_looked_up(spark: Any, tmp_path: Path) -> None:
    """What files say beside the rules goes along with the plan, and how frequent values are is that of the whole table."""
    import pandas

    import hyperblock.dask as hd

    (tmp_path / "weights.toml").write_text(WEIGHTS)
    (tmp_path / "nicknames.csv").write_text("name,other\nBob,Robert\nRob,Robert\nAnn,Anne\n")
    rules = tmp_path / "rules.toml"
    looked_up = '[[rules]]\nname = "nickname"\nwhen = "l.zip = r.zip AND overlap(lookup(l.first, \'nicknames.csv\'), lookup(r.first, \'nicknames.csv\')) >= 1"\n'
    # First, so that it is what pairs are named by that another rule would find as well.
    rules.write_text(looked_up + RULES + BY_RARITY)
    table = people(600, 8)
    told = hs.explain(spark.createDataFrame(table), rules, id="id", worker_memory=MEMORY)
    assert "counted before, in one more pass: name" in told
    single = rows(hb.dedupe(table, rules, id="id", device="cpu"))
    assert {"nickname"} < {row[2] for row in single}
    assert len({row[3] for row in single}) > 8, "of three levels alone there would be three weights"
    assert rows(hs.dedupe(spark.createDataFrame(table), rules, id="id", worker_memory=MEMORY)) == single
    dd = pytest.importorskip("dask.dataframe")
    # Dates stay dates.
    parts = dd.from_pandas(table.drop_columns(["lists"]).to_pandas(types_mapper=pandas.ArrowDtype), npartitions=2)
    with pytest.raises(ValueError, match="`name` are is counted on Spark alone"):
        hd.dedupe(parts, rules, id="id", worker_memory=MEMORY, cores=2)


def test_names_of_columns_may_be_any(spark: Any) -> None:
    table = people(300).rename_columns(lambda_names)
    rules = 'l."the.zip" = r."the.zip" AND levenshtein(l.unit, r.unit) <= 1 AND l."a `tick`" = r."a `tick`"'
    single = rows(hb.dedupe(table, {"all": rules}, id="side", device="cpu"))
    found = hs.dedupe(spark.createDataFrame(table), {"all": rules}, id="side", worker_memory=MEMORY)
    assert rows(found) == single and single


lambda_names = {
    "id": "side", "first": "a `tick`", "name": "unit", "maiden": "label", "street": "pack", "zip": "the.zip", "phone": "Phone",
    "born": "c0", "lists": "c1",
}  # fmt: skip


def test_lists_and_dates(spark: Any) -> None:
    rules = {"lists": "overlap(l.lists, r.lists) >= 1 AND abs(l.born - r.born) <= 900", "dates": "l.born = r.born"}
    table = people(400, 7)
    single = rows(hb.dedupe(table, rules, id="id", device="cpu"))
    assert rows(hs.dedupe(spark.createDataFrame(table), rules, id="id", worker_memory=MEMORY)) == single and single


def test_two_tables(spark: Any) -> None:
    left, right = people(400, 1), people(500, 2, text_ids=True)
    # Other types, another order, another name.
    right = right.rename_columns(["code", *right.column_names[1:]])
    right = right.select([*reversed(right.column_names)])
    tables = [spark.createDataFrame(left), spark.createDataFrame(right)]
    options: dict[str, Any] = dict(id="id", right_id="code")
    single = rows(hb.link(left, right, RULES, device="cpu", **options))
    found = rows(hs.link(*tables, RULES, worker_memory=MEMORY, **options))
    assert found == single and len(single) > 20
    for method in ("components", "one-to-one"):
        one = rows(hb.resolve(left, RULES, right=right, method=method, device="cpu", **options))
        assert rows(hs.resolve(tables[0], RULES, right=tables[1], method=method, worker_memory=MEMORY, **options)) == one


@pytest.mark.parametrize("method", ["components", "center", "complete"])
def test_entities(spark: Any, method: Any) -> None:
    table = people(500, 4)
    single = rows(hb.resolve(table, RULES + SCORE, method=method, id="id", device="cpu"))
    found = hs.resolve(spark.createDataFrame(table), RULES + SCORE, method=method, id="id", worker_memory=MEMORY, cores=12)
    assert rows(found) == single


def test_small_units(spark: Any) -> None:
    """Heavy keys are cut, and everything is in several packs."""
    table = people(700, 6)
    found = job_of(spark, table, RULES, side=40)
    assert found.spread.told["units"] > 20
    assert rows(found.pairs("cpu")) == rows(hb.dedupe(table, RULES, id="id", device="cpu"))


def job_of(spark: Any, table: pa.Table, rules: str, side: int | None = None) -> Any:
    from hyperblock.spark._job import job

    return job(
        dict(df=spark.createDataFrame(table)), rules, id="id", right_id=None, worker_memory=MEMORY, max_shuffle=None, cores=4, side=side
    )  # fmt: skip


def test_other_versions_are_told_of(spark: Any) -> None:
    """What another version would send: the mark, its own number, and whatever it means by the rest."""
    found = job_of(spark, people(200), RULES)
    plan = found.spread.plan
    version = hb.__version__.encode()
    assert plan.count(version) >= 1
    other = plan.replace(version, b"9" * len(version), 1)
    other = other[:-4] + __import__("zlib").crc32(other[:-4]).to_bytes(4, "little")
    broken = dataclasses.replace(found, spread=dataclasses.replace(found.spread, plan=other))
    with pytest.raises(Exception, match="install the same version on the driver and on all executors"):
        broken.pairs("cpu").count()
    damaged = dataclasses.replace(found, spread=dataclasses.replace(found.spread, plan=plan[:-1]))
    with pytest.raises(Exception, match="damaged|no plan"):
        damaged.pairs("cpu").count()


def test_ids_are_looked_at(spark: Any) -> None:
    table = spark.createDataFrame(pa.table({"id": [3, 5, 5, 7, 3], "a": ["x"] * 5, "b": [1, None, 2, 3, 4], "c": [{"d": 1}] * 5}))
    same = {"same": "l.a = r.a"}
    with pytest.raises(hb.TableError, match="more than once: 5 records have 3 ids; `3`, `5`"):
        hs.dedupe(table, same, id="id", worker_memory=MEMORY)
    with pytest.raises(hb.TableError, match="`b` is missing in 1 of 5 records"):
        hs.dedupe(table, same, id="b", worker_memory=MEMORY)
    with pytest.raises(hb.TableError, match="no column `key` for ids; it has `id`"):
        hs.dedupe(table, same, id="key", worker_memory=MEMORY)
    with pytest.raises(hb.TableError, match="of type struct.*cast them to string"):
        hs.dedupe(table, same, id="c", worker_memory=MEMORY)
    with pytest.raises(TypeError, match="^id: "):
        hs.dedupe(table, same, id="", worker_memory=MEMORY)


def test_what_cannot_be_done_is_refused(spark: Any) -> None:
    table = spark.createDataFrame(people(300))
    neighbourhood = '[[neighbourhoods]]\nkey = "l.name"\nwindow = 3\n'
    with pytest.raises((ValueError, hb.HyperblockError), match="(?i)neighbourhood"):
        hs.dedupe(table, RULES + neighbourhood, id="id", worker_memory=MEMORY)
    with pytest.raises(ValueError, match=r"^max_shuffle: [\d,]+ copies .* and 1,000 are allowed.*same phone"):
        hs.dedupe(table, RULES, id="id", worker_memory=MEMORY, max_shuffle=1000)
    with pytest.raises(hb.RuleError, match="(?s)no column `fone`.*zip"):
        hs.dedupe(table, {"a": "l.fone = r.fone"}, id="id", worker_memory=MEMORY)
    with pytest.raises(TypeError, match="^df: a DataFrame of Spark, not pyarrow"):
        hs.dedupe(people(5), RULES, id="id", worker_memory=MEMORY)
    with pytest.raises(ValueError, match="^worker_memory: "):
        hs.dedupe(table, RULES, id="id", worker_memory=0)
    with pytest.raises(ValueError, match="^device: "):
        hs.dedupe(table, RULES, id="id", worker_memory=MEMORY, device="gpu")
    with pytest.raises(ValueError, match="^method: "):
        hs.resolve(table, RULES, id="id", worker_memory=MEMORY, method="some")  # type: ignore[arg-type]
    twice = spark.createDataFrame(pa.table({"id": [1], "a": ["x"]})).selectExpr("id", "a", "a AS a")
    with pytest.raises(hb.TableError, match="several are named `a`"):
        hs.dedupe(twice, {"same": "l.a = r.a"}, id="id", worker_memory=MEMORY)


def test_tables_without_records(spark: Any) -> None:
    none = spark.createDataFrame(people(20)).limit(0)
    found = hs.dedupe(none, RULES + SCORE, id="id", worker_memory=MEMORY)
    assert found.columns == ["left", "right", "rule", "score"] and found.count() == 0
    assert hs.resolve(none, RULES, id="id", worker_memory=MEMORY).count() == 0


def test_explain(spark: Any) -> None:
    table = spark.createDataFrame(people(500))
    told = hs.explain(table, RULES, id="id", worker_memory=MEMORY, cores=2, format="json")
    assert told["records"] == [500] and told["packs"] <= 6
    assert told["copies"] == sum(branch["copies"] for branch in told["branches"])
    assert told["bytes_to_shuffle"] == pytest.approx(sum(branch["bytes"] for branch in told["branches"]), rel=0.01)
    text = hs.explain(table, RULES, id="id", worker_memory=MEMORY, cores=2)
    assert f"{told['units']:,} in {told['packs']:,} packs" in text and "one machine" in text and "same phone" in text


def test_the_gpu_that_was_assigned(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyspark

    from hyperblock.spark._job import choosing

    class Context:
        def resources(self) -> dict[str, Any]:
            return {"gpu": type("Information", (), {"addresses": ["3"]})()}

    monkeypatch.setattr(pyspark.TaskContext, "get", lambda: Context())
    assert [choosing(device)() for device in ("auto", "cuda", "cuda:1", "cpu")] == ["cuda:3", "cuda:3", "cuda:1", "cpu"]
    monkeypatch.setattr(pyspark.TaskContext, "get", lambda: None)
    assert [choosing(device)() for device in ("auto", "cuda", "cpu")] == ["cpu", "cuda", "cpu"]


def test_page(spark: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What docs/spark.md shows, block by block; those that are marked need what is not here."""
    pytest.importorskip("dask.dataframe")
    root = Path(__file__).parents[3]
    monkeypatch.chdir(root)
    text = (root / "docs/spark.md").read_text()
    names: dict[str, Any] = {"spark": spark, "__name__": "spark.md"}
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    assert len(blocks) > 3
    for block in blocks:
        before = "\n" * text[: block.start(1)].count("\n")
        exec(compile(before + block.group(1), "spark.md", "exec"), names)
    assert "to shuffle" in capsys.readouterr().out
