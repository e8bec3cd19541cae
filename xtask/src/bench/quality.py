#!/usr/bin/env python3
"""Resolves one table, or two, with Splink 4 on DuckDB, by a rule file of hyperblock.

    quality.py RULES LEFT [RIGHT] --id COLUMN --pairs FILE --entities FILE [--model FILE] [--sample N]

The rule file has a score by Fellegi and Sunter. No labels are read. The recipe is Splink's own:

    prior     from the pairs that meet a condition of `sure`, divided by `recall`
    u         from random pairs, with a fixed seed
    m         by expectation maximisation, once for each blocking rule, and the mean of these
    predict   the pairs that some rule allows, with a probability of at least `threshold`
    cluster   connected components

What is translated:

    [[rules]] when        a blocking rule, as it is
    attribute             a comparison; its levels are tried in their order, and the last is "all else"
    level, a number       the measure is at least this; 1 means that both values are the same
    level, a condition    the condition
    term_frequency        Splink's adjustment, on the level where both values are the same
    missing values        Splink's null level: of the measure, or else of the first level

The seconds of each step go to standard output, a line each, and warnings to standard error.
"""

import argparse
import sys
import time
import tomllib
from pathlib import Path

import duckdb
import sqlglot
from splink import DuckDBAPI, Linker, SettingsCreator
from splink.internals.exceptions import EMTrainingException
from sqlglot import exp

SEED = 1
SIDES = {"l": "l", "r": "r", "t": "l", "s": "r"}  # hyperblock also writes t for l, and s for r
SYNONYMS = {"jaro": "jaro_similarity", "jaro_winkler": "jaro_winkler_similarity"}
# What these leave nothing of is missing.
TRANSFORMS = {"lower", "upper", "trim", "substr", "substring", "left", "right", "regexp_replace", "strip_accents"}


def parse(text):
    return sqlglot.parse_one(text, read="duckdb")


