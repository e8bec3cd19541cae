"""Splink's settings as rules. What its own comparisons mean in DuckDB is what the rules find, pair by pair, or it is refused."""

from __future__ import annotations

import warnings
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import hyperblock as hb

pytest.importorskip("splink")

import splink.comparison_level_library as cll  # noqa: E402
import splink.comparison_library as cl  # noqa: E402
from splink import SettingsCreator, block_on  # noqa: E402

VALUES = {
    "name": ["martha", "marhta", "martin", "mary", "abcdxyzw", "abcdqrst", "abcd", "xbcd", "m", None, "jon", "john", "johnathan"],
    "mail": ["ann@x.org", "ann@y.org", "anna@x.org", "bob@x.org", "ann", "bob@y.org", None, "anne@z.org"],
    "zip": ["SW1A 1AA", "SW1A 1AB", "SW1A 2AA", "SW1B 1AA", "S1 1AA", "M1 1AE", "M2 1AE", None],
}
DATES = [18_000, 18_001, 18_030, 18_031, 18_366, 18_400, 21_700, None, 18_000]


def people(column: str) -> pa.Table:
    if column == "born":
        values = pa.array(DATES, pa.int32()).cast(pa.date32())
    else:
        values = pa.array(VALUES[column])
    return pa.table({"id": list(range(len(values))), column: values})


def levels(rules: str) -> list[str]:
    # Python has it since 3.11.
    tomllib = pytest.importorskip("tomllib")
    return list(tomllib.loads(rules)["score"]["attributes"][0]["levels"])


def settings(*comparisons: Any, **more: Any) -> dict[str, Any]:
    made = SettingsCreator("dedupe_only", comparisons=list(comparisons), blocking_rules_to_generate_predictions=["l.a = r.a"], **more)
    return dict(made.create_settings_dict("duckdb"))


