"""Several tables: whatever form they have, what is found is what the command line finds in the same files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from given import lines, printed

import hyperblock as hb

RULES = {"name": "lower(l.name) = lower(r.name)"}
MAP = {"name": ["title", "list.product"]}
SHOP = pa.table({"id": [1, 2, 3], "title": ["Red Tea", "Green Tea", "Green Tea"]})
CATALOGUE = pa.table({"id": [1, 9], "name": ["red tea", "Green Tea"]})
LIST = pa.table({"id": ["x", "y"], "product": ["red tea", "GREEN TEA"]})


def files(folder: Path) -> list[Path]:
    paths = []
    for name, table in [("shop", SHOP), ("catalogue", CATALOGUE), ("list", LIST)]:
        paths.append(folder / f"{name}.csv")
        pl.DataFrame(table).write_csv(paths[-1])
    (folder / "rules.toml").write_text('[[rules]]\nname = "name"\nwhen = "lower(l.name) = lower(r.name)"\n')
    return paths


@pytest.mark.parametrize("within", [False, True])
def test_link_of_three(tmp_path: Path, within: bool) -> None:
    paths = files(tmp_path)
    options = ["--map", "name=title,list.product", *(["--within"] if within else [])]
    wanted = printed("link", *paths, "-r", tmp_path / "rules.toml", *options)
    assert len(wanted) == (9 if within else 8)
    assert lines(hb.link(*paths, tmp_path / "rules.toml", map=MAP, within=within, device="cpu")) == wanted
    assert lines(hb.link(*paths, rules=RULES, map=MAP, within=within, device="cpu")) == wanted
    named = dict(shop=SHOP, catalogue=pl.DataFrame(CATALOGUE), list=LIST)
    assert lines(hb.link(named, RULES, map=MAP, within=within, device="cpu")) == wanted
    # Without names they are numbered, and `list.` is no table.
    unnamed = hb.link(SHOP, CATALOGUE, LIST, RULES, map={"name": ["title", "table_3.product"]}, within=within, device="cpu")
    numbered = [tuple(dict(shop="table_1", catalogue="table_2", list="table_3").get(it, it) for it in line) for line in wanted]
    assert lines(unnamed) == numbered
    if within:
        assert lines(hb.dedupe(paths, RULES, map=MAP, device="cpu")) == wanted


def test_patterns_and_summaries(tmp_path: Path) -> None:
    files(tmp_path)
    found = hb.dedupe(tmp_path / "*.csv", RULES, map=MAP, device="cpu")
    assert found.summary["records"]["tables"] == [
        {"name": "catalogue", "records": 2},
        {"name": "list", "records": 2},
        {"name": "shop", "records": 3},
    ]
    assert lines(hb.link(tmp_path / "*.csv", rules=RULES, map=MAP, device="cpu"))[0] == ("catalogue", "1", "list", "x", "name")
    with pytest.raises(hb.TableError, match="no file matches"):
        hb.dedupe(tmp_path / "*.parquet", RULES)


def test_two_tables_are_as_they_were() -> None:
    found = hb.link(SHOP, CATALOGUE, RULES, map=MAP, device="cpu")
    assert found.to_arrow().column_names == ["left", "right", "rule"]
    assert lines(found) == lines(hb.link(left=SHOP, right=CATALOGUE, rules=RULES, map=MAP, device="cpu"))


def test_entities_and_the_rest(tmp_path: Path) -> None:
    paths = files(tmp_path)
    wanted = printed("resolve", *paths, "-r", tmp_path / "rules.toml", "--map", "name=title,list.product")
    tables = dict(shop=SHOP, catalogue=CATALOGUE, list=LIST)
    assert lines(hb.resolve(tables, RULES, map=MAP, device="cpu")) == wanted
    assert wanted[-1] == ("list", "y", "shop:2")
    answer = hb.why("shop:1", "x", tables, RULES, map=MAP, format="json")
    assert (answer["left_source"], answer["right_source"], answer["candidate"]) == ("shop", "list", True)
    assert "Tables: shop=3, catalogue=2, list=2" in hb.explain(tables, RULES, map=MAP, device="cpu")


def test_tables_without_rows() -> None:
    empty = CATALOGUE.slice(2)
    assert len(hb.link(dict(a=SHOP, b=empty, c=SHOP), RULES, map=MAP, device="cpu")) == 5
    nothing = hb.link(dict(a=empty, b=empty, c=empty), RULES, device="cpu")
    assert nothing.to_arrow().column_names == ["left_source", "left", "right_source", "right", "rule"]


def test_what_does_not_go_together() -> None:
    for wrong, said in [
        (lambda: hb.dedupe([], RULES), "table: there is none"),
        (lambda: hb.link(SHOP, rules=RULES), "here is one table"),
        (lambda: hb.link([SHOP], RULES), "link takes two tables or more"),
        (lambda: hb.dedupe([SHOP, 7], RULES), r"table\[1\]: a path, or a table"),
        (lambda: hb.dedupe({1: SHOP}, RULES), "what tables are called is text"),
        (lambda: hb.dedupe(SHOP, RULES, map={"name": []}), "map: 'name' stands for"),
        (lambda: hb.dedupe(SHOP, RULES, map="name=title"), "map: a dict"),
        (lambda: hb.dedupe(SHOP, RULES, map={"price": "kosten"}), "no table has a column `kosten`"),
    ]:
        with pytest.raises((TypeError, ValueError, hb.HyperblockError), match=said):
            wrong()


def test_pairs_of_several_tables_become_entities() -> None:
    named = dict(shop=SHOP, catalogue=CATALOGUE, list=LIST)
    pairs = hb.link(named, RULES, map=MAP, device="cpu")
    found = hb.cluster(pairs, device="cpu").to_arrow().to_pylist()
    wanted = hb.resolve(named, RULES, map=MAP, device="cpu").to_arrow().to_pylist()

    def together(rows: list[dict[str, object]]) -> set[frozenset[tuple[object, object]]]:
        entities = {row["entity_id"] for row in rows}
        return {frozenset((row["source"], row["id"]) for row in rows if row["entity_id"] == entity) for entity in entities}

    # The same id of two tables is two records. All records are in pairs here.
    assert together(found) == together(wanted) and len(found) == 7
