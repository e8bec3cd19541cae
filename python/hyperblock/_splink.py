"""Splink's settings as rules: blocking rules become rules, comparison levels the levels of a score.

Nothing is dropped in silence. What rules have no word for is a `ValueError` that names comparison and level. What means a little
else is a `UserWarning`. Bookkeeping, such as prefixes of columns, has no meaning here.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Protocol, Union

from ._asked import quoted
from ._sql import NoWord, condition

_BOOKKEEPING = {
    "additional_columns_to_retain", "bayes_factor_column_prefix", "comparison_vector_value_column_prefix", "em_convergence",
    "linker_uid", "match_weight_column_prefix", "max_iterations", "probability_two_random_records_match",
    "retain_intermediate_calculation_columns", "retain_matching_columns", "source_dataset_column_name",
    "term_frequency_adjustment_column_prefix", "unique_id_column_name",
}  # fmt: skip
_KNOWN = {"blocking_rules_to_generate_predictions", "comparisons", "link_type", "sql_dialect"} | _BOOKKEEPING
_OF_LEVEL = {
    "sql_condition", "label_for_charts", "is_null_level", "m_probability", "u_probability", "fix_m_probability",
    "fix_u_probability", "tf_adjustment_column", "tf_adjustment_weight", "tf_minimum_u_value", "disable_tf_exact_match_detection",
}  # fmt: skip


class _Creator(Protocol):
    def create_settings_dict(self, sql_dialect_str: str) -> dict[str, Any]: ...


def from_splink(settings: Union[Mapping[str, Any], _Creator], *, weights: str = "weights.toml") -> str:
    """The text of a rule file, from Splink's settings for DuckDB.

    Blocking rules become rules, of the same order and name. Comparisons become attributes of a Fellegi-Sunter score. Trained m and
    u probabilities are not carried over, and a warning says so: `fit` estimates them, and writes them with their evidence.

    Args:
        settings: A ``SettingsCreator``, a settings dictionary, or a model as ``save_model_to_json()`` returns it.
        weights: The file that the score takes its weights from, once `fit` has estimated them.

    Raises:
        ValueError: Something cannot be carried over. The message names it.

    >>> import hyperblock as hb
    >>> print(hb.from_splink({"blocking_rules_to_generate_predictions": ["l.city = r.city"]}))
    [[rules]]
    name = "l.city = r.city"
    when = "l.city = r.city"
    <BLANKLINE>
    """
    if not isinstance(settings, Mapping):
        if not hasattr(settings, "create_settings_dict"):
            raise TypeError(f"settings: Splink's settings as a dictionary, not {type(settings).__qualname__}")
        settings = settings.create_settings_dict("duckdb")
    unknown = sorted(set(settings) - _KNOWN)
    if unknown:
        raise ValueError(f"settings of Splink that cannot be carried over: {', '.join(unknown)}")
    dialect = settings.get("sql_dialect") or "duckdb"
    if dialect != "duckdb":
        raise ValueError(f"sql_dialect `{dialect}` cannot be carried over: create the settings for duckdb")
    if settings.get("link_type") == "link_and_dedupe":
        raise ValueError("link_type `link_and_dedupe` cannot be carried over: dedupe and link are two jobs")
    lines: list[str] = []
    for rule in settings.get("blocking_rules_to_generate_predictions") or []:
        lines += _rule(rule)
    if not lines:
        raise ValueError("settings of Splink without `blocking_rules_to_generate_predictions`")
    comparisons = settings.get("comparisons") or []
    if comparisons:
        lines += ["[score]", 'score = "fellegi-sunter"', f"weights = {quoted(weights)}", ""]
    is_trained = False
    for comparison in comparisons:
        more, with_weights = _attribute(comparison)
        lines += more
        is_trained |= with_weights
    if is_trained:
        warnings.warn("m and u probabilities of Splink are not carried over: `fit` estimates them", stacklevel=2)
    return "\n".join(lines)


def _rule(rule: Any) -> list[str]:
    if isinstance(rule, Mapping):
        for key in set(rule) - {"blocking_rule", "sql_dialect"}:
            if rule[key] not in (None, 1, []):
                raise ValueError(f"blocking rule `{rule.get('blocking_rule')}`: `{key}` cannot be carried over")
        rule = rule["blocking_rule"]
    if not isinstance(rule, str):
        raise ValueError(f"blocking rule {rule!r}: give its SQL, or a settings dictionary")
    try:
        when, _, doubts = condition(rule, suffixed=False)
    except NoWord as error:
        raise ValueError(f"blocking rule `{rule}`: {error} cannot be carried over") from None
    for doubt in dict.fromkeys(doubts):
        warnings.warn(f"blocking rule `{rule}`: {doubt}", stacklevel=3)
    return ["[[rules]]", f"name = {quoted(rule)}", f"when = {quoted(when)}", ""]


def _attribute(comparison: Any) -> tuple[list[str], bool]:
    """The lines of an attribute, and whether the comparison was trained."""
    if not isinstance(comparison, Mapping):
        raise ValueError(f"comparison {comparison!r}: give a settings dictionary")
    name = str(comparison.get("output_column_name") or comparison.get("comparison_description") or "comparison")
    levels: list[str] = []
    columns: set[str] = set()
    missing: set[str] = set()
    frequency: list[str] = []
    # Once each, by the first level that it is about.
    doubtful: dict[str, str] = {}
    is_trained = False
    for level in comparison["comparison_levels"]:
        sql = str(level["sql_condition"]).strip()
        label = f"comparison `{name}`, level `{level.get('label_for_charts') or sql}`"
        unknown = sorted(key for key in set(level) - _OF_LEVEL if level[key] is not None)
        if unknown:
            raise ValueError(f"{label}: {', '.join(unknown)} cannot be carried over")
        is_trained |= level.get("m_probability") is not None or level.get("u_probability") is not None
        if sql.upper() == "ELSE":
            continue
        if level.get("is_null_level"):
            missing |= _missing(sql)
            continue
        try:
            when, about, doubts = condition(sql, suffixed=True)
        except NoWord as error:
            raise ValueError(f"{label}: {error} cannot be carried over") from None
        for doubt in doubts:
            doubtful.setdefault(doubt, label)
        if level.get("tf_adjustment_column"):
            frequency = _frequency(level, label, about, is_best=not levels)
        columns |= about
        levels.append(when)
    if not levels:
        raise ValueError(f"comparison `{name}`: it has no level but missing and else")
    for doubt, label in doubtful.items():
        warnings.warn(f"{label}: {doubt}", stacklevel=3)
    if len(columns) > 1 or missing != columns:
        said = "where a value is missing and no level is reached, rules take the comparison as missing; Splink takes its last level"
        warnings.warn(f"comparison `{name}`: {said}, unless its null level says otherwise", stacklevel=3)
    lines = ["[[score.attributes]]", f"name = {quoted(name)}", "levels = ["]
    lines += [f"    {quoted(level)}," for level in levels] + ["]"]
    return lines + frequency + [""], is_trained


def _missing(sql: str) -> set[str]:
    """The columns of a null level. One that looks at more than columns is of none, and the caller says what that means."""
    try:
        return condition(sql, suffixed=True)[1]
    except NoWord:
        return set()


def _frequency(level: Mapping[str, Any], label: str, about: set[str], *, is_best: bool) -> list[str]:
    column = str(level["tf_adjustment_column"]).strip('"')
    if not is_best or about != {column}:
        raise ValueError(f"{label}: a term frequency of anything but the best level's own column cannot be carried over")
    if level.get("tf_adjustment_weight") not in (None, 1):
        raise ValueError(f"{label}: a `tf_adjustment_weight` other than 1 cannot be carried over")
    least = level.get("tf_minimum_u_value")
    return ["term_frequency = true"] + ([f"least_frequency = {least:.12f}"] if least else [])
