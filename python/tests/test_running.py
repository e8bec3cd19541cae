"""While a job runs: Ctrl-C, callbacks, bars, forks, threads. None of them may end, or hang, the interpreter."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import redirect_stderr

import pyarrow as pa
import pytest

import hyperblock as hb

SAME = {"same": "l.a = r.a"}
SMALL = pa.table({"a": ["x", "x", "y"]})
MANY = pa.table({"a": [n % 100 for n in range(10_000)]})
SLOW = {"alike": "jaro(l.a, r.a) >= 0.99"}
"""With `long_table`, takes far longer than anybody waits."""


def long_table(n: int = 100_000) -> pa.Table:
    return pa.table({"a": [f"{n:020} some longer text" for n in range(n)]})


# `stage` is what the job is at when it is interrupted; tables and rules are such that it stays there.
INTERRUPTED = """
import hyperblock as hb, pyarrow as pa, sys
count, rule, wanted = int(sys.argv[1]), sys.argv[2], sys.argv[3]
table = pa.table({'a': [f'{n:020} some longer text {n * n}' for n in range(count)]})
said = False
def told(stage, *_):
    global said
    if not said and stage is not None and (stage == 'scan') == (wanted == 'scan'):
        said = True
        print('begun', stage, flush=True)
try:
    hb.dedupe(table, [('x', rule)], device='cpu', progress=told)
except KeyboardInterrupt:
    print('stopped', flush=True)
    # The interpreter goes on.
    print(len(hb.dedupe(table.slice(0, 2), [('x', 'l.a <> r.a')], device='cpu')), flush=True)
"""


@pytest.mark.parametrize(
    "wanted, count, rule",
    [
        ("scan", 100_000, "jaro(l.a, r.a) >= 0.99"),
        ("before", 400_000, "jaccard(qgrams(lower(l.a), 3), qgrams(lower(r.a), 3)) >= 0.9"),
    ],
)
def test_ctrl_c(wanted: str, count: int, rule: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(count), rule, wanted]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline().startswith("begun")
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        start = time.monotonic()
        line = child.stdout.readline()
        took = time.monotonic() - start
        assert line == "stopped\n" and took < 0.5, f"{line!r} after {took:.2f} s"
        assert child.stdout.readline() == "1\n" and child.wait() == 0


def test_a_callback_is_told() -> None:
    told: list[tuple[str | None, int, int, str]] = []
    hb.dedupe(MANY, SAME, device="cpu", progress=lambda *now: told.append(now))
    assert told and all(done <= all_ for _, done, all_, _ in told)


class Enough(Exception):
    pass


def test_what_a_callback_raises_ends_the_job() -> None:
    def told(*_: object) -> None:
        raise Enough("for now")

    start = time.monotonic()
    with pytest.raises(Enough, match="for now"):
        hb.dedupe(long_table(), SLOW, device="cpu", progress=told)
    assert time.monotonic() - start < 3
    assert len(hb.dedupe(SMALL, SAME, device="cpu")) == 1


def test_a_callback_may_run_a_job() -> None:
    inner: list[int] = []
    hb.dedupe(MANY, SAME, device="cpu", progress=lambda *_: inner.append(len(hb.dedupe(SMALL, SAME, device="cpu"))))
    assert set(inner) == {1}


def test_a_bar_is_shown_and_closed() -> None:
    tqdm = pytest.importorskip("tqdm.auto").tqdm
    shown = io.StringIO()
    with redirect_stderr(shown):
        hb.dedupe(MANY, SAME, device="cpu", progress=True)
        with pytest.raises(hb.RuleError):
            hb.dedupe(MANY, {"no": "l.a = r.no"}, device="cpu", progress=True)
    assert shown.getvalue() and not tqdm._instances


def test_two_threads_at_once() -> None:
    found: list[int] = []
    jobs = [threading.Thread(target=lambda: found.append(len(hb.dedupe(MANY, SAME, device="cpu", threads=2)))) for _ in range(2)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert found == [495_000, 495_000]


def test_other_threads_go_on() -> None:
    """The interpreter's lock is released while a job runs."""
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.005):
            ticks += 1

    other = threading.Thread(target=tick)
    other.start()
    start = time.monotonic()
    hb.dedupe(long_table(3000), SLOW, device="cpu")
    took = time.monotonic() - start
    done.set()
    other.join()
    assert ticks >= took / 0.1


@pytest.mark.parametrize("n_rows", [MANY.num_rows, 0])
def test_fork(n_rows: int) -> None:
    def n_found() -> int:
        return len(hb.link(MANY.slice(0, n_rows), MANY, SAME, device="cpu"))

    expected = n_rows * 100
    assert n_found() == expected
    child = os.fork()
    if child == 0:
        # Not `sys.exit`: the child would run the rest of the tests.
        try:
            os._exit(0 if n_found() == expected else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def job(n: int) -> int:
    return len(hb.dedupe(pa.table({"a": ["x"] * n}), SAME, device="cpu"))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_multiprocessing() -> None:
    assert job(3) == 3
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(job, [2, 3, 4]) == [1, 3, 6]


def wrong(_: int) -> int:
    return len(hb.dedupe(SMALL, {"no": "l.a = r.no"}, device="cpu"))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_errors_come_back_from_other_processes() -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool, pytest.raises(hb.RuleError):
        pool.map(wrong, [1])


def test_so_many_threads() -> None:
    assert [len(hb.dedupe(MANY, SAME, device="cpu", threads=threads)) for threads in (1, 3)] == [495_000] * 2


def test_little_memory_is_an_answer_or_an_error() -> None:
    try:
        assert len(hb.dedupe(MANY, SAME, device="cpu", memory=64 * 2**20)) == 495_000
    except MemoryError as error:
        assert "memory" in str(error)
    with pytest.raises((MemoryError, ValueError)):
        hb.dedupe(MANY, SAME, device="cpu", memory=1)
