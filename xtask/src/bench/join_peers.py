"""How long another program takes to count the pairs of rows with the same key.

Called with its name (duckdb, polars-streaming or polars-in-memory), two files of int32 keys, and numbers: of
runs, of threads, of seconds that a run may take, and of gigabytes that all may. Prints the program's version,
the number of pairs, and the seconds of each run, a line each; or, after the version, a line that says why
there are none.

All have their tables in memory. DuckDB counts by `SELECT count(*)` over the join; Polars by a lazy join of
which only the length is asked, in either of its engines: the streaming one never has all pairs at once, the
other is faster where they fit.
"""

import numpy as np


def duckdb(left, right, n_threads):
    """DuckDB's version, and what counts once."""
    import duckdb

    database = duckdb.connect(config={"threads": n_threads})
    # It would be printed among the figures.
    database.execute("SET enable_progress_bar = false")
    for name, keys in (("l", left), ("r", right)):
        database.register("keys", {"key": keys})
        database.execute(f"CREATE TABLE {name} AS SELECT key FROM keys")
        database.unregister("keys")

    def count():
        return database.execute("SELECT count(*) FROM l JOIN r ON l.key = r.key").fetchone()[0]

    return duckdb.__version__, count


def polars(left, right, n_threads, engine):
    """The same of Polars, in one of its engines."""
    os.environ["POLARS_MAX_THREADS"] = str(n_threads)
    import polars

    left, right = (polars.DataFrame({"key": keys}) for keys in (left, right))

    def count():
        both = left.lazy().join(right.lazy(), on="key")
        return both.select(polars.len()).collect(engine=engine).item()

    return polars.__version__, count


def run(program, left, right, n_runs, n_threads, seconds):
    """All runs, and one before them to warm up."""
    left, right = (np.fromfile(path, dtype=np.int32) for path in (left, right))
    name, _, engine = program.partition("-")
    if name == "duckdb":
        version, count = duckdb(left, right, n_threads)
    else:
        version, count = polars(left, right, n_threads, engine)
    print(version, flush=True)
    tell(*timed(count, n_runs, seconds))


def main():
    program, left, right = sys.argv[1:4]
    n_runs, n_threads, seconds, gigabytes = map(int, sys.argv[4:8])
    limited(lambda: run(program, left, right, n_runs, n_threads, seconds), gigabytes * 10**9, seconds)


main()
