"""How long scipy takes to find the connected components of pairs.

Called with a file of pairs of int32, the number of records, and the number of runs. Prints scipy's version, the
number of components, and the seconds of each run, a line each. A run begins with two arrays, and ends with the labels:
making the sparse matrix is part of it, since pairs are what there is.
"""

import sys
import time

import numpy as np
import scipy
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components


def main():
    path, n_records, n_runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    pairs = np.fromfile(path, dtype=np.int32).reshape(-1, 2)
    left, right = (np.ascontiguousarray(pairs[:, side]) for side in (0, 1))
    ones = np.ones(len(left), dtype=np.int8)
    times = []
    for _ in range(n_runs):
        begin = time.perf_counter()
        graph = coo_matrix((ones, (left, right)), shape=(n_records, n_records)).tocsr()
        n_components, _ = connected_components(graph, directed=False)
        times.append(time.perf_counter() - begin)
    print(scipy.__version__)
    print(n_components)
    print(*(f"{time:.6f}" for time in times))


main()
