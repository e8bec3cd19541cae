"""Where a call runs, with how much, and who is told how far it is.

A bar of tqdm is opened before a call and closed after it, whatever the call comes to: a bar that stays open would spoil the
next line in a notebook.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._asked import Callback, Progress, text, whole


@contextmanager
def place(
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    device_memory: int | None = None,
    progress: Progress = None,
) -> Iterator[dict[str, Any]]:
    """The dictionary that the native module takes, for as long as the call runs."""
    if device is None:
        raise TypeError("device: text, not NoneType")
    options = dict(
        device=text("device", device),
        threads=whole("threads", threads, most=65_536),
        memory=whole("memory", memory),
        device_memory=whole("device_memory", device_memory),
    )
    if progress is True:
        with _bar() as told:
            yield options | dict(progress=told)
    elif progress is None or progress is False:
        yield options | dict(progress=None)
    elif callable(progress):
        yield options | dict(progress=progress)
    else:
        raise TypeError(f"progress: True, False or a function, not {type(progress).__qualname__}")


@contextmanager
def _bar() -> Iterator[Callback]:
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ImportError as error:
        raise ImportError("progress=True shows a bar of tqdm, which is not installed: `pip install tqdm`") from error

    with tqdm(total=0) as bar:

        def told(stage: str | None, done: int, all: int, things: str) -> None:
            if bar.total != all:
                bar.reset(all)
            bar.unit = f" {things}"
            bar.set_description(stage or "", refresh=False)
            # Not `update`: what is told is where the job is, not how far it came since.
            bar.n = done
            bar.refresh()

        yield told
