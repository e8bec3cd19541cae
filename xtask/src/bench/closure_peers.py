"""How long DuckDB takes for the transitive closure of a graph, by a recursive query.

Called with a file of edges, two int32 each, and numbers: of runs, of threads, of seconds that a run may take, and of
gigabytes that all may. Prints DuckDB's version, the number of tuples, and the seconds of each run, a line each; or, after the
version, a line that says why there are none. The edges are in a table of DuckDB's before; UNION drops what is there already.
"""

import numpy as np

CLOSURE = """
WITH RECURSIVE path(a, b) AS (
    SELECT a, b FROM edge
    UNION
    SELECT path.a, edge.b FROM path JOIN edge ON path.b = edge.a
)
SELECT count(*) FROM path
"""
# Seconds from which on one run is enough.
LONG = 10


def run(edges, n_runs, n_threads, seconds):
    import duckdb

    print(duckdb.__version__, flush=True)
    database = duckdb.connect(config={"threads": n_threads})
    # It would be printed among the figures.
    database.execute("SET enable_progress_bar = false")
    edges = np.fromfile(edges, dtype=np.int32).reshape(-1, 2)
    database.register("edges", {"a": edges[:, 0].copy(), "b": edges[:, 1].copy()})
    database.execute("CREATE TABLE edge AS SELECT DISTINCT a, b FROM edges")
    tell(*timed(lambda: database.execute(CLOSURE).fetchone()[0], n_runs, seconds, LONG))


def main():
    n_runs, n_threads, seconds, gigabytes = map(int, sys.argv[2:6])
    limited(lambda: run(sys.argv[1], n_runs, n_threads, seconds), gigabytes * 10**9, seconds)


main()
