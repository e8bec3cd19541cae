"""How long another program takes to find the pairs of titles with a similar set of 3-grams.

Called with its name (py_stringsimjoin or SetSimilaritySearch), a CSV file (id, title), the length of grams,
the least Jaccard similarity, numbers (of runs, of processes, of seconds that a run may take, and of gigabytes
that a process may), and a file for the pairs. Prints the program's version, the number of pairs, and the
seconds of each run, a line each; or, after the version, a line that says why there are none. Pairs are
written as two rows each, four bytes a row, sorted.

What is timed begins with titles in lower case, in the form that the program takes them, and ends with its
pairs; cutting titles into grams is part of it. Both compare floating-point numbers, so they are asked for a
little less, and whole numbers then decide, after the clock has stopped. py_stringsimjoin knows two tables, so
it gets the same one twice, and what it finds of a title with itself, and the second time round, is dropped,
also after the clock has stopped. SetSimilaritySearch has one thread.
"""

import array
import csv
from fractions import Fraction
from importlib.metadata import version

# A run that takes longer is the only one.
LONG = 10
# Below the least similarity: more than floating point loses, less than two similarities differ.
LESS = 1e-7


def grams(title, q):
    """The set of substrings with q characters."""
    return {title[at : at + q] for at in range(len(title) - q + 1)}


def py_stringsimjoin(titles, q, least, n_processes):
    """What joins once, and gives pairs of rows."""
    import pandas
    from py_stringmatching import QgramTokenizer
    from py_stringsimjoin import jaccard_join

    # Of the types that a table may have, the one that it knows as text.
    column = pandas.Series(titles, dtype=object)
    left, right = (pandas.DataFrame({"row": range(len(titles)), "title": column}) for _ in range(2))
    tokenizer = QgramTokenizer(qval=q, padding=False, return_set=True)

    def join():
        return jaccard_join(
            left,
            right,
            "row",
            "row",
            "title",
            "title",
            tokenizer,
            least - LESS,
            allow_empty=False,
            out_sim_score=False,
            n_jobs=n_processes,
            show_progress=False,
        )

    return join, lambda found: zip(found["l_row"].tolist(), found["r_row"].tolist())


def set_similarity_search(titles, q, least, _):
    """The same."""
    from SetSimilaritySearch import all_pairs

    def join():
        sets = [grams(title, q) for title in titles]
        # An empty set is like nothing.
        rows = [row for row, one in enumerate(sets) if one]
        sets = [sets[row] for row in rows]
        found = all_pairs(sets, similarity_func_name="jaccard", similarity_threshold=least - LESS)
        return [(rows[b], rows[a]) for a, b, _ in found]

    return join, lambda found: found


def alike(a, b, least):
    """Whether two sets are as similar as they must be, by whole numbers."""
    both = len(a & b)
    return both * least.denominator >= least.numerator * (len(a) + len(b) - both)


def run(program, table, q, least, n_runs, n_processes, seconds, output):
    """All runs, and one before them to warm up."""
    print(version(program), flush=True)
    with open(table, newline="", encoding="utf-8") as file:
        titles = [row["title"].lower() for row in csv.DictReader(file)]
    make = py_stringsimjoin if program == "py_stringsimjoin" else set_similarity_search
    join, pairs = make(titles, q, float(least), n_processes)
    found, times = timed(join, n_runs, seconds, LONG)
    sets = [grams(title, q) for title in titles]
    rows = sorted((a, b) for a, b in pairs(found) if a < b and alike(sets[a], sets[b], least))
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
