"""Results: rows that stay in native memory, and are handed on as an Arrow stream whenever somebody reads them.

Nothing here copies rows, but for the `to_…` methods of whoever has another layout. Streams keep their rows alive by themselves,
so a result may be freed while one of its streams is read.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, unused-ignore]
    import polars
    import pyarrow  # type: ignore[import-untyped, unused-ignore]

SHOWN = 20
"""So many rows are in a notebook's table."""


class Rows:
    """A result: rows that can be read as often as you like, as an Arrow stream, and their ``summary``."""

    summary: dict[str, Any]
    """What the command line prints with ``--summary json``: counts, times, the device."""

    def __init__(self, stream: _native.Stream, summary: dict[str, Any]) -> None:
        self._stream = stream
        self.summary = summary

    def __len__(self) -> int:
        return len(self._stream)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """By the Arrow PyCapsule interface: pyarrow, Polars, pandas and DuckDB read a result as it is."""
        return self._stream.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pyarrow.Table:
        """As a ``pyarrow.Table``, without a copy."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """As a ``pandas.DataFrame``; needs pyarrow too."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_polars(self) -> polars.DataFrame:
        """As a ``polars.DataFrame``."""
        import polars

        return polars.DataFrame(self)

    def __repr__(self) -> str:
        return f"<hyperblock.{type(self).__name__}: {len(self):,} rows>"

    def _repr_html_(self) -> str:
        """The first rows, for a notebook. Only the batches that hold them are read."""
        try:
            import pyarrow
        except ImportError:
            return html.escape(repr(self))
        reader = pyarrow.RecordBatchReader.from_stream(self)
        lines: list[str] = []
        for batch in reader:
            rows = batch.slice(0, SHOWN - len(lines)).to_pylist()
            lines += [_line("td", row.values()) for row in rows]
            if len(lines) == SHOWN:
                break
        first = f", the first {len(lines)} of them here" if len(lines) < len(self) else ""
        head = _line("th", reader.schema.names)
        return f"<table>{head}{''.join(lines)}</table><p>{len(self):,} rows{first}</p>"


class Pairs(Rows):
    """Pairs of records: columns ``left`` and ``right``, the ``rule`` that allows the pair, and its score if there is one."""

    def to_splink(self, id: str = "unique_id") -> pyarrow.Table:
        """As a table of predictions by Splink's names, for its clustering and charts.

        Args:
            id: The ``unique_id_column_name`` of Splink's settings.

        >>> import hyperblock as hb, pyarrow as pa
        >>> pairs = hb.dedupe(pa.table({"a": ["x", "x"]}), {"same": "l.a = r.a"}, device="cpu")
        >>> pairs.to_splink("id").column_names
        ['id_l', 'id_r', 'rule']
        """
        names = dict(left=f"{id}_l", right=f"{id}_r", weight="match_weight", probability="match_probability")
        table = self.to_arrow()
        return table.rename_columns([names.get(name, name) for name in table.column_names])


class Entities(Rows):
    """A row for each record: its ``id`` and its ``entity_id``, the id of the entity's first record, or one that has survived."""

    changes: Rows | None
    """What became of the ids that entities had before, if ``previous`` was given: ``change``, ``old_id``, ``new_id``, ``records``."""

    def __init__(self, stream: _native.Stream, summary: dict[str, Any], changes: Rows | None = None) -> None:
        super().__init__(stream, summary)
        self.changes = changes


def _line(tag: str, values: Iterable[Any]) -> str:
    cells = "".join(f"<{tag}>{html.escape('' if value is None else str(value))}</{tag}>" for value in values)
    return f"<tr>{cells}</tr>"
