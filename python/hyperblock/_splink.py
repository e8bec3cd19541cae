"""Splink's settings as rules: blocking rules and comparison levels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_IGNORED = {
    "link_type", "unique_id_column_name", "retain_intermediate_calculation_columns", "retain_matching_columns",
    "additional_columns_to_retain", "bayes_factor_column_prefix", "term_frequency_adjustment_column_prefix",
    "comparison_vector_value_column_prefix", "sql_dialect", "linker_uid", "em_convergence", "max_iterations",
    "source_dataset_column_name", "probability_two_random_records_match",
}  # fmt: skip
_KNOWN = {"blocking_rules_to_generate_predictions", "comparisons"} | _IGNORED


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def _condition(sql: str) -> str:
    """Splink writes ``name_l``, or ``"name_l"``, where rules write ``l.name``. Constants stay as they are."""
    parts = re.split(r"('(?:[^']|'')*')", sql)
    for at in range(0, len(parts), 2):
        parts[at] = re.sub(r'"?\b(?<!\.)([A-Za-z]\w*)_([lr])\b"?', r"\2.\1", parts[at])
    return "".join(parts)


def from_splink(settings: Mapping[str, Any]) -> str:
    """Rules, as TOML, of a Splink settings dictionary (``SettingsCreator(...).create_settings_dict("duckdb")``).

    What cannot be carried over is a ``ValueError`` that names it. Weights are not carried over: ``fit`` them.

    >>> print(from_splink({"blocking_rules_to_generate_predictions": ["l.city = r.city"]}))
    [[rules]]
    name = "l.city = r.city"
    when = "l.city = r.city"
    <BLANKLINE>
    """
    unknown = sorted(set(settings) - _KNOWN)
    if unknown:
        raise ValueError(f"settings of Splink that cannot be carried over: {', '.join(unknown)}")
    lines: list[str] = []
    for rule in settings.get("blocking_rules_to_generate_predictions", []):
        if isinstance(rule, Mapping):
            for key in ("salting_partitions", "arrays_to_explode"):
                if rule.get(key) not in (None, 1, []):
                    raise ValueError(f"blocking rule `{rule.get('blocking_rule')}`: `{key}` cannot be carried over")
            rule = rule["blocking_rule"]
        if not isinstance(rule, str):
            raise ValueError(f"blocking rule {rule!r}: give its SQL, or a settings dictionary")
        lines += ["[[rules]]", f"name = {_text(rule)}", f"when = {_text(rule)}", ""]
    if not lines:
        raise ValueError("settings of Splink without `blocking_rules_to_generate_predictions`")
    comparisons = settings.get("comparisons", [])
    if comparisons:
        lines += ["[score]", 'score = "fellegi-sunter"', 'weights = "weights.toml"', ""]
    for comparison in comparisons:
        name = str(comparison.get("output_column_name") or comparison.get("comparison_description") or "comparison")
        levels: list[str] = []
        frequency = False
        for level in comparison["comparison_levels"]:
            sql = str(level["sql_condition"])
            if level.get("is_null_level") or sql.strip().upper() == "ELSE":
                continue
            if level.get("tf_adjustment_column"):
                if levels:
                    raise ValueError(f"comparison `{name}`: a term frequency below the best level cannot be carried over")
                frequency = True
            levels.append(_condition(sql))
        if not levels:
            raise ValueError(f"comparison `{name}`: it has no level but missing and else")
        lines += ["[[score.attributes]]", f"name = {_text(name)}", "levels = ["]
        lines += [f"    {_text(level)}," for level in levels] + ["]"]
        lines += (["term_frequency = true"] if frequency else []) + [""]
    return "\n".join(lines)
