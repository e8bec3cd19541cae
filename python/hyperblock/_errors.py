"""What can go wrong."""

from __future__ import annotations


class HyperblockError(Exception):
    """All errors of this package that are not Python's own."""


class RuleError(HyperblockError):
    """The rules are not what they should be. ``line`` and ``column`` say where, counted from 1."""

    def __init__(self, said: str, message: str, help: str | None, line: int, column: int) -> None:
        super().__init__(said)
        self.message = message
        self.help = help
        self.line = line
        self.column = column


class TableError(HyperblockError):
    """A table is not what it should be."""


class DeviceError(HyperblockError):
    """There is no such device, or it failed, or it has too little memory."""


class InternalError(HyperblockError):
    """A defect of hyperblock: please report it."""
