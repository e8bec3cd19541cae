"""How long rapidfuzz takes for all pairs of some names, and how many of them are alike.

Called with a CSV file (id, name) and a number of runs; prints rapidfuzz's version, the number of pairs whose Levenshtein
similarity is at least 0.8, and the seconds of each run, a line each.

cdist is called as is fastest for it: with a bound on distances, results of one byte each, on all cores, on blocks of rows
that leave memory bounded, each against the names from its own first one on, so that hardly a pair is computed twice.
Names are sorted by length: cdist takes short ones several at a time in one register, and in a block of long ones and
what is shorter than they are, one bound holds for all. Only cdist is timed; nothing of the counting is.
"""

import csv
import sys
import time

import numpy as np
import rapidfuzz
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

BLOCK = 1024


def run(names, most):
    """Seconds in cdist, and pairs that are alike."""
    seconds, count = 0.0, 0
    for start in range(0, len(names), BLOCK):
        rows, columns = names[start : start + BLOCK], names[start:]
        begin = time.perf_counter()
        distances = cdist(
            rows,
            columns,
            scorer=Levenshtein.distance,
            score_cutoff=int(most[start]),
            dtype=np.uint8,
            workers=-1,
        )
        seconds += time.perf_counter() - begin
        # No name after a row's own is longer than it, so the row's bound is the pair's. Each pair counts once.
        alike = distances <= most[start : start + BLOCK, None]
        square = alike[:, : len(rows)]
        count += np.count_nonzero(np.triu(square, 1)) + np.count_nonzero(alike[:, len(rows) :])
    return seconds, count


def main():
    path, n_runs = sys.argv[1], int(sys.argv[2])
    with open(path, newline="", encoding="utf-8") as file:
        names = sorted((row["name"] for row in csv.DictReader(file)), key=len, reverse=True)
    # 1 - d / length >= 0.8 is 5 d <= length, is d <= length // 5: whole numbers decide, as 0.8 is no float. The results
    # hold the bound plus one at most, in one byte.
    most = np.array([len(name) // 5 for name in names])
    assert len(names) > 0 and most[0] < 255
    runs = [run(names, most.astype(np.uint8)) for _ in range(n_runs)]
    counts = {count for _, count in runs}
    assert len(counts) == 1, counts
    print(rapidfuzz.__version__)
    print(counts.pop())
    print(*(f"{seconds:.6f}" for seconds, _ in runs))


main()
