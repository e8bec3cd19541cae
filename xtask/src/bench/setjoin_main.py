"""How long another program takes to find the pairs of titles with a similar set of q-grams.

Called with its name (py_stringsimjoin or SetSimilaritySearch), a CSV file (id, title), the length of grams,
the least Jaccard similarity, numbers (of runs, of processes, of seconds that a run may take, and of gigabytes
that a process may), and a file for the pairs. Prints the program's version, the number of pairs, and the
seconds of each run, a line each; or, after the version, a line that says why there are none. Pairs are
written as two rows each, four bytes a row, sorted.

What is timed begins with titles in lower case, in the form that the program takes them, and ends with its
pairs; cutting titles into grams is part of it. What whole numbers decide comes after the clock has stopped.
"""

import array
import csv
from fractions import Fraction
from importlib.metadata import version

# A run that takes longer is the only one.
LONG = 10


def run(program, table, q, least, n_runs, n_processes, seconds, output):
    """All runs, and one before them to warm up."""
    print(version(program), flush=True)
    with open(table, newline="", encoding="utf-8") as file:
        titles = [row["title"].lower() for row in csv.DictReader(file)]
    make = py_stringsimjoin if program == "py_stringsimjoin" else set_similarity_search
    join, pairs = make(titles, q, float(least), n_processes)
    found, times = timed(join, n_runs, seconds, LONG)
    rows = exact(titles, q, least, pairs(found))
    with open(output, "wb") as file:
        array.array("I", (row for pair in rows for row in pair)).tofile(file)
    tell(len(rows), times)


def main():
    program, table, q, least = sys.argv[1:5]
    n_runs, n_processes, seconds, gigabytes = map(int, sys.argv[5:9])
    output = sys.argv[9]

    def work():
        run(program, table, int(q), Fraction(least), n_runs, n_processes, seconds, output)

    limited(work, gigabytes * 10**9, seconds)


main()
