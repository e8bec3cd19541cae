"""How other programs find pairs of texts with similar sets of tokens, by Jaccard's coefficient.

Prepended to what calls them: `setjoin_main.py`, and the scripts of `cargo xtask compare`. Tokens are substrings of q
characters, or words where q is 0. All compare floating-point numbers, so they are asked for a little less, and whole
numbers then decide. py_stringsimjoin knows two tables, so it gets the same one twice, and what it finds of a text with
itself, and the second time round, is dropped. SetSimilaritySearch has one thread.
"""

# Below the least similarity: more than floating point loses, less than two similarities differ.
LESS = 1e-7


def tokens(title, q):
    """The set of substrings with q characters, or of words."""
    return {title[at : at + q] for at in range(len(title) - q + 1)} if q else set(title.split())


def py_stringsimjoin(titles, q, least, n_processes):
    """What joins once, and gives pairs of rows."""
    import pandas
    from py_stringmatching import QgramTokenizer, WhitespaceTokenizer
    from py_stringsimjoin import jaccard_join

    # Of the types that a table may have, the one that it knows as text.
    column = pandas.Series(titles, dtype=object)
    left, right = (pandas.DataFrame({"row": range(len(titles)), "title": column}) for _ in range(2))
    grams = {"qval": q, "padding": False, "return_set": True}
    tokenizer = QgramTokenizer(**grams) if q else WhitespaceTokenizer(return_set=True)

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
        sets = [tokens(title, q) for title in titles]
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


def exact(titles, q, least, pairs):
    """The pairs that whole numbers find similar enough, each once, in order."""
    sets = [tokens(title, q) for title in titles]
    return sorted((a, b) for a, b in pairs if a < b and alike(sets[a], sets[b], least))