def function(node):
    """The name of a function call, as it was written."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""


def name_column(node, in_level):
    """`l.x` is `l."x"` in a blocking rule, and `"x_l"` in a level. Numbers are subtracted as numbers."""
    side = SIDES[node.table.lower()]
    column = exp.column(f"{node.name}_{side}", quoted=True) if in_level else exp.column(node.name, side, quoted=True)
    return exp.TryCast(this=column, to=exp.DataType.build("DOUBLE")) if isinstance(node.parent, exp.Sub) else column


def translate(tree, in_level):
    """A condition or a measure of the rule language as SQL of DuckDB."""
    root = exp.Paren(this=tree.copy())  # so that each node has a parent to be replaced in
    for node in reversed(list(root.walk())):  # children before their parents
        name = function(node)
        if isinstance(node, exp.Column):
            node.replace(name_column(node, in_level))
        elif name in TRANSFORMS or isinstance(node, (exp.Lower, exp.Upper, exp.Substring, exp.Trim, exp.RegexpReplace)):
            node.replace(exp.Nullif(this=node.copy(), expression=exp.Literal.string("")))
        elif name in SYNONYMS:
            node.replace(exp.Anonymous(this=SYNONYMS[name], expressions=[a.copy() for a in node.expressions]))
        elif name in ("levenshtein_similarity", "damerau_levenshtein_similarity"):
            a, b = (argument.sql("duckdb") for argument in node.expressions)
            distance = name.removesuffix("_similarity")
            # Rounded, so that one edit in five reaches 0.8.
            node.replace(parse(f"round(1 - {distance}({a}, {b}) / greatest(length({a}), length({b})), 9)"))
    return root.this.sql("duckdb")


def sides(node):
    return {SIDES[column.table.lower()] for column in node.find_all(exp.Column)}


def values(node):
    """The largest parts of a condition that read one record alone: what is compared."""
    if len(sides(node)) == 1:
        return [node]
    return [value for child in node.iter_expressions() for value in values(child)]


def same_value(tree):
    """`x` where a condition says `l.x = r.x`, whatever x is made of; else nothing."""
    if not isinstance(tree, exp.EQ) or len(sides(tree.this)) != 1 or len(sides(tree.expression)) != 1:
        return None
    left, right = tree.this.copy(), tree.expression.copy()
    for column in [*left.find_all(exp.Column), *right.find_all(exp.Column)]:
        column.set("table", exp.to_identifier("l"))
    return left if left == right and sides(tree.this) != sides(tree.expression) else None


def level_conditions(attribute):
    """The levels of an attribute as conditions, best first, and the values without which it is missing."""
    measure = parse(attribute["measure"]) if "measure" in attribute else None
    if isinstance(measure, exp.Predicate):  # a comparison: it holds, or it does not
        return [measure], values(measure)
    conditions = []
    for level in attribute.get("levels", [1, 0.9, 0.7]):
        if isinstance(level, str):
            conditions.append(parse(level))
        elif level == 1:
            left, right = values(measure)
            conditions.append(exp.EQ(this=left.copy(), expression=right.copy()))
        else:
            conditions.append(exp.GTE(this=measure.copy(), expression=exp.Literal.number(str(level))))
    return conditions, values(measure if measure is not None else conditions[0])


def comparison(attribute, derived):
    """An attribute as a comparison of Splink. `derived` gets the columns that term frequencies need."""
    conditions, read = level_conditions(attribute)
    missing = " OR ".join(f"{translate(value, True)} IS NULL" for value in read)
    levels = [{"sql_condition": missing, "label_for_charts": "missing", "is_null_level": True}]
    wants_frequencies = attribute.get("term_frequency", False)
    for condition in conditions:
        level = {"sql_condition": translate(condition, True), "label_for_charts": condition.sql("duckdb")}
        value = same_value(condition) if wants_frequencies else None
        if value is not None:
            # Splink knows the frequencies of columns alone, so what a transform makes becomes one.
            column = value.name
            if not isinstance(value, exp.Column):
                column = f"derived_{len(derived)}"
                derived[column] = translate(value, False)
            level["sql_condition"] = f'"{column}_l" = "{column}_r"'
            level["tf_adjustment_column"] = column
            wants_frequencies = False
        levels.append(level)
    levels.append({"sql_condition": "ELSE", "label_for_charts": "all else"})
    name = attribute.get("name", attribute.get("measure"))
    return {"output_column_name": name, "comparison_levels": levels}


def main():
    arguments = argparse.ArgumentParser(description="Resolves tables with Splink, by a rule file of hyperblock.")
    arguments.add_argument("rules", type=Path)
    arguments.add_argument("tables", nargs="+", metavar="table", help="a CSV file, or two")
    arguments.add_argument("--id", default="id", help="the column of ids")
    arguments.add_argument("--pairs", required=True, help="where the pairs go: left, right, probability")
    arguments.add_argument("--entities", required=True, help="where the entities go: id, entity_id, and which table")
    arguments.add_argument("--model", help="where m and u go, as JSON of Splink")
    arguments.add_argument("--sample", type=float, default=1e6, help="random pairs to look at for u")
    given = arguments.parse_args()
    rules = tomllib.loads(given.rules.read_text())
    score = rules["score"]
    derived = {}
    comparisons = [comparison(attribute, derived) for attribute in score["attributes"]]
    blocking = [translate(parse(rule["when"]), False) for rule in rules["rules"]]

    seconds = {}
    begin = time.perf_counter()

    def done(step):
        nonlocal begin
        now = time.perf_counter()
        seconds[step] = round(now - begin, 3)
        begin = now

    # All values are text, as they are written. Empty ones are missing.
    connection = duckdb.connect()
    # It would be printed among the seconds.
    connection.execute("SET enable_progress_bar = false")
    extra = "".join(f', {sql} AS "{column}"' for column, sql in derived.items())
    names = ["left_table", "right_table"][: len(given.tables)]
    for name, path in zip(names, given.tables, strict=True):
        source = "read_csv(?, header = true, all_varchar = true, nullstr = '', quote = '\"', escape = '\"', delim = ',')"
        connection.execute(f"CREATE TABLE {name} AS SELECT *{extra} FROM {source} AS l", [str(path)])
    settings = SettingsCreator(
        link_type="dedupe_only" if len(names) == 1 else "link_only",
        unique_id_column_name=given.id,
        blocking_rules_to_generate_predictions=blocking,
        comparisons=comparisons,
        retain_matching_columns=False,
        retain_intermediate_calculation_columns=False,
    )
    linker = Linker(names, settings, db_api=DuckDBAPI(connection), input_table_aliases=names)
    done("read")

    sure = [translate(parse(condition), False) for condition in score["sure"]]
    linker.training.estimate_probability_two_random_records_match(sure, recall=score.get("recall", 0.7))
    done("prior")
    linker.training.estimate_u_using_random_sampling(max_pairs=given.sample, seed=SEED)
    done("u")
    for rule in blocking:
        try:
            linker.training.estimate_parameters_using_expectation_maximisation(rule)
        except EMTrainingException as error:  # nothing is left to learn there
            print(f"{rule}: {error}", file=sys.stderr)
    done("m")
    threshold = score.get("threshold", 0)
    predictions = linker.inference.predict(threshold_match_probability=threshold)
    done("predict")
    clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(predictions, threshold)
    done("cluster")

    pairs = f'SELECT "{given.id}_l" AS "left", "{given.id}_r" AS "right", match_probability AS probability'
    entities = f'SELECT "{given.id}" AS id, cluster_id AS entity_id'
    if len(names) == 2:
        entities += ", split_part(source_dataset, '_', 1) AS \"table\""
    connection.execute(f"COPY ({pairs} FROM {predictions.physical_name}) TO '{given.pairs}' (HEADER)")
    connection.execute(f"COPY ({entities} FROM {clusters.physical_name}) TO '{given.entities}' (HEADER)")
    if given.model:
        linker.misc.save_model_to_json(given.model, overwrite=True)
    done("write")
    seconds["total"] = round(sum(seconds.values()), 3)
    for step, taken in seconds.items():
        print(step, taken)


if __name__ == "__main__":
    main()
