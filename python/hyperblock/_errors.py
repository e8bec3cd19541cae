"""What can go wrong, as exceptions. The native module makes them, and finds them here by name.

Wrong options are Python's own ``TypeError`` and ``ValueError``, files that cannot be read ``OSError``, too little memory
``MemoryError``, Ctrl-C ``KeyboardInterrupt``.
"""

from __future__ import annotations


class HyperblockError(Exception):
    """All errors of this package that are not Python's own."""


class RuleError(HyperblockError):
    """The rules are not what they should be.

    >>> import hyperblock as hb, pyarrow as pa
    >>> try:
    ...     hb.dedupe(pa.table({"city": ["Leeds"]}), [("same", "l.city = r.town")], device="cpu")
    ... except hb.RuleError as error:
    ...     print(error.line, error.message)
    3 the table has no column `town`
    """

    message: str
    """What is wrong, in a line."""
    help: str | None
    """What may be done about it."""
    line: int
    """Where, in the text of the rules, counted from 1."""
    column: int
    """Where in the line, counted from 1."""

    def __init__(self, said: str, message: str, help: str | None, line: int, column: int) -> None:
        # All of them are arguments, so that the exception can be pickled, as multiprocessing does.
        super().__init__(said, message, help, line, column)
        self.message = message
        self.help = help
        self.line = line
        self.column = column

    def __str__(self) -> str:
        """The message with the place drawn below it, as the command line prints it."""
        return str(self.args[0])


class TableError(HyperblockError):
    """A table is not what it should be: a column is nested, ids come twice, a file is no table."""


class DeviceError(HyperblockError):
    """There is no such device, or it failed, or it has too little memory."""


class InternalError(HyperblockError):
    """A defect of hyperblock: please report it."""