@pytest.mark.parametrize(
    "column, comparison",
    [
        ("name", cl.ExactMatch("name")),
        ("name", cl.JaroWinklerAtThresholds("name", [0.95, 0.9, 0.82, 0.8, 0.75, 0.7, 0.6])),
        ("name", cl.JaroAtThresholds("name", [0.9, 0.7])),
        ("name", cl.LevenshteinAtThresholds("name", [1, 2, 5])),
        ("name", cl.DamerauLevenshteinAtThresholds("name", [1])),
        ("name", cl.JaccardAtThresholds("name", [0.9, 0.7, 0.4])),
        ("name", cl.NameComparison("name")),
        ("mail", cl.EmailComparison("mail")),
        ("zip", cl.PostcodeComparison("zip")),
        ("born", cl.DateOfBirthComparison("born", input_is_string=False)),
        ("born", cl.AbsoluteDateDifferenceAtThresholds("born", input_is_string=False, metrics=["day", "year"], thresholds=[30, 1])),
        (
            "name",
            cl.CustomComparison(
                output_column_name="name",
                comparison_levels=[
                    cll.NullLevel("name"),
                    {"sql_condition": "substr(name_l, 1, 2) = substr(name_r, 1, 2)", "label_for_charts": "begin alike"},
                    cll.Or(cll.LevenshteinLevel("name", 1), cll.LiteralMatchLevel("name", "m", "string", side_of_comparison="both")),
                    cll.And(cll.JaroLevel("name", 0.4), cll.Not(cll.ExactMatchLevel("name"))),
                    cll.ElseLevel(),
                ],
            ),
        ),
    ],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
@pytest.mark.filterwarnings("ignore")
def test_levels_mean_the_same(column: str, comparison: Any) -> None:
    carried = levels(hb.from_splink(settings(comparison)))
    conditions = [level["sql_condition"] for level in comparison.create_comparison_dict("duckdb")["comparison_levels"][1:-1]]
    assert len(carried) == len(conditions)
    table = people(column)
    both = duckdb.sql(f'SELECT l.id AS a, r.id AS b, l.{column} AS "{column}_l", r.{column} AS "{column}_r" FROM "table" l, "table" r WHERE l.id < r.id')
    for level, sql in zip(carried, conditions):
        theirs = set(both.filter(sql).project("a, b").fetchall())
        # Each of them is asked for alone, as a rule: a level may be reached though a better one is.
        found = hb.dedupe(table, {"level": level}, device="cpu").to_arrow()
        assert set(zip(found["left"].to_pylist(), found["right"].to_pylist())) == theirs, (level, sql)


@pytest.mark.parametrize(
    "comparison, named",
    [
        (cl.DistanceInKMAtThresholds("lat", "long", [1]), "comparison `lat_long`, level"),
        (cl.ArrayIntersectAtSizes("a", [1]), "list_intersect"),
        (cl.CosineSimilarityAtThresholds("a", [0.9]), "array_cosine_similarity"),
        (cl.PostcodeComparison("zip", lat_col="lat", long_col="long", km_thresholds=[1]), "comparison `zip`, level `Distance in km <= 1`"),
        (cl.ForenameSurnameComparison("a", "b"), "term frequency"),
        (cl.CustomComparison(output_column_name="n", comparison_levels=[cll.NullLevel("n"), cll.PercentageDifferenceLevel("n", 0.1), cll.ElseLevel()]), "comparison `n`"),
    ],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_what_has_no_word_is_named(comparison: Any, named: str) -> None:
    with pytest.raises(ValueError, match="cannot be carried over") as caught:
        hb.from_splink(settings(comparison))
    assert named in str(caught.value)


@pytest.mark.parametrize(
    "wrong, named",
    [
        ({"blocking_rules_to_generate_predictions": [{"blocking_rule": "l.a = r.a", "salting_partitions": 4}]}, "salting_partitions"),
        ({"blocking_rules_to_generate_predictions": [{"blocking_rule": "l.a = r.a", "arrays_to_explode": ["a"]}]}, "arrays_to_explode"),
        ({"blocking_rules_to_generate_predictions": ["l.a || 'x' = r.a"]}, r"\|\|"),
        ({"blocking_rules_to_generate_predictions": ["list_sum(l.a) = r.a"]}, "list_sum"),
        ({"blocking_rules_to_generate_predictions": []}, "blocking_rules"),
        ({"link_type": "link_and_dedupe"}, "link_and_dedupe"),
        ({"sql_dialect": "spark"}, "spark"),
        ({"something_new": 1}, "something_new"),
    ],
    ids=str,
)
def test_what_cannot_be_carried_over_is_named(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        hb.from_splink({"blocking_rules_to_generate_predictions": ["l.a = r.a"]} | wrong)


def test_what_means_a_little_else_is_said() -> None:
    with pytest.warns(UserWarning, match="comparison `name`, level `Damerau-Levenshtein distance of name <= 2`"):
        hb.from_splink(settings(cl.DamerauLevenshteinAtThresholds("name", [1, 2])))
    trained = settings(cl.ExactMatch("name"))
    trained["comparisons"][0]["comparison_levels"][1] |= {"m_probability": 0.9, "u_probability": 0.1}
    with pytest.warns(UserWarning, match="m and u probabilities"):
        hb.from_splink(trained)
    two = cl.ForenameSurnameComparison("a", "b").configure(term_frequency_adjustments=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hb.from_splink(settings(cl.NameComparison("name"), cl.ExactMatch("zip")))
        with pytest.raises((UserWarning, ValueError)):
            hb.from_splink(settings(two))


def test_creators_and_dictionaries() -> None:
    made = SettingsCreator("dedupe_only", comparisons=[], blocking_rules_to_generate_predictions=[block_on("substr(a, 1, 3)", "b b")])
    rules = hb.from_splink(made)
    assert rules == hb.from_splink(made.create_settings_dict("duckdb")) and 'l.\\"b b\\"' in rules
    table = pa.table({"a": ["xyz1", "xyz2"], "b b": [1, 1]})
    assert len(hb.dedupe(table, rules, device="cpu")) == 1
    with pytest.raises(TypeError, match="^settings: "):
        hb.from_splink(5)  # type: ignore[arg-type]


def test_term_frequencies() -> None:
    rules = hb.from_splink(settings(cl.ExactMatch("name").configure(term_frequency_adjustments=True)))
    assert "term_frequency = true" in rules
    comparison = cl.ExactMatch("name").configure(term_frequency_adjustments=True).create_comparison_dict("duckdb")
    comparison["comparison_levels"][1]["tf_minimum_u_value"] = 0.001
    given = {"blocking_rules_to_generate_predictions": ["l.a = r.a"], "comparisons": [comparison]}
    assert "least_frequency = 0.001" in hb.from_splink(given)
    comparison["comparison_levels"][1]["tf_adjustment_weight"] = 0.5
    with pytest.raises(ValueError, match="tf_adjustment_weight"):
        hb.from_splink(given)


def test_constants_stay_as_they_are() -> None:
    rules = hb.from_splink({"blocking_rules_to_generate_predictions": ["l.a = r.a AND l.b = 'x_l \"y\" AND l.b'"]})
    table = pa.table({"a": [1, 1], "b": ['x_l "y" AND l.b'] * 2})
    assert len(hb.dedupe(table, rules, device="cpu")) == 1
