"""hyperblock: the pairs of records that may be the same thing, exactly those that some rule allows.

>>> import pyarrow as pa
>>> people = pa.table({"id": [1, 2, 3], "name": ["Ann", "Anne", "Bob"], "city": ["Leeds", "Leeds", "York"]})
>>> pairs = dedupe(people, [("same city", "l.city = r.city")], device="cpu")
>>> pairs.to_arrow().to_pylist()
[{'left': 1, 'right': 2, 'rule': 'same city'}]
>>> pairs.summary["pairs"]["candidates"]
1
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable, Iterable
from typing import Any, Protocol, Union

from . import _native
from ._errors import DeviceError, HyperblockError, InternalError, RuleError, TableError
from ._splink import from_splink

__version__ = _native.__version__
__all__ = [
    "DeviceError", "HyperblockError", "InternalError", "Pairs", "RuleError", "TableError", "closure", "cluster",
    "dedupe", "devices", "explain", "fit", "from_splink", "link", "resolve", "why",
]  # fmt: skip


class ArrowStream(Protocol):
    """Anything that gives an Arrow stream: pyarrow, Polars, pandas, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Table = Union[str, "os.PathLike[str]", ArrowStream]
Rules = Union[str, "os.PathLike[str]", Iterable[tuple[str, str]]]
Progress = Union[bool, Callable[[str | None, int, int, str], object], None]


class Pairs:
    """A result: an Arrow stream that can be read as often as you like, with its ``summary``."""

    def __init__(self, stream: _native.Stream, summary: dict[str, Any]) -> None:
        self._stream = stream
        self.summary = summary

    def __len__(self) -> int:
        return len(self._stream)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._stream.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """As a ``pyarrow.Table``."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> Any:
        """As a ``pandas.DataFrame``; needs pyarrow."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """As a ``polars.DataFrame``."""
        import polars

        return polars.DataFrame(self)

    def __repr__(self) -> str:
        return f"<hyperblock.Pairs: {len(self):,} rows>"

    def _repr_html_(self) -> str:
        try:
            head = self.to_arrow().slice(0, 20)
        except ImportError:
            return html.escape(repr(self))

        def row(tag: str, values: Iterable[Any]) -> str:
            cells = "".join(f"<{tag}>{html.escape(str(value))}</{tag}>" for value in values)
            return f"<tr>{cells}</tr>"

        rows = "".join(row("td", record.values()) for record in head.to_pylist())
        return f"<table>{row('th', head.column_names)}{rows}</table><p>{len(self):,} rows</p>"


def _quoted(text: str) -> str:
    # JSON's strings are TOML's, but for DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _asked(left: Table, right: Table | None, rules: Rules, **more: Any) -> dict[str, Any]:
    path: str | None = None
    text: str | None = None
    if isinstance(rules, os.PathLike):
        path = os.fspath(rules)
    elif isinstance(rules, str):
        # A file's name has no line end, and no section.
        is_text = "\n" in rules or "[[" in rules
        path, text = (None, rules) if is_text else (rules, None)
    else:
        text = "\n".join(f"[[rules]]\nname = {_quoted(name)}\nwhen = {_quoted(when)}\n" for name, when in rules)
    asked: dict[str, Any] = dict(left=left, right=right, rules_path=path, rules_text=text)
    asked |= dict(id=None, right_id=None, max_pairs=None, max_block=None)
    return asked | more


def _bar() -> Callable[[str | None, int, int, str], object]:
    from tqdm.auto import tqdm

    bar = tqdm(total=0)

    def show(stage: str | None, done: int, all: int, things: str) -> None:
        bar.total, bar.n = all, done
        bar.set_description(stage or "")

    return show


def _place(
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    shown = _bar() if progress is True else (progress or None)
    return dict(device=device, threads=threads, memory=memory, device_memory=device_memory, progress=shown)


def dedupe(
    table: Table,
    rules: Rules,
    *,
    id: str | None = None,
    max_pairs: int | None = None,
    max_block: int | None = None,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> Pairs:
    """Finds pairs within one table, each unordered pair once. Memory is in bytes."""
    asked = _asked(table, None, rules, id=id, max_pairs=max_pairs, max_block=max_block)
    stream, summary = _native.find(asked, _place(device, threads, memory, device_memory, progress))
    return Pairs(stream, json.loads(summary))


def link(
    left: Table,
    right: Table,
    rules: Rules,
    *,
    id: str | None = None,
    right_id: str | None = None,
    max_pairs: int | None = None,
    max_block: int | None = None,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> Pairs:
    """Finds pairs across two tables."""
    asked = _asked(left, right, rules, id=id, right_id=right_id, max_pairs=max_pairs, max_block=max_block)
    stream, summary = _native.find(asked, _place(device, threads, memory, device_memory, progress))
    return Pairs(stream, json.loads(summary))


def resolve(
    table: Table,
    rules: Rules,
    *,
    right: Table | None = None,
    id: str | None = None,
    right_id: str | None = None,
    method: str = "components",
    truth: str | os.PathLike[str] | None = None,
    **place: Any,
) -> Pairs:
    """Finds, scores and clusters: a row ``id, entity_id`` for each record."""
    asked = _asked(table, right, rules, id=id, right_id=right_id)
    known = None if truth is None else os.fspath(truth)
    stream, summary = _native.resolve(asked, method, known, _place(**place))
    return Pairs(stream, json.loads(summary))


def cluster(
    pairs: Table,
    *,
    method: str = "components",
    threshold: float | str | None = None,
    two_tables: bool = False,
    **place: Any,
) -> Pairs:
    """Puts the records of pairs into entities."""
    least = None if threshold is None else str(threshold)
    return Pairs(_native.cluster(pairs, method, least, two_tables, _place(**place)), {})


def closure(edges: Table, **place: Any) -> Pairs:
    """Finds which nodes of a directed graph reach which: the first two columns are its edges."""
    return Pairs(_native.closure(edges, _place(**place)), {})


def fit(
    table: Table,
    rules: Rules,
    *,
    right: Table | None = None,
    id: str | None = None,
    seed: int = 1,
    truth: str | os.PathLike[str] | None = None,
    **place: Any,
) -> str:
    """Estimates the weights of a score. The answer is the text of a file of weights."""
    known = None if truth is None else os.fspath(truth)
    weights, _, doubts = _native.fit(_asked(table, right, rules, id=id), seed, known, _place(**place))
    if doubts:
        import warnings

        for doubt in doubts:
            warnings.warn(doubt, stacklevel=2)
    return weights


def explain(table: Table, rules: Rules, *, right: Table | None = None, id: str | None = None, **place: Any) -> str:
    """Shows how rules would be evaluated."""
    return _native.explain(_asked(table, right, rules, id=id), False, _place(**place))


def why(
    left_id: object,
    right_id: object,
    table: Table,
    rules: Rules,
    *,
    right: Table | None = None,
    id: str | None = None,
) -> dict[str, Any]:
    """Shows why two records are a candidate, or why not."""
    said = _native.why(_asked(table, right, rules, id=id), str(left_id), str(right_id), True, _place("cpu"))
    answer: dict[str, Any] = json.loads(said)
    return answer


def devices() -> list[tuple[str, str]]:
    """The devices there are, with what they stand for.

    >>> devices()[0][0]
    'cpu'
    """
    return _native.devices()
