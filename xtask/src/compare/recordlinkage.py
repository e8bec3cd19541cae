"""recordlinkage: pairs by blocks, compared column by column; entities by its classifier that needs no labels."""


class Recordlinkage:
    # What people of the end-to-end job are blocked by, and what tells them apart: columns with measures and thresholds.
    BLOCKS = (["phone"], ["email"], ["birth_date"], ["zip", "last_name"])
    FEATURES = {
        "first_name": ("jarowinkler", 0.85),
        "last_name": ("jarowinkler", 0.85),
        "street": ("jarowinkler", 0.9),
        "birth_date": ("levenshtein", 0.85),
        "phone": ("levenshtein", 0.85),
        "email": ("jarowinkler", 0.9),
    }

    def __init__(self):
        import pandas
        import recordlinkage

        self.pandas, self.recordlinkage = pandas, recordlinkage
        self.version = recordlinkage.__version__

    def run(self, job, table, output):
        people = self.pandas.read_csv(table, dtype=str, index_col="id")
        return getattr(self, job)(people, output)

    def e1(self, people, output):
        people.index = people.index.astype("int64")
        pairs = self.blocked(people, ["zip"])
        compare = self.recordlinkage.Compare(n_jobs=os.cpu_count())
        compare.string("last_name", "last_name", method="levenshtein", label="last_name")
        scores = compare.compute(pairs, people)
        return self.write(pairs[(scores["last_name"] >= 0.8).to_numpy()], output)

    def equal(self, people, output):
        people.index = people.index.astype("int64")
        return self.write(self.blocked(people, ["zip", "birth_year"]), output)

    def blocked(self, people, *blocks):
        index = self.recordlinkage.Index()
        for block in blocks:
            index.block(block)
        return index.index(people)

    def write(self, pairs, output):
        left, right = (pairs.get_level_values(side).to_series(index=range(len(pairs))) for side in (0, 1))
        is_less = left < right
        frame = {"left": left.where(is_less, right), "right": right.where(is_less, left)}
        self.pandas.DataFrame(frame).to_csv(output, index=False)
        return len(pairs)

    def truth(self, people, output):
        pairs = self.blocked(people, *self.BLOCKS)
        compare = self.recordlinkage.Compare()
        for column, (method, threshold) in self.FEATURES.items():
            compare.string(column, column, method=method, threshold=threshold, label=column)
        features = compare.compute(pairs, people)
        matches = self.recordlinkage.ECMClassifier().fit_predict(features)
        return write_entities(people.index.tolist(), matches.tolist(), output)


PROGRAMS = {"recordlinkage": Recordlinkage}


