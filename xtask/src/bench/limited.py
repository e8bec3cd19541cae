"""What the scripts of other programs share: runs that are timed, in a child that may take so much memory and time.

Prepended to each of them. A child that an alarm ends takes too long, whatever it is at; one that is refused memory ends by
itself, or is ended. How much the largest process had in memory is told on standard error.
"""

import os
import resource
import signal
import sys
import time

# How a child ends that has been refused memory.
NO_MEMORY = 3


def limited(work, memory, seconds):
    """Does `work` in a child, and prints why it came to no end, if it did not."""
    child = os.fork()
    if child == 0:
        # With all processes that it starts.
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        try:
            work()
        except Exception as error:
            # MemoryError, or DuckDB's OutOfMemoryException.
            if "Memory" in type(error).__name__:
                sys.exit(NO_MEMORY)
            raise
        sys.exit(0)
    try:
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
    print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, "KiB", file=sys.stderr)
    if ended == -signal.SIGALRM:
        print(f"over {seconds} s")
    elif ended in (NO_MEMORY, -signal.SIGABRT, -signal.SIGKILL):
        # Polars aborts, and a system without memory kills.
        print(f"out of memory ({memory // 10**9} GB)")
    elif ended != 0:
        sys.exit(ended)
    return ended == 0


def timed(run, n_runs, seconds, long=float("inf")):
    """What `run` came to last, and the seconds of all runs but the one to warm up, which alone counts if it is long."""
    times = []
    for _ in range(n_runs + 1):
        # Nothing handles the alarm, so it ends the process.
        signal.alarm(seconds)
        begin = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - begin)
        signal.alarm(0)
        if times[0] > long:
            break
    return result, times[1:] or times


def tell(n_found, times):
    """The last two lines of what a script prints."""
    print(n_found)
    print(*(f"{time:.6f}" for time in times), flush=True)


