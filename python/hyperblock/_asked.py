"""What is asked: tables, rules and options, checked here and put into the words of the native module.

The native module trusts these dictionaries. So whatever a caller may get wrong is found in this file, and the message names the
option as the caller wrote it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, Union, cast


class ArrowStream(Protocol):
    """Anything that gives an Arrow stream: pyarrow, Polars, pandas, DuckDB, and results of this package."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Table: TypeAlias = Union[str, "os.PathLike[str]", ArrowStream]
"""A path of a CSV, Parquet or Arrow file, or a table in memory."""

Tables: TypeAlias = Union[Table, Sequence[Table], Mapping[str, Table]]
"""A table, or several: a list, or a dict of what they are called. A path may be a pattern of files, such as `parts/*.csv`."""

Columns: TypeAlias = Mapping[str, Union[str, Sequence[str]]]
"""What rules call a column, and the columns that go by it, of which the first that a table has counts."""

Rules: TypeAlias = Union[str, "os.PathLike[str]", Mapping[str, str], Iterable[tuple[str, str]]]
"""A path of a rule file, its text, or names and conditions."""

Callback: TypeAlias = Callable[[str | None, int, int, str], object]
"""Called with the stage, how much of it is done, how much there is, and what is counted."""

Progress: TypeAlias = Union[bool, Callback, None]
"""Whether a bar is shown, or who is told instead."""

Path: TypeAlias = Union[str, "os.PathLike[str]"]


def asked(
    tables: Mapping[str, Tables | None],
    rules: Rules,
    *,
    across: bool,
    link: bool = False,
    within: bool = False,
    map: Columns | None = None,
    id: str | None,
    right_id: str | None = None,
    max_pairs: int | None = None,
    max_block: int | None = None,
    errors: Path | None = None,
    each_rule: bool = False,
) -> dict[str, Any]:
    """Tables by the names of their options, the left one first, and what is to be found in them: pairs across them, if that is
    asked for and they are several, or else within all of them. To link takes several."""
    given: list[tuple[str | None, Table]] = []
    several = False
    for nth, (name, value) in enumerate(tables.items()):
        # The first has to be there.
        if value is not None or nth == 0:
            found, is_list = _several(name, cast(Tables, value))
            given += found
            several = several or is_list
    named = [name for name, _ in given if name is not None]
    if named and len(named) < len(given):
        raise TypeError("tables: either all of them have names, or none has")
    file, words = _rules(rules)
    return dict(
        tables=[value for _, value in given],
        names=named,
        several=several or within or bool(named),
        across=across,
        link=link,
        within=bool(within),
        map=_columns(map),
        rules_path=file,
        rules_text=words,
        id=text("id", id),
        right_id=text("right_id", right_id),
        max_pairs=whole("max_pairs", max_pairs, least=0),
        max_block=whole("max_block", max_block, most=2**32 - 1),
        errors=None if errors is None else path("errors", errors),
        each_rule=bool(each_rule),
    )


def _several(name: str, value: Tables) -> tuple[list[tuple[str | None, Table]], bool]:
    """The tables of an option, with what they are called, and whether they are a list."""
    if isinstance(value, Mapping):
        if not value:
            raise ValueError(f"{name}: there is none")
        return [(_called(name, called), table(f"{name}[{called!r}]", one)) for called, one in value.items()], True
    # Tables of some packages are lists too.
    if isinstance(value, (list, tuple)) and not hasattr(value, "__arrow_c_stream__"):
        if not value:
            raise ValueError(f"{name}: there is none")
        return [(None, table(f"{name}[{nth}]", one)) for nth, one in enumerate(value)], True
    # What is no table after all is refused there.
    return [(None, table(name, cast(Table, value)))], False


def _called(name: str, called: object) -> str:
    if not isinstance(called, str):
        raise TypeError(f"{name}: what tables are called is text, not {_kind(called)}")
    return called


def _columns(columns: Columns | None) -> list[tuple[str, list[str]]]:
    """Names, and the columns of each."""
    if columns is None:
        return []
    if not isinstance(columns, Mapping):
        raise TypeError(f'map: a dict, such as {{"name": ["title", "product_name"]}}, not {_kind(columns)}')
    found: list[tuple[str, list[str]]] = []
    for name, of in columns.items():
        listed = [of] if isinstance(of, str) else list(of) if isinstance(of, (list, tuple)) else []
        if not isinstance(name, str) or not listed or not all(isinstance(column, str) and column for column in listed):
            raise TypeError(f"map: {name!r} stands for a column or a list of columns, not {of!r}")
        found.append((name, listed))
    return found


def table(name: str, value: Table) -> Table:
    """A path as text, or a table in memory as it is."""
    if isinstance(value, (str, os.PathLike)):
        return path(name, value)
    if not hasattr(value, "__arrow_c_stream__"):
        # A lazy frame is the usual mistake.
        hint = "; call its `collect()`" if hasattr(value, "collect") else ""
        kinds = "a path, or a table of pyarrow, pandas, Polars or DuckDB"
        raise TypeError(f"{name}: {kinds} (whatever has `__arrow_c_stream__`), not {_kind(value)}{hint}")
    return value


def known(truth: Path | None, errors: Path | None) -> str | None:
    """The path of the truth. Without one nothing is an error."""
    if truth is None and errors is not None:
        raise ValueError("errors: only a truth says what they are; name one with `truth`")
    return None if truth is None else path("truth", truth)


def path(name: str, value: Path) -> str:
    found = os.fspath(value)
    if not isinstance(found, str):
        raise TypeError(f"{name}: a path as text, not {_kind(found)}")
    return found


def text(name: str, value: str | None) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name}: text, not {_kind(value)}")
    return value


def whole(name: str, value: int | None, *, least: int = 1, most: int = 2**64 - 1) -> int | None:
    """A whole number, also one of numpy. True and False are none, though Python takes them for 1 and 0."""
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: a whole number, not {_kind(value)}")
    number = value.__index__()
    if not least <= number <= most:
        raise ValueError(f"{name}: a whole number from {least} to {most}, not {number}")
    return number


def _rules(rules: Rules) -> tuple[str | None, str | None]:
    """The path of a rule file, or its text."""
    if isinstance(rules, os.PathLike):
        return path("rules", rules), None
    if isinstance(rules, str):
        # The name of a file has no line end, and no section.
        is_text = "\n" in rules or "[[" in rules
        return (None, rules) if is_text else (rules, None)
    if not isinstance(rules, Iterable):
        raise TypeError(f"rules: a path, the text of a rule file, or names and conditions, not {_kind(rules)}")
    sections: list[str] = []
    for rule in rules.items() if isinstance(rules, Mapping) else rules:
        is_pair = isinstance(rule, (tuple, list)) and len(rule) == 2
        if not is_pair or not all(isinstance(part, str) for part in rule):
            raise TypeError(f'rules: each rule is a name and a condition, such as ("same city", "l.city = r.city"), not {rule!r}')
        name, when = rule
        sections.append(f"[[rules]]\nname = {quoted(name)}\nwhen = {quoted(when)}\n")
    if not sections:
        raise ValueError("rules: there is none")
    return None, "\n".join(sections)


def quoted(words: str) -> str:
    """As TOML writes text. JSON writes it so too, but for DEL."""
    return json.dumps(words, ensure_ascii=False).replace("\x7f", "\\u007f")


def _kind(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
