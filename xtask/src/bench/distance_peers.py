"""How long DuckDB takes to find the pairs of points that are at most a kilometre apart, from a Parquet file to a CSV file.

Called with `make`, a CSV file of id, lat and lon, and the Parquet file to make of it; or with `run`, the Parquet file, the CSV
file of pairs, and numbers: of runs, of threads, and the greatest latitude. Prints DuckDB's version, the number of pairs, and
the seconds of each run, a line each.

The query is what one would write who knows that all pairs are too many. Points are numbered by cells of a kilometre, each is
joined with the points of its own cell and of the eight around it, and the haversine formula decides, with sines and cosines
of one point worked out once. A pair comes once, with the smaller id on the left, in no order.
"""

import math
import sys
import time

import duckdb

RADIUS = 6371.0088
KILOMETRES = 1


def query(table, output, most_latitude):
    height = math.degrees(KILOMETRES / RADIUS)
    # As wide as it must be where meridians are nearest to each other.
    width = height / math.cos(math.radians(most_latitude)) * (1 + 1e-9)
    height *= 1 + 1e-9
    return f"""COPY (
        WITH points AS MATERIALIZED (
            SELECT id, radians(lat) AS phi, radians(lon) AS theta, cos(radians(lat)) AS cosine,
                floor(lat / {height!r})::INTEGER AS y, floor(lon / {width!r})::INTEGER AS x
            FROM read_parquet('{table}')),
        around AS (
            SELECT id, phi, theta, cosine, y + dy AS y, x + dx AS x
            FROM points, (VALUES (-1), (0), (1)) AS rows(dy), (VALUES (-1), (0), (1)) AS columns(dx))
        SELECT l.id AS "left", r.id AS "right"
        FROM around l JOIN points r ON l.y = r.y AND l.x = r.x AND l.id < r.id
        WHERE {2 * RADIUS} * asin(sqrt(pow(sin((r.phi - l.phi) / 2), 2)
            + l.cosine * r.cosine * pow(sin((r.theta - l.theta) / 2), 2))) <= {KILOMETRES}
        ) TO '{output}' (FORMAT csv, HEADER)"""


def run(table, output, n_runs, n_threads, most_latitude):
    times = []
    for _ in range(n_runs):
        begin = time.perf_counter()
        database = duckdb.connect(config={"threads": n_threads})
        database.execute("SET preserve_insertion_order = false")
        # It would be printed among the figures.
        database.execute("SET enable_progress_bar = false")
        n_found = database.execute(query(table, output, most_latitude)).fetchone()[0]
        database.close()
        times.append(time.perf_counter() - begin)
    print(duckdb.__version__)
    print(n_found)
    print(*(f"{time:.6f}" for time in times))


def make(table, output):
    duckdb.execute(f"""COPY (SELECT id, lat::DOUBLE AS lat, lon::DOUBLE AS lon FROM read_csv('{table}', header = true))
        TO '{output}' (FORMAT parquet)""")


def main():
    if sys.argv[1] == "make":
        make(*sys.argv[2:4])
    else:
        table, output = sys.argv[2:4]
        run(table, output, int(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6]))


main()
